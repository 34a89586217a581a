"""The longest common subsequence of two sequences, and the hunks between.

A table has a bit for each pair of the items between a common prefix and suffix, and
whole numbers are its rows: Hyyrö, Bit-Parallel LCS-length Computation Revisited. The
blocks of `difflib` are no longest subsequence.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
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

    Counting takes half of the time of finding the places.
    """
    if len(old) * len(new) > MOST_PAIRS:
        return sum(block.length for block in align(old, new).blocks)
    # Each item has as many bits as there are old ones.
    common = {*old}.intersection(new)
    old = [item for item in old if item in common]
    [length] = common_lengths(new, [(places_of(old), len(old))])
    return length


# For each item the bits of its places.
Places = dict[Hashable, int]


def places_of(items: Sequence[Hashable]) -> Places:
    """Return the places of each item."""
    places: dict[Hashable, list[int]] = {}
    for at, item in enumerate(items):
        places.setdefault(item, []).append(at)
    return {item: _bits(found) for item, found in places.items()}


def _bits(places: list[int]) -> int:
    """Return the bits of sorted places, in a time that is linear in the last one."""
    bits = bytearray(places[-1] // 8 + 1)
    for at in places:
        bits[at // 8] |= 1 << at % 8
    return int.from_bytes(bits, "little")


def common_lengths(
    new: Sequence[Hashable], others: Sequence[tuple[Places, int]]
) -> list[int]:
    """Return the lengths of the longest common subsequences with other sequences.

    They are given by the places of their items and their lengths. One number holds the
    bits of all, with an unused one after each.
    """
    places = dict.fromkeys(new, 0)
    every = begin = 0
    for known, length in others:
        for item in places.keys() & known.keys():
            places[item] |= known[item] << begin
        every |= (1 << length) - 1 << begin
        begin += length + 1
    [unused] = deque(_rows(places, every, new), maxlen=1)
    lengths = []
    for _, length in others:
        lengths.append(length - (unused & (1 << length) - 1).bit_count())
        unused >>= length + 1
    return lengths


def _rows(places: Places, every: int, new: Sequence[Hashable]) -> Iterator[int]:
    """Yield which old items make no subsequence longer, before and after each new one.

    The others are as many as the longest subsequence so far has.
    """
    yield (unused := every)
    for item in new:
        if matches := unused & places.get(item, 0):
            unused = (unused + matches | unused - matches) & every
        yield unused


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
    common = {*old}.intersection(new)
    places = [at for at, item in enumerate(old) if item in common]
    new_places = [to for to, item in enumerate(new) if item in common]
    bits = places_of([old[at] for at in places])
    every = (1 << len(places)) - 1
    rows = [*_rows(bits, every, [new[to] for to in new_places])]
    blocks = []
    last = _last_used(rows[-1], len(places))
    for to in range(len(new_places), 0, -1):
        if last < 0:
            break
        # The new item pairs the old one that it is the first to use.
        if rows[to - 1] >> last & 1:
            blocks.append(Block(places[last], new_places[to - 1], 1))
            last = _last_used(rows[to - 1], last)
    return blocks[::-1]


def _last_used(row: int, end: int) -> int:
    """Return the last place before `end` whose bit is not set, -1 if there is none."""
    return (~row & (1 << end) - 1).bit_length() - 1


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
