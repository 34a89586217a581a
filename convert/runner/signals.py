"""The signals that reach this process, and waits that end when one does."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from types import FrameType

from convert.cli.output_files import ENDING
from convert.source.lines import BLOCK

LONG_PATIENCE = 4.0
"""Seconds after a deadline or a signal: then something else holds this process up."""

# No system waits for longer at once, in seconds.
_LONGEST_WAIT = 86_400.0


class Signals:
    """The signals that reach this process, as bytes that `select` can wait for.

    Those that were ignored at the start still are.
    """

    def __init__(self) -> None:
        self.file, self._end = os.pipe()
        os.set_blocking(self.file, False)
        os.set_blocking(self._end, False)
        self.ending = 0
        """The number of the first signal that asked this process to end; 0 for none."""

        self.asked_at = 0.0
        """When, on the monotonic clock."""

        self.is_urgent = False
        """It was asked twice."""

        handlers = {signal.SIGCHLD: _do_nothing} | {
            number: self._note
            for number in ENDING
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        self._before = signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)
        self._handlers = {
            number: signal.signal(number, handler)
            for number, handler in handlers.items()
        }

    def close(self) -> None:
        """Handle signals as before."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._before)
        os.close(self.file)
        os.close(self._end)

    def clear(self) -> None:
        """Forget the bytes of the signals that have come."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.file, BLOCK)

    def wait(self, seconds: float) -> None:
        """Wait, or return as soon as a signal asks this process to end."""
        until = time.monotonic() + seconds
        while not self.ending and (rest := until - time.monotonic()) > 0:
            wait_for([self.file], [], rest)
            self.clear()

    @property
    def is_overdue(self) -> bool:
        """It was asked long ago."""
        return is_long_ago(self.asked_at or None, 2 * LONG_PATIENCE)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_urgent = bool(self.ending)
        self.ending = self.ending or number
        self.asked_at = self.asked_at or time.monotonic()


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Let a signal wake up `select`, and nothing else."""


def is_long_ago(moment: float | None, seconds: float) -> bool:
    """Return True if a moment on the monotonic clock was so many seconds ago."""
    return moment is not None and time.monotonic() > moment + seconds


def wait_for(
    reads: list[int], writes: list[int], seconds: float | None
) -> tuple[list[int], list[int]]:
    """Return the files that can be read and written, as `select` does.

    Unlike `select`, `poll` takes files of any number; on macOS, it takes no terminals.
    """
    if seconds is not None:
        seconds = min(seconds, _LONGEST_WAIT)
    if sys.platform == "darwin" or not hasattr(select, "poll"):
        return select.select(reads, writes, [], seconds)[:2]
    poll = select.poll()
    for files, event in ((reads, select.POLLIN), (writes, select.POLLOUT)):
        for file in files:
            poll.register(file, event)
    ready = {file for file, _ in poll.poll(None if seconds is None else seconds * 1000)}
    return [each for each in reads if each in ready], [
        each for each in writes if each in ready
    ]
