"""The longest common subsequence of two sequences, and the hunks between.

rapidfuzz aligns the items between a common prefix and a common suffix; its table takes
one bit for each pair of items.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

T = TypeVar("T")

# The largest number of pairs of items to align exactly: a table of 50 MB.
MOST_PAIRS = 400_000_000


class Block(Struct, frozen=True):
    """Consecutive items that are equal on both sides."""

    old: int
    """Index of the first one on the old side."""

    new: int
    """Index of the first one on the new side."""

    length: int
    """Number of items."""

    @property
    def old_end(self) -> int:
        """Index after the last one on the old side."""
        return self.old + self.length

    @property
    def new_end(self) -> int:
        """Index after the last one on the new side."""
        return self.new + self.length


class Alignment(Struct, frozen=True):
    """A common subsequence of two sequences."""

    blocks: list[Block]
    """Its blocks in order; none is empty."""

    is_approximate: bool = False
    """The sequences were too long for one table, so it may not be the longest one."""

    def pairs(self, old: Sequence[T], new: Sequence[T]) -> Iterator[tuple[T, T]]:
        """Yield the items of two sequences that the alignment pairs."""
        for block in self.blocks:
            yield from zip(
                old[block.old : block.old_end],
                new[block.new : block.new_end],
                strict=True,
            )


def align(
    old: Sequence[Hashable], new: Sequence[Hashable], most_pairs: int = MOST_PAIRS
) -> Alignment:
    """Find a longest common subsequence.

    Sequences with more than `most_pairs` pairs are split at items that occur once on
    either side, and parts that are still too long are split by position.
    """
    if len(old) == len(new) == 1:
        # Nearly all gaps between the calls of short runs.
        return Alignment([Block(0, 0, 1)] if old[0] == new[0] else [])
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    found = [Block(0, 0, head)]
    is_approximate = False
    rest, other_rest = old[head:old_end], new[head:new_end]
    if not {*rest}.isdisjoint(other_rest):
        items = dict.fromkeys(itertools.chain(rest, other_rest))
        numbers = dict(zip(items, itertools.count(), strict=False))
        one, other = ([*map(numbers.__getitem__, side)] for side in (rest, other_rest))
        between = _between(one, other, most_pairs)
        is_approximate = between.is_approximate
        found += [
            Block(head + block.old, head + block.new, block.length)
            for block in between.blocks
        ]
    found.append(Block(old_end, new_end, tail))
    return Alignment(_joined(found), is_approximate)


def common_length(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence that `align` finds.

    Counting takes a quarter of the time of finding the places, and no library: to load
    rapidfuzz takes as many instructions as 5,000 lines on each side.
    """
    if len(old) * len(new) > MOST_PAIRS:
        return sum(block.length for block in align(old, new).blocks)
    common = {*old}.intersection(new)
    old = [item for item in old if item in common]
    # The bits of the places of each item, and those that no subsequence uses so far:
    # Hyyrö, Bit-Parallel LCS-length Computation Revisited.
    places = dict.fromkeys(common, 0)
    for at, item in enumerate(old):
        places[item] |= 1 << at
    every = unused = (1 << len(old)) - 1
    for item in new:
        if matches := unused & places.get(item, 0):
            unused = (unused + matches | unused - matches) & every
    return len(old) - unused.bit_count()


def hunks(
    blocks: list[Block], old: int, new: int, context: int
) -> Iterator[list[Block]]:
    """Group nearby changes into hunks, with `context` equal lines around them.

    A hunk is a list of blocks with a change between any two; its first and last block
    may be empty. `old` and `new` are the lengths of the sequences.
    """
    if not blocks or (blocks[0].old, blocks[0].new) != (0, 0):
        blocks = [Block(0, 0, 0), *blocks]
    if (blocks[-1].old_end, blocks[-1].new_end) != (old, new):
        blocks = [*blocks, Block(old, new, 0)]
    first, *others = blocks
    if not others:
        return
    skipped = max(first.length - context, 0)
    hunk = [Block(first.old + skipped, first.new + skipped, first.length - skipped)]
    for block in others[:-1]:
        if block.length <= 2 * context:
            hunk.append(block)
            continue
        yield [*hunk, replace(block, length=context)]
        skipped = block.length - context
        hunk = [Block(block.old + skipped, block.new + skipped, context)]
    yield [*hunk, replace(others[-1], length=min(others[-1].length, context))]


def _between(old: list[int], new: list[int], most_pairs: int) -> Alignment:
    if len(old) * len(new) <= most_pairs:
        return Alignment(_exact(old, new))
    found = []
    at = to = 0
    for anchor in [*_anchors(old, new), Block(len(old), len(new), 0)]:
        for window in _windows(Block(at, to, 0), anchor, most_pairs):
            begin, end = window
            blocks = _exact(old[begin.old : end.old], new[begin.new : end.new])
            found += [
                Block(begin.old + block.old, begin.new + block.new, block.length)
                for block in blocks
            ]
        found.append(anchor)
        at, to = anchor.old_end, anchor.new_end
    return Alignment(found, is_approximate=True)


def _exact(old: list[int], new: list[int]) -> list[Block]:
    if not old or not new:
        return []
    if len(old) == 1 or len(new) == 1:
        # Most edits change a line or two, and rapidfuzz takes a while to import.
        return [Block(old.index(item), new.index(item), 1) for item in {*old} & {*new}]
    from rapidfuzz.distance import Indel

    *blocks, _ = Indel.opcodes(old, new).as_matching_blocks()
    return [Block(*block) for block in blocks]


def _anchors(old: list[int], new: list[int]) -> list[Block]:
    """Find the longest chain of items that occur once on either side."""
    from bisect import bisect_left

    in_old, in_new = Counter(old), Counter(new)
    places = {item: to for to, item in enumerate(new) if in_new[item] == 1}
    unique = [
        (at, places[item])
        for at, item in enumerate(old)
        if in_old[item] == 1 and item in places
    ]
    ends: list[int] = []
    links: list[tuple[int, int, int]] = []
    chain: list[int] = []
    for at, to in unique:
        length = bisect_left(ends, to)
        before = chain[length - 1] if length else -1
        links.append((at, to, before))
        ends[length : length + 1] = [to]
        chain[length : length + 1] = [len(links) - 1]
    blocks = []
    link = chain[-1] if chain else -1
    while link >= 0:
        at, to, link = links[link]
        blocks.append(Block(at, to, 1))
    return blocks[::-1]


def _windows(
    begin: Block, end: Block, most_pairs: int
) -> Iterator[tuple[Block, Block]]:
    """Split the items between two blocks into parts that can be aligned."""
    old, new = end.old - begin.old, end.new - begin.new
    count = 1
    while -(-old // count) * -(-new // count) > most_pairs:
        count *= 2
    edges = [
        Block(begin.old + old * part // count, begin.new + new * part // count, 0)
        for part in range(count + 1)
    ]
    yield from itertools.pairwise(edges)


def _joined(blocks: list[Block]) -> list[Block]:
    """Drop empty blocks and join adjacent ones."""
    joined: list[Block] = []
    for block in blocks:
        if not block.length:
            continue
        before = joined[-1] if joined else None
        if before and (before.old_end, before.new_end) == (block.old, block.new):
            joined.pop()
            block = replace(before, length=before.length + block.length)
        joined.append(block)
    return joined


def _common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Count the items of the common prefix."""
    pairs = zip(one, other, strict=False)
    return next(
        (at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other))
    )
