"""Of pairs of places, those that reach farthest across a place: trees of maxima."""

from __future__ import annotations


class Outermost:
    """Of the pairs found, those that reach farthest across a place.

    Two trees of maxima (Fenwick's), one for the pairs that come from before a place
    on one side, one for those from behind it, counted from the ends.
    """

    def __init__(self, one: int, other: int) -> None:
        self._last, self._last_other = one - 1, other - 1
        none = (-1, -1)
        self._before, self._behind = [none] * (one + 1), [none] * (one + 1)
        # What reaches across a batch, until there are more pairs.
        self._known: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def add(self, pair: tuple[int, int]) -> None:
        """Take a pair that is found."""
        self._known.clear()
        at, to = pair
        _raise(self._before, at, (to, at))
        at, to = self._last - at, self._last_other - to
        _raise(self._behind, at, (to, at))

    def beyond(
        self, batch: tuple[int, int], other_batch: tuple[int, int]
    ) -> list[tuple[int, int]]:
        """The farthest pairs that cross two batches, which are paired, from outside."""
        if batch not in self._known:
            to, at = _highest(self._before, batch[0])
            back_to, back = _highest(self._behind, self._last + 1 - batch[1])
            behind = (self._last - back, self._last_other - back_to)
            self._known[batch] = [(at, to), behind]
        before, behind = self._known[batch]
        if before[1] < other_batch[1]:
            return [behind] if behind[1] < other_batch[0] else []
        return [before, behind] if behind[1] < other_batch[0] else [before]


def _raise(tree: list[tuple[int, int]], place: int, value: tuple[int, int]) -> None:
    """Put a value at a place of a tree of maxima."""
    place += 1
    while place < len(tree):
        if tree[place] < value:
            tree[place] = value
        place += place & -place


def _highest(tree: list[tuple[int, int]], end: int) -> tuple[int, int]:
    """The highest value before a place in a tree of maxima."""
    highest = (-1, -1)
    while end > 0:
        highest = max(highest, tree[end])
        end -= end & -end
    return highest
