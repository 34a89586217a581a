"""The figures of many runs, for callers in Python.

    from convert.scale.stats.metrics import By
from convert import stats

    counted = stats.of_logs(["monday.ndjson", "tuesday.ndjson"])
    print(counted.total.clean, counted.total.spread("time_ms").median)
    print(stats.report(counted, "markdown"), end="")

The work is done in `convert.scale.stats`. Counting prints nothing, and printing counts
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from convert.errors import InputError, Warn, ignore
from convert.options.conversion import Reading
from convert.pipeline import events_of, only
from convert.scale.commands import StatsOptions
from convert.scale.stats import reports
from convert.scale.stats.command import names_of
from convert.scale.stats.metrics import By
from convert.scale.stats.reports import Look
from convert.scale.stats.statistics import Broken, Statistics, statistics_of
from convert.scale.stats.summary import NEEDS, Folds, of_log
from convert.wording.escapes import repair_surrogates
from convert.wording.paths import local_path, shown

__all__ = ["of_logs", "report"]


def of_logs(
    logs: Iterable[str | os.PathLike[str]],
    format: str = "auto",
    *,
    by: By | None = None,
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
) -> Statistics:
    """Return the figures of the runs of many logs, which are named by their paths.

    A log that cannot be read to its end is named in `broken`, and its runs up to there
    are counted. `by` groups the runs, and `run` counts only the N-th of each log, as in
    `runconv stats`; the other arguments are those of `convert.read`.
    """
    if isinstance(logs, str | bytes | os.PathLike):
        raise TypeError("logs are several paths, as in [path]")
    _check(by=by, run=run)
    paths = [local_path(os.fspath(log)) for log in logs]
    reading = Reading.or_default(reading)
    runs, broken = [], []
    for path, name in zip(paths, names_of(paths), strict=True):
        folds = Folds()
        try:
            events = events_of(path, format, NEEDS, reading, warn or ignore)
            for event in only(events, run):
                folds.add(event)
        except InputError as error:
            broken.append(Broken(shown(path), error.message))
        runs += of_log(folds.take(), shown(path), name)
    return statistics_of(runs, by, len(paths), broken)


def report(
    statistics: Statistics,
    format: str = "table",
    *,
    full: bool = False,
    width: int = 100,
) -> str:
    """Return statistics as text: a table, json, csv, markdown or html.

    The arguments are the options of `runconv stats`. Raises UsageError for a value that
    one of them cannot have.
    """
    format = _check(format=format, full=full, width=width)["format"]
    lines = reports.report(format)(statistics, Look(width=width, is_full=full))
    return "".join(f"{repair_surrogates(line)}\n" for line in lines)


def _check(**given: Any) -> dict[str, Any]:
    """Return checked values of options of the command; None is not checked."""
    options = StatsOptions.options()
    return {
        name: value if value is None else options[name].checked(value, name)
        for name, value in given.items()
    }
