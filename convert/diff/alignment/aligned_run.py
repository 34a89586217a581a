"""The calls of one run as they are aligned: their keys, and a choice of equal calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from convert.diff.alignment.batches import Batches
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.recorded_call import Order, batches_of, ends_of
from convert.wording.alignment import align


class AlignedRun:
    """The calls of one run, in batches of calls that were made at once."""

    def __init__(self, calls: list[AlignedCall], order: Order) -> None:
        self.calls = calls
        self.ends = ends_of([call.recorded for call in calls], order)
        self.keys = [call.keys for call in calls]
        keys = [each.origin for each in self.keys]
        self.batches = Batches(keys, list(batches_of(self.ends)))
        self.rank = [
            sorted(map(keys.__getitem__, batch)) for batch in self.batches.places
        ]
        # The places of calls with a partner, and those that have it in order.
        self.paired: set[int] = set()
        self.in_order: set[int] = set()
        # The places of commands that the other run may have spelled in another way.
        self.respelled: set[int] = set()
        # The calls in the order in which they are aligned.
        self.sequence: list[int] = []

    @functools.cached_property
    def has_retry(self) -> list[bool]:
        """True for each call that failed and was made again, not earlier."""
        ends: dict[bytes, list[int]] = {}
        for keys, end in zip(self.keys, self.ends, strict=True):
            ends.setdefault(keys.retry, []).append(end)
        # The last two show if a call other than this one ends after it.
        latest = {key: sorted(of_key)[-2:] for key, of_key in ends.items()}
        return [
            keys.call.outcome != "ok"
            and len(latest[keys.retry]) > 1
            and place < latest[keys.retry][0]
            for place, keys in enumerate(self.keys)
        ]

    @functools.cached_property
    def situations(self) -> list[int | None]:
        """The place of the last change to a file before each call; None without any.

        It is -1 if the same call was made since. The calls of a batch have no order:
        none of them comes after another.
        """
        found: list[int | None] = [None] * len(self.calls)
        made: dict[bytes, int] = {}
        last, changed = -1, -1
        for number, batch in enumerate(self.batches.places):
            for place in batch if last >= 0 else ():
                is_since = made.get(self.keys[place].arguments, 0) <= changed
                found[place] = last if is_since else -1
            for place in batch:
                made[self.keys[place].arguments] = number
            changes = [
                place for place in batch if self.calls[place].recorded.changes_files
            ]
            if changes:
                is_one = len(changes) == 1
                last = changes[0] if is_one else max(changes, key=self._file)
                changed = number
        return found

    def _file(self, place: int) -> bytes:
        return self.keys[place].subject

    def file_changed_before(self, place: int) -> bytes:
        """Return the file changed last since the same call was made before."""
        last = self.situations[place]
        return b"" if last is None or last < 0 else self._file(last)

    def put_in_sequence(self, paired: list[int]) -> None:
        """Give calls made at once the order of their pairs, those without one first."""
        ranks = {place: rank for rank, place in enumerate(paired)}
        self.sequence = [
            place
            for batch in self.batches.places
            for place in sorted(batch, key=lambda place: ranks.get(place, -1))
        ]

    def gaps(self) -> Iterator[list[int]]:
        """Yield the calls without a partner between two that have one in order."""
        others = self.paired - self.in_order
        places = (place for place in self.sequence if place not in others)
        return _split(places, self.in_order)

    @property
    def has_free(self) -> bool:
        """There are calls without a partner."""
        return len(self.paired) < len(self.calls)

    def free(self) -> list[int]:
        """Return the places of the calls without a partner."""
        return [place for place in range(len(self.calls)) if place not in self.paired]


Key = Callable[[AlignedRun, int], object]


def by_origin(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in calls that are the same, with the same values."""
    return run.batches.keys[place]


def by_origin_after_change(run: AlignedRun, place: int) -> tuple[bytes, bool]:
    """Return the same key, and True if a file was changed before."""
    return run.batches.keys[place], run.situations[place] is not None


def by_origin_in_situation(run: AlignedRun, place: int) -> object:
    """Return the same, and the file that was changed since the same call before."""
    return *by_origin_after_change(run, place), run.file_changed_before(place)


def by_exact(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in two calls that are the same and ended alike."""
    return run.keys[place].exact


def by_arguments_after_change(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in two calls that are the same, however they ended.

    A call made before any change to a file is not a first try made after one.
    """
    return run.keys[place].arguments, run.situations[place] is not None


def by_arguments_of_try(run: AlignedRun, place: int) -> object:
    """Return the same key, and True if the call failed and was made again.

    Such a call is not the one that the other run made at once; its second try is.
    """
    return run.keys[place].arguments, run.has_retry[place]


def by_renamed(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in calls that differ only in the name of the tool."""
    return run.keys[place].renamed, run.has_retry[place]


def by_spelling(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in commands that differ only in their spelling."""
    keys, is_respelled = run.keys[place], place in run.respelled
    key = keys.spelling if is_respelled else keys.arguments
    return key, is_respelled, run.has_retry[place]


def by_fragment(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in two edits with the same arguments."""
    return run.keys[place].retry, run.has_retry[place]


def by_subject_and_outcome(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in two calls about the same that ended alike."""
    return by_subject(run, place), run.keys[place].outcome


def by_subject(run: AlignedRun, place: int) -> object:
    """Return a key that is equal in two calls of one tool that are about the same."""
    return run.keys[place].subject, run.has_retry[place]


# A test is run again and again. If one run made a call more often than the other, an
# aligner may leave any of these without a partner. Calls belong together that were made
# in the same situation: after a change to the same file since the same call before, or
# after none. If that does not decide, the better pairs let more calls be paired as
# changed.
_Pairs = list[tuple[int, int]]


class _Stretch(NamedTuple):
    """Consecutive calls of both runs, by their places."""

    one: AlignedRun
    other: AlignedRun
    ones: list[int]
    others: list[int]

    def pairs(self, key: Key) -> _Pairs:
        """Pair the calls by a key."""
        if not (self.ones and self.others):
            return []
        alignment = align(
            [key(self.one, place) for place in self.ones],
            [key(self.other, place) for place in self.others],
        )
        return list(alignment.pairs(self.ones, self.others))

    def gaps(self, pairs: _Pairs) -> Iterator[_Stretch]:
        """Yield the calls between pairs."""
        ones = _split(self.ones, {at for at, _ in pairs})
        others = _split(self.others, {to for _, to in pairs})
        for gap, other_gap in zip(ones, others, strict=True):
            yield self._replace(ones=gap, others=other_gap)


def chosen(one: AlignedRun, other: AlignedRun, pairs: _Pairs) -> _Pairs:
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
            stretch = _Stretch(one, other, ones, others)
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
    """Return the places of keys that can be at one place only, in this order."""
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
    best = [
        aligned
        for aligned, cost in zip(found, costs, strict=True)
        if cost == min(costs)
    ]
    if len(best) == 1:
        return best[0]
    return max(best, key=lambda aligned: _changed(stretch, aligned))


def _cost(stretch: _Stretch, pairs: _Pairs) -> tuple[int, int]:
    """Return how many pairs were made in another situation, and after other changes."""
    one, other = stretch.one, stretch.other
    return (
        sum(
            (one.situations[at] is None) != (other.situations[to] is None)
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
