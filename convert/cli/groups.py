"""Many logs in groups by their size, each of which is one piece of work.

A group depends on the logs and their sizes alone, never on how many processes or
machines work on them, so that the same logs make the same files everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from convert.storage import size_of

LARGEST = 64_000_000
"""How many bytes of logs a group has at most."""

MOST = 500
"""How many logs a group has at most."""


def groups_of(paths: Sequence[str]) -> Iterator[range]:
    """Yield the indexes of the logs of each group, in the order of the logs.

    A log of more than 64 MB is a group of its own.
    """
    return ranges_of(map(size_of, paths))


def ranges_of(
    sizes: Iterable[int], largest: int = LARGEST, most: int = MOST
) -> Iterator[range]:
    """Yield the indexes of each group of logs of these sizes, in their order."""
    begin = end = held = 0
    for size in sizes:
        is_full = held + size > largest or end - begin >= most
        if is_full and begin < end:
            yield range(begin, end)
            begin, held = end, 0
        held += size
        end += 1
    if begin < end:
        yield range(begin, end)
