"""Events in the order in which lines are made of them: a run starts, and then goes on.

A reader may tell of a call before it is clear that a run has begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.model.events import End, EndOfLog, Event, Recorded, Start


def starts_first(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events; those of a run that has not started come behind its start."""
    under_way: set[int] = set()
    early: dict[int, list[Event]] = {}
    for event in events:
        if isinstance(event, Start):
            under_way.add(event.run)
            yield event
            yield from early.pop(event.run, ())
        elif event.run in under_way or isinstance(event, EndOfLog | Recorded):
            if isinstance(event, End):
                under_way.discard(event.run)
            yield event
        else:
            early.setdefault(event.run, []).append(event)
