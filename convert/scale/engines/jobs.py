"""Jobs: their sizes and groups, the work on them, and the interface of an engine.

A group depends on the logs and their sizes alone, never on how many processes or
machines work on them, so that the same logs make the same files everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from convert.errors import UsageError
from convert.source.places import size_of
from convert.wording.urls import is_of_process

if TYPE_CHECKING:
    from convert.cli.output_files import NewFile


class Job(Protocol):
    """The work on one log, or on logs that belong together."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the logs."""


J = TypeVar("J", bound=Job)
R = TypeVar("R")


# Work that writes a file: it yields the file when it is complete, goes on when that is
# on the disk, and returns its result when the file has its name.
Steps = Generator["NewFile", None, R]
# Does a job.
Work = Callable[[J], "R | Steps[R]"]
# Takes a job that is done and its result.
Note = Callable[[J, R], object]
# The result of a job, and the messages about it that have not been printed.
Done = tuple[R, list[bytes]]
# The number of a job that is done, with None if its worker died; None alone now and
# then, while no job is.
Arrivals = Generator["tuple[int, Done[R] | None] | None", None, None]


class Engine(Protocol):
    """Does the work on many logs."""

    def done(self, work: Work[J, R], jobs: Sequence[J], window: Window) -> Arrivals[R]:
        """Do all jobs in any order; yield those that are done.

        It works on no job outside of the window, and ends its work when it is closed.
        """


def refuse_memory(paths: Iterable[str]) -> None:
    """Raise UsageError for a path that the workers of a cluster cannot see."""
    for path in filter(is_of_process, paths):
        raise UsageError(
            f"{path} is in the memory of this process, which no other sees; leave out"
            " --engine, or name another place"
        )


# How far the work goes ahead of a slow log, so that results that wait take no more
# memory: in bytes of logs for each worker, to which each job adds some.
_AHEAD = 256_000_000
_EACH = 50_000


class Window:
    """The jobs, by their numbers, that are near enough to the one that is `wanted`.

    The results of others would have to wait in memory.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.wanted = 0
        self.sizes = sizes
        self._ends = [*itertools.accumulate(size + _EACH for size in sizes)]

    def has(self, number: int, workers: int) -> bool:
        """Tell if a job is so near that its result may wait."""
        return self._ends[number] - self._ends[self.wanted] <= _AHEAD * workers


def size_of_job(job: Job) -> int:
    """Return the total size of the logs of a job; an unreadable log counts 0."""
    return sum(map(size_of, job.paths))


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
