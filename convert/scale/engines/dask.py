"""The engine of many machines: groups of jobs are tasks of a cluster of Dask.

Dask chooses the workers, and does a task again if its worker has died. A task that was
given up for that has its jobs done one at a time and with nothing beside them, so that
the one to blame is found. Only so many tasks are under way that neither the scheduler
nor this process grows with the number of logs.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic

from convert.cli.messages import print_messages, prints_colours
from convert.cli.signals import exit_on_signals
from convert.scale.engines.cluster import Cluster, Setting, connected, marked
from convert.scale.engines.jobs import (
    LARGEST,
    MOST,
    J,
    Job,
    Note,
    R,
    Window,
    Work,
    death_of,
    ignore_result,
    ranges_of,
    refuse_memory,
    size_of_job,
)
from convert.wording.urls import is_url

if TYPE_CHECKING:
    from distributed import Future

    from convert.cli.progress import Progress

# How many groups each thread of a cluster gets at least, if there are enough logs, and
# how many tasks are under way for each thread and at least.
_SHARES = 8
_TASKS = 3
_FEWEST_TASKS = 16


@contextlib.contextmanager
def on_dask(scheduler: str | None, output: str) -> Iterator[OnDask]:
    """Yield the engine of a cluster, the one at an address or one on this machine.

    `output` is the folder that the work writes to; "" if it writes no files.
    """
    exit_on_signals()
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(connected(scheduler))
        is_elsewhere = scheduler is not None and output and not is_url(output)
        mark = stack.enter_context(marked(output)) if is_elsewhere else ""
        yield OnDask(cluster, mark, _is_relative(output))


class OnDask:
    """The engine of a cluster."""

    def __init__(self, cluster: Cluster, mark: str, needs_folder: bool) -> None:
        self._cluster = cluster
        self._mark = mark
        self._needs_folder = needs_folder

    def results_of(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        failed: R,
        progress: Progress | None = None,
        note: Note[R] | None = None,
    ) -> Iterator[R]:
        """Do all jobs; yield the results in their order, `failed` if a worker died."""
        refuse_memory(path for job in jobs for path in job.paths)
        sizes = [size_of_job(job) for job in jobs]
        setting = self._setting(jobs)
        note = note or ignore_result
        tasks = _Tasks(self._cluster, work, jobs, failed, note, sizes, setting)
        try:
            for number, size in enumerate(sizes):
                result, lines = tasks.result(number, progress)
                print_messages(lines)
                if progress:
                    progress.add(size * progress.times)
                    progress.add_logs(len(jobs[number].paths))
                yield result
        finally:
            tasks.end()

    def _setting(self, jobs: Sequence[Job]) -> Setting:
        """Return where the command runs; the workers must do the same."""
        paths = (path for job in jobs for path in job.paths)
        needs_folder = self._needs_folder or any(map(_is_relative, paths))
        colours = "always" if prints_colours() else "never"
        return Setting(_folder(), needs_folder, self._mark, colours)


def _is_relative(path: str) -> bool:
    """Return True for a path that depends on the folder of the process."""
    return bool(path) and not (is_url(path) or os.path.isabs(path))


def _folder() -> str:
    """Return the folder of this process; "" if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


class _Tasks(Generic[J, R]):
    """Jobs by their numbers, the groups of them that wait, and the tasks under way."""

    def __init__(
        self,
        cluster: Cluster,
        work: Work[J, R],
        jobs: Sequence[J],
        failed: R,
        note: Note[R],
        sizes: list[int],
        setting: Setting,
    ) -> None:
        self._cluster = cluster
        self._do = functools.partial(_pickled, work, jobs, setting)
        self._jobs = jobs
        self._failed = failed
        self._note = note
        self._window = Window(sizes, cluster.threads)
        self._waiting = deque(_groups(sizes, cluster.threads))
        self._suspects: deque[range] = deque()
        self._under_way: dict[Future, range] = {}
        self._results: dict[int, tuple[R, list[bytes]]] = {}

    def result(self, number: int, progress: Progress | None) -> tuple[R, list[bytes]]:
        """Wait for the result of one job, and the messages, while workers do all."""
        self._window.wanted = number
        while number not in self._results:
            self._submit()
            for future in self._cluster.done(self._under_way):
                self._take(future)
            if progress:
                progress.look()
        return self._results.pop(number)

    def end(self) -> None:
        """Give up what is under way; workers stop when they read on."""
        for future in self._under_way:
            future.release()

    def _submit(self) -> None:
        """Submit groups while there is room, or a suspect while there is nothing."""
        if self._suspects:
            if not self._under_way:
                self._start(self._suspects[0][:1])
            return
        most = max(_TASKS * self._cluster.threads, _FEWEST_TASKS)
        while self._waiting and len(self._under_way) < most:
            if not self._window.has(self._waiting[0].start):
                return
            self._start(self._waiting.popleft())

    def _start(self, numbers: range) -> None:
        self._under_way[self._cluster.submit(self._do(numbers))] = numbers

    def _take(self, future: Future) -> None:
        """Take the results of a task, or find out why it has none."""
        numbers = self._under_way.pop(future)
        answer = self._cluster.answer(future)
        future.release()
        if answer is None:
            self._blame(numbers)
            return
        for number, result in zip(numbers, pickle.loads(answer), strict=True):
            self._results[number] = result
            self._note(number, result[0])
        if self._suspects and numbers == self._suspects[0][:1]:
            self._cut_suspects(self._suspects)

    def _blame(self, numbers: range) -> None:
        """Take a task that was given up: its workers have died again and again.

        Dask counts that for all tasks that a worker had, so that only a job that was
        alone is to blame.
        """
        if not (self._suspects and numbers == self._suspects[0][:1]):
            self._suspects.append(numbers)
            return
        number = numbers.start
        self._results[number] = self._failed, death_of(self._jobs[number])
        self._cut_suspects(self._waiting)
        self._waiting = deque(sorted(self._waiting, key=lambda group: group.start))

    def _cut_suspects(self, groups: deque[range]) -> None:
        """Take away the first suspect, and put those of its group to some groups."""
        rest = self._suspects.popleft()[1:]
        if rest:
            groups.appendleft(rest)


def _groups(sizes: list[int], threads: int) -> Iterator[range]:
    """Yield groups of jobs: enough for all threads, and none too large."""
    shares = _SHARES * threads
    largest = min(-(-sum(sizes) // shares), LARGEST) or LARGEST
    return ranges_of(sizes, largest, min(-(-len(sizes) // shares), MOST))


def _pickled(
    work: Work[J, R], jobs: Sequence[J], setting: Setting, numbers: range
) -> bytes:
    """Return a task as `task.do` reads it."""
    return pickle.dumps((work, [jobs[number] for number in numbers], setting))
