"""Logs of the runs of a case, made up, and the runs that are read from them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from convert.diff import Side, read_side
from convert.options import Reading, Settings

_WELL: dict[str, Any] = {"success": {}}


class Call(NamedTuple):
    """One call: its tool, its arguments, its outcome and its output."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None = None
    """None for a call that ends well and returns nothing."""

    step: str = ""
    """Calls of one step were made at once."""

    inside: tuple[Call, ...] = ()
    """The calls of the subagent that it starts."""


class Made(NamedTuple):
    """One run, as its log records it."""

    calls: Sequence[Call] = ()
    text: str = "Done."
    state: str = "success"
    """`success`, `error` or `cut`."""

    reason: str = ""
    """Why it ended with an error, as in `You've hit your usage limit`."""

    prompt: str = "Round the prices"
    directory: str = "/home/dev/shop"
    duration_ms: int = 20_000
    tokens: int | None = None


def read(path: str) -> Call:
    """Return a call that reads a file."""
    return Call("read", {"path": path}, {"success": {"content": "x"}})


def edit(path: str, old: str = "a\n", new: str = "b\n") -> Call:
    """Return a call that edits a file, with its content before and after."""
    result = {"path": path, "beforeFullFileContent": old, "afterFullFileContent": new}
    return Call("edit", {"path": path}, {"success": result})


def shell(command: str, code: int = 0, output: str = "") -> Call:
    """Return a call that runs a command."""
    result = {"exitCode": code, "stdout": output, "stderr": ""}
    arm = "failure" if code else "success"
    return Call("shell", {"command": command}, {arm: result})


def grep(pattern: str) -> Call:
    """Return a call that searches for a pattern."""
    return Call("grep", {"pattern": pattern, "path": "src"})


def mcp(tool: str, **arguments: Any) -> Call:
    """Return a call of a tool of a server."""
    inner = {"providerIdentifier": "tracker", "toolName": tool, "args": arguments}
    return Call("mcp", inner)


def log_of(made: Made, seed: int = 0) -> bytes:
    """Return the log of a run in stream-json; the seed makes its ids."""
    session = f"{seed:032x}"
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": made.directory, "model": "Auto"},
        {"type": "user", "message": _message(made.prompt)},
    ]
    ids = (f"call_{seed:x}_{number}" for number in itertools.count())
    for calls in _batches(made.calls):
        lines += _told(calls, ids)
    lines.append({"type": "assistant", "message": _message(made.text)})
    if made.state != "cut":
        lines.append(_end(made))
    return b"".join(
        json.dumps({**line, "session_id": session}).encode() + b"\n" for line in lines
    )


def side_of(log: bytes, settings: Settings | None = None) -> Side:
    """Return a log as one side of a comparison."""
    return read_side(
        [log], "auto", None, Reading(), settings or Settings(), lambda *_: None
    )


def sides_of(made: Iterable[Made], settings: Settings | None = None) -> list[Side]:
    """Return runs as sides of comparisons, each with ids of its own."""
    return [side_of(log_of(each, seed), settings) for seed, each in enumerate(made, 1)]


def _batches(calls: Sequence[Call]) -> list[list[Call]]:
    """Return calls, those of one step together."""
    batches: list[list[Call]] = []
    for call in calls:
        if call.step and batches and batches[-1][0].step == call.step:
            batches[-1].append(call)
        else:
            batches.append([call])
    return batches


def _told(
    calls: Sequence[Call], ids: Iterator[str], parent: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield the events of calls that were made at once, and of those inside them."""
    named = [(call, next(ids)) for call in calls]
    for call, call_id in named:
        yield _event("started", call, call_id, parent)
    for call, call_id in named:
        for inner in call.inside:
            yield from _told([inner], ids, call_id)
        yield _event("completed", call, call_id, parent)


def _event(subtype: str, call: Call, call_id: str, parent: str) -> dict[str, Any]:
    body: dict[str, Any] = {"args": call.arguments}
    if subtype == "completed":
        body["result"] = call.result or _WELL
    tool_call: dict[str, Any] = {f"{call.tool}ToolCall": body}
    if parent:
        tool_call["parentToolCallId"] = parent
    event = {
        "type": "tool_call",
        "subtype": subtype,
        "call_id": call_id,
        "tool_call": tool_call,
    }
    return event | ({"model_call_id": call.step} if call.step else {})


def _end(made: Made) -> dict[str, Any]:
    is_error = made.state == "error"
    end: dict[str, Any] = {
        "type": "result",
        "subtype": "error" if is_error else "success",
        "is_error": is_error,
        "result": made.reason or made.text,
        "duration_ms": made.duration_ms,
    }
    if made.tokens is not None:
        end["usage"] = {"inputTokens": made.tokens, "outputTokens": 0}
    return end


def _message(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}
