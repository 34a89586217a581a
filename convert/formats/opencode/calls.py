"""A tool that has ended: what was called, and how it ended.

A line tells of a call when it has ended, with its arguments and its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from convert.agents.agent_run import AgentRun, OpenCall
from convert.agents.raw_values import value_of
from convert.agents.tools import NativeCall, call_of
from convert.formats.opencode.edits import change_of, is_new_file, patched_files
from convert.formats.opencode.outputs import output_of
from convert.formats.opencode.wire import (
    Ended,
    EndedInFull,
    Part,
    Said,
    SaidInFull,
    Span,
    exit_code_of,
    whole,
    words_of,
)
from convert.model.events import OK, UNFINISHED, Outcome

_UNDER_WAY = ("pending", "running")
_REJECTED = (
    "The user rejected permission",
    "The user has specified a rule which prevents you",
    "The user dismissed this question",
)
# The shell tool adds it where it ended the command itself.
_STOPPED = re.compile(
    r"\n*<(?:bash|shell)_metadata>\n(.*)\n</(?:bash|shell)_metadata>\s*\Z", re.DOTALL
)


class _Call(NamedTuple):
    """A call with what it returned."""

    call: NativeCall
    output: Any = None
    is_new_file: bool = False


def is_under_way(part: Part) -> bool:
    """Return True if a part tells of a call that goes on, and may tell of its end."""
    state = part.state
    return bool(part.call) and state is not None and state.status in _UNDER_WAY


def add_call(run: AgentRun, part: Part, line: int) -> None:
    """Add the calls of one part: one, or one for each file of a patch."""
    if is_under_way(part):
        _begin(run, part, line)
        return
    ended = part.state or Ended()
    text = _text(ended)
    stopped = _STOPPED.search(text) if "_metadata>" in text else None
    outcome = _outcome(ended, stopped[1] if stopped else "")
    if not isinstance(ended, EndedInFull):
        for call in _brief_calls(part.tool, ended):
            opened = _opened(run, part.call, call)
            opened = opened or run.begin_call(line, part.call, call)
            run.end_call(line, opened, outcome)
        return
    text = text[: stopped.start()] if stopped else text
    span = ended.time or Span()
    for at, each in enumerate(_calls(part.tool, ended, text)):
        # Calls of one part have an id each.
        id = f"{part.call}.{at}" if at and part.call else part.call
        opened = _opened(run, id, each.call) or run.begin_call(
            line,
            id,
            each.call,
            started_ms=whole(span.start),
            response_id=part.message,
        )
        run.end_call(
            line,
            opened,
            outcome,
            each.output,
            ended_ms=whole(span.end),
            is_new_file=each.is_new_file,
        )


def _begin(run: AgentRun, part: Part, line: int) -> None:
    """Begin a call that goes on, of which an earlier line may tell already."""
    state = part.state or Ended()
    arguments = state.input if isinstance(state, EndedInFull) else None
    known = arguments if isinstance(arguments, dict) else {}
    call = call_of(part.tool, known if isinstance(state, EndedInFull) else None)
    if run.has_ended_call(part.call) or _opened(run, part.call, call):
        return
    span = state.time or Span()
    run.begin_call(
        line,
        part.call,
        call,
        started_ms=whole(span.start),
        response_id=part.message,
    )


def _opened(run: AgentRun, id: str, call: NativeCall) -> OpenCall | None:
    """Return the open call with an id, as it is known now; None if there is none."""
    opened = run.call(id) if id else None
    if opened is not None:
        opened.call = call
    return opened


def _brief_calls(tool: str, ended: Ended) -> list[NativeCall]:
    """Return the calls of a tool, of which no arguments are needed."""
    call = call_of(tool)
    said = ended.metadata
    files = patched_files(tool, said.files) if said is not None else []
    return [replace(call, kind=file.kind) for file in files] or [call]


def _text(ended: Ended) -> str:
    """Return what a tool returned; "" if nothing here depends on it."""
    if not isinstance(ended, EndedInFull) and _said(ended).exit is not None:
        return ""
    returned = value_of(ended.output)
    return returned if isinstance(returned, str) else ""


def _said(ended: Ended) -> Said:
    return ended.metadata or Said()


def _outcome(ended: Ended, stopped: str) -> Outcome:
    """Return how a call ended; `stopped` is why its command was ended."""
    if ended.status == "error":
        message = words_of(ended.error) if ended.error is not None else ""
        is_rejected = message.startswith(_REJECTED)
        return Outcome("rejected" if is_rejected else "error", message=message)
    if ended.status != "completed":
        # No build is known to print such a state.
        return UNFINISHED
    said = _said(ended).exit
    if code := exit_code_of(said):
        return Outcome("error", exit_code=code)
    return Outcome("error", message=stopped) if said is None and stopped else OK


def _calls(tool: str, ended: EndedInFull, text: str) -> Iterator[_Call]:
    """Yield the calls of a tool."""
    files = patched_files(tool, _said(ended).files)
    for file in files:
        call = NativeCall(file.kind, native=tool, arguments={"path": file.path})
        yield _Call(call, file.output, file.is_new)
    if files:
        return
    arguments = ended.input if isinstance(ended.input, dict) else {}
    call = call_of(tool, arguments)
    said = ended.metadata or SaidInFull()
    output = None
    if ended.status == "completed":
        if call.kind == "edit":
            output = change_of(arguments, said, text)
        else:
            output = output_of(call.kind, said, text)
    yield _Call(call, output, is_new_file(said))
