"""Places of calls: which one is nearest, and which pairs change the order."""

from __future__ import annotations

import bisect
from collections.abc import Iterator


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
    """The pairs in place, to ask which further ones would be in another order.

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

    def has(self, at: int, to: int) -> bool:
        """Return True if a pair of these places would be in another order."""
        return (
            self._latest[at] >= self._other_ends[to]
            or self._latest_back[to] >= self._one_ends[at]
        )


def _raise(latest: list[int], place: int, value: int) -> None:
    while place < len(latest) and latest[place] < value:
        latest[place] = value
        place += 1
