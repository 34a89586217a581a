"""Conversion of many logs at once, with one worker process per processor.

The result looks like a conversion one after the other: a worker keeps the messages
about a log, and the command prints them in the order of the logs.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from convert.cli.logs import name_of
from convert.cli.messages import kept_messages, print_messages, say
from convert.cli.signals import exit_on_signals
from convert.errors import ExitStatus

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

# Converts the log with this name to this path, and returns the exit status.
Convert = Callable[[str, str], int]
# The exit status of a log, and the messages about it.
Result = tuple[int, list[bytes]]

# Fewer logs or bytes are converted in the time that workers take to start.
_FEW = 50
_SMALL = 20_000_000
# How many descriptors a process needs for its log and its output.
_NEEDED = 8
# The most logs that a worker is assigned at once, and their average size at most.
_LARGEST_BATCH = 16
_SMALL_LOG = 1_000_000


def convert_all(convert: Convert, outputs: list[tuple[str, str]]) -> Iterator[int]:
    """Convert each log to its path; yield exit statuses in the order of the logs."""
    workers = min(processors(), len(outputs))
    size = _size(outputs)
    if workers < 2 or (len(outputs) < _FEW and size < _SMALL):
        yield from (convert(log, path) for log, path in outputs)
        return
    batch = 1
    if size < _SMALL_LOG * len(outputs):
        batch = min(-(-len(outputs) // (4 * workers)), _LARGEST_BATCH)
    pool = _Pool(convert, outputs, workers, batch)
    try:
        for number in range(len(outputs)):
            status, lines = pool.result(number)
            print_messages(lines)
            yield status
    finally:
        pool.end()


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Pool:
    """The workers, and the logs that wait for one, by their numbers.

    Each worker has a pipe of its own, so a worker that dies harms no other. A
    ProcessPoolExecutor would break, and would not tell which log the worker had.
    """

    def __init__(
        self,
        convert: Convert,
        outputs: list[tuple[str, str]],
        workers: int,
        batch: int,
    ) -> None:
        self._convert = convert
        self._outputs = outputs
        self._missing = workers
        self._batch = batch
        self._workers: list[_Worker] = []
        self._waiting = deque(range(len(outputs)))
        self._results: dict[int, Result] = {}

    def result(self, number: int) -> Result:
        """Wait for the result of one log, while the workers convert all of them."""
        while number not in self._results:
            self._start()
            self._assign()
            if self._workers:
                self._receive()
            else:
                self._convert_here()
        return self._results.pop(number)

    def end(self) -> None:
        """End the workers; one that is converting removes its unfinished file first."""
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
                self._workers.append(_new_worker(self._convert))
                self._missing -= 1
            except (OSError, ImportError, MemoryError):
                self._missing = 0

    def _assign(self) -> None:
        """Assign the next logs to each idle worker."""
        for worker in self._workers:
            if not worker.numbers and self._waiting:
                most = min(self._batch, len(self._waiting))
                worker.numbers.extend(self._waiting.popleft() for _ in range(most))
                outputs = [self._outputs[number] for number in worker.numbers]
                # If the worker has died, `_receive` finds its pipe closed.
                with contextlib.suppress(OSError):
                    worker.pipe.send(outputs)

    def _receive(self) -> None:
        """Wait until a worker has sent a result or has died."""
        from multiprocessing.connection import wait

        ready = wait([worker.pipe for worker in self._workers])
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                result = worker.pipe.recv()
            except (EOFError, OSError):
                self._remove_dead(worker)
                continue
            if result is not None:
                self._results[worker.numbers.popleft()] = result
            worker.has_begun = True

    def _remove_dead(self, worker: _Worker) -> None:
        """Fail the log that a dead worker was converting, and requeue its others.

        The log is not tried again, because it may kill the next process as well. A
        worker that died before its first log is not replaced, or this might never end.
        """
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        if worker.has_begun:
            self._missing += 1
            if worker.numbers:
                number = worker.numbers.popleft()
                self._results[number] = _died(self._outputs[number][0])
        self._waiting.extendleft(reversed(worker.numbers))

    def _convert_here(self) -> None:
        """Convert the next log in this process, because there is no worker."""
        number = self._waiting.popleft()
        self._results[number] = _keep(self._convert, self._outputs[number])


class _Worker(Struct):
    """A process, the pipe to it, and its logs, the first of which is under way."""

    process: BaseProcess
    pipe: Connection
    numbers: deque[int] = field(default_factory=deque)
    has_begun: bool = False


def _check_descriptors() -> None:
    """Raise OSError if too few files can be opened; a worker inherits those open."""
    spare: list[int] = []
    try:
        spare += (os.dup(2) for _ in range(_NEEDED))
    finally:
        for file in spare:
            os.close(file)


def _new_worker(convert: Convert) -> _Worker:
    """Start a worker, connected by a pipe."""
    # Needed later, when there may be no descriptor left to import it.
    import multiprocessing.connection  # noqa: F401

    context = _context()
    ours, theirs = context.Pipe()
    # A daemon ends with the command even if a signal arrives while it starts.
    process = context.Process(target=_work, args=(convert, theirs), daemon=True)
    process.start()
    # The pipe closes with the worker only if no other process holds that end.
    theirs.close()
    return _Worker(process, ours)


def _work(convert: Convert, pipe: Connection) -> None:
    """Convert the logs that a pipe brings, until the command closes it or dies."""
    import threading

    exit_on_signals()
    try:
        threading.Thread(target=_end_with_command, daemon=True).start()
    except (RuntimeError, MemoryError):
        # The system allows no more threads; the command converts the logs itself.
        return
    results = (_keep(convert, output) for output in _assigned(pipe))
    # None tells the command that the worker has started.
    for result in itertools.chain([None], results):
        try:
            pipe.send(result)
        except OSError:
            return


def _assigned(pipe: Connection) -> Iterator[tuple[str, str]]:
    """Yield the logs that the command assigns, until it has no more or is gone."""
    with contextlib.suppress(EOFError, OSError):
        while outputs := pipe.recv():
            yield from outputs


def _end_with_command() -> None:
    """Wait until the command is gone, then end the conversion and the process."""
    import multiprocessing

    command = multiprocessing.parent_process()
    if command is not None:
        command.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
        os._exit(1)


def _keep(convert: Convert, output: tuple[str, str]) -> Result:
    """Convert a log, and keep the messages about it."""
    with kept_messages() as lines:
        return convert(*output), lines


def _died(log: str) -> Result:
    """Return the result of a log whose worker died."""
    with kept_messages() as lines:
        say(
            f"{name_of(log)}: the worker process died, possibly out of memory;"
            " convert this log on its own"
        )
    return ExitStatus.TROUBLE, lines


def _size(outputs: list[tuple[str, str]]) -> int:
    """Return the total size of the logs in bytes; an unreadable log counts 0."""
    size = 0
    for log, _ in outputs:
        try:
            size += os.stat(log).st_size
        except (OSError, ValueError):
            continue
    return size


def _context() -> ForkContext | SpawnContext:
    """Return the way to start workers; a forked process needs no imports."""
    import multiprocessing

    if sys.platform == "linux":
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
