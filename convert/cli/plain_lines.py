"""A log that is followed without a terminal: its lines as they come."""

from __future__ import annotations

import select

from convert.cli.destination import STANDARD, open_destination
from convert.cli.display import escape_for_runner


class PlainLines:
    """Prints lines; has the methods of `LiveArea`, and no area."""

    def __init__(self) -> None:
        self._output = open_destination(1, STANDARD, escape_for_runner("text", 1))

    def print(self, lines: list[bytes]) -> None:
        """Print lines, at the latest before the next wait."""
        if lines:
            self._output.write(b"".join(lines))

    def draw(self, lines: list[bytes]) -> None:
        """Write out what is there; raise BrokenPipeError if its reader has gone."""
        self.clear()
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(1, 0)
            if any(state & select.POLLERR for _, state in poll.poll(0)):
                raise BrokenPipeError

    def clear(self) -> None:
        """Write out what is there, before a message or at the end."""
        self._output.flush()
