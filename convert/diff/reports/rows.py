"""The rows of a report: calls side by side, folded where nothing differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from convert.diff.call_comparison import CallComparison, Row
from convert.diff.changes import RunComparison
from convert.diff.compared_call import ComparedCall
from convert.diff.reports.appearance import (
    LineStyle,
    Look,
    ending,
    label,
    mark_of,
    times,
)
from convert.wording.numbers import count

_FOLDED_FROM = 4
_SHOWN_AFTER = 10
STYLES: dict[str, LineStyle] = {
    "~": "changed",
    "!": "changed",
    "-": "removed",
    "+": "added",
    "<": "moved",
    ">": "moved",
}


class Cell(NamedTuple):
    """One side of a row."""

    number: str = ""
    """The number of the call, as `3` or `3.1`; empty if there is no call."""

    text: str = ""
    """The call and what it is about, or a note."""

    ending: str = ""
    """How the call ended, in brackets; empty if it ended well."""

    is_command: bool = False
    """The call is a command, whose end tells it from others as well."""


class Cells(NamedTuple):
    """A row to show."""

    mark: str
    """The kind of difference; empty for equal calls."""

    a: Cell
    """The side of the baseline."""

    b: Cell
    """The side of the candidate."""

    comparison: CallComparison | None = None
    """The calls of the row; None for a note."""

    is_same: bool = False
    """The two sides are equal, with all calls inside them."""


def cells_of(compared: RunComparison, look: Look) -> list[Cells]:
    """Return the rows of two runs; calls inside calls come after them."""
    if look.is_full:
        return all_cells(compared)
    folded = list(_repeats(_folded(_places(compared.rows, ""))))
    if is_cut(compared):
        first = next(at for at, row in enumerate(folded) if not row.is_same)
        hidden = len(folded) - first - _SHOWN_AFTER
        if hidden > 0:
            note = f"… {count(hidden, 'more row')}; --full for the rest"
            folded[first + _SHOWN_AFTER :] = [Cells("", Cell(text=note), Cell())]
    return folded


def all_cells(compared: RunComparison) -> list[Cells]:
    """Return all rows of two runs, none of them folded."""
    return list(map(_cells, _places(compared.rows, "")))


def is_cut(compared: RunComparison) -> bool:
    """Return True if two long runs have so little in common that rows are left out."""
    if not compared.rows:
        return False
    counts = compared.counts
    most = max(counts.a, counts.b)
    paired = counts.same + counts.changed + counts.moved
    return most > 2 * _SHOWN_AFTER and 2 * paired < most


class _Place(NamedTuple):
    """A row, and where it is."""

    row: Row
    """The row of the comparison."""

    above: str
    """The numbers of the calls around it, such as `3.`."""

    is_same: bool
    """The two sides are equal, with all calls inside them."""


def _places(rows: Iterable[Row], above: str) -> Iterator[_Place]:
    """Yield rows, each with the rows inside it after it unless these are all equal."""
    for row in rows:
        comparison = row.comparison
        yield _Place(row, above, row.side == "both" and comparison.is_same)
        if row.side != "both" or comparison.b is None:
            continue
        if not all(inner.comparison.is_same for inner in comparison.rows):
            yield from _places(comparison.rows, f"{above}{comparison.b.number}.")


def _cells(place: _Place) -> Cells:
    (side, comparison), above, is_same = place
    a, b = comparison.a, comparison.b
    if a is None:
        return Cells("+", Cell(), _cell(b, above), comparison)
    if b is None:
        return Cells("-", _cell(a, above), Cell(), comparison)
    if side == "a":
        moved = Cell(text=f"(moved to {above}{b.number})")
        return Cells("<", _cell(a, above), moved, comparison)
    if side == "b":
        moved = Cell(text=f"(moved from {above}{a.number})")
        return Cells(">", moved, _cell(b, above), comparison)
    ones, others = _cell(a, above), _cell(b, above)
    return Cells(mark_of(comparison), ones, others, comparison, is_same)


def _cell(call: ComparedCall | None, above: str) -> Cell:
    if call is None:
        return Cell()
    is_command = call.kind == "shell" and not call.action_line
    return Cell(f"{above}{call.number}", label(call), ending(call), is_command)


def _folded(places: Iterable[_Place]) -> Iterator[Cells]:
    """Yield rows, with long stretches of equal ones as the first and the last."""
    for is_same, group in groupby(places, lambda place: place.is_same):
        stretch = list(group)
        if not is_same or len(stretch) < _FOLDED_FROM:
            yield from map(_cells, stretch)
            continue
        yield _cells(stretch[0])
        note = f"… {count(len(stretch) - 2, 'equal call')}"
        yield Cells("", Cell(text=note), Cell(), is_same=True)
        yield _cells(stretch[-1])


def _repeats(rows: Iterable[Cells]) -> Iterator[Cells]:
    """Yield rows, with equal neighbours that were removed or added as one row."""

    def key(row: Cells) -> object:
        if row.mark in ("-", "+"):
            return row.mark, row.a[1:], row.b[1:]
        return id(row)

    for _, group in groupby(rows, key):
        first, *others = group
        again = times(1 + len(others))
        a, b = (
            cell._replace(text=cell.text + again) if cell.text else cell
            for cell in (first.a, first.b)
        )
        yield first._replace(a=a, b=b)
