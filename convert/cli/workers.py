"""Many logs at once, a process for each processor, as if one followed the other.

A worker keeps what is to be said of a log; the command says it in the order of the
logs.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from convert.cli.messages import kept, say_again
from convert.cli.signals import disturbed, wait_undisturbed

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

# Reads a log, writes to a path, and returns the exit status.
Convert = Callable[[str, str], int]

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
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    in_turn = 1
    if size < _SMALL_LOG * len(outputs):
        in_turn = min(-(-len(outputs) // (4 * workers)), _MOST_IN_TURN)
    pool = ProcessPoolExecutor(workers, _context(), _begin)
    done = 0
    try:
        one = functools.partial(_keep, convert)
        for status, said in pool.map(one, outputs, chunksize=in_turn):
            say_again(said)
            yield status
            done += 1
    except BrokenProcessPool:
        # Something ended a worker, perhaps for want of memory: one log at a time then.
        yield from (convert(log, path) for log, path in outputs[done:])
    except SystemExit:
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin() -> None:
    """Begin a worker, which ends with the command however that ends."""
    import threading

    wait_undisturbed()
    threading.Thread(target=_end_with_command, daemon=True).start()


def _end_with_command() -> None:
    """Wait until the command is gone, then end: first what is half done, then all."""
    import multiprocessing

    command = multiprocessing.parent_process()
    if command is not None:
        command.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
        os._exit(1)


def _keep(convert: Convert, output: tuple[str, str]) -> tuple[int, list[bytes]]:
    """Convert in a worker: the exit status, and what is to be said."""
    with kept() as said, disturbed():
        return convert(*output), said


def _size(outputs: list[tuple[str, str]]) -> int:
    """How many bytes the logs have, as far as that is known."""
    size = 0
    for log, _ in outputs:
        try:
            size += os.stat(log).st_size
        except (OSError, ValueError):
            continue
    return size


def _context() -> BaseContext | None:
    """How to start workers: a copy of this process needs no imports."""
    import multiprocessing

    return multiprocessing.get_context("fork") if sys.platform == "linux" else None
