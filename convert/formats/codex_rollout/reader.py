"""From the lines of a session file to the events of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convert.agents.timestamps import milliseconds_of
from convert.errors import Warn
from convert.formats.codex_rollout.session import Session
from convert.formats.codex_rollout.wire import Line
from convert.model.events import EndOfLog, Event
from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import EventBlock
from convert.source.unknown_types import UnknownTypes


def follow(
    blocks: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of the lines of a file."""
    events: list[Event] = []
    session = Session(needs, events.append, warn)
    unknown = UnknownTypes()
    # Those of the first and the last line will do where nothing else is timed.
    has_times = needs.calls == CallDetail.EVERYTHING or needs.thinking
    stamp: Any = None
    last = 0
    for block in blocks:
        for line, number in zip(block.events, block.numbers, strict=True):
            stamp = line.timestamp
            at = milliseconds_of(stamp) if has_times or number == 1 else None
            if kind := session.take(line, number, at):
                unknown.add(kind)
            if events:
                yield from events
                events.clear()
        last = block.last
    if last:
        session.end(last, milliseconds_of(stamp))
    yield from events
    yield EndOfLog(run=0, line=last, unknown=unknown.counts)
