"""How calls ended: by the output that the model got, and by an event beside it.

The event is richer: it has the exit code and the time as numbers, the diff of each file
with its numbers of lines, and what a server returned as it returned it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.agents.codex.apply_patch import PatchCall
from convert.agents.codex.outputs import Returned, failure, returned, text_of
from convert.agents.outputs import output_of_text
from convert.agents.tools import NativeCall, call_of
from convert.formats.codex_rollout.wire import Payload, text
from convert.model.events import OK, Outcome
from convert.wording.git_patches import headers

_DECLINED = "declined"


class Ending(Struct):
    """How a call ended."""

    outcome: Outcome = OK
    output: Any = None
    arm: str = ""
    duration_ms: int | None = None


def ending_of(output: Any, call: PatchCall, event: Payload | None) -> Ending:
    """Return how a call ended, by its output and by the event about it, if any."""
    found = returned(output)
    ending = Ending(found.outcome, None, found.arm, found.duration_ms)
    if event is not None:
        _improve(ending, event)
    ending.output = _output(output, call, found, event, ending.outcome)
    return ending


def ending_of_event(event: Payload, call: PatchCall) -> Ending:
    """Return how a call ended of which there is an event alone."""
    ending = Ending()
    _improve(ending, event)
    ending.output = _output(None, call, Returned(OK, ""), event, ending.outcome)
    return ending


def milliseconds(duration: Any) -> int | None:
    """Return how long something took; None if that is recorded in another form."""
    match duration:
        case {"secs": int(seconds), "nanos": int(nanos)}:
            return seconds * 1000 + round(nanos / 1e6)
        case int() | float() if not isinstance(duration, bool) and duration >= 0:
            return round(duration)
    return None


def patches_in(changes: Any) -> list[PatchCall]:
    """Return a call for each file of an event about a patch."""
    if not isinstance(changes, dict):
        return []
    return [_patched(path, change) for path, change in changes.items()]


def _patched(path: str, change: Any) -> PatchCall:
    match change:
        case {"delete": _} | {"type": "delete"}:
            arguments = {"path": path}
            return PatchCall(NativeCall("delete", "", "apply_patch", arguments), {})
        case {"add": {"content": str(content)}} | {"type": "add", "content": content}:
            arguments = {"path": path, "content": content}
            return PatchCall(call_of("apply_patch", arguments), {}, True)
    diff = _diff(path, change)
    return PatchCall(
        call_of("apply_patch", {"path": path}), {"diffString": diff} if diff else {}
    )


def _improve(ending: Ending, event: Payload) -> None:
    """Add what an event says of how a call ended."""
    duration = milliseconds(event.duration)
    if duration is not None:
        ending.duration_ms = duration
    if ending.outcome.status == "rejected":
        return
    words = text(event.stderr) or text(event.stdout) or text(event.aggregated_output)
    if event.status == _DECLINED:
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


def _output(
    output: Any,
    call: PatchCall,
    found: Returned,
    event: Payload | None,
    outcome: Outcome,
) -> Any:
    """Return what a call gave, by the names of its kind."""
    kind = call.call.kind
    if call.output is not None:
        # The patch itself says what it changes.
        return _with_diff(call, event) if outcome == OK else None
    if kind == "shell" and not outcome.message:
        return _printed(found, event)
    match event and event.result:
        case {"Ok": {"content": content, **rest}}:
            structured = rest.get("structured_content", rest.get("structuredContent"))
            more = {} if structured is None else {"structuredContent": structured}
            return {"content": content, **more}
    if outcome.message or output is None:
        return None
    return output_of_text(kind, found.text)


def _printed(found: Returned, event: Payload | None) -> dict[str, Any]:
    """Return the output of a command: apart if it is recorded so, else as one text."""
    if event is None or not isinstance(event.exit_code, int):
        return found.shell
    code = {"exitCode": event.exit_code}
    out, errors = event.stdout, event.stderr
    if isinstance(out, str) and isinstance(errors, str) and (out or errors):
        return {"stdout": out, "stderr": errors, **code}
    return {"interleavedOutput": text(event.aggregated_output) or found.text, **code}


def _with_diff(call: PatchCall, event: Payload | None) -> Any:
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
