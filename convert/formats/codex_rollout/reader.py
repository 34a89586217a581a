"""From the lines of a session file to the events of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convert.agents.line_reader import events_of
from convert.agents.timestamps import milliseconds_of
from convert.errors import Warn
from convert.formats.codex_rollout.session import Session
from convert.formats.codex_rollout.wire import Line
from convert.model.events import Event
from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import EventBlock
from convert.source.unknown_types import UnknownTypes


def follow(
    blocks: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of the lines of a file."""
    return events_of(_File(needs, warn), blocks)


class _File:
    """A session file while it is read."""

    def __init__(self, needs: Needs, warn: Warn) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        self._session = Session(needs, self.events.append, warn)
        # The times of the first line and the last do where nothing else is timed.
        self._has_times = needs.calls == CallDetail.EVERYTHING or needs.thinking
        self._is_first = True
        self._stamp: Any = None

    def read(self, line: Line, number: int) -> None:
        """Read a line."""
        self._stamp = line.timestamp
        is_timed = self._has_times or self._is_first
        self._is_first = False
        at = milliseconds_of(line.timestamp) if is_timed else None
        if kind := self._session.take(line, number, at):
            self.unknown.add(kind)

    def end(self, last: int) -> None:
        """End the run."""
        self._session.end(last, milliseconds_of(self._stamp))
