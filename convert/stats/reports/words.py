"""Words that every report of many runs has in common."""

from __future__ import annotations

from collections.abc import Mapping

from convert.stats.keys import By
from convert.stats.quantiles import Rate
from convert.stats.statistics import Group, Statistics
from convert.stats.summary import Fate, RunSummary
from convert.wording.numbers import count, in_words
from convert.wording.sanitise import escape_controls, one_line

MISSING = "–"
RATES_NOTE = "clean: nothing unresolved; in brackets the interval at 95 %"
_FATE_WORDS: Mapping[Fate, str] = {
    "success": "succeeded, clean",
    "unresolved": "succeeded, failures unresolved",
    "error": "error",
    "cut": "broke off",
    "stopped": "stopped",
    "unknown": "end not recorded",
}

# The outcomes that count for no share of successes.
_OTHERS: tuple[Fate, ...] = ("stopped", "unknown")


def headline(statistics: Statistics) -> str:
    """Return how many runs turned out how, in a sentence."""
    runs = count(len(statistics.runs), "run")
    fates = statistics.total.fates
    if not fates:
        return f"{runs}."
    words = fate_words(statistics.total)
    parts = [
        f"{number:,} {words[fate]}"
        for fate, number in fates.items()
        if fate not in ("success", "unresolved")
    ]
    if statistics.total.success is not None:
        parts.insert(0, _succeeded(statistics.total))
    return f"{runs}: {'; '.join(parts)}."


def _succeeded(group: Group) -> str:
    """Return how many runs succeeded, and how many of them are clean."""
    runs = group.fates.get("success", 0) + group.fates.get("unresolved", 0)
    words = f"{runs:,} succeeded"
    if not runs or group.clean is None:
        return words
    clean = f"{group.clean.hits:,}" if group.clean.hits else "none"
    words = f"{words}, {clean} of them clean"
    known = group.clean.hits + group.fates.get("unresolved", 0)
    return (
        f"{words} and {runs - known:,} without a record of failures"
        if runs > known
        else words
    )


def fate_words(group: Group) -> dict[Fate, str]:
    """Return what each outcome of the runs of a group is called."""
    called = dict(_FATE_WORDS)
    if kinds := group.stopped:
        counts = [f"{number:,} {kind}" for kind, number in kinds.items()]
        listed = ", ".join(counts if len(kinds) > 1 else kinds)
        called["stopped"] = f"stopped ({listed})"
    clean = group.clean.hits if group.clean else 0
    if clean != group.fates.get("success", 0):
        words = "succeeded, clean as far as recorded" if clean else "succeeded"
        called["success"] = words
    return called


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


def heading_of(by: By) -> str:
    """Return what tells groups apart, for people."""
    return by.replace("_", " ")


def name_of_group(group: Group) -> str:
    """Return what the runs of a group share."""
    return MISSING if group.name is None else shown(group.name)


def agent_of(run: RunSummary) -> str:
    """Return the agent of a run."""
    return shown(run.agent) or MISSING


def percent(share: float) -> str:
    """Write a share: `87 %`."""
    return f"{round(100 * share)} %"


def interval(rate: Rate) -> str:
    """Write the interval of a rate in per cent: `79–92`."""
    return f"{round(100 * rate.low)}–{round(100 * rate.high)}"


def with_interval(rate: Rate | None) -> str:
    """Write a rate with its interval: `87 % (79–92)`."""
    return MISSING if rate is None else f"{percent(rate.share)} ({interval(rate)})"


def succeeded_in(group: Group) -> str:
    """Write the share of runs that succeeded, and how many count for no share.

    As in `87 % (79–92), 2 unknown`, or `1 stopped` where no other run ended.
    """
    known = "" if group.success is None else with_interval(group.success)
    return with_others(known, group)


def with_others(share: str, group: Group) -> str:
    """Write how many runs were stopped, or have no recorded end, after a share."""
    fates = group.fates
    others = [f"{fates[fate]:,} {fate}" for fate in _OTHERS if fate in fates]
    return ", ".join(filter(None, (share, *others)))


def state_of(run: RunSummary) -> str:
    """Return how a run ended, in a word or two."""
    if run.fate == "stopped":
        return f"stopped ({run.reason_kind})"
    return _FATE_WORDS["cut"] if run.fate == "cut" else run.state or MISSING
