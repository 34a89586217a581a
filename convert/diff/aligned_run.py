"""The calls of one run as they are aligned, and the keys by which they are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from msgspec import Struct

from convert.diff.batches import Order, batches_of, ends_of
from convert.diff.compared_call import ComparedCall
from convert.diff.multisets import Batches
from convert.diff.renamed_tools import renamed_key


class Situation(Struct, frozen=True):
    """The changes to files that a run had made when it made a call."""

    is_after_change: bool
    """The run had changed a file."""

    last: int = -1
    """The place of the last change since the same call was made before; -1 if none."""


_UNCHANGED = Situation(is_after_change=False)


class AlignedRun:
    """The calls of one run, and which of them were made at once."""

    def __init__(self, calls: list[ComparedCall], order: Order) -> None:
        self.calls = calls
        self.ends = ends_of(calls, order)
        keys = [call.origin_key for call in calls]
        self.batches = Batches(keys, list(batches_of(self.ends)))
        self.rank = [
            sorted(map(keys.__getitem__, batch)) for batch in self.batches.places
        ]
        # The places of calls with a partner, and those that have it in order.
        self.paired: set[int] = set()
        self.in_order: set[int] = set()
        # The calls in the order in which they are aligned.
        self.sequence: list[int] = []

    @functools.cached_property
    def has_retry(self) -> list[bool]:
        """True for each call that failed and was made again, not earlier."""
        ends: dict[bytes, list[int]] = {}
        for call, end in zip(self.calls, self.ends, strict=True):
            ends.setdefault(call.retry_key, []).append(end)
        # The last two tell if a call other than this one ends after it.
        latest = {key: sorted(of_key)[-2:] for key, of_key in ends.items()}
        return [
            call.outcome != "ok"
            and len(latest[call.retry_key]) > 1
            and place < latest[call.retry_key][0]
            for place, call in enumerate(self.calls)
        ]

    @functools.cached_property
    def situations(self) -> list[Situation]:
        """The changes to files before each call.

        The calls of a batch have no order: none of them comes after another.
        """
        found = [_UNCHANGED] * len(self.calls)
        made: dict[bytes, int] = {}
        last, changed = -1, -1
        for number, batch in enumerate(self.batches.places):
            for place in batch if last >= 0 else ():
                is_since = made.get(self.calls[place].arguments_key, 0) <= changed
                found[place] = Situation(True, last if is_since else -1)
            for place in batch:
                made[self.calls[place].arguments_key] = number
            changes = [place for place in batch if self.calls[place].changes_files]
            if changes:
                is_one = len(changes) == 1
                last = changes[0] if is_one else max(changes, key=self._file)
                changed = number
        return found

    def _file(self, place: int) -> bytes:
        return self.calls[place].subject_key

    def file_changed_before(self, place: int) -> bytes:
        """Return the file changed last since the same call was made before."""
        last = self.situations[place].last
        return b"" if last < 0 else self._file(last)

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
        gap: list[int] = []
        for place in self.sequence:
            if place in self.in_order:
                yield gap
                gap = []
            elif place not in self.paired:
                gap.append(place)
        yield gap

    @property
    def has_free(self) -> bool:
        """There are calls without a partner."""
        return len(self.paired) < len(self.calls)

    def free(self) -> list[int]:
        """Return the places of the calls without a partner."""
        return [place for place in range(len(self.calls)) if place not in self.paired]


Key = Callable[[AlignedRun, int], object]


def by_origin(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls that are the same, with the same values."""
    return run.batches.keys[place]


def by_origin_after_change(run: AlignedRun, place: int) -> tuple[bytes, bool]:
    """Return the same, and whether a file was changed before."""
    return run.batches.keys[place], run.situations[place].is_after_change


def by_origin_in_situation(run: AlignedRun, place: int) -> object:
    """Return the same, and which file was changed since the call was made before."""
    return *by_origin_after_change(run, place), run.file_changed_before(place)


def by_exact(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls that are the same and ended alike."""
    return run.calls[place].exact_key


def by_arguments_after_change(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls that are the same, however they ended.

    A call made before any change to a file is not a first try made after one.
    """
    situation = run.situations[place]
    return run.calls[place].arguments_key, situation.is_after_change


def by_arguments_of_try(run: AlignedRun, place: int) -> object:
    """Return the same, and whether the call failed and was made again.

    Such a call is not what the other run did at once; its second try is.
    """
    return run.calls[place].arguments_key, run.has_retry[place]


def by_renamed(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls that differ in the name of the tool alone."""
    return renamed_key(run.calls[place]), run.has_retry[place]


def by_fragment(run: AlignedRun, place: int) -> object:
    """Return what is equal in two edits to which the same was passed."""
    return run.calls[place].retry_key, run.has_retry[place]


def by_subject_and_outcome(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls about the same that ended alike."""
    return by_subject(run, place), run.calls[place].compared_outcome


def by_subject(run: AlignedRun, place: int) -> object:
    """Return what is equal in two calls of one tool that are about the same."""
    return run.calls[place].subject_key, run.has_retry[place]
