"""The engine of this machine: one worker process per processor.

A worker sends the messages about a log with the result.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Generic

from msgspec import Struct, field

from convert.cli.logs import forget_watching
from convert.cli.messages import prints_colours, use_colours
from convert.cli.output_files import exit_on_signals
from convert.scale.engines.jobs import (
    MOST_FILES,
    SMALL_LOG,
    Arrivals,
    Done,
    J,
    R,
    Window,
    Work,
    in_batches,
)
from convert.wording.paths import is_of_process, is_url

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

# Fewer logs or bytes are read in the time that workers take to start.
_FEW = 50
_SMALL = 20_000_000
# How many descriptors a process needs for its log and its output.
_NEEDED = 10
# How often the progress is updated while all workers are busy, in seconds.
_LOOK = 0.1


class Local(Struct, frozen=True):
    """The engine of this machine."""

    output: str
    """The folder that the work writes to; "" if it writes no files."""

    def done(self, work: Work[J, R], jobs: Sequence[J], window: Window) -> Arrivals[R]:
        """Do all jobs in any order; yield those that are done."""
        workers = min(processors(), len(jobs))
        size = sum(window.sizes)
        is_little = len(jobs) < _FEW and size < _SMALL
        paths = (path for job in jobs for path in (self.output, *job.paths))
        urls = [path for path in paths if is_url(path)]
        if workers < 2 or is_little or any(map(is_of_process, urls)):
            with contextlib.closing(in_batches(work, jobs, is_live=True)) as batches:
                yield from enumerate(itertools.chain.from_iterable(batches))
            return
        batch = 1
        if size < SMALL_LOG * len(jobs):
            batch = min(-(-len(jobs) // (4 * workers)), MOST_FILES)
        context = _context(can_fork=not (urls or is_connected()))
        yield from _Pool(work, jobs, window, workers, batch, context).done()


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Pool(Generic[J, R]):
    """The workers, and the jobs that wait for one, by their numbers.

    Each worker has a pipe of its own, so a worker that dies harms no other. A
    ProcessPoolExecutor would break, and would not report which job the worker had.
    """

    def __init__(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        window: Window,
        workers: int,
        batch: int,
        context: ForkContext | SpawnContext,
    ) -> None:
        self._work = work
        self._jobs = jobs
        self._window = window
        self._most = self._missing = workers
        self._batch = batch
        self._context = context
        self._workers: list[_Worker] = []
        self._waiting = deque(range(len(jobs)))

    def done(self) -> Arrivals[R]:
        """Let workers do all jobs, and yield those that are done."""
        try:
            while self._waiting or any(worker.numbers for worker in self._workers):
                self._start()
                self._assign()
                if self._workers:
                    yield from self._received()
                else:
                    # The system allows no worker.
                    number = self._waiting.popleft()
                    batches = in_batches(self._work, [self._jobs[number]])
                    yield from (
                        (number, result) for result in itertools.chain(*batches)
                    )
                yield None
        finally:
            self._end()

    def _end(self) -> None:
        """End the workers; one that is at work removes its unfinished file first."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.pipe.send([])
            if worker.numbers:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def _start(self) -> None:
        """Start the workers that are missing, as many as the system allows."""
        while self._missing and self._waiting:
            try:
                _check_descriptors()
                self._workers.append(_new_worker(self._work, self._context))
                self._missing -= 1
            except (OSError, ImportError, MemoryError):
                self._missing = 0

    def _assign(self) -> None:
        """Assign the next jobs to each idle worker, unless they are too far ahead."""
        for worker in self._workers:
            is_idle = self._waiting and not worker.numbers
            if is_idle and self._window.has(self._waiting[0], self._most):
                most = min(self._batch, len(self._waiting))
                worker.numbers.extend(self._waiting.popleft() for _ in range(most))
                jobs = [self._jobs[number] for number in worker.numbers]
                # If the worker has died, `_receive` finds its pipe closed.
                with contextlib.suppress(OSError):
                    worker.pipe.send(jobs)

    def _received(self) -> Arrivals[R]:
        """Wait until a worker has sent results or has died, or time has passed."""
        from multiprocessing.connection import wait

        ready = wait([worker.pipe for worker in self._workers], _LOOK)
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                results = worker.pipe.recv()
            except (EOFError, OSError):
                yield from self._lost(worker)
                continue
            numbers = [worker.numbers.popleft() for _ in results]
            for _ in results:
                worker.begun.recv_bytes()
            worker.has_results = True
            yield from zip(numbers, results, strict=True)

    def _lost(self, worker: _Worker) -> Arrivals[R]:
        """Give up the job that a dead worker had begun, and requeue its others.

        The job is not tried again, because it may kill the next process as well. A
        worker that died before its first job is not replaced, or this might never end.
        """
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        begun = _rest_of(worker.begun)
        if begun or worker.has_results:
            self._missing += 1
        # Earlier jobs whose files waited are done again.
        numbers = [*worker.numbers]
        dead = numbers.pop(begun - 1) if begun else None
        self._waiting = deque(sorted([*numbers, *self._waiting]))
        if dead is not None:
            yield dead, None


class _Worker(Struct):
    """A process, the pipes to it, and the jobs whose results it has not sent."""

    process: BaseProcess
    pipe: Connection
    begun: Connection
    """Brings an empty message for each job that has begun.

    The messages are read later: waking the command for each job takes longer.
    """

    numbers: deque[int] = field(default_factory=deque)
    has_results: bool = False
    """It has sent results."""


def _rest_of(pipe: Connection) -> int:
    """Return how many messages are left in a pipe that nobody writes to any more."""
    count = 0
    with contextlib.closing(pipe), contextlib.suppress(EOFError, OSError):
        while True:
            pipe.recv_bytes()
            count += 1
    return count


def _check_descriptors() -> None:
    """Raise OSError if too few files can be opened; a worker inherits those open."""
    spare: list[int] = []
    try:
        spare += (os.dup(2) for _ in range(_NEEDED))
    finally:
        for file in spare:
            os.close(file)


def _new_worker(work: Work[J, R], context: ForkContext | SpawnContext) -> _Worker:
    """Start a worker, connected by a pipe."""
    # Imported now, since there may be no descriptor left for that later.
    import multiprocessing.connection  # noqa: F401

    ours, theirs = context.Pipe()
    begun, begins = context.Pipe(duplex=False)
    # A daemon ends with the command even if a signal arrives while it starts.
    args = (work, theirs, begins, "always" if prints_colours() else "never")
    process = context.Process(target=do_jobs, args=args, daemon=True)
    process.start()
    # A pipe closes with the worker only if no other process holds that end.
    theirs.close()
    begins.close()
    return _Worker(process, ours, begun)


def _context(*, can_fork: bool) -> ForkContext | SpawnContext:
    """Return the way to start workers; a forked process needs no imports."""
    import multiprocessing

    if sys.platform == "linux" and can_fork:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")


def do_jobs(
    work: Work[J, R], pipe: Connection, begins: Connection, colours: str
) -> None:
    """Do the jobs that a pipe brings, until the command closes it or dies."""
    import threading

    exit_on_signals()
    use_colours(colours)
    forget_watching()
    try:
        threading.Thread(target=_end_with_command, daemon=True).start()
    except (RuntimeError, MemoryError):
        # The system allows no more threads; the command does the jobs itself.
        return
    with contextlib.closing(_worked(work, pipe, begins)) as worked:
        for results in worked:
            try:
                if results:
                    pipe.send(results)
            except OSError:
                return


def _worked(
    work: Work[J, R], pipe: Connection, begins: Connection
) -> Generator[list[Done[R]], None, None]:
    """Yield the results that are there after each job that the command assigns."""
    assigned: Iterator[list[J]] = _assigned(pipe)
    for jobs in assigned:
        yield from in_batches(work, _begun(jobs, begins))


def _assigned(pipe: Connection) -> Iterator[list[J]]:
    """Yield the jobs that the command assigns, until it has no more or is gone."""
    with contextlib.suppress(EOFError, OSError):
        while jobs := pipe.recv():
            yield jobs


def _begun(jobs: list[J], begins: Connection) -> Iterator[J]:
    """Yield jobs, and report the beginning of each to the command."""
    for job in jobs:
        # If the command is gone, sending the results fails.
        with contextlib.suppress(OSError):
            begins.send_bytes(b"")
        yield job


def _end_with_command() -> None:
    """Wait until the command is gone, then end the work and the process."""
    import multiprocessing

    command = multiprocessing.parent_process()
    if command is not None:
        command.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
        os._exit(1)


def is_connected() -> bool:
    """Return True if this process has a connection to a store; no fork keeps that."""
    module = sys.modules.get("fsspec.asyn")
    return module is not None and module.iothread[0] is not None
