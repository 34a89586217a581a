"""The calls, errors and retries of a log, counted only from its JSON.

Nothing here comes from the package: where both are wrong in the same way, nobody would
see it. So it takes the time and the memory that it likes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from checks import raw_calls
from checks.cursor_calls import GOOD, as_ended, body_of
from checks.raw_calls import Counted, members, text

_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_TYPES = {
    *("system", "user", "assistant", "thinking", "tool_call", "interaction_query"),
    *("connection", "retry", "result", "error"),
}
# The agent writes this to standard error when it gives up.
_LAST_WORDS = re.compile(r"(?:\w*Error|T): .")
_NOISE = {"startedAtMs", "completedAtMs", "toolCallId", "hookAdditionalContexts"}


@dataclass
class Call:
    """One call, as its frames record it."""

    id: str
    tool: str
    arguments: str
    response: str
    is_ended: bool = False
    is_over: bool = False
    """Its run has ended."""
    has_failed: bool = False
    steps: int = 0
    has_result: bool = False
    run: Any = None
    as_ended: raw_calls.Call = field(default_factory=raw_calls.Call)
    """How it ended; an end after that of its run changes nothing."""

    inside: list[tuple[str, raw_calls.Call]] = field(default_factory=list)
    """The calls of a subagent, by their ids."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """The values that distinguish it from other calls of its run."""
        return self.id, self.tool, self.arguments


@dataclass
class RawLog:
    """The content of a log, without any judgement."""

    calls: list[Call] = field(default_factory=list)
    queries: set[str] = field(default_factory=set)
    """The ids of the calls that queries ask about."""
    troubles: list[str] = field(default_factory=list)
    """The errors, lost connections, retries and stopped commands, in order."""
    errors: list[str] = field(default_factory=list)
    """The messages of events of type `error`, and the last words on standard error."""
    has_stream: bool = False
    events: int = 0
    torn: int = 0
    """The lines that begin as an event does and are none."""

    answered: dict[str, str] = field(default_factory=dict)
    """How the queries about calls were answered."""
    counted: Counted = field(default_factory=lambda: Counted("Cursor"))
    """The figures of its results; `figures` adds those of its calls."""

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of the log, by the names that `outputs` gives them."""
        known = {call.id for call in self.calls}
        made = []
        for call in self.calls:
            inside = [step for id, step in call.inside if not id or id not in known]
            for each in (call.as_ended, *inside):
                each.run = call.run
            made += [call.as_ended, *inside]
        for id in sorted(self.queries - known):
            answer = self.answered.get(id, "").replace("success", "ok")
            made.append(raw_calls.Call(answer or "unfinished"))
        self.counted.calls = made
        return self.counted.figures

    @property
    def asked_alone(self) -> int:
        """The number of queries about calls that no other event records."""
        return len(self.queries - {call.id for call in self.calls})


def read(log: bytes, *, has_copies: bool = True) -> RawLog:
    """Count the contents of a log in which standard error may repeat events."""
    found = RawLog()
    runs: dict[Any, int] = {}
    calls: dict[tuple[Any, int], list[Call]] = {}
    session = None
    last = None
    names: dict[Any, set[str]] = {}
    written = raw_calls.joined(_decoded(log))
    for line in written[written.rfind('{"type"') :].split("\n")[1:]:
        if _LAST_WORDS.match(line):
            found.troubles.append("standard error")
            found.errors.append(line.strip())
    found.torn = sum(map(_is_torn, written.split("\n")))
    for event in events(log, has_copies=has_copies):
        found.events += 1
        kind, subtype = event["type"], event.get("subtype")
        session = event.get("session_id", session)
        if (kind, subtype) == ("system", "init"):
            found.counted.directory = text(event.get("cwd"))
            runs[session] = runs.get(session, 0) + 1
        if kind not in ("result", "error"):
            found.has_stream = True
        known = calls.setdefault((session, runs.get(session, 0)), [])
        match kind:
            case "tool_call" if isinstance(event.get("tool_call"), dict):
                call = _add_frame(known, event)
                for each in known[-1:] if call else ():
                    each.run = session, runs.get(session, 0)
                if call is not None:
                    found.calls.append(call)
            case "interaction_query" if subtype == "request":
                asked = set(_asked(event.get("query")))
                found.queries |= asked
                names[event.get("query_type"), _id_of(event.get("query"))] = asked
            case "interaction_query":
                id = event.get("query_type"), _id_of(event.get("response"))
                arms = str(event.get("response"))
                words = ("rejected", "error", "success")
                arm = next((it for it in words if f"'{it}': " in arms), "")
                found.answered |= dict.fromkeys(names.get(id, ()), arm)
            case "result":
                for call in known:
                    call.has_failed = call.has_failed or not call.is_ended
                    call.is_over = True
                if event != last:
                    _add_result(found.counted, event)
                last = event
            case "error":
                found.troubles.append("error")
                found.errors += _messages(event)
            case "retry":
                found.troubles.append(f"retry/{subtype}")
            case "connection" if subtype != "reconnected":
                found.troubles.append(f"connection/{subtype}")
            case "system" if subtype == "background_shell_timeout":
                found.troubles.append("background_shell_timeout")
    return found


def events(log: bytes, *, has_copies: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the events of a log, at any place."""
    text = raw_calls.joined(_decoded(log))
    at = 0
    seen: set[str] = set()
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            glued = text.find('{"type":', at + 1, end)
            at = glued if glued >= 0 else end
            continue
        event = _unwrapped(value)
        if event is not None and not (has_copies and _is_copy(event, seen)):
            yield event


def _is_torn(line: str) -> bool:
    return line.startswith('{"type":') and not line.rstrip().endswith("}")


def _is_copy(event: dict[str, Any], seen: set[str]) -> bool:
    """Return True if standard error repeats an event of the same time, as by `2>&1`."""
    if "timestamp_ms" not in event or event["type"] != "tool_call":
        return False
    written = json.dumps(event, sort_keys=True)
    is_copy = written in seen
    seen.add(written)
    return is_copy


def _decoded(log: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if log.startswith(mark):
            return log.decode(encoding, errors="replace")
    if log[1:2] == b"\0":
        return log.decode("utf-16-le", errors="replace")
    if log[:1] == b"\0":
        return log.decode("utf-16-be", errors="replace")
    return log.decode(errors="replace")


def _unwrapped(value: Any) -> dict[str, Any] | None:
    """Return an event, out of the object of a recorder; None for anything else."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("type"), str):
        return value if value["type"] in _TYPES or "session_id" in value else None
    for inner in value.values():
        if isinstance(inner, str) and inner.lstrip().startswith('{"type"'):
            return next(events(inner.encode(errors="surrogatepass")), None)
    return None


def _add_frame(known: list[Call], event: dict[str, Any]) -> Call | None:
    """Add a frame to the call that it belongs to; return the call if it is new."""
    frame = _frame(event)
    is_start = event.get("subtype") == "started"
    call = _repeated(known, frame) if is_start else _continued(known, frame)
    is_new = call is None
    if call is None:
        call = frame
        known.append(call)
    is_over = event.get("subtype") in ("completed", "failed")
    # A subtype that is no word says nothing, and the result says it.
    is_over |= not str(event.get("subtype")).isalpha() and frame.has_result
    # The last line about a call says how it ended, if it comes before its run ends.
    if is_over and not call.is_over and (frame.has_result or not call.is_ended):
        call.as_ended = as_ended(event["tool_call"], call.arguments or frame.arguments)
        if event["subtype"] == "failed":
            call.as_ended.status = "error"
        elif call.as_ended.status == "unfinished":
            call.as_ended.status = "ok"
    if is_over and not call.is_ended:
        call.is_ended = True
        has_failed = event["subtype"] == "failed" or _has_failed(event["tool_call"])
        # A call that ends after its run was shown as unfinished.
        call.has_failed = call.has_failed or has_failed
    if not is_start:
        call.arguments = call.arguments or frame.arguments
        call.steps = max(call.steps, frame.steps)
        call.inside = call.inside or frame.inside
    return call if is_new else None


def _repeated(known: list[Call], started: Call) -> Call | None:
    """Return the open call that a start repeats; any other start is another call."""
    same = (
        call
        for call in known
        if started.id
        and not call.is_ended
        and call.identity == started.identity
        and (call.response == started.response or not call.response)
    )
    return next(same, None)


def _continued(known: list[Call], frame: Call) -> Call | None:
    """Return the call that a later frame belongs to.

    That is one of the same response, if there is one, with arguments that the frame
    does not contradict, and rather an open one.
    """
    same = [call for call in known if (call.id, call.tool) == (frame.id, frame.tool)]
    if not frame.id:
        same = [call for call in same if not call.is_ended]
        same = [call for call in same if _fits(frame, call)]
        return next(iter(same), None)
    here = [call for call in same if call.response == frame.response]
    same = here or same
    same = [call for call in same if _fits(frame, call)] or same
    return next(
        (call for call in same if not call.is_ended), same[-1] if same else None
    )


def _fits(frame: Call, call: Call) -> bool:
    """Return True if no argument of a frame differs from that of a call."""
    if not (frame.arguments and call.arguments):
        return True
    ours, theirs = json.loads(frame.arguments), json.loads(call.arguments)
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return bool(ours == theirs)
    return all(theirs.get(name, value) == value for name, value in ours.items())


def _frame(event: dict[str, Any]) -> Call:
    tool, body = body_of(event["tool_call"])
    arguments = body.get("args", body.get("arguments"))
    inner = arguments.get("toolCallId") if isinstance(arguments, dict) else None
    call_id = event.get("call_id") or event["tool_call"].get("toolCallId") or inner
    if tool == "function":
        tool = f"function {body.get('name')}"
    if isinstance(arguments, dict):
        arguments = {
            name: value for name, value in arguments.items() if name not in _NOISE
        }
    steps = [step["toolCall"] for step in _steps(body.get("result"))]
    return Call(
        str(call_id or ""),
        tool,
        json.dumps(arguments, sort_keys=True) if arguments else "",
        str(event.get("model_call_id") or ""),
        steps=len(steps),
        has_result="result" in body,
        inside=[(_id_of(step), as_ended(step)) for step in steps],
    )


def _id_of(value: Any) -> str:
    """Return the id of a step, or of a query: of those of one type it is a number."""
    found = members(value)
    _, body = body_of(found)
    inner = members(body.get("args", body.get("arguments")))
    return str(
        found.get("id") or found.get("toolCallId") or inner.get("toolCallId") or ""
    )


def _add_result(counted: Counted, event: dict[str, Any]) -> None:
    """Add the figures of a run."""
    counted.last(event.get("duration_ms"))
    usage = event.get("usage")
    if isinstance(usage, dict):
        counted.use(
            input=usage.get("inputTokens"),
            output=usage.get("outputTokens"),
            read=usage.get("cacheReadTokens"),
            written=usage.get("cacheWriteTokens"),
        )


def _has_failed(tool_call: dict[str, Any]) -> bool:
    result = body_of(tool_call)[1].get("result")
    if not isinstance(result, dict):
        return False
    if isinstance(result.get("case"), str):
        result = {result["case"]: result.get("value")}
    arms = {name: arm for name, arm in result.items() if name in GOOD}
    arm = arms.get("success")
    if isinstance(arm, dict):
        return str(arm.get("exitCode") or 0) != "0" or arm.get("isError") is True
    return bool(result) and not arms


def _steps(value: Any) -> Iterator[Any]:
    """Yield the calls inside subagents, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _steps(item)
    elif isinstance(value, dict):
        for step in value.get("conversationSteps") or []:
            if isinstance(step, dict) and isinstance(step.get("toolCall"), dict):
                yield step
        for member in value.values():
            yield from _steps(member)


def _asked(query: Any) -> Iterator[str]:
    """Yield the ids of the calls that a query asks about."""
    for body in query.values() if isinstance(query, dict) else ():
        if isinstance(body, dict):
            arguments = body.get("args")
            inner = arguments if isinstance(arguments, dict) else {}
            call_id = inner.get("toolCallId") or body.get("toolCallId")
            if call_id:
                yield str(call_id)


def _messages(value: Any) -> Iterator[str]:
    """Yield the texts of an error, whatever its shape."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name in ("message", "error") and isinstance(member, str):
                yield member
            else:
                yield from _messages(member)
