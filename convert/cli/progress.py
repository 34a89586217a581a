"""The progress of long work, on standard error.

A terminal shows a bar once work has lasted half a second; elsewhere a line comes every
ten seconds, as long as something is left to read. A bar is removed before a message
is printed, and at the end.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from convert.cli.destination import ERASED, is_coloured, redrawn
from convert.cli.logs import watched_reading
from convert.cli.messages import hide_for_messages, say
from convert.source.places import size_of
from convert.wording.numbers import duration
from convert.wording.paths import is_url

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_EACH_LINE = 10.0
# When the bar shows first, and how often it is drawn again, in seconds.
_WAIT = 0.5
_EACH_BAR = 0.1


class Progress:
    """How much of the logs has been read, in bytes and in logs.

    `size` is the number of bytes of the logs, and each is read so many `times`.
    """

    def __init__(
        self,
        size: int,
        logs: int,
        shown: Bar | _Lines,
        times: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = size * times
        self.times = times
        self.logs = logs
        self.read = 0
        self.done = 0
        self._shown = shown
        self._clock = clock
        self._started = clock()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self._clock() - self._started

    @property
    def amounts(self) -> str:
        """How much is done: `120 of 2,000 logs, 30.1 of 480.0 MB, 12.0 MB/s`."""
        read, size = self.read / 1e6, self.size / 1e6
        rate = read / self.seconds if self.seconds else 0.0
        logs = f"{self.done:,} of {self.logs:,} logs, " if self.logs > 1 else ""
        return f"{logs}{read:,.1f} of {size:,.1f} MB, {rate:,.1f} MB/s"

    def add(self, size: int) -> None:
        """Count bytes that have been read."""
        self.read += size
        self.look()

    def reach(self, size: int) -> None:
        """Count logs up to this size as read, unless this process has counted them."""
        self.add(max(size * self.times - self.read, 0))

    def add_logs(self, number: int) -> None:
        """Count logs that are done."""
        self.done += number
        self.look()

    def look(self) -> None:
        """Show the progress of the work, if that is due."""
        if self.seconds >= self._shown.due:
            self._shown.show(self)


@contextlib.contextmanager
def progress_of(
    paths: list[str], *, times: int, is_wanted: bool
) -> Iterator[Progress | None]:
    """Yield the progress of reading logs, each so many times; None if not wanted.

    The size of standard input and of pipes is not known: there is no progress of them.
    """
    sizes = [_size_of(path) for path in paths] if is_wanted else [None]
    if None in sizes:
        yield None
        return
    size = sum(size or 0 for size in sizes)
    has_bar = os.isatty(2) and os.environ.get("TERM") != "dumb"
    shown = Bar() if has_bar else _Lines()
    progress = Progress(size, len(paths), shown, times)
    with hide_for_messages(shown.hide), watched_reading(progress.add):
        try:
            yield progress
        finally:
            shown.hide()


def _size_of(path: str) -> int | None:
    """Return the size of a regular file, 0 if it is missing; None for others."""
    if path == "-":
        return None
    if is_url(path):
        return size_of(path)
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return 0
    return state.st_size if stat.S_ISREG(state.st_mode) else None


class Bar:
    """A bar on a terminal, which rich lays out.

    `Live` of rich would leave parts of it where a terminal that becomes narrower wraps
    its lines anew.
    """

    def __init__(self) -> None:
        self.due = _WAIT
        self._drawn: RichProgress | None = None
        self._is_visible = False

    def show(self, progress: Progress) -> None:
        """Draw the bar, or draw it again."""
        self.due = progress.seconds + _EACH_BAR
        drawn = self._drawn = self._drawn or _drawn(progress)
        drawn.update(
            drawn.task_ids[0],
            completed=min(progress.read, progress.size),
            amounts=progress.amounts,
        )
        with drawn.console.capture() as captured:
            drawn.console.print(drawn.get_renderable())
        self._is_visible = True
        _write(redrawn([captured.get().rstrip("\n").encode(errors="replace")]))

    def hide(self) -> None:
        """Remove the bar from the terminal."""
        if self._is_visible:
            self._is_visible = False
            _write(ERASED)


def _write(data: bytes) -> None:
    """Write to the terminal; it does not matter if that is gone."""
    with contextlib.suppress(OSError):
        os.write(2, data)


def _drawn(progress: Progress) -> RichProgress:
    # Imported here: this takes four times as long as starting the command.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    drawn = RichProgress(
        BarColumn(complete_style="blue", finished_style="blue"),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[amounts]}", markup=False),
        TimeRemainingColumn(compact=True),
        console=Console(
            stderr=True,
            color_system="standard" if is_coloured("auto", 2) else None,
            force_terminal=True,
        ),
        auto_refresh=False,
    )
    drawn.add_task("", total=max(progress.size, 1), amounts="")
    return drawn


class _Lines:
    """A line now and then, for a log of messages."""

    def __init__(self) -> None:
        self.due = _EACH_LINE

    def show(self, progress: Progress) -> None:
        """Print a line, unless nothing is left to read."""
        if progress.read >= progress.size or progress.done >= progress.logs:
            return
        self.due = progress.seconds + _EACH_LINE
        left = ""
        if progress.read:
            rest = (progress.size - progress.read) * progress.seconds / progress.read
            left = f", {duration(round(rest * 1000))} left"
        say(f"{progress.amounts}{left}", None)

    def hide(self) -> None:
        """Leave the lines where they are."""
