"""trajectory: a run that somebody approved, read as events.

It is JSON for people to review: one line for each call, the same bytes for the same
run. Values that the run made appear in it as marks; outputs, ids, clocks and
directories do not appear.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from convert.errors import InputError, Warn
from convert.facts import ends_in_open_call
from convert.facts.run_reasons import set_reason_kind
from convert.model.approved import (
    ApprovedCall,
    ApprovedMember,
    ApprovedRun,
    ApprovedSettings,
    edited_by_hand,
)
from convert.model.events import (
    Approved,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Prompt,
    Result,
    Segment,
    Start,
    ToolCall,
)
from convert.options.conversion import Reading
from convert.source.nesting import BRACKET_BYTES, EXACT
from convert.tools.phrases_and_outcomes import parse_outcome
from convert.tools.table import kind_in
from convert.wording.escapes import repair_surrogates

# Members whose values are words of the format.
_KEYWORDS = frozenset(
    {"after", "around", "before", "call", "fragment", "kind", "level", "outcome"}
    | {"state", "status", "tool", "unit", "until"}
)


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read approved runs, each as its events."""
    if not needs.approved:
        _warn_of_missing(needs, warn)
    data = b"".join(blocks)
    redacted = None
    if reading.redact:
        data, redacted = _redacted(data, reading)
    for event in events_of(parsed(data), needs):
        if isinstance(event, EndOfLog):
            event.redacted = redacted
        yield event


def _redacted(data: bytes, reading: Reading) -> tuple[bytes, dict[str, int]]:
    """Return a trajectory without secrets, and how many of each kind it held."""
    from convert.redact.ndjson import Shape, rewrite
    from convert.redact.redactor import Redactor

    shape = Shape(keywords=_KEYWORDS)
    redactor = Redactor(reading.redact_patterns, reading.known)
    # A secret that is found below is one above as well.
    rewrite(data, redactor, shape, None)
    redactor = Redactor(reading.redact_patterns, redactor.known)
    return rewrite(data, redactor, shape, None), dict(redactor.counts)


def _warn_of_missing(needs: Needs, warn: Warn) -> None:
    if needs.raw or needs.calls == CallDetail.EVERYTHING:
        warn(None, "a trajectory records no outputs, ids or times", "dropped")
    elif needs.result:
        warn(None, "a trajectory records no ids or durations", "dropped")


def events_of(parsed: Parsed, needs: Needs) -> Iterator[Event]:
    """Yield the events of all runs."""
    document, lines, last_line = parsed
    ends = [each.run - 1 for each in lines[1:]] + [last_line]
    runs = zip(document.runs, lines, ends, strict=True)
    for number, (run, of_run, last) in enumerate(runs, 1):
        yield Start(
            run=number,
            line=of_run.run,
            agent=run.agent,
            level=run.level,
            has_outputs=False,
        )
        if needs.approved:
            yield Approved(
                run=number,
                line=of_run.run,
                approved=run,
                settings=document.settings,
                file_lines=of_run.files,
            )
        yield from _events_of_run(number, run, of_run, last, needs)
        end = End(run=number, line=last, state=run.state, reason=run.reason)
        end.reason_kind = run.reason_kind or set_reason_kind(end).reason_kind
        tools = {kind_in(call.tool) for call in run.calls}
        is_complete = run.state is None and bool(run.narration)
        has_text = bool(run.narration or run.answer)
        end.ends_in_call = (run.answer is None and is_complete) or (
            not has_text and ends_in_open_call(tools, run.state)
        )
        yield end
    yield EndOfLog(run=0, line=last_line)


def _events_of_run(
    number: int, run: ApprovedRun, lines: Lines, last: int, needs: Needs
) -> Iterator[Event]:
    if run.prompt is not None:
        yield Prompt(run=number, line=lines.run, text="\n".join(run.prompt))
    call_lines = iter(lines.calls)
    for place, call in enumerate(run.calls, 1):
        event = _call_event(number, place, call, call_lines)
        if needs.calls == CallDetail.EVERYTHING:
            # Without a start, calls would be at once that were not.
            yield ToolCall(
                run=number,
                line=event.line,
                number=place,
                id="",
                kind=event.kind,
                name=event.name,
                arguments=event.arguments,
                started_line=event.line,
            )
        yield event
    for lines_of_text in (run.narration, run.answer):
        if lines_of_text:
            yield Segment(run=number, line=last, text="\n".join(lines_of_text))
    if run.state in ("success", "error") and run.level != "text":
        whole = "\n".join(run.narration) + "\n".join(run.answer or [])
        text = "\n".join(run.text) if run.text is not None else whole
        is_recorded = run.text is not None or run.answer is not None
        yield Result(
            run=number,
            line=last,
            text=text if is_recorded else None,
            is_error=run.state == "error",
        )


def _call_event(
    run: int, number: int, call: ApprovedCall, lines: Iterator[int]
) -> ToolCall:
    line = next(lines)
    tool = repair_surrogates(call.tool)
    kind = repair_surrogates(call.kind) or kind_in(tool)
    inside = zip(itertools.count(1), call.calls)
    return ToolCall(
        run=run,
        line=line,
        number=number,
        id="",
        kind=kind,
        name=tool.removeprefix(f"{kind}:") if tool != kind else "",
        arguments=call.arguments or None,
        outcome=parse_outcome(call.outcome, call.message),
        steps=[_call_event(0, at, each, lines) for at, each in inside] or None,
        is_new_file=call.new,
        started_line=line,
        about=call.about,
    )


_DIGEST = re.compile("[0-9a-f]{16}")
# A line that a merge puts between two versions of a file.
_MARKER = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})")
_CONFLICT = (
    "a conflict that a merge has left; take one side as a whole, or remove the file and"
    " approve the run anew"
)


class Document(ApprovedMember):
    """A trajectory as a whole."""

    trajectory: int
    runs: list[ApprovedRun]
    settings: ApprovedSettings = msgspec.field(default_factory=ApprovedSettings)


class Lines(Struct):
    """The lines of a run in its trajectory, from 1."""

    run: int
    calls: list[int] = []
    files: list[int] = []


class Parsed(NamedTuple):
    """A trajectory that has been read."""

    document: Document
    lines: list[Lines]
    last_line: int


def parsed(data: bytes) -> Parsed:
    """Return a trajectory; raises InputError for a newer version and for nonsense."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    whole = _values(data)
    version = whole.get("trajectory") if isinstance(whole, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            f"a trajectory of version {version}, and this runconv reads version"
            f" {VERSION}; update runconv, or remove it and approve the run anew"
        )
    try:
        document = msgspec.convert(whole, Document)
    except msgspec.ValidationError as error:
        raise edited_by_hand(_in_words(str(error))) from error
    except UnicodeEncodeError as error:
        # msgspec quotes a word that is none of those that it may be.
        raise edited_by_hand("half an emoji in place of a known word") from error
    if document.trajectory != VERSION or not document.runs:
        what = "no runs" if document.trajectory == VERSION else "no version"
        raise edited_by_hand(f"a trajectory with {what}")
    lines = [*_lines_of(data)]
    _check(document, lines)
    return Parsed(document, lines, data.count(b"\n") + (not data.endswith(b"\n")))


def _values(data: bytes) -> Any:
    """Return the JSON of a trajectory; a member that comes twice is refused."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise edited_by_hand("not in UTF-8", line) from error
    try:
        return _DECODER.decode(text)
    except _TwiceError as error:
        raise edited_by_hand(f"the member {error} comes twice in one object") from error
    except RecursionError as error:
        raise edited_by_hand("JSON that is nested too deeply") from error
    except ValueError as error:
        at = getattr(error, "pos", 0)
        why = str(getattr(error, "msg", error)).lower()
        line = text.count("\n", 0, at) + 1
        if _MARKER.match(text, at):
            raise InputError(_CONFLICT, line) from error
        raise edited_by_hand(f"not JSON: {why}", line) from error


class _TwiceError(Exception):
    """The name of a member that comes twice."""


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _TwiceError(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return members


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of,
    parse_int=EXACT.parse_int,
    parse_constant=EXACT.parse_constant,
)


def _in_words(error: str) -> str:
    """Return an error of msgspec in lower case, where it is first."""
    what, _, where = error.partition(" - at `$")
    place = where.rstrip("`").lstrip(".") or "the whole"
    return f"{place}: {what[:1].lower()}{what[1:].replace('`', '')}"


def _check(document: Document, lines: list[Lines]) -> None:
    """Raise InputError for values that msgspec cannot check."""
    for run, of_run in zip(document.runs, lines, strict=True):
        for call, line in zip(run.all_calls, of_run.calls, strict=True):
            try:
                parse_outcome(call.outcome)
            except ValueError as error:
                raise edited_by_hand(str(error), line) from error
            if call.fragment and not _DIGEST.fullmatch(call.fragment):
                raise edited_by_hand(f"{call.fragment} is not a digest", line)


def _lines_of(data: bytes) -> Iterator[Lines]:
    """Yield the lines of each run, however the JSON is laid out."""
    # The names of the open lists and objects; those in a list have none.
    names: list[str] = []
    lists: list[bool] = []
    member = ""
    line = 1
    last = 0
    found: Lines | None = None
    for token in BRACKET_BYTES.finditer(data):
        text = token[0]
        if text[:1] == b'"':
            member = text[1:-1].decode(errors="replace") if len(text) < 20 else ""
        elif text in b"[{":
            line += data.count(b"\n", last, token.start())
            last = token.start()
            names.append("" if lists and lists[-1] else member)
            lists.append(text == b"[")
            path = [name for name in names if name]
            if text == b"{" and path == ["runs"] and len(names) == 3:
                found = Lines(line)
            elif text == b"{" and found and lists[-2]:
                if path[1:] and {*path[1:]} == {"calls"}:
                    found.calls.append(line)
                elif path == ["runs", "files"]:
                    found.files.append(line)
        else:
            names.pop()
            lists.pop()
            if found and len(names) == 2:
                yield found
                found = None


VERSION = 1
