"""The calls of a session of Codex, from their begin to their end."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.agents.codex.apply_patch import calls_of_patch, patch_in
from convert.agents.codex.outputs import (
    ToolOutput,
    failure,
    text_of,
    tool_output,
    web_call,
)
from convert.agents.codex.rollout_lines import Doubles, Payload, Source, text
from convert.agents.lines import RecentIds
from convert.agents.outputs import output_of_text
from convert.agents.run import AgentRun
from convert.agents.tool_names import (
    CallResult,
    NativeCall,
    OpenCall,
    RecordedCall,
    call_of,
    known_names,
    mcp_call,
    recorded,
    renamed,
)
from convert.errors import Warn
from convert.model.events import OK, UNFINISHED, CallDetail, Needs, Outcome
from convert.wording.diffs import headers


class _ItemCalls(msgspec.Struct):
    """The calls that one item makes."""

    started_ms: int | None
    calls: list[RecordedCall]

    opened: OpenCall | None = None
    """The call, if there is only one. The calls of a patch begin and end one after the
    other when the patch is over."""


class OpenCalls:
    """The calls of one run that have begun and not ended."""

    def __init__(self, run: AgentRun, needs: Needs, warn: Warn) -> None:
        self._run = run
        self._has_arguments = needs.calls >= CallDetail.ARGUMENTS
        self._has_outputs = needs.calls == CallDetail.EVERYTHING
        self._warn = warn
        self._made: dict[str, _ItemCalls] = {}
        # The events about calls whose output has not come.
        self._events: dict[str, Payload] = {}
        # The calls that only events record.
        self._from_events_alone = RecentIds()
        # An event may come after the output and say that the call failed.
        self._succeeded = RecentIds()
        self._searches = Doubles()

    def begin(self, item: Payload, line: int, at: int | None) -> None:
        """Begin the calls of an item, unless it repeats an earlier one."""
        id = text(item.call_id)
        is_open = bool(id) and id in self._made
        # These facts distinguish calls with the same id.
        facts = [item.name, item.namespace, item.arguments, item.input, item.action]
        if is_open and self._run.remember_call(id, *facts):
            self._warn(line, "a call with the id of an open call", "skipped")
        if (
            is_open
            or (id and id in self._from_events_alone)
            or self._run.repeats_call(id, *facts)
        ):
            return
        calls = _calls_of(item, has_arguments=self._has_arguments)
        # The model's own host makes these calls, without an output.
        if item.type in ("web_search_call", "image_generation_call"):
            self._make_once("item", calls[0], id, line, at)
            return
        made = self._made[id] = _ItemCalls(at, calls)
        if len(calls) == 1:
            made.opened = self._run.begin_call(line, id, calls[0].call, started_ms=at)

    def end(self, item: Payload, line: int, at: int | None) -> None:
        """End the calls of an item by their output."""
        id = text(item.call_id)
        made = self._made.pop(id, None)
        event = self._events.pop(id, None)
        if made is None:
            if not self._run.has_ended_call(id):
                self._warn(line, "the output of a call that is not recorded", "skipped")
            return
        is_search = item.type == "tool_search_output"
        output = {"tools": item.tools} if is_search else item.output
        for place, call in enumerate(made.calls):
            ending = _ending_of(output, call, event, has_output=self._has_outputs)
            if event is not None and event.invocation is not None:
                # Only the event names the server and the tool apart.
                named = _call_of_server(event.invocation)
                call.call = named if named.name else call.call
            if made.opened is None:
                name = f"{id}.{place}" if place else id
                self._make(call, name, line, made.started_ms, ending, at, id)
            else:
                made.opened.call = call.call
                self._close(made.opened, call, line, ending, at)

    def add_event(self, event: Payload, line: int, at: int | None) -> None:
        """Keep an event about a call, or make the call that it alone records."""
        id = text(event.call_id) or text(event.id)
        if id in self._made:
            self._events[id] = event
        elif self._run.has_ended_call(id):
            # An event may say that a call failed although its output does not.
            if id in self._succeeded and id not in self._from_events_alone:
                outcome = _with_event(CallResult(), event).outcome
                if outcome != OK:
                    self._run.amend_call(line, id, outcome)
        else:
            self._from_events_alone.add(id)
            for place, call in enumerate(_calls_of_event(event)):
                name = f"{id}.{place}" if place else id
                self._make(call, name, line, at, _ending_of(None, call, event))

    def add_search(self, event: Payload, line: int, at: int | None) -> None:
        """Make the call of a search that no item records."""
        call = RecordedCall(web_call(event.action, text(event.query)))
        self._make_once("event", call, "", line, at)

    def finish(self, line: int) -> bool:
        """End the calls whose end is not recorded; return True if there are any."""
        open_calls = self._run.open_calls
        for opened in open_calls:
            self._run.end_call(line, opened, UNFINISHED)
        waiting = [made for made in self._made.values() if made.opened is None]
        for made in waiting:
            for call in made.calls:
                self._make(call, "", line, made.started_ms, CallResult(UNFINISHED))
        return bool(open_calls or waiting)

    def _make_once(
        self, source: Source, call: RecordedCall, id: str, line: int, at: int | None
    ) -> None:
        """Make a call without an output, unless a line of another kind has made it."""
        given = call.call.arguments or {}
        searched = str(given.get("url") or given.get("searchTerm") or call.call.name)
        if not self._searches.is_repeated(source, searched):
            self._make(call, id, line, at, CallResult())

    def _make(
        self,
        call: RecordedCall,
        id: str,
        line: int,
        started_ms: int | None,
        ending: CallResult,
        ended_ms: int | None = None,
        step: str = "",
    ) -> None:
        """Begin a call and end it at once.

        If a script of the tool `exec` is running, it has made the call.
        """
        open_calls = self._run.open_calls
        scripts = (call.id for call in open_calls if call.call.name == "exec")
        opened = self._run.begin_call(
            line,
            id,
            call.call,
            started_ms=started_ms,
            parent="" if step else next(scripts, ""),
            response_id=step,
        )
        self._close(opened, call, line, ending, ended_ms)

    def _close(
        self,
        opened: OpenCall,
        call: RecordedCall,
        line: int,
        ending: CallResult,
        at: int | None,
    ) -> None:
        if ending.outcome == OK:
            self._succeeded.add(opened.id)
        self._run.end_call(
            line,
            opened,
            ending.outcome,
            ending.output,
            arm=ending.arm,
            ended_ms=at,
            duration_ms=ending.duration_ms,
            is_new_file=call.is_new_file,
        )


def _calls_of_event(event: Payload) -> list[RecordedCall]:
    """Return the calls that an event records, if no item does."""
    if event.invocation is not None or text(event.type).startswith("mcp_tool_call"):
        return [RecordedCall(_call_of_server(event.invocation))]
    if event.changes is not None:
        changes = event.changes if isinstance(event.changes, dict) else {}
        return [_patched(path, change) for path, change in changes.items()]
    command = event.command if isinstance(event.command, str | list) else ""
    arguments = {"command": command}
    if isinstance(event.cwd, str):
        arguments["workdir"] = event.cwd.removeprefix("file://")
    return [RecordedCall(call_of("exec_command", arguments))]


def _call_of_server(invocation: Any) -> NativeCall:
    """Return the call of a server's tool by the names in the event."""
    members = invocation if isinstance(invocation, dict) else {}
    server, tool = text(members.get("server")), text(members.get("tool"))
    return mcp_call(server, tool, _members(members.get("arguments")))


_SHELLS = ("shell", "container.exec", "shell_command", "exec_command")
_PATCH = "apply_patch"
_SERVER = "mcp__"
_COMMANDS = {name: call_of(name) for name in _SHELLS}


def _calls_of(item: Payload, *, has_arguments: bool = True) -> list[RecordedCall]:
    """Return the calls of an item: one, or one for each file of a patch.

    Without arguments, they are read only where the kind of call depends on them.
    """
    given = item.arguments
    short = None if has_arguments else _COMMANDS.get(text(item.name))
    if short and isinstance(given, str) and "*** Begin Patch" not in given:
        return [RecordedCall(short)]
    match item.type:
        case "local_shell_call":
            return _shell("local_shell_call", _action(item.action))
        case "web_search_call":
            return [RecordedCall(web_call(item.action, ""))]
        case "image_generation_call":
            prompt = {"prompt": text(item.revised_prompt)}
            return [RecordedCall(call_of("image_generation", prompt))]
        case "tool_search_call":
            return [RecordedCall(call_of("tool_search", _members(item.arguments)))]
        case "custom_tool_call":
            return _function(text(item.name), "", {"input": text(item.input)})
    return _function(text(item.name), text(item.namespace), _members(item.arguments))


def _function(name: str, namespace: str, members: dict[str, Any]) -> list[RecordedCall]:
    if name in _SHELLS:
        return _shell(name, members)
    match members:
        case {"input": str(patch)} | {"patch": str(patch)} if name == _PATCH:
            return calls_of_patch(patch)
        case {"chars": "", **rest} if name == "write_stdin":
            return [RecordedCall(_wait(rest))]
    return [RecordedCall(_named(name, namespace, members))]


def _shell(name: str, members: dict[str, Any]) -> list[RecordedCall]:
    """Return the call of a command, or those of the patch that it applies."""
    call = call_of(name, members)
    unwrapped = (call.arguments or {}).get("command")
    found = patch_in(unwrapped) or patch_in(members.get("command"))
    if found is None:
        return [RecordedCall(call)]
    patch, directory = found
    return calls_of_patch(patch, name, directory)


def _named(name: str, namespace: str, members: dict[str, Any]) -> NativeCall:
    """Return the call of a tool by its name, which may be that of a server's tool."""
    if namespace.startswith(_SERVER):
        return mcp_call(namespace[len(_SERVER) :].strip("_"), name, members)
    if name == "spawn_agent" and "message" in members:
        rest = {key: value for key, value in members.items() if key != "message"}
        return call_of(name, {"prompt": members["message"], **rest})
    if name in known_names() or name.startswith(_SERVER):
        return call_of(name, members)
    server, between, tool = name.partition("__")
    if between and server and tool:
        return mcp_call(server, tool, members)
    return call_of(f"{namespace}.{name}" if namespace else name, members)


def _wait(members: dict[str, Any]) -> NativeCall:
    """Return the call that only looks at the output of a process."""
    rest = {name: value for name, value in members.items() if name != "session_id"}
    task = {"task_id": str(members["session_id"])} if "session_id" in members else {}
    arguments = renamed("await", {**task, **rest})
    return NativeCall("await", native="write_stdin", arguments=arguments)


def _action(action: Any) -> dict[str, Any]:
    """Return the arguments of a command in the form of the model's own shell."""
    if not isinstance(action, dict):
        return {}
    dropped = ("type", "env", "user")
    members = {name: action[name] for name in action if name not in dropped}
    if "working_directory" in members:
        members["workdir"] = members.pop("working_directory")
    return recorded(members)


def _members(arguments: Any) -> dict[str, Any]:
    """Return arguments, which are recorded as the text of an object."""
    if isinstance(arguments, str):
        try:
            found = msgspec.json.decode(arguments)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            # The model wrote it; the tool has refused it.
            return {"arguments": arguments} if arguments else {}
        arguments = found
    if isinstance(arguments, dict):
        return arguments
    return {} if arguments is None else {"arguments": arguments}


# An event says more than an output: the exit code and the time as numbers, the diff of
# each file with numbers of lines, and the result of a server.
def _ending_of(
    output: Any, call: RecordedCall, event: Payload | None, *, has_output: bool = True
) -> CallResult:
    """Return how a call ended, by its output and by the event about it, if any."""
    found = tool_output(output)
    ending = CallResult(found.outcome, None, found.arm, False, found.duration_ms)
    if event is not None:
        ending = _with_event(ending, event)
    if has_output:
        ending.output = _output(output, call, found, event, ending.outcome)
    return ending


def _milliseconds(duration: Any) -> int | None:
    """Return how long something took; None if that is recorded in another form."""
    match duration:
        case {"secs": int(seconds), "nanos": int(nanos)}:
            return seconds * 1000 + round(nanos / 1e6)
        case int() | float() if not isinstance(duration, bool) and duration >= 0:
            return round(duration)
    return None


def _patched(path: str, change: Any) -> RecordedCall:
    match change:
        case {"delete": _} | {"type": "delete"}:
            arguments = {"path": path}
            return RecordedCall(NativeCall("delete", "", "apply_patch", arguments), {})
        case {"add": {"content": str(content)}} | {"type": "add", "content": content}:
            arguments = {"path": path, "content": content}
            return RecordedCall(call_of("apply_patch", arguments), {}, True)
    diff = _diff(path, change)
    return RecordedCall(
        call_of("apply_patch", {"path": path}), {"diffString": diff} if diff else {}
    )


def _with_event(ending: CallResult, event: Payload) -> CallResult:
    """Return how a call ended with the facts of an event about it."""
    duration = _milliseconds(event.duration)
    if duration is not None:
        ending.duration_ms = duration
    if ending.outcome.status == "rejected":
        return ending
    words = text(event.stderr) or text(event.stdout) or text(event.aggregated_output)
    if event.status == "declined":
        ending.outcome = Outcome("rejected", message=words.strip())
    elif event.success is False:
        ending.outcome = failure(words).outcome
    elif isinstance(event.exit_code, int) and event.exit_code:
        ending.outcome = Outcome("error", exit_code=event.exit_code)
    match event.result:
        case {"Err": str(message)}:
            ending.outcome = failure(message).outcome
        case {"Ok": {"is_error": True, **result}} | {"Ok": {"isError": True, **result}}:
            ending.outcome = Outcome("error", message=text_of(result.get("content")))
    return ending


def _output(
    output: Any,
    call: RecordedCall,
    found: ToolOutput,
    event: Payload | None,
    outcome: Outcome,
) -> Any:
    """Return the output of a call, by the names of its kind."""
    kind = call.call.kind
    if call.output is not None:
        # The patch itself has its changes.
        return _with_diff(call, event) if outcome == OK else None
    if kind == "shell" and not outcome.message:
        return _printed(found, event)
    match event and event.result:
        case {"Ok": {"content": content, **rest}}:
            structured = rest.get("structured_content", rest.get("structuredContent"))
            return {
                "content": content,
                **recorded({"structuredContent": structured}),
            }
    if outcome.message or output is None:
        return None
    return output_of_text(kind, found.text)


def _printed(found: ToolOutput, event: Payload | None) -> dict[str, Any]:
    """Return the output of a command: as two streams if the event has them."""
    if event is None or not isinstance(event.exit_code, int):
        return found.shell
    code = {"exitCode": event.exit_code}
    out, errors = event.stdout, event.stderr
    if isinstance(out, str) and isinstance(errors, str) and (out or errors):
        return {"stdout": out, "stderr": errors, **code}
    return {"interleavedOutput": text(event.aggregated_output) or found.text, **code}


def _with_diff(call: RecordedCall, event: Payload | None) -> Any:
    """Return the output of an edit, with the diff that has numbers of lines if any."""
    path = (call.call.arguments or {}).get("path")
    changes = event.changes if event is not None else None
    if not isinstance(changes, dict) or not isinstance(path, str):
        return call.output
    for name, change in changes.items():
        is_same = name == path or name.endswith("/" + path.removeprefix("./"))
        if is_same and (diff := _diff(path, change)):
            return {**(call.output or {}), "diffString": diff}
    return call.output


def _diff(path: str, change: Any) -> str:
    """Return the diff that an event has of one file; "" if it has none."""
    match change:
        case {"update": {"unified_diff": str(diff)}} | {"unified_diff": str(diff)}:
            return headers(path) + diff if diff.startswith("@@") else diff
    return ""
