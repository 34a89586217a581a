"""Events of any log as stream-json: a line for each thing that happened.

    {"type":"system","subtype":"init","cwd":"/home/ada/shop","session_id":"0199-4c1"}

Lines of other logs than stream-json are made so that reading them returns the same
runs again. Each text is whole, as a flush before a
tool call is, which its `model_call_id` shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convert.cursor import AGENT, END_NOT_RECORDED
from convert.cursor.tool_calls import GOOD_ARMS, MESSAGES, is_new_file, is_refused
from convert.cursor.wire import Arm, usage_of
from convert.errors import Warn
from convert.model.events import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Incident,
    IncidentKind,
    Outcome,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.model.json_lines import Losses, json_line, json_text, starts_first
from convert.model.run import json_number
from convert.options.conversion import Options

# The type and the subtype of the line of an incident; where the subtype is none of
# these, it is the status.
_INCIDENTS: dict[IncidentKind, tuple[str, str]] = {
    "reconnecting": ("connection", "reconnecting"),
    "reconnected": ("connection", "reconnected"),
    "connection": ("connection", ""),
    "retry": ("retry", ""),
    "task": ("system", "task_notification"),
    "stopped": ("system", "background_shell_timeout"),
    "error": ("error", ""),
}
# How many calls without an id of their own are kept, for a later line on one.
_MOST_OTHERS = 1000


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Make lines of the events of another format."""
    lines = _Lines(warn)
    for event in starts_first(events):
        yield from lines.read(event)


class _Lines:
    """Makes the lines of all runs of a log."""

    def __init__(self, warn: Warn) -> None:
        self._losses = Losses("stream-json", warn)
        self._runs: dict[int, _RunLines] = {}
        # The lines that wait for an event which shows that the log records none.
        self._held: list[bytes] = []

    def read(self, event: Event) -> list[bytes]:
        """Return the lines that an event adds."""
        match event:
            case EndOfLog():
                self._losses.warn_of_all()
                return []
            case Start():
                self._runs[event.run] = run = _RunLines(event, self._losses)
                self._held.append(run.init(event))
                return []
            case Incident():
                self._held += self._runs[event.run].incident(event)
                return []
            case End():
                lines = self._runs.pop(event.run).end(event)
            case _:
                lines = self._runs[event.run].read(event)
        held, self._held = self._held, []
        return held + lines


class _RunLines:
    """Makes the lines of a run."""

    def __init__(self, start: Start, losses: Losses) -> None:
        self._session = start.session
        self._first_ms = start.started_ms
        self._losses = losses
        self._texts = 0
        # The ids of open calls, by their numbers, and all ids in use.
        self._open: dict[int, str] = {}
        self._taken: set[str] = set()
        # The ids of calls that could not keep their own.
        self._others: dict[int, str] = {}
        self._result: Result | None = None
        if start.agent not in ("", AGENT):
            losses.add("the agent's name")

    def init(self, start: Start) -> bytes:
        """Return the line with which the run begins."""
        facts = {
            "cwd": start.directory,
            "model": start.model,
            "permissionMode": start.permission_mode,
        }
        return self._line("system", "init", _not_empty(facts), at=start.started_ms)

    def read(self, event: Event) -> list[bytes]:
        """Return the lines of an event of the run."""
        match event:
            case Prompt():
                return [self._message("user", self._prompt(event))]
            case Segment():
                return [self._text_line(event.text)]
            case Thinking():
                # The last line says when the block of reasoning ended.
                begin, end = map(self._clock, (event.started_ms, event.ended_ms))
                return [
                    self._line("thinking", "delta", {"text": event.text}, at=begin),
                    self._line("thinking", "completed", at=end),
                ]
            case ToolCall():
                return self._call(event)
            case Result():
                # Its line says how the run ended as well.
                self._result = event
        return []

    def incident(self, incident: Incident) -> list[bytes]:
        """Return the line of an incident; none for a warning."""
        if incident.kind not in _INCIDENTS:
            self._losses.add("warnings of the agent")
            return []
        kind, subtype = _INCIDENTS[incident.kind]
        facts = {
            "message": incident.message,
            "attempt": incident.attempt,
            "endpoint_url": incident.endpoint,
            "is_resume": incident.is_resume,
            "checkpoint_turn_count": incident.checkpoint_turn,
        }
        members = incident.details | _not_empty(facts)
        return [self._line(kind, subtype or incident.status, members)]

    def end(self, end: End) -> list[bytes]:
        """Return the result of the run, if it has one."""
        result = self._result
        if end.state not in ("success", "error"):
            return self._without_result(end)
        members: dict[str, Any] = {"is_error": end.state != "success"}
        if result is not None:
            members |= _result_members(result)
        reason = end.reason if end.state == "error" else ""
        members |= _not_empty({"error": reason, "request_id": end.request_id})
        subtype = "success" if end.state == "success" else "error"
        ended = None if self._first_ms is None else end.ended_ms
        return [self._line("result", subtype, members, at=ended)]

    def _without_result(self, end: End) -> list[bytes]:
        """Return the last lines of a run whose end by the agent is not recorded.

        A result would record success or failure.
        """
        lines, result = [], self._result
        if result is not None:
            self._losses.add_figures(result, end)
        if result is not None and result.text and not self._texts:
            lines.append(self._text_line(result.text))
        if end.state is None:
            # Without it, the run would read as one that breaks off.
            lines.append(self._line("system", END_NOT_RECORDED))
        return lines

    def _text_line(self, text: str) -> bytes:
        self._texts += 1
        content = [{"type": "text", "text": text}]
        response = {"model_call_id": f"text-{self._texts}"}
        return self._message("assistant", content, response)

    def _prompt(self, prompt: Prompt) -> list[dict[str, Any]]:
        if any(image.size for image in prompt.images):
            self._losses.add("the sizes of pictures")
        pictures = [
            {"type": "image", **_not_empty({"mimeType": image.media_type})}
            for image in prompt.images
        ]
        return [{"type": "text", "text": prompt.text}, *pictures]

    def _clock(self, since_start: int | None) -> int | None:
        """Return a time of the run as a timestamp, if it is known when that began."""
        if since_start is None or self._first_ms is None:
            return None
        return self._first_ms + since_start

    def _call(self, call: ToolCall) -> list[bytes]:
        """Return the lines of a call that begins or ends."""
        if self._first_ms is None and call.started_ms is not None:
            self._first_ms = call.started_ms - (call.since_start_ms or 0)
        elif self._first_ms is None and call.ended_ms is not None:
            self._first_ms = call.ended_ms - (call.ended_since_start_ms or 0)
        if call.native:
            self._losses.add("the names of its tools")
        if call.about:
            self._losses.add("the targets of calls")
        if call.is_repeated:
            return [self._completed(call, self._others.get(call.number, call.id))]
        lines = []
        is_over = call.outcome not in (None, UNFINISHED)
        if call.number not in self._open and (
            not is_over or call.id or call.started_ms is not None
        ):
            id = self._begin(call)
            lines.append(self._line_of_call("started", call, id, call.started_ms))
        if is_over:
            id = self._open.pop(call.number, "")
            self._taken.discard(id)
            lines.append(self._completed(call, id))
        elif call.outcome is not None and call.steps:
            self._losses.add("the steps of a subagent that never ended")
        return lines

    def _begin(self, call: ToolCall) -> str:
        """Return the id of a call; another one if an open call has it, or if none is.

        Without it, the lines of parallel calls could not be distinguished.
        """
        id = call.id
        if not id or id in self._taken:
            id = f"call-{call.number}"
            if len(self._others) < _MOST_OTHERS:
                self._others[call.number] = id
        self._open[call.number] = id
        self._taken.add(id)
        return id

    def _completed(self, call: ToolCall, id: str) -> bytes:
        ended = call.ended_ms
        if call.duration_ms is not None and call.started_ms is not None:
            ended = call.started_ms + call.duration_ms
        elif call.duration_ms is not None or call.longest_ms is not None:
            self._losses.add("how long calls took that begin at no known time")
        return self._line_of_call("completed", call, id, ended)

    def _line_of_call(
        self, subtype: str, call: ToolCall, id: str, at: int | None
    ) -> bytes:
        members = {
            "call_id": id,
            "tool_call": tool_call_of(call, has_result=subtype == "completed"),
            "model_call_id": call.response_id,
        }
        return self._line("tool_call", subtype, _not_empty(members), at=at)

    def _message(
        self,
        role: str,
        content: list[dict[str, Any]],
        more: dict[str, str] | None = None,
    ) -> bytes:
        message = {"role": role, "content": content}
        return self._line(role, "", {"message": message} | (more or {}))

    def _line(
        self,
        kind: str,
        subtype: str,
        members: dict[str, Any] | None = None,
        at: int | None = None,
    ) -> bytes:
        """Return an event as a line."""
        event = {"type": kind} | _not_empty({"subtype": subtype}) | (members or {})
        event |= _not_empty({"session_id": self._session})
        return json_line(event if at is None else event | {"timestamp_ms": at})


def _not_empty(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are not empty."""
    return {name: value for name, value in members.items() if value not in ("", None)}


def _result_members(result: Result) -> dict[str, Any]:
    members = {
        "duration_ms": result.duration_ms,
        "result": result.text,
        "cost_usd": None if result.cost_usd is None else json_number(result.cost_usd),
        "usage": usage_of(result.tokens) if result.tokens else None,
    }
    return {name: value for name, value in members.items() if value is not None}


def tool_call_of(call: ToolCall, *, has_result: bool) -> dict[str, Any]:
    """Return the member that is the tool, and the call that made this one."""
    body = _body(call)
    if has_result:
        body["result"] = _result(call)
    key = call.kind if call.kind == "function" else f"{call.kind}ToolCall"
    parent = {"parentToolCallId": call.parent} if call.parent else {}
    return {key: body, **parent}


def _body(call: ToolCall) -> dict[str, Any]:
    """Return the tool's name and its arguments."""
    arguments = call.arguments
    if call.kind == "function":
        return {"name": call.name, "arguments": json_text(arguments or {})}
    if call.kind == "mcp":
        server, _, tool = call.name.rpartition("/")
        names = {"providerIdentifier": server, "toolName": tool}
        args: dict[str, Any] = {name: value for name, value in names.items() if value}
        if arguments is not None:
            args["args"] = arguments
        return {"args": args} if args else {}
    return {} if arguments is None else {"args": arguments}


def _result(call: ToolCall) -> dict[str, Any]:
    """Return the result of a call, with the arm that reads back as its outcome."""
    outcome = call.outcome or UNFINISHED
    output = call.output
    members: dict[str, Any] = dict(output) if isinstance(output, dict) else {}
    if output is not None and not isinstance(output, dict):
        members = {"content": output}
    if call.kind == "task" and call.steps is not None:
        unread = members.get("conversationSteps") or []
        members["conversationSteps"] = [*map(_step, call.steps), *unread]
    if outcome.status == "ok":
        return _success(call, members)
    if outcome.signal or outcome.exit_code is not None:
        ended = {"exitCode": outcome.exit_code, "signal": outcome.signal}
        return {"failure": members | {name: v for name, v in ended.items() if v}}
    if outcome.status == "rejected":
        return {"rejected": _with_message(outcome.message, "reason", members)}
    return _error(call.kind, outcome, members)


def _success(call: ToolCall, members: dict[str, Any]) -> dict[str, Any]:
    if call.is_new_file and not _shows_new_file(members):
        made = f"Wrote contents to {(call.arguments or {}).get('path', 'a new file')}"
        said = members.get("message")
        members["message"] = f"{made}\n{said}" if said else made
    arm = call.arm if call.arm in GOOD_ARMS else "success"
    has_failed = members.get("exitCode") or members.get("signal")
    if arm == "success" and (has_failed or members.get("isError")):
        # The agent recorded a success that would read as a failure in `success`.
        arm = "complete"
    return {arm: members}


def _shows_new_file(members: dict[str, Any]) -> bool:
    """Return True if the output of an edit shows that it made its file."""
    names = ("diffString", "message", "beforeFullFileContent")
    texts = {name: members[name] for name in names if name in members}
    if not all(isinstance(text, str | None) for text in texts.values()):
        return False
    return is_new_file(Arm(**texts))


def _error(kind: str, outcome: Outcome, members: dict[str, Any]) -> dict[str, Any]:
    message = outcome.message
    arm = outcome.arm or "error"
    if is_refused(kind, arm, message):
        # The same arm means that the call was rejected.
        from convert.tools.phrases_and_outcomes import reason_of

        arm, message = "error", reason_of(outcome)
    return {arm: _with_message(message, "error", members)}


def _with_message(message: str, name: str, members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of an arm from which this message is read."""
    said = next(filter(None, (members.get(each) for each in MESSAGES)), "")
    if said == message:
        return members
    return members | {"error" if said else name: message}


def _step(event: Event) -> dict[str, Any]:
    """Return a step of a subagent."""
    match event:
        case Segment():
            return {"assistantMessage": {"text": event.text}}
        case Thinking():
            return {"thinkingMessage": {"text": event.text}}
        case ToolCall():
            has_result = event.outcome not in (None, UNFINISHED)
            call = tool_call_of(event, has_result=has_result)
            ids = {"toolCallId": event.id} if event.id else {}
            return {"toolCall": call | ids}
    raise TypeError(f"{type(event).__name__} is no step of a subagent")
