"""Many logs in groups by their size, each of which is one piece of work.

A group depends on the logs and their sizes alone, never on how many processes or
machines work on them, so that the same logs make the same files everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.storage import size_of

# How many bytes of logs a group has at most, and how many logs.
_LARGEST = 64_000_000
_MOST = 500


def groups_of(paths: Sequence[str]) -> Iterator[range]:
    """Yield the indexes of the logs of each group, in the order of the logs.

    A log of more than 64 MB is a group of its own.
    """
    begin = held = 0
    for index, path in enumerate(paths):
        size = size_of(path)
        is_full = held + size > _LARGEST or index - begin >= _MOST
        if is_full and begin < index:
            yield range(begin, index)
            begin, held = index, 0
        held += size
    if begin < len(paths):
        yield range(begin, len(paths))
