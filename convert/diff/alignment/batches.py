"""The alignment of two runs of batches, which are calls made at once."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import NamedTuple

from msgspec import Struct

from convert.wording.alignment import align

# A batch is a multiset: its calls have no order. An alignment is a walk through the
# batches of both runs, which is at one batch of each and pairs the calls that are
# equal. A step goes on to the next batch of one run, and skips the calls that
# have no partner yet. A best-first search finds the walk that leaves the fewest.
# How many steps the search may take, which is some tenths of a second; a step between
# large batches counts as several.
MOST_SEARCHED = 50_000
_LARGE = 16

_Batch = tuple[int, ...]


class Batches(Struct, frozen=True):
    """The calls of one run, as batches."""

    keys: list[bytes]
    """The key of each call; calls are equal if their keys are."""

    places: list[list[int]]
    """The places of the calls of each batch."""


class BatchAlignment(NamedTuple):
    """The pairs of two runs, in an order in which both may have been made."""

    pairs: list[tuple[int, int]]
    """The places of the two calls of each pair."""

    is_approximate: bool
    """The runs are too long to try all walks, so there may be more pairs."""


def align_batches(
    one: Batches,
    other: Batches,
    most_searched: int = MOST_SEARCHED,
) -> BatchAlignment:
    """Pair as many equal calls of two runs as their order allows."""
    # Calls that only one run made would make the search longer.
    shared = set(one.keys) & set(other.keys)
    one, other = _only(one, shared), _only(other, shared)
    if all(len(batch) == 1 for batch in chain(one.places, other.places)):
        return _in_sequence(one, other)
    walk = _search(one, other, most_searched)
    if walk is None:
        return _in_sequence(one, other)._replace(is_approximate=True)
    return BatchAlignment(list(_along(walk, one, other)), is_approximate=False)


def _only(run: Batches, keys: set[bytes]) -> Batches:
    """Return a run without the calls that have other keys."""
    kept = (
        [place for place in batch if run.keys[place] in keys] for batch in run.places
    )
    return Batches(run.keys, list(filter(None, kept)))


def _in_sequence(one: Batches, other: Batches) -> BatchAlignment:
    """Align two runs as if the calls of a batch had an order, the same in both."""
    ones, others = (
        [
            place
            for batch in run.places
            for place in sorted(batch, key=run.keys.__getitem__)
        ]
        for run in (one, other)
    )
    alignment = align(
        [one.keys[place] for place in ones],
        [other.keys[place] for place in others],
    )
    return BatchAlignment(list(alignment.pairs(ones, others)), alignment.is_approximate)


class _Position(NamedTuple):
    """The position of a walk: a batch of each run, with its calls without a partner."""

    at: int
    to: int
    row: _Batch
    column: _Batch


class _Side(Struct, frozen=True):
    """The batches of one run, and how many calls there are from each batch on."""

    batches: list[_Batch]
    rest: list[int]


def _search(
    one: Batches, other: Batches, most_searched: int
) -> list[tuple[int, int]] | None:
    """Return the batches of the best walk; None if there are too many."""
    ones, others = _coded(one, other)
    end = _Position(len(ones.batches), len(others.batches), (), ())
    start = _after_pairing(0, 0, ones.batches[0], others.batches[0])
    came: dict[_Position, _Position | None] = {start: None}
    left = {start: 0}
    heap = [(_least(start, ones, others), 0, start)]
    while heap and most_searched > 0:
        _, _, position = heapq.heappop(heap)
        if position == end:
            return _back(came, position)
        most_searched -= 1 + (len(position.row) + len(position.column)) // _LARGE
        for skipped, after in _steps(position, ones, others):
            total = left[position] + skipped
            if after not in left or total < left[after]:
                left[after], came[after] = total, position
                least = total + _least(after, ones, others)
                heapq.heappush(heap, (least, -after.at - after.to, after))
    return None


def _coded(one: Batches, other: Batches) -> tuple[_Side, _Side]:
    """Return both runs with numbers in place of keys."""
    numbers: dict[bytes, int] = {}
    ones, others = (
        [
            tuple(
                sorted(
                    numbers.setdefault(run.keys[place], len(numbers)) for place in batch
                )
            )
            for batch in run.places
        ]
        for run in (one, other)
    )
    return _side(ones), _side(others)


def _side(batches: list[_Batch]) -> _Side:
    return _Side(batches, list(accumulate([0, 0, *map(len, reversed(batches))]))[::-1])


def _steps(
    position: _Position, ones: _Side, others: _Side
) -> Iterator[tuple[int, _Position]]:
    """Yield the number of calls that each next step skips, and its end."""
    at, to, row, column = position
    # A walk leaves a batch without calls at once: no other step does better.
    goes_down, goes_right = bool(column) or not row, bool(row) or not column
    steps = [(1, 0)] * goes_down + [(0, 1)] * goes_right
    if not row and not column:
        steps = [(1, 1)]
    for down, right in steps:
        if at + down == len(ones.batches) or to + right == len(others.batches):
            skipped = len(row) + ones.rest[at + 1] + len(column) + others.rest[to + 1]
            yield skipped, _Position(len(ones.batches), len(others.batches), (), ())
            continue
        next_row = ones.batches[at + 1] if down else row
        next_column = others.batches[to + 1] if right else column
        skipped = down * len(row) + right * len(column)
        yield skipped, _after_pairing(at + down, to + right, next_row, next_column)


def _after_pairing(at: int, to: int, row: _Batch, column: _Batch) -> _Position:
    """Return the position of a walk after it has paired the equal calls."""
    if row == column:
        return _Position(at, to, (), ())
    if set(row).isdisjoint(column):
        return _Position(at, to, row, column)
    ones, others = Counter(row), Counter(column)
    return _Position(at, to, _elements(ones - others), _elements(others - ones))


def _elements(batch: Counter[int]) -> _Batch:
    return tuple(sorted(batch.elements()))


def _least(position: _Position, ones: _Side, others: _Side) -> int:
    """Return the least number of calls that a walk from here on skips."""
    rest_one = len(position.row) + ones.rest[position.at + 1]
    return abs(rest_one - len(position.column) - others.rest[position.to + 1])


def _back(
    came: dict[_Position, _Position | None], end: _Position
) -> list[tuple[int, int]]:
    """Return the batches where a walk was before its end."""
    walk = []
    position = came[end]
    while position is not None:
        walk.append((position.at, position.to))
        position = came[position]
    return walk[::-1]


def _along(
    walk: list[tuple[int, int]], one: Batches, other: Batches
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that a walk makes; the first calls of a batch pair first."""
    ones, others = ([*map(list, run.places)] for run in (one, other))
    for row, column in walk:
        free: dict[bytes, list[int]] = {}
        for to in reversed(others[column]):
            free.setdefault(other.keys[to], []).append(to)
        remaining = []
        for at in ones[row]:
            if places := free.get(one.keys[at]):
                yield at, places.pop()
            else:
                remaining.append(at)
        ones[row] = remaining
        others[column] = sorted(place for places in free.values() for place in places)
