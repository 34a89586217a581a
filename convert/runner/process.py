"""An agent as a process: its two streams as they arrive, and an end that always comes.

The agent has a session and a process group of its own, so that all of it can be ended
together: a stalled agent, one that does not exit after its result, and whatever it
leaves.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Literal

from msgspec import Struct

from convert.cli.output_files import ENDING
from convert.errors import UsageError
from convert.runner.groups import Group, start
from convert.source.lines import BLOCK

# In seconds: between TERM and KILL, and after KILL, until all pipes count as closed.
_PATIENCE, _LAST_PATIENCE = 2.0, 0.5
# The largest pipe that Linux makes for a user, in bytes.
_MOST_IN_PIPE = 1 << 20
Stop = Literal["", "result", "exit", "closed", "stall", "limit", "signal"]
OUT, ERR = 1, 2
"""The streams of an agent, by the numbers that it knows them by."""


class Deadlines(Struct, frozen=True):
    """When an agent is ended, in seconds."""

    grace: float
    """After its result, or after it has closed its output."""

    stall: float | None = None
    """After the last bytes on either stream; None for never."""

    limit: float | None = None
    """After its start; None for never."""


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
            select.select([self.file], [], [], rest)
            self.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_urgent = bool(self.ending)
        self.ending = self.ending or number


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Let a signal wake up `select`, and nothing else."""


class AgentProcess:
    """A running agent. Raises UsageError if it cannot be started.

    `before_wait` is called before each wait, with the process still running; it returns
    the seconds after which it wants to be called again, None for no such time.
    """

    def __init__(
        self,
        words: list[str],
        deadlines: Deadlines,
        signals: Signals,
        before_wait: Callable[[], float | None],
    ) -> None:
        self._deadlines = deadlines
        self._signals = signals
        self._before_wait = before_wait
        self._began = self._active = time.monotonic()
        self._streams: dict[int, int] = {}
        self._over_since: float | None = None
        self._closed_at: float | None = None
        self._exited_at: float | None = None
        self._told_at: float | None = None
        self._killed_at: float | None = None
        self._is_over = False
        self.stopped: Stop = ""
        """Why the agent was ended from here; "" if it ended by itself."""

        self.exit_code: int | None = None
        self.signal = ""
        """The signal of somebody else that ended it, such as `SIGKILL`; "" if none."""

        self._start(words)

    def _start(self, words: list[str]) -> None:
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        actions = [
            (os.POSIX_SPAWN_DUP2, out_end, OUT),
            (os.POSIX_SPAWN_DUP2, err_end, ERR),
        ]
        if os.isatty(0):
            # A process in another session cannot read from a terminal.
            actions.insert(0, (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))  # type: ignore[arg-type]
        try:
            self._pid = start(words, actions)
        except UsageError:
            os.close(out)
            os.close(err)
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        self._group = Group(self._pid)
        self._streams = {out: OUT, err: ERR}

    @property
    def age(self) -> float:
        """The seconds since it was started."""
        return time.monotonic() - self._began

    @property
    def has_result(self) -> bool:
        """No run of the log is open."""
        return self._over_since is not None

    def run_is_over(self, is_over: bool) -> None:
        """Note that no run of the log is open, or that one is again."""
        if not is_over:
            self._over_since = None
        elif self._over_since is None:
            self._over_since = time.monotonic()

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Yield what comes on either stream (`OUT`, `ERR`) until the agent has ended.

        No process of its group is left then.
        """
        while not self._is_gone():
            for file in self._ready():
                if piece := os.read(file, BLOCK):
                    self._active = time.monotonic()
                    yield self._streams[file], piece
                else:
                    self._close(file)
            self._check()
        yield from self._rest()
        self._end_group()
        self._is_over = True

    def wait_to_write(self, file: int) -> bool:
        """Return True when a file can be written to; the limit holds meanwhile.

        Return False if its reader takes nothing though the run has to end. The time
        that the reader takes is no silence of the agent.
        """
        began = time.monotonic()
        while not select.select(
            [self._signals.file], [file], [], self._left(is_reading=False)
        )[1]:
            self._signals.clear()
            self._check(is_reading=False)
            if self._is_ended() and (self._signals.ending or self.stopped):
                return bool(select.select([], [file], [], _LAST_PATIENCE)[1])
        self._forget(time.monotonic() - began)
        return True

    def _ready(self) -> list[int]:
        """Return the streams that can be read; wait until there are any, or a signal.

        Returns none at a deadline, or if `before_wait` is due.
        """
        files = [*self._streams, self._signals.file]
        ready = select.select(files, [], [], 0)[0]
        if not ready:
            waits = [self._before_wait(), self._left()]
            timeout = min((each for each in waits if each is not None), default=None)
            ready = select.select(files, [], [], timeout)[0]
        if self._signals.file in ready:
            self._signals.clear()
            ready.remove(self._signals.file)
        return ready

    def _close(self, file: int) -> None:
        os.close(file)
        if self._streams.pop(file) == OUT:
            self._closed_at = time.monotonic()

    def _forget(self, seconds: float) -> None:
        """Let a time count for no deadline but the limit."""
        self._active += seconds
        for name in ("_over_since", "_closed_at", "_exited_at"):
            if (moment := getattr(self, name)) is not None:
                setattr(self, name, moment + seconds)

    def _is_gone(self) -> bool:
        """Return True once nothing more can come, or nothing more is waited for."""
        is_closed = not self._streams and self._exited_at is not None
        return is_closed or self._is_ended()

    def _is_ended(self) -> bool:
        """Return True once the agent has been killed, and time has passed."""
        at = self._killed_at
        is_late = at is not None and time.monotonic() >= at + _LAST_PATIENCE
        return is_late or self._is_over

    def _deadline(self, is_reading: bool = True) -> tuple[float, Stop] | None:
        """Return the next moment at which the agent is told to end, and why."""
        grace, stall, limit = (
            self._deadlines.grace,
            self._deadlines.stall,
            self._deadlines.limit,
        )
        found: list[tuple[float, Stop]] = []
        if limit is not None and self._over_since is None:
            found.append((self._began + limit, "limit"))
        if not is_reading:
            return min(found, default=None)
        if self._over_since is not None:
            found.append((self._over_since + grace, "result"))
        elif stall is not None:
            found.append((self._active + stall, "stall"))
        if self._exited_at is not None:
            found.append((self._exited_at + grace, "exit"))
        if self._closed_at is not None:
            found.append((self._closed_at + grace, "closed"))
        return min(found, default=None)

    def _left(self, is_reading: bool = True) -> float | None:
        """Return the seconds until there is something to do; None if that is never."""
        if self._is_ended():
            return None
        if self._killed_at is not None:
            at = self._killed_at + _LAST_PATIENCE
        elif self._told_at is not None:
            at = self._told_at + _PATIENCE
        elif (deadline := self._deadline(is_reading)) is not None:
            at = deadline[0]
        else:
            return None
        return max(at - time.monotonic(), 0)

    def _check(self, is_reading: bool = True) -> None:
        """Note an exit, and end the agent if it is time."""
        if self._is_over:
            return
        self._note_exit()
        now = time.monotonic()
        if self._told_at is not None:
            is_late = now >= self._told_at + _PATIENCE or self._signals.is_urgent
            if self._killed_at is None and is_late:
                self._killed_at = now
                self._group.send(signal.SIGKILL)
            return
        why: Stop = "signal" if self._signals.ending else ""
        if not why and (deadline := self._deadline(is_reading)):
            why = deadline[1] if now >= deadline[0] else ""
        if why:
            self._told_at = now
            if self._exited_at is None or why in ("limit", "signal"):
                self.stopped = why
            if self._exited_at is None:
                self._group.find_others()
            self._group.send(signal.SIGTERM)

    def _note_exit(self) -> None:
        """Note how the agent ended by itself, if it has."""
        if self._exited_at is not None:
            return
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return
        self._exited_at = time.monotonic()
        if self._told_at is not None:
            return
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            self.exit_code = code
        else:
            self.signal = _name_of_signal(-code)

    def _rest(self) -> Iterator[tuple[int, bytes]]:
        """Yield what is in the pipes that something still holds, and close them.

        A process that cannot be found may go on writing to them.
        """
        for file, stream in self._streams.items():
            os.set_blocking(file, False)
            read = 0
            with contextlib.suppress(BlockingIOError):
                while read < _MOST_IN_PIPE and (piece := os.read(file, BLOCK)):
                    read += len(piece)
                    yield stream, piece
            os.close(file)
        self._streams.clear()

    def _end_group(self) -> None:
        """Leave no process of the group, nor one that the agent started elsewhere."""
        if self._told_at is None:
            self._told_at = time.monotonic()
            self._group.send(signal.SIGTERM)
        if self._killed_at is None and not self._group.wait(self._told_at + _PATIENCE):
            self._killed_at = time.monotonic()
            self._group.send(signal.SIGKILL)
        if self._killed_at is not None:
            self._group.wait(self._killed_at + _LAST_PATIENCE)
        self._note_exit()


def _name_of_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
