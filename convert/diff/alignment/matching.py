"""Pairing the calls of two runs: exact alignment, by one key after the other."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from msgspec import Struct

from convert.diff.alignment.aligned_run import (
    AlignedRun,
    Key,
    by_arguments_after_change,
    by_arguments_of_try,
    by_exact,
    by_fragment,
    by_renamed,
    by_spelling,
    by_subject,
    by_subject_and_outcome,
    chosen,
)
from convert.diff.alignment.batches import MOST_SEARCHED, align_batches
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.arguments import EDITS, EFFECT
from convert.diff.calls.recorded_call import Order
from convert.tools.table import CONTENTS
from convert.wording.alignment import align, common_lengths, places_of


def nearest(places: list[int], at: int) -> Iterator[int]:
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


class Crossings:
    """The pairs in place, which show if a further pair would be in another order.

    Two pairs are in another order if one run made the first before the second, and the
    other run the second before the first. Calls made in parallel have no order.
    """

    def __init__(self, one_ends: list[int], other_ends: list[int]) -> None:
        self._one_ends, self._other_ends = one_ends, other_ends
        # By a place in one run: the latest partner of the calls made before it.
        self._latest = [-1] * (len(one_ends) + 1)
        self._latest_back = [-1] * (len(other_ends) + 1)

    def add(self, pairs: list[tuple[int, int]]) -> None:
        """Add pairs that are in order with one another and with all others."""
        # From the last on, each one changes the few places up to the one before.
        for at, to in sorted(pairs, reverse=True):
            _raise(self._latest, self._one_ends[at], to)
            _raise(self._latest_back, self._other_ends[to], at)

    def allow(self, at: int, to: int) -> bool:
        """Return True if the order of both runs allows a pair of these places."""
        return (
            self._latest[at] < self._other_ends[to]
            and self._latest_back[to] < self._one_ends[at]
        )


def _raise(latest: list[int], place: int, value: int) -> None:
    while place < len(latest) and latest[place] < value:
        latest[place] = value
        place += 1


# The share that two calls must have in common, in order.
_LEAST = 0.5
# The number of characters or lines that are compared.
_LONGEST = 500
# How many calls are compared with one.
_MOST_COMPARED = 20
# Calls of one program and subcommand, or of one tool of a server, are alike whatever
# their arguments are.
_ALIKE = ("shell", "mcp")


def most_alike(
    ones: list[AlignedCall], others: list[AlignedCall]
) -> list[tuple[int, int]]:
    """Return the places of calls that are alike enough, the most alike first.

    If several are about as much alike, those whose places are nearer come first.
    """
    if not ones or not others:
        return []
    by_tool: dict[bytes, list[int]] = {}
    for to, call in enumerate(others):
        by_tool.setdefault(call.keys.tool, []).append(to)
    parts, other_parts = (list(map(_parts, calls)) for calls in (ones, others))
    known = [(places_of(each), len(each)) for each in other_parts]
    found = []
    for at, call in enumerate(ones):
        least = 0 if call.recorded.kind in _ALIKE else _LEAST
        near = nearest(by_tool.get(call.keys.tool, []), at)
        compared = [*islice(near, _MOST_COMPARED)]
        lengths = common_lengths(parts[at], [known[to] for to in compared])
        for to, length in zip(compared, lengths, strict=True):
            similarity = _similarity(parts[at], other_parts[to], length)
            if similarity >= least:
                found.append((-round(similarity, 1), abs(at - to), at, to))
    return [(at, to) for _, _, at, to in sorted(found)]


def _similarity(one: str | list[str], other: str | list[str], common: int) -> float:
    """Return the share of characters or lines in common, from 0 to 1."""
    if (
        isinstance(one, str)
        and isinstance(other, str)
        and (one.endswith(f"/{other}") or other.endswith(f"/{one}"))
    ):
        # The same file in another folder.
        return 1.0
    whole = len(one) + len(other)
    return 1 - (whole - 2 * common) / whole if whole else 1.0


def _parts(call: AlignedCall) -> str | list[str]:
    """Return the text or the lines by which two calls are compared.

    For an edit these are the lines that it changed: a renamed file may be the same,
    but not an edit of other lines.
    """
    if call.recorded.kind in EDITS and (lines := _changed_lines(call)):
        return lines
    return " ".join(map(str, call.arguments.values()))[:_LONGEST]


def _changed_lines(call: AlignedCall) -> list[str]:
    """Return the lines that an edit removed and added, or that were passed to it."""
    arguments = call.arguments
    if isinstance(effect := arguments.get(EFFECT), str):
        lines = [line for line in effect.split("\n") if line[:1] in ("+", "-")]
    else:
        texts = (arguments.get(name) for name in sorted(CONTENTS & arguments.keys()))
        contents = (text.split("\n") for text in texts if isinstance(text, str))
        lines = [f"+{line}" for line in chain.from_iterable(contents)]
    return [line for line in lines[:_LONGEST] if line[1:].strip()]


# A repeated call, or one of many alike, has moved if at most this many places away.
_FARTHEST = 8
# How many equal calls are tried as partners of one; repeats could take forever.
_MOST_TRIED = 100
# Keys that are equal in two calls that may be one, changed, the most alike first.
_FOR_CHANGED: tuple[Key, ...] = (
    by_arguments_after_change,
    by_spelling,
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
    """The calls are at different places, and their order matters."""


class Matching(Struct, frozen=True):
    """The pairs of two runs."""

    pairs: list[Pair]
    """The pairs, in the order of A."""

    is_approximate: bool
    """The runs are too long to try all pairs."""


def match(
    a: list[AlignedCall],
    b: list[AlignedCall],
    order: Order,
    most_searched: int = MOST_SEARCHED,
) -> Matching:
    """Pair the calls of two runs."""
    one, other = AlignedRun(a, order), AlignedRun(b, order)
    is_swapped = one.rank > other.rank
    if is_swapped:
        one, other = other, one
    aligner = _Aligner(one, other, most_searched)
    pairs = aligner.pairs()
    if is_swapped:
        pairs = [Pair(pair.b, pair.a, pair.is_moved) for pair in pairs]
    return Matching(sorted(pairs), aligner.is_approximate)


class _Aligner:
    """Finds the pairs of two runs."""

    def __init__(self, one: AlignedRun, other: AlignedRun, most_searched: int) -> None:
        self._one, self._other = one, other
        self._most_searched = most_searched
        self.is_approximate = False
        self._in_place: list[tuple[int, int]] = []
        self._moved: list[tuple[int, int]] = []
        self._crossings = Crossings(one.ends, other.ends)

    def pairs(self) -> list[Pair]:
        """Find all pairs."""
        self._pair_equal()
        self._fill_gaps(by_exact)
        self._pair_where(by_exact, self._crossings.allow)
        self._fill_gaps(by_arguments_of_try)
        self._pair_moved(by_exact)
        self._pair_moved(by_arguments_of_try)
        self._know_respelled()
        for key in _FOR_CHANGED:
            self._fill_gaps(key)
            self._pair_where(key, self._crossings.allow)
        self._pair_moved(by_spelling)
        self._pair_alike()
        return [
            *(Pair(at, to, False) for at, to in self._in_place),
            *(Pair(at, to, True) for at, to in self._moved),
        ]

    def _know_respelled(self) -> None:
        """Note the commands whose program both runs have left; spelling takes time."""
        runs = (self._one, self._other)
        ones, others = map(_free_commands, runs)
        if not ones or not others:
            return
        shared = {self._one.keys[place].tool for place in ones}
        shared &= {self._other.keys[place].tool for place in others}
        for run, places in zip(runs, (ones, others), strict=True):
            run.respelled = {each for each in places if run.keys[each].tool in shared}

    def _pair_equal(self) -> None:
        """Pair as many equal calls as the order allows."""
        pairs, is_approximate = align_batches(
            self._one.batches, self._other.batches, self._most_searched
        )
        self.is_approximate |= is_approximate
        self._put_in_sequence(pairs)
        best = chosen(self._one, self._other, pairs)
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
            )
            self.is_approximate |= alignment.is_approximate
            found += alignment.pairs(ones, others)
        self._add_in_order([pair for pair in found if self._crossings.allow(*pair)])

    def _pair_moved(self, key: Key) -> None:
        """Pair calls that the other run made elsewhere."""
        unique = self._unique(key)
        self._pair_where(
            key,
            lambda at, to: (
                abs(at - to) <= _FARTHEST
                or key(self._one, at) in unique
                or self._crossings.allow(at, to)
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
        for run in (self._one, self._other) if shared else ():
            free = run.free()
            tools = Counter(run.keys[place].tool for place in free)
            shared &= {
                key(run, place)
                for place in free
                if tools[run.keys[place].tool] <= _FARTHEST
            }
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
            if self._crossings.allow(at, to):
                self._add([(at, to)])
            else:
                self._mark([(at, to)])
                self._moved.append((at, to))

    def _pair_alike(self) -> None:
        """Pair calls that are alike enough to be the same call, changed.

        A call that both runs made, but far apart, is not a changed call.
        """
        one, other = self._one, self._other
        shared = _free_keys(one) & _free_keys(other)
        gaps = [*zip(one.gaps(), other.gaps(), strict=True)]
        all_free = one.free(), other.free()
        for gap in gaps if all_free in gaps else [*gaps, all_free]:
            ones, others = (
                [at for at in places if run.keys[at].arguments not in shared]
                for run, places in zip((one, other), gap, strict=True)
            )
            for index, other_index in most_alike(
                [one.calls[place] for place in ones],
                [other.calls[place] for place in others],
            ):
                at, to = ones[index], others[other_index]
                is_free = at not in one.paired and to not in other.paired
                is_tried_alike = one.has_retry[at] == other.has_retry[to]
                if is_free and is_tried_alike and self._crossings.allow(at, to):
                    self._add([(at, to)])

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


def _free_commands(run: AlignedRun) -> list[int]:
    """Return the places of the commands without a partner."""
    return [each for each in run.free() if run.calls[each].recorded.kind == "shell"]


def _free_keys(run: AlignedRun) -> set[bytes]:
    """Return the keys of the calls without a partner."""
    return {run.keys[place].arguments for place in run.free()}
