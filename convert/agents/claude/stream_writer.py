"""claude-stream: the events of any log as Claude Code's stream."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from convert.agents.claude.messages import is_own_text
from convert.agents.claude.usage import ProcessCosts
from convert.agents.claude.written_calls import WrittenCalls, is_passed_in_part
from convert.agents.tool_names import Members, recorded
from convert.agents.writing import CallIds, Turns, timestamp, warn_of_prompts
from convert.cursor import END_NOT_RECORDED
from convert.errors import Warn
from convert.model.events import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Incident,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.model.json_lines import Losses, json_line, starts_first
from convert.model.run import json_number, recorded_answer
from convert.options.conversion import Options


# Tools and arguments have Claude Code's names, results are the texts that the model
# would read, and the blocks of one response share the id of a message.
def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write a line for each thing that happened, as soon as it has."""
    losses = Losses("claude-stream", warn)
    costs = ProcessCosts()
    runs: dict[int, RunLines] = {}
    without_prompt = 0
    for event in starts_first(events):
        match event:
            case EndOfLog():
                losses.warn_of_all()
            case Start():
                runs[event.run] = RunLines(event, losses, costs)
                yield from runs[event.run].init(event)
            case End():
                run = runs.pop(event.run)
                yield from run.end(event)
                without_prompt += run.lacks_prompt
            case _:
                yield from runs[event.run].read(event)
    warn_of_prompts(without_prompt, "run", "request", warn)


_AGENT = "Claude Code"


class RunLines:
    """Makes the lines of a run: events go in, lines come out."""

    def __init__(self, start: Start, losses: Losses, costs: ProcessCosts) -> None:
        self._session = start.session
        self._run = start.run
        self._model = {"model": start.model} if start.model else {}
        self._losses = losses
        self._costs = costs
        self._first_ms = start.started_ms
        self._calls = WrittenCalls(losses)
        self._ids = CallIds()
        self._count = 0
        self._turns = Turns()
        self._last_text: str | None = None
        self._result: Result | None = None
        # Most logs of Claude Code's own stream have no prompt.
        self.lacks_prompt = start.agent != _AGENT
        self._lines = WaitingLines()
        if start.agent not in ("", _AGENT):
            losses.add("the agent's name (readers take it for Claude Code)")

    def init(self, start: Start) -> list[bytes]:
        """Return the line with which the run begins."""
        is_claude = start.agent == _AGENT
        facts = {
            "cwd": start.directory,
            "session_id": start.session,
            "tools": [],
            "mcp_servers": [],
            "model": start.model,
            "permissionMode": start.permission_mode,
            "claude_code_version": start.agent_version if is_claude else "",
        }
        known = {name: value for name, value in facts.items() if value != ""}
        return [self._line("system", {"subtype": "init", **known})]

    def read(self, event: Event) -> list[bytes]:
        """Return the lines of an event of the run."""
        match event:
            case Prompt():
                return self._out(self._prompt(event))
            case Thinking() if event.text:
                turn = self._turns.say()
                return self._out(self._assistant(_block(event), None, turn))
            case Segment() if event.text:
                self._last_text = event.text
                turn = self._turns.say_alone()
                return self._out(self._assistant(_block(event), None, turn))
            case ToolCall():
                return self._call(event)
            case Incident():
                return self._out(*self._incident(event))
            case Result():
                # Its line says how the run ended as well.
                self._result = event
        return []

    def end(self, end: End) -> list[bytes]:
        """Return the result of the run, if it has one, after the lines that wait."""
        lines = self._lines.end()
        result = self._result
        if end.state not in ("success", "error"):
            return [*lines, *self._without_result(end)]
        return [*lines, self._line("result", self._result_members(end, result))]

    def _without_result(self, end: End) -> list[bytes]:
        """Return the last lines of a run whose log does not say how the agent ended it.

        A result would say that it succeeded or failed.
        """
        lines, result = [], self._result
        if result is not None:
            self._losses.add_figures(result, end)
        if result is not None and result.text and self._last_text is None:
            text = {"type": "text", "text": result.text}
            lines.append(self._assistant(text, None, self._turns.say_alone()))
        if end.state is None:
            # Without it, the run would read as one that breaks off.
            lines.append(self._line("system", {"subtype": END_NOT_RECORDED}))
        return lines

    def _prompt(self, prompt: Prompt) -> bytes:
        self._turns.close()
        self.lacks_prompt = False
        if is_own_text(prompt.text):
            self._losses.add(
                "requests like Claude Code's own texts (readers skip them)"
            )
        content: list[Members] = [{"type": "text", "text": prompt.text}]
        for image in prompt.images:
            self._losses.add("the bytes of pictures")
            source = {"type": "base64", "media_type": image.media_type, "data": ""}
            content.append({"type": "image", "source": source})
        message = {"role": "user", "content": content}
        return self._line(
            "user",
            {"message": message, "parent_tool_use_id": None} | _at(self._first_ms),
        )

    def _assistant(
        self,
        block: Members,
        parent: str | None,
        turn: int | None = None,
        at: int | None = None,
    ) -> bytes:
        """Return a message of one block; one of a subagent has an id of its own."""
        number = f"in {self._count}" if turn is None else turn
        message = {
            "id": f"msg_{self._uuid(f'message {number}').hex[:24]}",
            "type": "message",
            "role": "assistant",
            **self._model,
            "content": [block],
            "stop_reason": None,
        }
        members = {"message": message, "parent_tool_use_id": parent}
        return self._line("assistant", members | _at(at))

    def _call(self, call: ToolCall) -> list[bytes]:
        """Return the lines of a call that begins or ends."""
        if self._first_ms is None and call.started_ms is not None:
            self._first_ms = call.started_ms - (call.since_start_ms or 0)
        elif self._first_ms is None and call.ended_ms is not None:
            self._first_ms = call.ended_ms - (call.ended_since_start_ms or 0)
        if call.is_repeated:
            self._calls.amend(call, self._ids.named(call.id))
            return []
        is_over = call.outcome not in (None, UNFINISHED)
        lines: list[bytes | Waiting] = []
        if not self._ids.has(call):
            self._ids.begin(call)
            self._calls.note(call)
            lines.append(self._begun(call))
        if is_over:
            begun = self._lines.add(lines)
            self._lines.settle(call.number, call)
            return [*begun, *self._lines.add(self._ended(call))]
        if call.outcome is not None and call.steps:
            lines += self._steps(call, self._ids.of(call))
        return self._lines.add(lines)

    def _begun(self, call: ToolCall) -> bytes | Waiting:
        id, parent = self._ids.of(call), self._parent_of(call)
        turn = None if parent else self._turns.call(call.response_id)

        def write(known: ToolCall) -> bytes:
            block = self._calls.tool_use(known, id)
            return self._assistant(block, parent, turn, known.started_ms)

        return Waiting(call, write) if is_passed_in_part(call) else write(call)

    def _parent_of(self, call: ToolCall) -> str | None:
        """Return the id of the call whose subagent made a call; None for the run."""
        return self._ids.named(call.parent) if call.parent else None

    def _ended(self, call: ToolCall) -> list[bytes]:
        """Return the lines of an ended call, after the steps of its subagent."""
        id = self._ids.of(call)
        steps = self._steps(call, id)
        ended = call.ended_ms
        if call.started_ms is not None and call.duration_ms is not None:
            ended = call.started_ms + call.duration_ms
        block, details = self._calls.result(call, id)
        if call.duration_ms is not None and call.started_ms is None:
            if isinstance(details, dict):
                details["durationMs"] = call.duration_ms
            else:
                self._losses.add("how long calls took that begin at no known time")
        if not call.parent:
            self._turns.close()
        line = self._result_line(block, details, self._parent_of(call), ended)
        self._ids.end(call)
        return [*steps, line]

    def _result_line(
        self, block: Members, details: Any, parent: str | None, at: int | None = None
    ) -> bytes:
        message = {"role": "user", "content": [block]}
        members: Members = {"message": message, "parent_tool_use_id": parent}
        if details is not None:
            members["tool_use_result"] = details
        return self._line("user", members | _at(at))

    def _steps(self, call: ToolCall, id: str) -> list[bytes]:
        """Return the messages of a subagent, which a call of it may hold again."""
        lines: list[bytes] = []
        for number, step in enumerate(call.steps or (), 1):
            match step:
                case Segment() | Thinking() if step.text:
                    lines.append(self._assistant(_block(step), id))
                case ToolCall():
                    own = self._ids.named(step.id) or f"{id}_{number}"
                    lines += self._step(step, own, id)
        return lines

    def _step(self, call: ToolCall, id: str, parent: str) -> list[bytes]:
        """Return the lines of a call that a subagent made."""
        block = self._calls.tool_use(call, id)
        lines = [self._assistant(block, parent), *self._steps(call, id)]
        if call.outcome is None or call.outcome == UNFINISHED:
            return lines
        result, details = self._calls.result(call, id)
        return [*lines, self._result_line(result, details, parent)]

    def _incident(self, incident: Incident) -> list[bytes]:
        """Return the line of a retry; Claude Code has none for other incidents."""
        if incident.kind != "retry":
            self._losses.add("lost connections and other incidents")
            return []
        members = {"subtype": "api_retry", **incident.details}
        members |= {"attempt": incident.attempt, "error": incident.message or None}
        return [self._line("system", recorded(members))]

    def _result_members(self, end: End, result: Result | None) -> Members:
        is_error = end.state != "success"
        ended = "error_during_execution" if is_error else "success"
        members: Members = {"subtype": ended, "is_error": is_error}
        text = self._last_text
        if text is None and result:
            text = result.text
        text = recorded_answer(result, text or "", end.ends_in_call) or text
        turns = result.turns if result else None
        length = result.duration_ms if result else None
        cost: int | float | None = None
        usage: Members | None = None
        if result and (tokens := result.tokens):
            usage = recorded(
                {
                    "input_tokens": tokens.input,
                    "cache_creation_input_tokens": tokens.cache_write,
                    "cache_read_input_tokens": tokens.cache_read,
                    "output_tokens": tokens.output,
                }
            )
        if result and result.cost_usd is not None:
            # Readers take the difference of two runs of a session.
            cost = json_number(self._costs.so_far(self._session, result.cost_usd))
        facts = {
            "duration_ms": end.span_ms if result and length is None else length,
            # A log that counts none has as many as its model made responses.
            "num_turns": self._turns.number if turns is None else turns,
            # A run that failed has its reason instead, unless its text is all there is.
            "result": None if is_error and self._last_text is not None else text,
            "total_cost_usd": cost,
            "usage": usage,
            "permission_denials": self._calls.denials,
            "errors": [end.reason] if end.reason else None,
        }
        return members | recorded(facts)

    def _out(self, *lines: bytes) -> list[bytes]:
        return self._lines.add([*lines])

    def _line(self, kind: str, members: Members) -> bytes:
        """Return an event as a line, with ids that are the same for the same log."""
        self._count += 1
        ids = {"session_id": self._session, "uuid": str(self._uuid(str(self._count)))}
        return json_line({"type": kind, **members, **ids})

    def _uuid(self, of: str) -> uuid.UUID:
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self._session} {self._run} {of}")


def _block(event: Segment | Thinking) -> Members:
    if isinstance(event, Segment):
        return {"type": "text", "text": event.text}
    return {"type": "thinking", "thinking": event.text, "signature": ""}


def _at(milliseconds: int | None) -> dict[str, str]:
    """Return the timestamp of a line, if it is known."""
    stamp = timestamp(milliseconds)
    return {"timestamp": stamp} if stamp else {}


# The place of a fragment is known only when its edit ends, so the line of the edit
# waits. The most lines that wait: memory must not grow with the log.
_MOST_WAITING = 1000


class Waiting(Struct):
    """The line with which a call begins, which `write` makes when it is known."""

    begun: ToolCall
    write: Callable[[ToolCall], bytes]
    line: bytes | None = None


class WaitingLines:
    """Holds lines back while a line before them waits."""

    def __init__(self) -> None:
        self._queue: list[bytes | Waiting] = []
        # By the numbers of their calls.
        self._waiting: dict[int, Waiting] = {}

    def add(self, lines: Sequence[bytes | Waiting]) -> list[bytes]:
        """Add lines; return those that are ready."""
        for line in lines:
            if isinstance(line, Waiting):
                self._waiting[line.begun.number] = line
        self._queue += lines
        if len(self._queue) > _MOST_WAITING and self._waiting:
            self.settle(next(iter(self._waiting)))
        return self._ready()

    def settle(self, number: int, ended: ToolCall | None = None) -> None:
        """Write the line of a call, if it waits, as it ended or else as it began."""
        waiting = self._waiting.pop(number, None)
        if waiting is not None:
            waiting.line = waiting.write(ended or waiting.begun)

    def end(self) -> list[bytes]:
        """Return all lines; calls that never ended are written as they began."""
        for number in list(self._waiting):
            self.settle(number)
        return self._ready()

    def _ready(self) -> list[bytes]:
        ready: list[bytes] = []
        for each in self._queue:
            line = each if isinstance(each, bytes) else each.line
            if line is None:
                break
            ready.append(line)
        del self._queue[: len(ready)]
        return ready
