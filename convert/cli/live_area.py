"""Lines at the end of the screen that are written again in place.

The cursor rests at the start of the first of them. So one sequence removes all, however
many rows they take after the terminal was resized; `Live` of rich counts rows upwards
from the last one, and a terminal that wraps its lines anew makes that wrong.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

from convert.cli.output_files import ENDING
from convert.cli.terminal import ERASED, height, redrawn


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


def _write(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]
