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

    `again` returns the events of the same log with their texts and results, and is
    called only if there is such a result. The runs end in the same order there. Raises
    InputError if the log has another result there, for it is another log by then.
    """
    runs: Iterator[Run] | None = None
    for event in events:
        if isinstance(event, Result) and event.text is None:
            runs = collect(again()) if runs is None else runs
            yield from _run(runs, event).segments
        yield event


def _run(runs: Iterator[Run], result: Result) -> Run:
    """Return the run of a result from a log that is read again."""
    for run in runs:
        if run.number == result.run and run.result and run.result.raw == result.raw:
            return run
    raise InputError("the log has changed while it was read; convert it again")
