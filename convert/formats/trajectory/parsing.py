"""The bytes of a trajectory as approved runs, and the lines of their calls."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from convert.errors import InputError, edited_by_hand
from convert.formats.trajectory.layout import VERSION
from convert.model.approved import (
    ApprovedCall,
    ApprovedMember,
    ApprovedRun,
    ApprovedSettings,
)
from convert.source.nesting import BRACKET_BYTES, EXACT
from convert.tools.outcomes import outcome_called

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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _TwiceError(counts.most_common(1)[0][0])
    return members


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
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
        for call, line in zip(_with_inner(run.calls), of_run.calls, strict=True):
            try:
                outcome_called(call.outcome)
            except ValueError as error:
                raise edited_by_hand(str(error), line) from error
            if call.fragment and not _DIGEST.fullmatch(call.fragment):
                raise edited_by_hand(f"{call.fragment} is no digest", line)


def _with_inner(calls: list[ApprovedCall]) -> Iterator[ApprovedCall]:
    for call in calls:
        yield call
        yield from _with_inner(call.calls)


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
