"""Many runs, counted: their statistics, and their page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import convert
from convert.options import Reading
from convert.pipeline import events_of
from convert.scale import (
    NEEDS,
    Look,
    RunSummary,
    Statistics,
    of_log,
    report,
    statistics_of,
    summaries,
)


def counted(log: bytes, name: str = "a/run") -> list[RunSummary]:
    """Return the runs of a log; none of one that cannot be read."""
    try:
        events = events_of([log], "auto", NEEDS, Reading(), lambda *_: None)
        runs = [*summaries(events)]
    except convert.RunconvError:
        return []
    return of_log(runs, f"{name}.ndjson", name)


def statistics(logs: Mapping[str, bytes]) -> Statistics:
    """Return the figures of logs by their names."""
    runs = [made for name, log in logs.items() for made in counted(log, name)]
    return statistics_of(runs, logs=len(logs))


def lines(counts: Statistics, name: str, **look: Any) -> list[str]:
    """Return a report of statistics."""
    return [*report(name)(counts, Look(**look))]


def page_of_many(logs: Mapping[str, bytes]) -> bytes:
    """Return the page of many logs."""
    return "\n".join(lines(statistics(logs), "html")).encode()
