"""Lines that wait for one in front of them, so that all keep their order.

An edit that was passed as a fragment says only when it ends where that goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convert.model.events import ToolCall

# How many lines wait: memory must not grow with the log.
_MOST = 1000


class Waiting:
    """The line with which a call begins, which `write` makes when it is known."""

    def __init__(self, begun: ToolCall, write: Callable[[ToolCall], bytes]) -> None:
        self.begun = begun
        self.line: bytes | None = None
        self._write = write

    def settle(self, call: ToolCall) -> None:
        """Write the line by what is known of the call."""
        self.line = self._write(call)


class WaitingLines:
    """Takes lines, and returns them when none in front of them waits."""

    def __init__(self) -> None:
        self._queue: list[bytes | Waiting] = []
        # By the numbers of their calls.
        self._waiting: dict[int, Waiting] = {}

    def add(self, lines: Sequence[bytes | Waiting]) -> list[bytes]:
        """Add lines; return those that are ready."""
        for line in lines:
            if isinstance(line, Waiting):
                self._waiting[line.begun.number] = line
        self._queue += lines
        if len(self._queue) > _MOST and self._waiting:
            self._settle(next(iter(self._waiting)))
        return self._ready()

    def settle(self, call: ToolCall) -> None:
        """Write the line of a call that has ended, if it waits."""
        waiting = self._waiting.pop(call.number, None)
        if waiting is not None:
            waiting.settle(call)

    def end(self) -> list[bytes]:
        """Return all lines; calls that never ended are written as they began."""
        for number in list(self._waiting):
            self._settle(number)
        return self._ready()

    def _settle(self, number: int) -> None:
        waiting = self._waiting.pop(number)
        waiting.settle(waiting.begun)

    def _ready(self) -> list[bytes]:
        ready: list[bytes] = []
        for each in self._queue:
            line = each if isinstance(each, bytes) else each.line
            if line is None:
                break
            ready.append(line)
        del self._queue[: len(ready)]
        return ready
