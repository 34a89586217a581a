"""Jobs: their sizes and groups, the work on them, and the interface of an engine.

A group depends on the logs and their sizes alone, never on how many processes or
machines work on them, so that the same logs make the same files everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from convert.cli.logs import name_of
from convert.cli.messages import kept_messages, say
from convert.cli.terminal import shown_path
from convert.errors import UsageError
from convert.source.stores import size_of
from convert.wording.urls import is_of_process

if TYPE_CHECKING:
    from convert.cli.output_files import NewFile
    from convert.cli.progress import Progress

DIED = "the worker process died, possibly out of memory; read this log on its own"
"""The message about a log whose worker died."""


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
# Takes the number of a job and its result.
Note = Callable[[int, R], object]


def ignore_result(number: int, result: object) -> None:
    """Take a result that nobody notes."""


class Engine(Protocol):
    """Does the work on many logs."""

    def results_of(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        failed: R,
        progress: Progress | None = None,
        note: Note[R] | None = None,
    ) -> Iterator[R]:
        """Do all jobs; yield the results in their order, `failed` if a worker died.

        A message about a job is printed before its result is yielded. `note` is
        called as soon as a job is done, whatever the order, and not if a worker died.
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

    def __init__(self, sizes: Sequence[int], workers: int) -> None:
        self.wanted = 0
        self._ends = [*itertools.accumulate(size + _EACH for size in sizes)]
        self._most = _AHEAD * workers

    def has(self, number: int) -> bool:
        """Tell if a job is so near that its result may wait."""
        return self._ends[number] - self._ends[self.wanted] <= self._most


def death_of(job: Job) -> list[bytes]:
    """Return the message about a job whose worker died."""
    names = ", ".join(shown_path(name_of(log)) for log in job.paths)
    with kept_messages() as lines:
        say(f"{names}: {DIED}")
    return lines


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
