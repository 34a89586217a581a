"""A log that `2>&1` has doubled line by line: each line occurs twice in a row.

The first four lines decide, since no two runs print such lines: two that are the same,
with an id, and two others. From there on, a line that repeats the one before it is a
copy.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.source.ndjson import E, EventBlock

WARNING = "every line appears twice from here on (2>&1?)", "second copies dropped"

_ID = rb'"(?:\w*(?:id|ID|Id)|timestamp)"\s*:\s*"?[\w.:-]{8}'
# How many lines decide.
_FIRST = 4


def without_doubles(
    blocks: Iterable[EventBlock[E]], warn: Warn
) -> Iterator[EventBlock[E]]:
    """Yield each line of a doubled log once, and any other log as it is."""
    blocks = iter(blocks)
    held: list[EventBlock[E]] = []
    first: list[bytes] = []
    given = b""
    number = 0
    for block in blocks:
        held.append(block)
        for index in range(min(len(block.events), _FIRST - len(first))):
            first.append(block.line(index).strip())
            number = number if len(first) > 2 else block.numbers[index]
        if len(first) == _FIRST or not _may_be_doubled(first):
            break
        if len(first) == 1:
            # It is no copy, and who waits for it gets it.
            given = first[0]
            yield from held
            held.clear()
    rest: Iterable[EventBlock[E]] = itertools.chain(held, blocks)
    if len(first) == _FIRST and _may_be_doubled(first):
        warn(number, *WARNING)
        rest = _once(rest, given)
    yield from rest


def _may_be_doubled(first: list[bytes]) -> bool:
    """Return False if the first lines show that a log is not doubled."""
    match first:
        case [line, copy, *_] if line != copy or not re.search(_ID, line):
            return False
        case [line, _, other, *rest]:
            return other != line and rest in ([], [other])
    return True


def _once(blocks: Iterable[EventBlock[E]], before: bytes) -> Iterator[EventBlock[E]]:
    """Yield blocks without each line that repeats the one before it, `before` first."""
    for block in blocks:
        kept: list[int] = []
        for index in range(len(block.events)):
            line = block.line(index).strip()
            if line == before:
                # A third one in a row is no copy of the second.
                before = b""
                continue
            before = line
            kept.append(index)
        read = set(block.significant)
        yield EventBlock(
            [block.events[index] for index in kept],
            [block.numbers[index] for index in kept],
            block.last,
            [place for place, index in enumerate(kept) if index in read],
            [block.line(index) for index in kept],
        )
