"""Finding the pairs of places that reach farthest across a place, by Fenwick trees."""

from __future__ import annotations


class Outermost:
    """The pairs found so far, to ask for those that reach farthest across a place.

    Holds two Fenwick trees of maxima: one for the pairs that come from before a place
    on one side, one for those from after it, counted from the ends.
    """

    def __init__(self, one: int, other: int) -> None:
        self._last, self._last_other = one - 1, other - 1
        none = (-1, -1)
        self._before, self._after = [none] * (one + 1), [none] * (one + 1)
        # Answers by batch, valid until a pair is added.
        self._known: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def add(self, pair: tuple[int, int]) -> None:
        """Add a pair."""
        self._known.clear()
        at, to = pair
        _raise(self._before, at, (to, at))
        at, to = self._last - at, self._last_other - to
        _raise(self._after, at, (to, at))

    def beyond(
        self, batch: tuple[int, int], other_batch: tuple[int, int]
    ) -> list[tuple[int, int]]:
        """Return the farthest pairs outside two paired batches that cross them."""
        if batch not in self._known:
            to, at = _highest(self._before, batch[0])
            back_to, back = _highest(self._after, self._last + 1 - batch[1])
            after = (self._last - back, self._last_other - back_to)
            self._known[batch] = [(at, to), after]
        before, after = self._known[batch]
        if before[1] < other_batch[1]:
            return [after] if after[1] < other_batch[0] else []
        return [before, after] if after[1] < other_batch[0] else [before]


def _raise(tree: list[tuple[int, int]], place: int, value: tuple[int, int]) -> None:
    """Raise a tree of maxima to a value from a place on."""
    place += 1
    while place < len(tree):
        if tree[place] < value:
            tree[place] = value
        place += place & -place


def _highest(tree: list[tuple[int, int]], end: int) -> tuple[int, int]:
    """Return the highest value before a place in a tree of maxima."""
    highest = (-1, -1)
    while end > 0:
        highest = max(highest, tree[end])
        end -= end & -end
    return highest
