"""Pairing the calls of two runs: exact alignment, by one key after the other.

First as many equal calls are paired as the order of both runs allows; calls made in
parallel have no order among themselves. In the gaps between pairs, calls are aligned by
keys that ask for less and less. Equal calls that are still without a partner have
moved.

If several alignments are equally long, an aligner may return another one for swapped
input. The runs are therefore aligned in an order of their own, whichever is the
baseline.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from convert.diff.aligned_run import (
    AlignedRun,
    Key,
    by_arguments_after_change,
    by_arguments_of_try,
    by_exact,
    by_fragment,
    by_renamed,
    by_subject,
    by_subject_and_outcome,
)
from convert.diff.batches import Order
from convert.diff.choices import chosen
from convert.diff.compared_call import ComparedCall
from convert.diff.likeness import most_alike
from convert.diff.multisets import MOST_SEARCHED, align_batches
from convert.diff.places import Crossings, nearest
from convert.wording.differences import MOST_PAIRS, align

# A repeated call, or one of many alike, has moved if at most this many places away.
_FARTHEST = 8
# How many equal calls are tried as partners of one; repeats could take forever.
_MOST_TRIED = 100
# Keys that are equal in two calls that may be one, changed, the most alike first.
_FOR_CHANGED: tuple[Key, ...] = (
    by_arguments_after_change,
    by_renamed,
    by_fragment,
    by_subject_and_outcome,
    by_subject,
)


class Pair(NamedTuple):
    """Two calls that belong together."""

    a: int
    """The place of the call in A, from 0."""

    b: int
    """The place of the call in B, from 0."""

    is_moved: bool
    """The calls stand at different places, and their order matters."""


class Matching(Struct, frozen=True):
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
    most_searched: int = MOST_SEARCHED,
) -> Matching:
    """Pair the calls of two runs."""
    one, other = AlignedRun(a, order), AlignedRun(b, order)
    is_swapped = one.rank > other.rank
    if is_swapped:
        one, other = other, one
    aligner = _Aligner(one, other, most_pairs, most_searched)
    pairs = [Pair(*pair) for pair in aligner.pairs()]
    if is_swapped:
        pairs = [Pair(pair.b, pair.a, pair.is_moved) for pair in pairs]
    return Matching(sorted(pairs), aligner.is_approximate)


class _Aligner:
    """Finds the pairs of two runs."""

    def __init__(
        self, one: AlignedRun, other: AlignedRun, most_pairs: int, most_searched: int
    ) -> None:
        self._one, self._other = one, other
        self._most_pairs = most_pairs
        self._most_searched = most_searched
        self.is_approximate = False
        self._in_place: list[tuple[int, int]] = []
        self._moved: list[tuple[int, int]] = []
        self._crossings = Crossings(one.ends, other.ends)

    def pairs(self) -> Iterator[tuple[int, int, bool]]:
        """Find all pairs; the last member tells whether the call has moved."""
        self._pair_equal()
        self._fill_gaps(by_exact)
        self._pair_where(by_exact, self._is_in_place)
        self._fill_gaps(by_arguments_of_try)
        self._pair_moved(by_exact)
        self._pair_moved(by_arguments_of_try)
        for key in _FOR_CHANGED:
            self._fill_gaps(key)
            self._pair_where(key, self._is_in_place)
        self._pair_alike()
        for at, to in self._in_place:
            yield at, to, False
        for at, to in self._moved:
            yield at, to, True

    def _pair_equal(self) -> None:
        """Pair as many equal calls as the order allows."""
        pairs, is_approximate = align_batches(
            self._one.batches,
            self._other.batches,
            self._most_pairs,
            self._most_searched,
        )
        self.is_approximate |= is_approximate
        self._put_in_sequence(pairs)
        best = chosen(self._one, self._other, pairs, self._most_pairs)
        if best is not pairs:
            self._put_in_sequence(best)
        self._add_in_order(best)

    def _put_in_sequence(self, pairs: list[tuple[int, int]]) -> None:
        self._one.put_in_sequence([at for at, _ in pairs])
        self._other.put_in_sequence([to for _, to in pairs])

    def _fill_gaps(self, key: Key) -> None:
        """Align by a key the calls between those that are paired in order."""
        one, other = self._one, self._other
        if not (one.has_free and other.has_free):
            return
        found: list[tuple[int, int]] = []
        for ones, others in zip(one.gaps(), other.gaps(), strict=True):
            if not ones or not others:
                continue
            alignment = align(
                [key(one, place) for place in ones],
                [key(other, place) for place in others],
                self._most_pairs,
            )
            self.is_approximate |= alignment.is_approximate
            found += alignment.pairs(ones, others)
        self._add_in_order([pair for pair in found if not self._crossings.has(*pair)])

    def _pair_moved(self, key: Key) -> None:
        """Pair calls that the other run made elsewhere."""
        unique = self._unique(key)
        self._pair_where(
            key,
            lambda at, to: (
                abs(at - to) <= _FARTHEST
                or key(self._one, at) in unique
                or self._is_in_place(at, to)
            ),
        )

    def _unique(self, key: Key) -> set[object]:
        """Return the keys that one call of each run has, not among many alike.

        Only calls without a partner count.
        """
        counts = [
            Counter(key(run, place) for place in run.free())
            for run in (self._one, self._other)
        ]
        shared = {of for of, count in counts[0].items() if count == counts[1][of] == 1}
        for run in (self._one, self._other):
            # To tell the tools of all calls takes time.
            if shared:
                shared &= _rare(run, key)
        return shared

    def _pair_where(self, key: Key, may_pair: Callable[[int, int], bool]) -> None:
        """Pair calls without a partner that have equal keys, the nearest first."""
        places: dict[object, list[int]] = {}
        for place in self._other.free():
            places.setdefault(key(self._other, place), []).append(place)
        for at in self._one.free():
            free = places.get(key(self._one, at))
            if not free:
                continue
            tried = islice(nearest(free, at), _MOST_TRIED)
            to = next((to for to in tried if may_pair(at, to)), None)
            if to is None:
                continue
            del free[bisect.bisect_left(free, to)]
            if self._is_in_place(at, to):
                self._add([(at, to)])
            else:
                self._mark([(at, to)])
                self._moved.append((at, to))

    def _pair_alike(self) -> None:
        """Pair calls that are alike enough to be the same call, changed.

        A call that both runs made at places far apart is no other call, changed.
        """
        one, other = self._one, self._other
        shared = _free_keys(one) & _free_keys(other)
        gaps = zip(one.gaps(), other.gaps(), strict=True)
        for gap in [*gaps, (one.free(), other.free())]:
            ones, others = (
                [at for at in places if run.calls[at].arguments_key not in shared]
                for run, places in zip((one, other), gap, strict=True)
            )
            for index, other_index in most_alike(
                [one.calls[place] for place in ones],
                [other.calls[place] for place in others],
            ):
                pair = at, to = ones[index], others[other_index]
                is_free = at not in one.paired and to not in other.paired
                is_like_tried = one.has_retry[at] == other.has_retry[to]
                if is_free and is_like_tried and self._is_in_place(at, to):
                    self._add([pair])

    def _is_in_place(self, at: int, to: int) -> bool:
        """Return True if the order of both runs allows a pair."""
        return not self._crossings.has(at, to)

    def _add_in_order(self, pairs: list[tuple[int, int]]) -> None:
        self._add(pairs)
        self._one.in_order.update(at for at, _ in pairs)
        self._other.in_order.update(to for _, to in pairs)

    def _add(self, pairs: list[tuple[int, int]]) -> None:
        self._crossings.add(pairs)
        self._in_place += pairs
        self._mark(pairs)

    def _mark(self, pairs: list[tuple[int, int]]) -> None:
        self._one.paired.update(at for at, _ in pairs)
        self._other.paired.update(to for _, to in pairs)


def _free_keys(run: AlignedRun) -> set[bytes]:
    """Return what makes the calls without a partner equal to others."""
    return {run.calls[place].arguments_key for place in run.free()}


def _rare(run: AlignedRun, key: Key) -> set[object]:
    """Return the keys of calls without a partner that are not among many alike."""
    free = run.free()
    tools = Counter(run.calls[place].tool_key for place in free)
    return {
        key(run, place)
        for place in free
        if tools[run.calls[place].tool_key] <= _FARTHEST
    }
