"""An agent as a process: its two streams as they arrive, and an end that always comes.

The agent has a session and a process group of its own, so that all of it can be ended
together: a stalled agent, one that does not exit after its result, and whatever it
leaves.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from convert.errors import UsageError
from convert.runner.groups import Group, start
from convert.runner.signals import LONG_PATIENCE, Signals, is_long_ago, wait_for
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
        self._is_over = self._has_ticked = False
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

        An empty piece comes once the agent has been silent for as long as `grace`. At
        the end, no process of its group is left.
        """
        while not self._is_gone():
            for file in self._ready():
                if piece := os.read(file, BLOCK):
                    self._active = time.monotonic()
                    self._has_ticked = False
                    yield self._streams[file], piece
                else:
                    self._close(file)
            if self._until_tick() == 0:
                self._has_ticked = True
                yield OUT, b""
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
        while True:
            must_end = self._signals.ending or self.stopped in ("stall", "limit")
            if must_end and self._is_ended():
                return bool(wait_for([], [file], _LAST_PATIENCE)[1])
            left = self._left(is_reading=False)
            if wait_for([self._signals.file], [file], left)[1]:
                self._forget(time.monotonic() - began)
                return True
            self._signals.clear()
            self._check(is_reading=False)

    def _ready(self) -> list[int]:
        """Return the streams that can be read; wait until there are any, or a signal.

        Returns none at a deadline, or if `before_wait` is due.
        """
        files = [*self._streams, self._signals.file]
        ready = wait_for(files, [], 0)[0]
        if not ready:
            waits = [self._before_wait(), self._left(), self._until_tick()]
            timeout = min((each for each in waits if each is not None), default=None)
            ready = wait_for(files, [], timeout)[0]
        if self._signals.file in ready:
            self._signals.clear()
            ready.remove(self._signals.file)
        return ready

    def _until_tick(self) -> float | None:
        """Return the seconds until the agent counts as silent; None if it does."""
        if self._has_ticked:
            return None
        return max(self._active + self._deadlines.grace - time.monotonic(), 0)

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
        """Return the next deadline, and the reason to end the agent then."""
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
            return 0 if is_reading else None
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

    def close(self) -> None:
        """End the agent, if something has kept it from being read to its end."""
        if self._is_over:
            return
        for file in self._streams:
            os.close(file)
        self._streams.clear()
        self._end_group()
        self._is_over = True

    def end_from_outside(self) -> None:
        """End the agent, from another thread: its own waits for something else."""
        self._group.send(signal.SIGTERM)
        if not self._group.wait(time.monotonic() + _PATIENCE):
            self._group.send(signal.SIGKILL)

    @property
    def is_overdue(self) -> bool:
        """It should have been ended long ago."""
        asked = self._signals.asked_at or None
        limit = self._deadlines.limit
        if limit is not None and self._over_since is None:
            asked = min(asked or sys.maxsize, self._began + limit)
        return not self._is_over and is_long_ago(asked, LONG_PATIENCE)

    def is_stuck(self, since: float | None) -> bool:
        """Return True if it was ended, at a deadline or by a signal, and this goes on.

        A message that has not been read `since` a moment need not be waited for.
        """
        if self.stopped not in ("stall", "limit", "signal"):
            return False
        is_unread = self._is_over and is_long_ago(since, _PATIENCE)
        return is_unread or is_long_ago(self._told_at, 3 * LONG_PATIENCE)

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
