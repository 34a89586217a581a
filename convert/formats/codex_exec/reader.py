"""From the lines of `codex exec` to the events of its runs.

A run is a process of Codex: it begins with `thread.started` and holds one turn or
several. Its end is told when the next one begins or the log ends, since another turn
may follow; all else is told with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.agents.line_reader import events_of
from convert.errors import Warn
from convert.formats.codex_exec.process import Process
from convert.formats.codex_exec.wire import Line
from convert.model.events import Event
from convert.model.needs import Needs
from convert.source.ndjson import EventBlock
from convert.source.unknown_types import UnknownTypes


def follow(
    blocks: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of the lines of a log."""
    return events_of(_Log(needs), blocks)


class _Log:
    """A log while it is read: the run that is open, and the runs before it."""

    def __init__(self, needs: Needs) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        self._needs = needs
        self._count = 0
        self._run: Process | None = None
        self._last = 0

    def read(self, line: Line, number: int) -> None:
        """Read a line."""
        if line.type == "thread.started":
            self.end(self._last)
            self._open().know(session=line.thread_id or "")
        process = self._run or self._open()
        self._last = number
        if not process.take(line, number):
            kind = line.item.kind or "unnamed" if line.item else ""
            self.unknown.add(f"{line.type}/{kind}" if kind else line.type)

    def end(self, last: int) -> None:
        """End the run that is open."""
        if self._run is not None:
            self._run.end(last)
            self._run = None

    def _open(self) -> Process:
        self._count += 1
        self._run = Process(self._count, self._needs, self.events.append)
        return self._run
