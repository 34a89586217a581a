"""Pairing the items of two lists that belong together, in order.

Equal items are aligned first. Items between them are paired where they are alike, so
that the likeness of all pairs together is the greatest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence

from convert.wording.differences import Block, align

# How alike two items are, from 0 to 1, by their places in either list.
Likeness = Callable[[int, int], float]
# How many characters or bytes some items of both lists have, by their places.
Size = Callable[[range, range], int]
Pairs = list[tuple[int, int]]

_LEAST = 0.5
# The number of pairs of items between two equal ones that are tried, of long items and
# of short ones, which must not take longer than the rest of the comparison.
_MOST_PAIRS = 2500
_FEW_PAIRS = 64


def pair_alike(
    old: Sequence[Hashable], new: Sequence[Hashable], size: Size, likeness: Likeness
) -> Pairs:
    """Return the places of items that are equal or alike; neither list is reordered."""
    pairs: Pairs = []
    at = to = 0
    for block in [*align(old, new).blocks, Block(len(old), len(new), 0)]:
        gap = range(at, block.old), range(to, block.new)
        if _may_be_tried(*gap, size):
            pairs += _between(*gap, likeness)
        pairs += [(block.old + n, block.new + n) for n in range(block.length)]
        at, to = block.old_end, block.new_end
    return pairs


def _may_be_tried(old: range, new: range, size: Size) -> bool:
    """Return True if the items between two equal ones are few, also for their size."""
    tries = len(old) * len(new)
    if tries <= _FEW_PAIRS or tries > _MOST_PAIRS:
        return 0 < tries <= _FEW_PAIRS
    return tries <= size(old, new) // 2


def _between(old: range, new: range, likeness: Likeness) -> Iterator[tuple[int, int]]:
    """Yield the pairs among items none of which are equal."""
    likely = {
        (at, to): like
        for at, to in itertools.product(old, new)
        if (like := likeness(at, to)) >= _LEAST
    }
    sums = _sums(old, new, likely)
    at, to = old.start, new.start
    while at < old.stop and to < new.stop:
        here = sums[at, to]
        if (at, to) in likely and here == likely[at, to] + sums[at + 1, to + 1]:
            yield at, to
            at, to = at + 1, to + 1
        elif here == sums[at + 1, to]:
            at += 1
        else:
            to += 1


def _sums(
    old: range, new: range, likely: dict[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    """Return the greatest likeness of what begins at each two places."""
    sums = {(at, new.stop): 0.0 for at in range(old.start, old.stop + 1)}
    sums |= {(old.stop, to): 0.0 for to in new}
    for at, to in itertools.product(reversed(old), reversed(new)):
        together = likely.get((at, to), 0.0) + sums[at + 1, to + 1]
        sums[at, to] = max(together, sums[at + 1, to], sums[at, to + 1])
    return sums
