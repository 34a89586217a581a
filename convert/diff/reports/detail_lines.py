"""The changes inside calls and texts as lines, and the block below a finding."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from convert.diff.comparison import (
    Comparison,
    Finding,
    RunComparison,
    by_severity,
    run_of,
)
from convert.diff.details import Detail, ValueChange, details_of
from convert.diff.reports import LONGEST, LineStyle, ReportLine, ReportOptions
from convert.diff.reports.differing_texts import (
    around,
    bracketed,
    elided,
    first_changes,
)
from convert.diff.reports.marks_and_labels import (
    label_of,
    lone_ending,
    mark_of,
    place_of,
    where,
)
from convert.diff.text_changes import (
    Contents,
    Hunk,
    LineChange,
    LoneArgument,
    Rewording,
    Span,
    WordChange,
    has_contents,
    prose_changed,
)
from convert.wording.escapes import escape_controls, safe_line, truncate
from convert.wording.numbers import count

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
    paths = [truncate(safe_line(detail.path), most.longest) for detail in details]
    width = max(map(len, paths), default=0)
    for path, detail in zip(paths[: most.values], details, strict=False):
        below: Iterable[ReportLine] = ()
        match detail:
            case ValueChange():
                text = value(detail, most)
            case LoneArgument():
                text = truncate(safe_line(detail.value), most.command)
            case WordChange():
                text = words(detail.spans, most)
            case LineChange():
                text, below = extent(detail), _hunk_lines(detail, most)
            case Contents():
                text = count(len(detail.lines), "line")
                below = content_lines(detail.lines, most)
        yield ReportLine(f"    {path:<{width}}  {text}")
        for line in below:
            yield line._replace(text=f"      {line.text}")
    if len(details) > most.values:
        yield ReportLine(f"    … {count(len(details) - most.values, 'more change')}")


def value(change: ValueChange, most: Bounds) -> str:
    """Return two values as `10 -> 20`; a missing one is `(absent)`.

    An item that only one list has is `added` or `removed`.
    """
    is_item = change.path.endswith("]")
    match change:
        case ValueChange(_, None, str(item)) if is_item:
            return f"added: {truncate(safe_line(item), most.longest)}"
        case ValueChange(_, str(item), None) if is_item:
            return f"removed: {truncate(safe_line(item), most.longest)}"
    if change.old is None or change.new is None:
        old, new = (
            "(absent)" if side is None else truncate(safe_line(side), most.longest)
            for side in (change.old, change.new)
        )
    else:
        old, new = map(safe_line, around(change.old, change.new, most.longest))
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
    """Return the first hunks, and a line on the changed lines after them.

    The last hunk may be cut. The line is empty if nothing is omitted.
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
    """Yield the lines of a hunk, long ones cut around the difference."""
    yield ReportLine(f"@@ line {hunk.line} @@", "head")
    texts: dict[str, str] = {}
    match [line for line in hunk.lines if line_differs(line)]:
        case [Span("removed", old), Span("added", new)]:
            texts["removed"], texts["added"] = around(old, new, most.longest)
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
    """Yield the first lines that a call without a partner wrote."""
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


class Block(NamedTuple):
    """The details of one call or of a final text."""

    mark: str
    """The kind of difference, as in the table of calls."""

    name: str
    """The number of the call, or `result`."""

    call: str
    """The call and its subject; empty for a text."""

    ending: str
    """How a call without a partner ended, in brackets; empty for all others."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    details: list[Detail]
    """The differences, or the contents of a call without a partner."""


def block_of(finding: Finding, compared: Comparison, options: ReportOptions) -> Block:
    """Return the block of a finding that has details."""
    lines = where(options, *finding.lines)
    comparison = finding.comparison
    if comparison is None:
        change = result_change(run_of(finding, compared))
        details: list[Detail] = [] if change is None else [change]
        return Block("~", "result", "", "", lines, details)
    called = label_of(comparison)
    return Block(
        mark_of(comparison),
        f"call {place_of(finding)}",
        called if options.is_full else truncate(called, 100),
        lone_ending(comparison),
        lines,
        details_of(comparison, compared.settings),
    )


# Every report takes its findings from here, so that no two disagree on their order.
def with_details(compared: Comparison) -> list[Finding]:
    """Return the findings that have details, one for each call or text."""
    found: dict[tuple[int, int], Finding] = {}
    for finding in by_severity(compared.findings):
        if _has_details(finding):
            found.setdefault((finding.run, id(finding.comparison)), finding)
    return list(found.values())


def _has_details(finding: Finding) -> bool:
    comparison = finding.comparison
    if comparison is None:
        return finding.is_about_text
    if comparison.is_paired:
        return comparison.is_changed
    return has_contents(comparison.call)
