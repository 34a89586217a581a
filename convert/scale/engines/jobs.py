"""Jobs: their sizes and groups, the interface of an engine, and jobs done in turn.

Jobs in turn have the files of small logs synced and renamed together. So long as files
wait for that, so do the results and the messages of their jobs.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from convert.cli.messages import kept_messages
from convert.cli.output_files import NewFile
from convert.errors import UsageError
from convert.source.places import size_of
from convert.wording.paths import COMPRESSED, is_of_process, is_url


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
# The number of a job that is done, with None if its worker died. Now and then, only
# None comes, while no job is done.
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
            f"{path} is in the memory of this process, which no other process sees;"
            " omit --engine, or name another place"
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
        """Return True if a job is so near that its result may wait."""
        return self._ends[number] - self._ends[self.wanted] <= _AHEAD * workers


def size_of_job(job: Job) -> int:
    """Return the total size of the logs of a job; an unreadable log counts 0."""
    return sum(map(size_of, job.paths))


LARGEST = 64_000_000
"""How many bytes of logs a group has at most."""

MOST = 500
"""How many logs a group has at most."""


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


# How many files wait at most, and how long, in seconds.
MOST_FILES = 32
_LONGEST = 0.2
# Nothing waits for a larger log, or for one of unknown size, such as a compressed one.
SMALL_LOG = 1_000_000
# Nothing waits on a disk with fewer free bytes: next to a file that waits, the one that
# it replaces still takes room.
_ROOM = 4 * MOST_FILES * SMALL_LOG
# How many descriptors a process needs besides those of files that wait.
_NEEDED = 16


def in_batches(
    work: Work[J, R], jobs: Iterable[J], *, is_live: bool = False
) -> Generator[list[Done[R]], None, None]:
    """Do jobs in order; after each, yield the results that are ready.

    With `is_live`, messages about a job for which no other waits are printed at once.
    """
    batch = _Batch[R]()
    try:
        for job in jobs:
            # Others wait only for a job on small plain files.
            is_plain = not any(
                is_url(path) or path.lower().endswith(COMPRESSED) for path in job.paths
            )
            may_wait = is_plain and 0 < size_of_job(job) <= SMALL_LOG
            if batch.has_files and not may_wait:
                yield batch.settled()
            batch.add(work, job, may_wait=may_wait, is_live=is_live)
            yield [] if may_wait and batch.has_room else batch.settled()
        if batch.has_files:
            yield batch.settled()
    finally:
        batch.give_up()


class _Batch(Generic[R]):
    """Jobs that have begun, in order, and their files that wait."""

    def __init__(self) -> None:
        self._steps: list[Steps[R]] = []
        self._ends: list[tuple[Callable[[], R], list[bytes]]] = []
        self._files: list[NewFile] = []
        self._since = 0.0

    @property
    def has_files(self) -> bool:
        """True if a file waits, so that results wait as well."""
        return bool(self._files)

    @property
    def has_room(self) -> bool:
        """True if files wait, and one more may wait."""
        return (
            0 < len(self._files) < MOST_FILES
            and self._files[-1].number < _most_descriptors() - _NEEDED
            and time.monotonic() - self._since < _LONGEST
            and _has_room(self._files[-1].number)
        )

    def add(self, work: Work[J, R], job: J, *, may_wait: bool, is_live: bool) -> None:
        """Do a job until its file waits."""
        if not self._files:
            self._since = time.monotonic()
        with _kept(not is_live) as lines:
            # Work that takes steps only begins below.
            made = work(job)
        with _kept(may_wait or not is_live) as more:
            end = self._end_of(made)
        self._ends.append((end, lines + more))

    def _end_of(self, made: R | Steps[R]) -> Callable[[], R]:
        """Return the function that ends a job and returns its result."""
        if not isinstance(made, Generator):
            return lambda: made
        # It is noted before it makes a file, which a signal must not leave.
        self._steps.append(made)
        try:
            self._files.append(next(made))
        except StopIteration as end:
            result: R = end.value
            return lambda: result
        return functools.partial(_ended, made)

    def settled(self) -> list[Done[R]]:
        """Sync the files that wait, rename them, and return all results."""
        sync_together(self._files)
        results = []
        for end, lines in self._ends:
            with kept_messages() as more:
                results.append((end(), lines + more))
        for each in (self._steps, self._ends, self._files):
            each.clear()
        return results

    def give_up(self) -> None:
        """Remove the files that wait."""
        for steps in self._steps:
            steps.close()


def _kept(is_wanted: bool) -> contextlib.AbstractContextManager[list[bytes]]:
    """Keep the messages of a block, or let them be printed."""
    return kept_messages() if is_wanted else contextlib.nullcontext([])


def _ended(steps: Steps[R]) -> R:
    """Let a job go on to its end, and return its result."""
    try:
        next(steps)
    except StopIteration as end:
        result: R = end.value
        return result
    raise AssertionError("a job has one file")


def _has_room(file: int) -> bool:
    """Return True if files may wait on the disk of a file, or if that is not known."""
    if not hasattr(os, "fstatvfs"):
        return True
    try:
        disk = os.fstatvfs(file)
    except OSError:
        # Some file systems, and policies of security, do not report it.
        return True
    return disk.f_bavail * disk.f_frsize >= _ROOM


@functools.cache
def _most_descriptors() -> int:
    """Return how many descriptors a process may have."""
    most = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 512
    # Without a limit, it is -1.
    return most if most >= 0 else sys.maxsize


# How many threads sync files. The system writes the files of all threads to the disk at
# once; starting more threads takes longer than they save.
_THREADS = 4


def sync_together(files: Iterable[NewFile]) -> None:
    """Wait until the contents of complete files are on the disk.

    Syncing the whole file system once is faster, but it waits for the files of other
    programs, and does not report which file failed.
    """
    import threading

    waiting = deque(files)
    for file in waiting:
        file.begin_sync()

    def sync() -> None:
        with contextlib.suppress(IndexError):
            while True:
                waiting.popleft().sync()

    others = min(_THREADS, len(waiting)) - 1
    threads = [threading.Thread(target=sync) for _ in range(others)]
    try:
        # Where the system allows no more threads, this one syncs all.
        with contextlib.suppress(RuntimeError, MemoryError):
            for thread in threads:
                thread.start()
        sync()
    finally:
        # After a signal, no thread may use the number of a file that is closed.
        waiting.clear()
        for thread in threads:
            if thread.is_alive():
                thread.join()
