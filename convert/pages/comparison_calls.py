"""The calls of two runs side by side, with the output of failed ones."""

from __future__ import annotations

import marshal
from collections import Counter, namedtuple
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from types import SimpleNamespace
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.outputs import MOST_NESTED_VALUES, end_of
from convert.diff.calls.recorded_call import RecordedCall
from convert.diff.comparison import Finding, RunComparison
from convert.diff.reports import ReportOptions
from convert.diff.reports.marks_and_labels import (
    CallCell,
    Cells,
    all_cells,
    ending,
    label,
)
from convert.diff.reports.marks_and_labels import subject as subject_of
from convert.pages.comparison_changes import lines_in_words
from convert.pages.entries import call_row
from convert.tools.phrases_and_outcomes import phrase
from convert.tools.table import tool_of
from convert.transcript.builder import Shared
from convert.transcript.call_sections import call_section
from convert.wording.escapes import safe_line, truncate
from convert.wording.numbers import count

# The classes of rows by their marks, and their meanings.
_KINDS = {
    "": ("same", "same"),
    "~": ("changed", "changed"),
    "!": ("outcome", "ended differently"),
    "-": ("removed", "only in A"),
    "+": ("added", "only in B"),
    "<": ("moved", "moved from here"),
    ">": ("moved", "moved to here"),
}
_FILTERS = {
    "all": "All",
    "outcome": "Ended differently",
    "changed": "Changed",
    "removed": "Removed",
    "added": "Added",
    "moved": "Moved",
}


class PlaceOfRow(NamedTuple):
    """Where a page shows a call."""

    anchor: str
    """The id of its row."""

    number: str
    """Its number, as the row has it."""


# A pair of calls, or one call without a partner. `kind` is the class of the row, and
# `meaning` its mark in words. `a` and `b` are the calls; of a moved one, the other side
# has its place in `note`. `printed` is the output of failed calls, with the names of
# their sides. Tuples take a fifth of the memory of namespaces.
PairRow = namedtuple(
    "PairRow", "kind mark meaning a b note ids details where is_open printed"
)
SideOfRow = namedtuple("SideOfRow", "number label subject is_rejected ending")


class Fold(Struct):
    """Equal rows, folded until a reader opens them."""

    words: str
    rows: list[PairRow]


def rows_of(
    run: RunComparison,
    options: ReportOptions,
    prefix: str,
    details: dict[int, list[SimpleNamespace]],
) -> list[PairRow | Fold]:
    """Return the rows of two runs; `details` by the identity of their comparison."""
    room: float = float("inf") if options.is_full else 1000
    rows = []
    for cells in all_cells(run):
        printed = []
        # A call that moved has two rows; the first one shows its output.
        [pair] = cells.comparisons
        if cells.mark and cells.mark != ">":
            failed = [
                (name, call.recorded)
                for name, call in (("A", pair.a), ("B", pair.b))
                if call and has_output_of_failure(call)
            ]
            no_room = _printed(left_out="omitted; --full shows it")
            printed = [
                (name, printed_by(call) if at < room else no_room)
                for at, (name, call) in enumerate(failed)
            ]
            room = max(room - len(failed), 0)
        rows.append(_row(cells, options, prefix, details, printed))
    return list(_folded(rows))


def places_of(run: RunComparison, prefix: str) -> dict[int, PlaceOfRow]:
    """Return where the calls of two runs are shown, by the identity of the calls.

    A call without a row of its own is shown by the call around it.
    """
    places: dict[int, PlaceOfRow] = {}
    for cells in all_cells(run):
        [pair] = cells.comparisons
        for side, cell, call in (("a", cells.a, pair.a), ("b", cells.b, pair.b)):
            if call is not None and cell.number:
                anchor = f"{prefix}{side}{cell.number}"
                _add(call.recorded, PlaceOfRow(anchor, cell.number), places)
    return places


def _add(call: RecordedCall, place: PlaceOfRow, places: dict[int, PlaceOfRow]) -> None:
    """Add the place of a call, and those of the calls inside it."""
    places[id(call)] = place
    for inner in call.children:
        number = f"{place.number}.{inner.number}"
        _add(inner, place._replace(number=number), places)


def anchor_of(finding: Finding, prefix: str) -> str:
    """Return the id of the row that a finding is about; empty if it has none."""
    if finding.comparison is None:
        return ""
    # As in the numbers of the rows, the calls around it are those of B.
    around = "".join(f"{b}." for _, b in finding.inside)
    side = "a" if finding.comparison.b is None else "b"
    return f"{prefix}{side}{around}{finding.comparison.call.recorded.number}"


def filters_of(entries: Iterable[PairRow | Fold]) -> list[tuple[str, str, int]]:
    """Return id, name and number of calls of each filter that finds some."""
    once = [
        row
        for entry in entries
        for row in (entry.rows if isinstance(entry, Fold) else [entry])
        # A call that moved has two rows.
        if row.mark != ">"
    ]
    if len(once) < 12:
        return []
    totals = Counter(row.kind for row in once)
    totals["all"] = len(once)
    return [(id_, name, totals[id_]) for id_, name in _FILTERS.items() if totals[id_]]


def subject_or_name(call: AlignedCall) -> str:
    """Return the subject of a call; without one, its name or its action."""
    recorded = call.recorded
    if recorded.action_line:
        return label(call)
    if subject := subject_of(call):
        if recorded.tool == recorded.kind:
            return subject
        return f"{safe_line(recorded.shown_tool)} {subject}"
    if recorded.tool != recorded.kind:
        return safe_line(recorded.shown_tool)
    return phrase(recorded.kind, safe_line(recorded.shown_tool))


def word_for(call: AlignedCall) -> str:
    """Return the kind of a call, in a word."""
    return tool_of(call.recorded.kind).label


def _row(
    cells: Cells,
    options: ReportOptions,
    prefix: str,
    details: dict[int, list[SimpleNamespace]],
    printed: list[tuple[str, SimpleNamespace]],
) -> PairRow:
    [comparison] = cells.comparisons
    kind, meaning = _KINDS[cells.mark]
    a = _side(cells.a, None if cells.mark in ("+", ">") else comparison.a, options)
    b = _side(cells.b, None if cells.mark in ("-", "<") else comparison.b, options)
    notes = [cell.text.strip("()") for cell in (cells.a, cells.b) if not cell.number]
    is_first = cells.mark != ">"
    return PairRow(
        kind=kind,
        mark=cells.mark,
        meaning=meaning,
        a=a,
        b=b,
        note="".join(notes),
        ids=[f"{prefix}{n}{side.number}" for n, side in (("a", a), ("b", b)) if side],
        details=details.get(id(comparison), ()) if is_first else (),
        where=lines_in_words(*comparison.lines),
        is_open=comparison.has_other_outcome and is_first,
        printed=printed,
    )


def _side(
    cell: CallCell, call: AlignedCall | None, options: ReportOptions
) -> SideOfRow | None:
    if call is None:
        return None
    subject = subject_or_name(call)
    return SideOfRow(
        number=cell.number,
        label=word_for(call),
        subject=subject if options.is_full else truncate(subject, 400),
        is_rejected=call.recorded.outcome == "rejected",
        ending=ending(call)[1:-1],
    )


def _folded(rows: list[PairRow]) -> Iterator[PairRow | Fold]:
    """Yield rows, with long stretches of equal ones as the first, a fold and the last.

    The last row before a difference and the first after it stay in sight.
    """
    for is_same, group in groupby(rows, lambda row: row.kind == "same"):
        stretch = list(group)
        if not is_same or len(stretch) < 4:
            yield from stretch
            continue
        first, *middle, last = stretch
        yield first
        yield Fold(_range(middle), middle)
        yield last


def _range(rows: list[PairRow]) -> str:
    """Return the number of rows, and the numbers of their calls in both runs."""
    ranges = []
    for side in ([row.a for row in rows], [row.b for row in rows]):
        numbers = [call.number for call in side if call]
        ranges.append("–".join(dict.fromkeys((numbers[0], numbers[-1]))))
    both = " and ".join(dict.fromkeys(ranges))
    return f"{count(len(rows), 'equal call')}, {both}"


def has_output_of_failure(call: AlignedCall) -> bool:
    """Return True for a call that failed; an action line has no output."""
    return call.recorded.outcome != "ok" and not call.recorded.action_line


def printed_by(call: RecordedCall, hidden: str = "") -> SimpleNamespace:
    """Return the last lines that a failed call printed, else its message.

    `why` is the last of them; empty for none. `left_out` counts the omitted lines.
    `hidden` is the number of tests that failed in a call that ended well.
    """
    if call.event is None:
        return _printed()
    kept = marshal.loads(call.output_kept) if call.output_kept else None
    if call.kind == "task" and isinstance(kept, dict) and "steps" in kept:
        # The comparison puts the texts of a subagent next to the output.
        kept = kept.get("output")
    output = _with_ends(kept, 0)
    event = replace(call.event, output=output)
    section = call_section(event, Shared("", False))
    row = call_row(event, "", "", section, call.failure, hidden)
    earlier = count(row.earlier_lines, "earlier line")
    if output != kept:
        # The lines between the ends are not counted.
        earlier = "earlier lines"
    left_out = f"{earlier} omitted" if row.earlier_lines else ""
    return _printed(row.why, row.last_lines, left_out)


def _printed(
    why: str = "", lines: Sequence[str] = (), left_out: str = ""
) -> SimpleNamespace:
    return SimpleNamespace(why=why, lines=lines, left_out=left_out)


def _with_ends(value: Any, depth: int) -> Any:
    """Return a kept output with the ends of its long texts in place of these."""
    match value:
        case tuple():
            return end_of(value)
        case dict() if depth < MOST_NESTED_VALUES:
            return {name: _with_ends(value[name], depth + 1) for name in value}
        case list() if depth < MOST_NESTED_VALUES:
            return [_with_ends(inner, depth + 1) for inner in value]
    return value
