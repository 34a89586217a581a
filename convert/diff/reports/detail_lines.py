"""The changes inside a call or a text, as lines of text."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from convert.diff.call_contents import Value
from convert.diff.changes import RunComparison
from convert.diff.details import Detail, ValueChange
from convert.diff.reports.appearance import LONGEST, LineStyle, ReportLine, shown
from convert.diff.reports.wordings import (
    around,
    bracketed,
    elided,
    first_changes,
)
from convert.diff.text_changes import (
    Contents,
    Hunk,
    LineChange,
    Rewording,
    Span,
    WordChange,
    prose_changed,
)
from convert.wording.numbers import count
from convert.wording.sanitise import escape_controls, truncate

_MARKS = {"same": " ", "removed": "-", "added": "+"}


class Bounds(NamedTuple):
    """How much of each detail is shown."""

    values: int = 20
    """The number of details of a call."""

    lines: int = 20
    """The number of lines of a text."""

    changes: int = 40
    """The number of changes in a wording."""

    longest: int = 160
    """The number of characters of a value or a line."""

    command: int = LONGEST
    """The number of characters of an argument of a call without a partner."""


USUAL = Bounds()
EVERYTHING = Bounds(*(sys.maxsize for _ in Bounds._fields))


def bounds(is_full: bool) -> Bounds:
    """Return how much a report shows of each detail."""
    return EVERYTHING if is_full else USUAL


def detail_lines(details: list[Detail], most: Bounds = USUAL) -> Iterator[ReportLine]:
    """Yield the lines of a call's details, with the paths in a column."""
    paths = [truncate(shown(detail.path), most.longest) for detail in details]
    width = max(map(len, paths), default=0)
    for path, detail in zip(paths[: most.values], details, strict=False):
        name = f"    {path:<{width}}  "
        match detail:
            case ValueChange():
                yield ReportLine(name + value(detail, most))
            case Value():
                yield ReportLine(name + truncate(shown(detail.value), most.command))
            case WordChange():
                yield ReportLine(name + words(detail.spans, most))
            case LineChange():
                yield ReportLine(name + extent(detail))
                yield from _indented(_hunk_lines(detail, most))
            case Contents():
                yield ReportLine(name + count(len(detail.lines), "line"))
                yield from _indented(content_lines(detail.lines, most))
    if len(details) > most.values:
        yield ReportLine(f"    … {count(len(details) - most.values, 'more change')}")


def _indented(lines: Iterable[ReportLine]) -> Iterator[ReportLine]:
    return (line._replace(text=f"      {line.text}") for line in lines)


def value(change: ValueChange, most: Bounds) -> str:
    """Return two values as `10 -> 20`; a missing one is `(absent)`.

    An item that only one list has is `added` or `removed`.
    """
    is_item = change.path.endswith("]")
    match change:
        case ValueChange(_, None, str(item)) if is_item:
            return f"added: {truncate(shown(item), most.longest)}"
        case ValueChange(_, str(item), None) if is_item:
            return f"removed: {truncate(shown(item), most.longest)}"
    if change.old is None or change.new is None:
        old, new = (
            "(absent)" if side is None else truncate(shown(side), most.longest)
            for side in (change.old, change.new)
        )
    else:
        old, new = map(shown, around(change.old, change.new, most.longest))
    return f"{old} -> {new}"


def words(spans: list[Span], most: Bounds = EVERYTHING) -> str:
    """Return a text with its changes: `same [-old-]{+new+}`."""
    if most is EVERYTHING:
        return bracketed(spans, most.longest)
    first, more = first_changes(list(elided(spans)), most.changes)
    line = bracketed(first, most.longest)
    return f"{line} … {count(more, 'more change')}" if more else line


def extent(change: LineChange) -> str:
    """Return how many lines of a text changed."""
    return f"{change.changed:,} of {count(change.total, 'line')}"


def result_change(run: RunComparison) -> WordChange | LineChange | None:
    """Return how the final texts differ; None if they do not."""
    if run.text is None or run.text.is_equal:
        return None
    return prose_changed("text", run.text.a, run.text.b)


def first_hunks(change: LineChange, most: Bounds) -> tuple[list[Hunk], str]:
    """Return the first hunks, of which the last one may be cut, and what is left out.

    The latter is empty if nothing is.
    """
    room, omitted = most.lines, 0
    hunks = []
    for hunk in change.hunks:
        differs = [line_differs(line) for line in hunk.lines]
        if differs.index(True) < room:
            cut = hunk._replace(lines=_first_of_both(hunk.lines, room))
            hunks.append(cut)
            omitted -= sum(map(line_differs, cut.lines))
        omitted += sum(differs)
        room = max(room - len(hunk.lines), 0)
    return hunks, f"… {count(omitted, 'more changed line')}" if omitted else ""


def hunk_lines(hunk: Hunk, most: Bounds = EVERYTHING) -> Iterator[ReportLine]:
    """Yield the lines of a hunk, long ones cut around what differs."""
    yield ReportLine(f"@@ line {hunk.line} @@", "head")
    changed = [line for line in hunk.lines if line_differs(line)]
    texts: dict[str, str] = {}
    match changed:
        case [Span("removed", old), Span("added", new)]:
            cut = around(old, new, most.longest)
            texts = dict(zip(("removed", "added"), cut, strict=True))
    for line in hunk.lines:
        if isinstance(line, Rewording):
            yield ReportLine(f"~{words(line.spans, most)}", "changed")
        else:
            text = texts.get(line.kind, line.text)
            yield _line(line._replace(text=text), most.longest + 2)


def _first_of_both(lines: list[Span | Rewording], most: int) -> list[Span | Rewording]:
    """Return the first lines of a hunk; removed ones leave room for added ones."""
    if len(lines) <= most:
        return lines
    kept: list[Span | Rewording] = []
    room = {True: most // 2, False: most - most // 2}
    for line in lines:
        is_removed = isinstance(line, Span) and line.kind == "removed"
        if room[is_removed]:
            room[is_removed] -= 1
            kept.append(line)
    return kept


def content_lines(lines: list[Span], most: Bounds = EVERYTHING) -> Iterator[ReportLine]:
    """Yield the first lines of what a call without a partner wrote."""
    for line in itertools.islice(lines, most.lines):
        yield _line(line, most.longest + 2)
    if len(lines) > most.lines:
        yield ReportLine(f"… {count(len(lines) - most.lines, 'more line')}")


def line_differs(line: Span | Rewording) -> bool:
    """Return True if only one side has a line, or each in its own wording."""
    return not isinstance(line, Span) or line.kind != "same"


def _line(line: Span, longest: int) -> ReportLine:
    style: LineStyle = "" if line.kind == "same" else line.kind
    text = escape_controls(truncate(line.text, longest))
    return ReportLine(f"{_MARKS[line.kind]}{text}", style)


def _hunk_lines(change: LineChange, most: Bounds) -> Iterator[ReportLine]:
    """Yield the first hunks; the last one may be cut."""
    hunks, note = first_hunks(change, most)
    for hunk in hunks:
        yield from hunk_lines(hunk, most)
    if note:
        yield ReportLine(note)
