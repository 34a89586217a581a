"""Lines at the end of the screen that are written again in place.

The cursor rests at the start of the first of them. So one sequence removes all, however
many rows they take after the terminal was resized; `Live` of rich counts rows upwards
from the last one, and a terminal that wraps its lines anew makes that wrong.
"""

from __future__ import annotations

import os
from types import FrameType
from typing import TYPE_CHECKING

from convert.cli.signals import ENDING
from convert.cli.terminal import height, is_coloured

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from convert.cli.progress import Progress
import contextlib
import signal

_TO_BEGIN = b"\r"
_ERASE_BELOW = b"\x1b[J"
ERASED = _TO_BEGIN + _ERASE_BELOW
"""The bytes that remove what is below the cursor."""
# Lines that are too wide are cut, and take one row each.
_NO_WRAP, _WRAP = b"\x1b[?7l", b"\x1b[?7h"


class LiveArea:
    """Prints lines, and below them those that change."""

    def __init__(self) -> None:
        self._shown: list[bytes] = []
        self._columns = 0
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._leave)

    def print(self, lines: list[bytes]) -> None:
        """Print lines above the area, which is gone until it is drawn again."""
        if lines:
            self.clear()
            _write(b"".join(lines))

    def draw(self, lines: list[bytes]) -> None:
        """Show these lines, as many as the screen has room for."""
        columns = os.get_terminal_size(1).columns
        lines = [line.rstrip(b"\n") for line in lines[-max(height() - 1, 1) :]]
        if (lines, columns) != (self._shown, self._columns):
            self._shown, self._columns = lines, columns
            self._redraw()

    def clear(self) -> None:
        """Remove the lines."""
        if self._shown:
            self._shown = []
            _write(ERASED)

    def _redraw(self) -> None:
        _write(redrawn(self._shown))

    def _leave(self, number: int, frame: FrameType | None) -> None:
        """Leave on the screen what is there, and end the command."""
        if self._shown:
            # The terminal may have written ^C across it.
            self._redraw()
            _write(b"\n" * len(self._shown))
        os._exit(128 + number)


def redrawn(lines: list[bytes]) -> bytes:
    """Return the bytes that write lines below the cursor, which stays where it is."""
    up = len(lines) - 1
    back = (b"\x1b[%dA" % up if up > 0 else b"") + _TO_BEGIN
    return b"".join([ERASED, _NO_WRAP, b"\r\n".join(lines), _WRAP, back])


def _write(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]


# When the bar shows first, and how often it is drawn again, in seconds.
_WAIT = 0.5
_EACH_BAR = 0.1


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
        drawn = self._drawn or _drawn(progress)
        self._drawn = drawn
        drawn.update(
            drawn.task_ids[0],
            completed=min(progress.read, progress.size),
            amounts=progress.amounts,
        )
        with drawn.console.capture() as captured:
            drawn.console.print(drawn.get_renderable())
        self._is_visible = True
        _write_to_stderr(
            redrawn([captured.get().rstrip("\n").encode(errors="replace")])
        )

    def hide(self) -> None:
        """Remove the bar from the terminal."""
        if self._is_visible:
            self._is_visible = False
            _write_to_stderr(ERASED)


def _write_to_stderr(data: bytes) -> None:
    """Write to the terminal; it does not matter if that is gone."""
    with contextlib.suppress(OSError):
        os.write(2, data)


def _drawn(progress: Progress) -> RichProgress:
    # Imported here: it takes four times as long as to start the command.
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
