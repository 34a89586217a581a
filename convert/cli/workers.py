"""Many logs at once, a process for each processor, as if one followed the other.

A worker keeps what is to be said of a log; the command says it in the order of the
logs.
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
from convert.cli.messages import kept, say, say_again
from convert.cli.signals import unwind_on_signals
from convert.errors import ExitStatus

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

# Reads a log, writes to a path, and returns the exit status.
Convert = Callable[[str, str], int]
# The exit status of a log, and what is to be said of it.
Result = tuple[int, list[bytes]]

# To start workers takes as long as to convert so many logs, or bytes.
_FEW = 50
_SMALL = 20_000_000
# How many logs a worker takes at once, and of what size at most.
_MOST_IN_TURN = 16
_SMALL_LOG = 1_000_000


def each(convert: Convert, outputs: list[tuple[str, str]]) -> Iterator[int]:
    """Convert each log to its path; the exit statuses, in the order of the logs."""
    workers = min(processors(), len(outputs))
    size = _size(outputs)
    if workers < 2 or (len(outputs) < _FEW and size < _SMALL):
        yield from (convert(log, path) for log, path in outputs)
        return
    in_turn = 1
    if size < _SMALL_LOG * len(outputs):
        in_turn = min(-(-len(outputs) // (4 * workers)), _MOST_IN_TURN)
    crew = _Crew(convert, outputs, workers, in_turn)
    try:
        for number in range(len(outputs)):
            status, lines = crew.result(number)
            say_again(lines)
            yield status
    finally:
        crew.end()


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Crew:
    """The workers, and the logs that wait for one, by their numbers.

    Each worker has a pipe of its own, so one that dies harms no other. An executor
    breaks with its first worker, and does not tell which log that worker had.
    """

    def __init__(
        self,
        convert: Convert,
        outputs: list[tuple[str, str]],
        workers: int,
        in_turn: int,
    ) -> None:
        self._convert = convert
        self._outputs = outputs
        self._missing = workers
        self._in_turn = in_turn
        self._workers: list[_Worker] = []
        self._waiting = deque(range(len(outputs)))
        self._results: dict[int, Result] = {}

    def result(self, number: int) -> Result:
        """Wait for the result of one log; all of them go on meanwhile."""
        while number not in self._results:
            self._start()
            self._hand_out()
            if self._workers:
                self._take_in()
            else:
                self._convert_one()
        return self._results.pop(number)

    def end(self) -> None:
        """End the workers; one that still converts clears up first."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.pipe.send([])
            if worker.numbers:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def _start(self) -> None:
        """Start the workers that are missing, as far as the system lets it."""
        while self._missing and self._waiting:
            try:
                self._workers.append(_new_worker(self._convert))
                self._missing -= 1
            except OSError:
                self._missing = 0

    def _hand_out(self) -> None:
        """Give the next logs to each worker that has none."""
        for worker in self._workers:
            if not worker.numbers and self._waiting:
                most = min(self._in_turn, len(self._waiting))
                worker.numbers.extend(self._waiting.popleft() for _ in range(most))
                outputs = [self._outputs[number] for number in worker.numbers]
                # The end of its pipe tells of a worker that has died.
                with contextlib.suppress(OSError):
                    worker.pipe.send(outputs)

    def _take_in(self) -> None:
        """Wait until a worker has a result, or has died."""
        from multiprocessing.connection import wait

        ready = wait([worker.pipe for worker in self._workers])
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                result = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            if result is not None:
                self._results[worker.numbers.popleft()] = result
            worker.has_begun = True

    def _bury(self, worker: _Worker) -> None:
        """Give up the log that a dead worker was converting, and keep its others.

        That log may kill whatever converts it. A worker that died before its first log
        is not replaced, so that this comes to an end.
        """
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        if worker.has_begun:
            self._missing += 1
            if worker.numbers:
                number = worker.numbers.popleft()
                self._results[number] = _given_up(self._outputs[number][0])
        self._waiting.extendleft(reversed(worker.numbers))

    def _convert_one(self) -> None:
        """Convert the next log in this process, where there is no worker."""
        number = self._waiting.popleft()
        self._results[number] = _keep(self._convert, self._outputs[number])


class _Worker(Struct):
    """A process, the pipe to it, and the logs that it has, the first under way."""

    process: BaseProcess
    pipe: Connection
    numbers: deque[int] = field(default_factory=deque)
    has_begun: bool = False


def _new_worker(convert: Convert) -> _Worker:
    """Start a worker."""
    context = _context()
    ours, theirs = context.Pipe()
    # A daemon ends with the command even where a signal comes while it starts.
    process = context.Process(target=_work, args=(convert, theirs), daemon=True)
    process.start()
    # The pipe ends with the worker only if no other process holds that end of it.
    theirs.close()
    return _Worker(process, ours)


def _work(convert: Convert, pipe: Connection) -> None:
    """Convert what comes through a pipe, and end with the command, however it ends."""
    import threading

    unwind_on_signals()
    threading.Thread(target=_end_with_command, daemon=True).start()
    results = (_keep(convert, output) for output in _handed_out(pipe))
    # The first message says that the worker has begun.
    for result in itertools.chain([None], results):
        try:
            pipe.send(result)
        except OSError:
            return


def _handed_out(pipe: Connection) -> Iterator[tuple[str, str]]:
    """The logs that the command hands out, until it has no more or is gone."""
    with contextlib.suppress(EOFError, OSError):
        while outputs := pipe.recv():
            yield from outputs


def _end_with_command() -> None:
    """Wait until the command is gone, then end: first what is half done, then all."""
    import multiprocessing

    command = multiprocessing.parent_process()
    if command is not None:
        command.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
        os._exit(1)


def _keep(convert: Convert, output: tuple[str, str]) -> Result:
    """Convert a log, and keep what is to be said of it."""
    with kept() as lines:
        return convert(*output), lines


def _given_up(log: str) -> Result:
    """The result of a log whose worker died."""
    with kept() as lines:
        say(
            f"{name_of(log)}: the process that converted it died,"
            " perhaps for want of memory; convert it alone"
        )
    return ExitStatus.TROUBLE, lines


def _size(outputs: list[tuple[str, str]]) -> int:
    """How many bytes the logs have, as far as that is known."""
    size = 0
    for log, _ in outputs:
        try:
            size += os.stat(log).st_size
        except (OSError, ValueError):
            continue
    return size


def _context() -> ForkContext | SpawnContext:
    """How to start workers: a copy of this process needs no imports."""
    import multiprocessing

    if sys.platform == "linux":
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
