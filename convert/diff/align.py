"""Pairing the calls of two runs: exact alignment, by one key after the other.

Calls are aligned by a longest common subsequence of their strictest keys, and in the
gaps by the next key. Equal calls that are still without a partner have moved. Calls
made in parallel have no order among themselves.

If several alignments are equally long, an aligner may return another one for swapped
input. The runs are therefore aligned in an order of their own, whichever is the
baseline.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Literal, NamedTuple

from convert.diff.compared_call import ComparedCall
from convert.diff.outermost import Outermost
from convert.wording.differences import MOST_PAIRS, align

Order = Literal["strict", "partial", "any"]
# A repeated call has moved if an equal one is at most this many places away.
_FARTHEST = 8
# How many equal calls are tried as partners of one; repeats could take forever.
_MOST_TRIED = 100
# How many crossing pairs are checked in all, which takes some seconds.
MOST_CROSSED = 2_000_000


class Pair(NamedTuple):
    """Two calls that belong together."""

    a: int
    """The place of the call in A, from 0."""

    b: int
    """The place of the call in B, from 0."""

    is_moved: bool
    """The calls stand at different places, and their order matters."""


class Matching(NamedTuple):
    """The pairs of two runs."""

    pairs: list[Pair]
    """The pairs, in the order of A."""

    is_approximate: bool
    """The runs are too long to try all pairs."""


def match(
    a: list[ComparedCall],
    b: list[ComparedCall],
    order: Order,
    most_pairs: int = MOST_PAIRS,
    most_crossed: int = MOST_CROSSED,
) -> Matching:
    """Pair the calls of two runs."""
    one, other = _Side(a, order), _Side(b, order)
    is_swapped = one.exact > other.exact
    if is_swapped:
        one, other = other, one
    aligner = _Aligner(one, other, order, most_pairs, most_crossed)
    pairs = [
        Pair(one.places[at], other.places[to], is_moved)
        for at, to, is_moved in aligner.pairs()
    ]
    if is_swapped:
        pairs = [Pair(pair.b, pair.a, pair.is_moved) for pair in pairs]
    return Matching(sorted(pairs), aligner.is_approximate)


class _Side:
    """The calls of one run, with each batch in a fixed order.

    `places` holds the place of each call in the run, `batches` the begin and end of
    its batch.
    """

    def __init__(self, calls: list[ComparedCall], order: Order) -> None:
        batches: Iterable[list[int]] = ([place] for place in range(len(calls)))
        if order != "strict":
            batches = _batches(calls)
        self.places: list[int] = []
        self.batches: list[tuple[int, int]] = []
        for batch in batches:
            begin = len(self.places)
            if len(batch) > 1:
                batch.sort(key=lambda place: _rank(calls[place]))
            self.places += batch
            self.batches += [(begin, len(self.places))] * len(batch)
        self.calls = [calls[place] for place in self.places]
        self.exact = [call.exact_key for call in self.calls]


def _rank(call: ComparedCall) -> tuple[str, bytes, bytes, bytes]:
    return call.tool, call.subject_key, call.exact_key, call.origin_key


def in_parallel(one: ComparedCall, other: ComparedCall) -> bool:
    """Return True if two calls ran in parallel: in one step, or at the same time."""
    if one.step and one.step == other.step:
        return True
    return one.starts < other.ends and other.starts < one.ends


def batched(calls: list[ComparedCall]) -> list[bool]:
    """Return for each call True if it ran in parallel with another one."""
    steps = Counter(call.step for call in calls if call.step)
    is_batched = [steps[call.step] > 1 for call in calls]
    last_end: float = -1
    last = -1
    for place, call in enumerate(calls):
        if call.starts < last_end:
            is_batched[place] = is_batched[last] = True
        if call.ends > last_end:
            last_end, last = call.ends, place
    return is_batched


def _batches(calls: list[ComparedCall]) -> Iterator[list[int]]:
    """Yield stretches of calls that all ran in parallel with one another."""
    batch: list[int] = []
    # The two earliest ends of calls of different steps: a call must overlap the
    # earliest one of another step than its own.
    ends: list[tuple[float, object]] = []
    for place, call in enumerate(calls):
        step: object = call.step or place
        others = [end for end, of_step in ends if of_step != step]
        if batch and others and call.starts >= others[0]:
            yield batch
            batch, ends = [], []
        batch.append(place)
        mine = [(end, of_step) for end, of_step in ends if of_step == step]
        ends = [end for end in ends if end[1] != step]
        earliest = min([(call.ends, step), *mine], key=lambda end: end[0])
        ends = sorted([*ends, earliest], key=lambda end: end[0])[:2]
    if batch:
        yield batch


class _Aligner:
    """Finds the pairs of two sides, by their places in the sides."""

    def __init__(
        self,
        one: _Side,
        other: _Side,
        order: Order,
        most_pairs: int,
        most_crossed: int,
    ) -> None:
        self._one, self._other = one.calls, other.calls
        self._batches = one.batches, other.batches
        self._order = order
        self._most_pairs = most_pairs
        self._crossings_remaining = most_crossed
        self.is_approximate = False
        self._outermost = Outermost(len(self._one), len(self._other))
        # Those that stand in the same order on both sides, and those that may not.
        self._in_order: list[tuple[int, int]] = []
        self._others: list[tuple[int, int]] = []

    def pairs(self) -> Iterator[tuple[int, int, bool]]:
        """Find all pairs; the last member tells whether the call has moved."""
        # Run-made values from the same place first: in a batch they tell calls apart.
        self._fill_gaps("origin_key")
        self._fill_gaps("exact_key")
        self._fill_gaps("arguments_key")
        for key in ("exact_key", "arguments_key"):
            self._pair_unmatched(key, self._has_moved)
        for key in ("subject_key", "tool_key"):
            self._fill_gaps(key)
            self._pair_unmatched(key, lambda at, to, is_unique: self._commutes(at, to))
        for at, to in self._in_order:
            yield at, to, False
        for at, to in self._others:
            yield at, to, not self._commutes(at, to)

    def _fill_gaps(self, key: str) -> None:
        """Align by a key the calls between those that are paired already."""
        of = attrgetter(key)
        found: list[tuple[int, int]] = []
        for ones, others in self._gaps():
            alignment = align(
                [of(self._one[place]) for place in ones],
                [of(self._other[place]) for place in others],
                self._most_pairs,
            )
            self.is_approximate |= alignment.is_approximate
            for block in alignment.blocks:
                found += zip(
                    ones[block.old : block.old_end],
                    others[block.new : block.new_end],
                    strict=True,
                )
        self._in_order = sorted(self._in_order + found)
        for pair in found:
            self._outermost.add(pair)

    def _gaps(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the places without a partner between two neighbouring pairs in order.

        Gaps without such places on one of the sides are skipped.
        """
        taken_one = {at for at, _ in self._others}
        taken_other = {to for _, to in self._others}
        ends = (len(self._one), len(self._other))
        for (at, to), (at_end, to_end) in itertools.pairwise(
            [(-1, -1), *self._in_order, ends]
        ):
            ones = [p for p in range(at + 1, at_end) if p not in taken_one]
            others = [p for p in range(to + 1, to_end) if p not in taken_other]
            if ones and others:
                yield ones, others

    def _pair_unmatched(
        self, key: str, may_pair: Callable[[int, int, bool], bool]
    ) -> None:
        """Pair calls without a partner that have equal keys, the nearest first."""
        of = attrgetter(key)
        paired = [*self._in_order, *self._others]
        ones = _unmatched(self._one, {at for at, _ in paired}, of)
        others = _unmatched(self._other, {to for _, to in paired}, of)
        places: dict[bytes, list[int]] = {}
        for place, value in others:
            places.setdefault(value, []).append(place)
        counts = Counter(value for _, value in ones)
        is_unique = {
            value: counts[value] == 1 and len(found) == 1
            for value, found in places.items()
        }
        for at, value in ones:
            free = places.get(value, [])
            tried = itertools.islice(_nearest(free, at), _MOST_TRIED)
            to = next((to for to in tried if may_pair(at, to, is_unique[value])), None)
            if to is not None:
                self._others.append((at, to))
                self._outermost.add((at, to))
                del free[bisect.bisect_left(free, to)]

    def _has_moved(self, at: int, to: int, is_unique: bool) -> bool:
        """Return True if an equal call elsewhere is likely the same, not a repeat."""
        return is_unique or abs(at - to) <= _FARTHEST or self._commutes(at, to)

    def _commutes(self, at: int, to: int) -> bool:
        """Return True if a pair may change places with each pair that it crosses.

        It may if the calls ran in parallel in one of the runs, as those of a batch did.
        For most pairs the outermost ones decide, which saves a walk over the others.
        """
        if self._order == "any":
            return True
        batch, other_batch = self._batches[0][at], self._batches[1][to]
        beyond = self._outermost.beyond(batch, other_batch)
        if self._order == "strict" or not beyond:
            return not beyond
        if not all(self._may_cross(at, to, pair) for pair in beyond):
            return False
        if self._crossings_remaining <= 0:
            self.is_approximate = True
            return False
        for pair in self._perhaps_crossing(at, to):
            self._crossings_remaining -= 1
            is_crossing = (pair[0] - at) * (pair[1] - to) < 0
            if is_crossing and not self._may_cross(at, to, pair):
                return False
        return True

    def _may_cross(self, at: int, to: int, pair: tuple[int, int]) -> bool:
        other_at, other_to = pair
        return in_parallel(self._one[at], self._one[other_at]) or in_parallel(
            self._other[to], self._other[other_to]
        )

    def _perhaps_crossing(self, at: int, to: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs that may have the opposite order on the two sides."""
        first = bisect.bisect(self._in_order, at, key=lambda pair: pair[0])
        last = bisect.bisect(self._in_order, to, key=lambda pair: pair[1])
        for place in range(min(first, last), max(first, last)):
            yield self._in_order[place]
        yield from self._others


def _unmatched(
    calls: list[ComparedCall], paired: set[int], of: Callable[[ComparedCall], bytes]
) -> list[tuple[int, bytes]]:
    """Return the places and keys of the calls without a partner."""
    return [
        (place, of(call)) for place, call in enumerate(calls) if place not in paired
    ]


def _nearest(places: list[int], at: int) -> Iterator[int]:
    """Yield sorted places by their distance from one, the earlier on a tie."""
    right = bisect.bisect(places, at)
    left = right - 1
    while left >= 0 or right < len(places):
        is_left = right == len(places) or (
            left >= 0 and at - places[left] <= places[right] - at
        )
        if is_left:
            yield places[left]
            left -= 1
        else:
            yield places[right]
            right += 1
