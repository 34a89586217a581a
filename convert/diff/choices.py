"""Which of several equal calls has which partner, where as many calls are paired.

A test is run again and again. If one run made a call more often than the other, an
aligner may leave over any of those that are equal. Two belong together that were made
in the same situation: after a change to the same file since the call was made before,
or after none. If that does not decide, the pairs are better that leave more calls to
be paired as changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from convert.diff.aligned_run import (
    AlignedRun,
    Key,
    by_origin,
    by_origin_after_change,
    by_origin_in_situation,
    by_subject,
)
from convert.wording.differences import align

_Pairs = list[tuple[int, int]]


class _Stretch(NamedTuple):
    """Consecutive calls of both runs, by their places."""

    one: AlignedRun
    other: AlignedRun
    ones: list[int]
    others: list[int]
    most_pairs: int

    def pairs(self, key: Key) -> _Pairs:
        """Pair the calls by a key."""
        if not (self.ones and self.others):
            return []
        alignment = align(
            [key(self.one, place) for place in self.ones],
            [key(self.other, place) for place in self.others],
            self.most_pairs,
        )
        return list(alignment.pairs(self.ones, self.others))

    def gaps(self, pairs: _Pairs) -> Iterator[_Stretch]:
        """Yield the calls between pairs."""
        ones = _split(self.ones, {at for at, _ in pairs})
        others = _split(self.others, {to for _, to in pairs})
        for gap, other_gap in zip(ones, others, strict=True):
            yield self._replace(ones=gap, others=other_gap)


def chosen(
    one: AlignedRun, other: AlignedRun, pairs: _Pairs, most_pairs: int
) -> _Pairs:
    """Return as many pairs of equal calls, chosen by where they were made.

    The pairs are in the order of both sequences.
    """
    paired = {one.batches.keys[at] for at, _ in pairs}
    if paired.isdisjoint(_free_keys(one, {at for at, _ in pairs})) and (
        paired.isdisjoint(_free_keys(other, {to for _, to in pairs}))
    ):
        return pairs
    wanted = [one.batches.keys[at] for at, _ in pairs]
    fixed = _with_one_place(one, wanted) & _with_one_place(other, wanted)
    found = [pairs[number] for number in fixed]
    stretches = zip(
        _split(one.sequence, {at for at, _ in found}),
        _split(other.sequence, {to for _, to in found}),
        _split(range(len(pairs)), fixed),
        strict=True,
    )
    for ones, others, numbers in stretches:
        if numbers:
            stretch = _Stretch(one, other, ones, others, most_pairs)
            found += _best(stretch, [pairs[number] for number in numbers])
    ranks = {place: rank for rank, place in enumerate(one.sequence)}
    return sorted(found, key=lambda pair: ranks[pair[0]])


def _split(places: Iterable[int], at: set[int]) -> Iterator[list[int]]:
    """Yield the places before, between and after some of them."""
    part: list[int] = []
    for place in places:
        if place in at:
            yield part
            part = []
        else:
            part.append(place)
    yield part


def _free_keys(run: AlignedRun, paired: set[int]) -> Iterator[bytes]:
    keys = run.batches.keys
    return (keys[place] for place in run.sequence if place not in paired)


def _with_one_place(run: AlignedRun, wanted: list[bytes]) -> set[int]:
    """Return which of the keys can be found at one place only, in this order."""
    keys = [run.batches.keys[place] for place in run.sequence]
    first = _first(keys, wanted)
    last = (len(keys) - 1 - at for at in reversed([*_first(keys[::-1], wanted[::-1])]))
    places = enumerate(zip(first, last, strict=True))
    return {number for number, (at, to) in places if at == to}


def _first(keys: list[bytes], wanted: list[bytes]) -> Iterator[int]:
    """Yield the first places at which keys can be found, in their order."""
    places = iter(enumerate(keys))
    for key in wanted:
        yield next(place for place, found in places if found == key)


def _best(stretch: _Stretch, pairs: _Pairs) -> _Pairs:
    """Return the best of several alignments with as many pairs."""
    found = [pairs]
    for key in (by_origin_in_situation, by_origin_after_change):
        aligned = stretch.pairs(key)
        for gap in stretch.gaps(aligned):
            aligned += gap.pairs(by_origin)
        if len(aligned) >= len(pairs):
            found.append(aligned)
    costs = [_cost(stretch, aligned) for aligned in found]
    least = min(costs)
    best = [
        aligned for aligned, cost in zip(found, costs, strict=True) if cost == least
    ]
    if len(best) == 1:
        return best[0]
    return max(best, key=lambda aligned: _changed(stretch, aligned))


def _cost(stretch: _Stretch, pairs: _Pairs) -> tuple[int, int]:
    """Return how many pairs were made in another situation, and after other changes."""
    one, other = stretch.one, stretch.other
    return (
        sum(
            one.situations[at].is_after_change != other.situations[to].is_after_change
            for at, to in pairs
        ),
        sum(
            one.file_changed_before(at) != other.file_changed_before(to)
            for at, to in pairs
        ),
    )


def _changed(stretch: _Stretch, pairs: _Pairs) -> int:
    """Return how many calls between these pairs may be paired as changed."""
    return sum(len(gap.pairs(by_subject)) for gap in stretch.gaps(pairs))
