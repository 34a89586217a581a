"""Where two runs diverge first, and where they meet again."""

from __future__ import annotations

from msgspec import Struct

from convert.diff.batches import Order, ends_of
from convert.diff.call_comparison import CallComparison, Row
from convert.diff.changes import Place
from convert.diff.compared_call import ComparedCall


class Divergence(Struct, frozen=True):
    """The first calls of two runs, or of two subagents, that are not the same."""

    rows: list[Row]
    """The calls of both side by side."""

    a: list[ComparedCall]
    """The calls of the baseline."""

    b: list[ComparedCall]
    """The calls of the candidate."""

    first: int
    """The number of the first call that is not the same, nor in the same batch."""

    places: tuple[int, int]
    """The numbers of the calls in the baseline and the candidate."""

    inner: Divergence | None
    """Where the two calls diverge inside; None if they are not equal themselves."""


def divergence(
    rows: list[Row], a: list[ComparedCall], b: list[ComparedCall], order: Order
) -> Divergence | None:
    """Return where two lists of calls diverge first; None if they do not."""
    first = _first(rows, len(a), len(b))
    if first is None:
        return None
    pairs = {id(call): row.comparison for row in rows for call in _calls(row)}
    at, to = (_place_in_batch(calls, first, pairs, order) for calls in (a, b))
    inner = None
    pair = pairs[id(a[at - 1])] if at <= len(a) else None
    is_pair = pair and pair.b and to <= len(b) and pair.b is b[to - 1]
    if pair and pair.a and pair.b and is_pair and not pair.is_changed:
        inner = divergence(pair.rows, pair.a.children, pair.b.children, order)
    return Divergence(rows, a, b, first, (at, to), inner)


def _calls(row: Row) -> list[ComparedCall]:
    return [call for call in (row.comparison.a, row.comparison.b) if call]


def _first(rows: list[Row], a: int, b: int) -> int | None:
    """Return the number of the first call of A at which the runs diverge, from 1.

    The calls of A before it are paired with exactly as many of B, equal and in place;
    a batch may have another order.
    """
    partner = {
        comparison.a.number: comparison.b.number
        for _, comparison in rows
        if comparison.a and comparison.b and comparison.is_same
    }
    same = farthest = 0
    for number in range(1, min(a, b) + 1):
        if number not in partner:
            break
        farthest = max(farthest, partner[number])
        if farthest == number:
            same = number
    return None if same == a == b else same + 1


def _place_in_batch(
    calls: list[ComparedCall],
    first: int,
    pairs: dict[int, CallComparison],
    order: Order,
) -> int:
    """Return the number of the first call of a batch that is not the same.

    A batch diverges from its first call on, which may be the same in both runs.
    """
    if first > len(calls) or not pairs[id(calls[first - 1])].is_same:
        return first
    end = ends_of(calls, order)[first - 1]
    batch = calls[first - 1 : end]
    others = (call.number for call in batch if not pairs[id(call)].is_same)
    return next(others, first)


def place_of(run: int, diverged: Divergence) -> Place:
    """Return where two runs diverge, down to the calls of subagents."""
    steps = []
    inner = diverged
    while inner.inner:
        inner = inner.inner
        steps.append(inner.places)
    lines = _lines(inner, *inner.places)
    return Place(run, *diverged.places, *lines, steps=tuple(steps))


def resync(run: int, diverged: Divergence) -> Place | None:
    """Return the next pair after the first divergence that is equal and in place.

    If several are as near, the choice does not depend on which run is the baseline.
    """
    is_swapped = _exact(diverged.a) > _exact(diverged.b)
    later = [
        ((comparison.a.number, comparison.b.number), comparison.call.exact_key)
        for _, comparison in diverged.rows
        if comparison.is_same
        and comparison.a
        and comparison.b
        and comparison.a.number >= diverged.first
    ]
    if not later:
        return None
    (at, to), _ = min(
        later,
        key=lambda pair: (
            sum(pair[0]),
            abs(pair[0][0] - pair[0][1]),
            pair[1],
            pair[0][is_swapped],
        ),
    )
    return Place(run, at, to, *_lines(diverged, at, to))


def _exact(calls: list[ComparedCall]) -> list[bytes]:
    return [call.exact_key for call in calls]


def _lines(diverged: Divergence, at: int, to: int) -> tuple[int | None, int | None]:
    line_a, line_b = (
        calls[number - 1].line if number <= len(calls) else None
        for calls, number in ((diverged.a, at), (diverged.b, to))
    )
    return line_a, line_b
