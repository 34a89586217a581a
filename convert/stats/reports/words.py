"""What every report of many runs says in the same way."""

from __future__ import annotations

from collections.abc import Mapping

from convert.stats.quantiles import Rate
from convert.stats.statistics import Group, Statistics
from convert.stats.summary import Fate, RunSummary
from convert.wording.numbers import count, in_words
from convert.wording.sanitise import escape_controls, one_line

MISSING = "–"
RATES_NOTE = "clean: no failure unresolved; in brackets the interval at 95 %"
FATE_WORDS: Mapping[Fate, str] = {
    "success": "success",
    "unresolved": "success, failures unresolved",
    "error": "error",
    "cut": "cut or unfinished",
    "unknown": "end not recorded",
}
_ENDED: Mapping[Fate, str] = {
    "success": "succeeded",
    "unresolved": "more with failures unresolved",
    "error": "ended in an error",
    "cut": "broke off",
    "unknown": "without a recorded end",
}


def headline(statistics: Statistics) -> str:
    """Return how many runs turned out how, in a sentence."""
    runs = count(len(statistics.runs), "run")
    fates = statistics.total.fates
    if not fates:
        return f"{runs}."
    words = dict(_ENDED)
    if "success" not in fates:
        words["unresolved"] = "succeeded with failures unresolved"
    parts = [f"{number:,} {words[fate]}" for fate, number in fates.items()]
    return f"{runs}: {', '.join(parts)}."


def rates(group: Group) -> str:
    """Return the shares of runs that succeeded; "" if no run records its end."""
    if group.success is None:
        return ""
    words = f"{with_interval(group.success)} succeeded"
    if group.clean is None:
        return words
    return f"{words}, {with_interval(group.clean)} clean"


def subject_of(statistics: Statistics) -> str:
    """Return what the report is about: `200 runs, 2026-10-01 to 2026-10-02`."""
    runs = count(len(statistics.runs), "run")
    if len(statistics.runs) != statistics.logs:
        runs = f"{runs} of {count(statistics.logs, 'log')}"
    if statistics.place:
        runs = f"{runs} in {shown(statistics.place)}"
    days = " to ".join(statistics.days)
    return f"{runs}, {days}" if days else runs


def broken_words(statistics: Statistics, most: int = 3) -> str:
    """Name the logs that cannot be read; "" if all can."""
    broken = statistics.broken
    if not broken:
        return ""
    names = [shown(each.log) for each in broken[:most]]
    if len(broken) > most:
        names.append(f"{len(broken) - most:,} more")
    logs = count(len(broken), "log")
    return f"{logs} cannot be read, at all or to the end: {in_words(names)}"


def shown(text: str) -> str:
    """Return text of a log on one line, without characters that do harm."""
    return escape_controls(one_line(text))


def name_of_group(group: Group) -> str:
    """Return what the runs of a group share."""
    return MISSING if group.name is None else shown(group.name)


def percent(share: float) -> str:
    """Write a share: `87 %`."""
    return f"{round(100 * share)} %"


def interval(rate: Rate) -> str:
    """Write the interval of a rate in per cent: `79–92`."""
    return f"{round(100 * rate.low)}–{round(100 * rate.high)}"


def with_interval(rate: Rate | None) -> str:
    """Write a rate with its interval: `87 % (79–92)`."""
    return MISSING if rate is None else f"{percent(rate.share)} ({interval(rate)})"


def state_of(run: RunSummary) -> str:
    """Return how a run ended, in a word."""
    return run.state or MISSING
