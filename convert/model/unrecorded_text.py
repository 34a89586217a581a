"""The text of runs whose result does not record it, from reading their log again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from convert.errors import InputError
from convert.model.events import Event, Result
from convert.model.run import Run, collect


def with_unrecorded(
    events: Iterable[Event], again: Callable[[], Iterable[Event]]
) -> Iterator[Event]:
    """Add its segments to a run, before a result that does not record the text.

    `again` returns the events of the same log with their texts, and is called only if
    there is such a result. The runs end in the same order there.
    """
    runs: Iterator[Run] | None = None
    for event in events:
        if isinstance(event, Result) and event.text is None:
            runs = collect(again()) if runs is None else runs
            yield from _run(runs, event.run).segments
        yield event


def _run(runs: Iterator[Run], number: int) -> Run:
    """Return a run of a log that is read again; raises InputError if it has none."""
    for run in runs:
        if run.number == number:
            return run
    raise InputError("the log has changed while it was read; convert it again")
