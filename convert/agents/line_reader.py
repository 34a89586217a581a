"""The events of the lines of a log, as a reader of single lines finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from convert.errors import InputError
from convert.model.events import EndOfLog, Event
from convert.source.ndjson import E, EventBlock
from convert.source.unknown_types import UnknownTypes


class LineReader(Protocol):
    """Reads one line after the other."""

    unknown: UnknownTypes
    """The types of lines that are not known."""

    events: list[Event]
    """The events that are ready; whoever takes them clears the list."""

    def read(self, line: Any, number: int) -> None:
        """Read one line."""

    def end(self, last: int) -> None:
        """End the runs that are open; `last` is the number of the last line."""


def events_of(reader: LineReader, blocks: Iterable[EventBlock[E]]) -> Iterator[Event]:
    """Yield what the lines say, then the ends of the runs and of the log."""
    last = 0
    has_lines = False
    for block in blocks:
        last = block.last
        has_lines = has_lines or bool(block.events)
        read, events, numbers = reader.read, block.events, block.numbers
        for index in block.significant:
            read(events[index], numbers[index])
        yield from _taken(reader)
    if not has_lines:
        raise InputError("no events; is this a log of the agent?")
    reader.end(last)
    yield from _taken(reader)
    yield EndOfLog(run=0, line=last, unknown=reader.unknown.counts)


def _taken(reader: LineReader) -> list[Event]:
    ready = reader.events[:]
    reader.events.clear()
    return ready
