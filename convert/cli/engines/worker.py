"""A process of this machine that does jobs, which the command sends through a pipe."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from convert.cli.engines import J, R, Work
from convert.cli.engines.batches import Done, in_batches
from convert.cli.messages import use_colours
from convert.cli.progress import forget_progress
from convert.cli.signals import exit_on_signals

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def do_jobs(
    work: Work[J, R], pipe: Connection, begins: Connection, colours: str
) -> None:
    """Do the jobs that a pipe brings, until the command closes it or dies."""
    import threading

    exit_on_signals()
    use_colours(colours)
    forget_progress()
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
    """Yield what is done after each job that the command assigns."""
    assigned: Iterator[list[J]] = _assigned(pipe)
    for jobs in assigned:
        yield from in_batches(work, _begun(jobs, begins))


def _assigned(pipe: Connection) -> Iterator[list[J]]:
    """Yield the jobs that the command assigns, until it has no more or is gone."""
    with contextlib.suppress(EOFError, OSError):
        while jobs := pipe.recv():
            yield jobs


def _begun(jobs: list[J], begins: Connection) -> Iterator[J]:
    """Yield jobs, each when it begins, which the command can look up."""
    for job in jobs:
        # If the command is gone, that shows when the results are sent.
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
