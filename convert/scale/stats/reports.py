"""Reports of many runs: their table, and the parts that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Literal

from msgspec import Struct

from convert.facts.quantiles import Rate
from convert.scale.stats.metrics import METRIC, By
from convert.scale.stats.statistics import Group, Statistics
from convert.scale.stats.summary import Fate, RunSummary
from convert.wording.escapes import ShownAs
from convert.wording.numbers import count, in_words
from convert.wording.spreadsheets import shown
from convert.wording.styles import Colour

# A colour of the terminal, or how strong a text is.
Style = Literal[""] | Colour
Paint = Callable[[str, Style], str]


class Look(Struct, frozen=True, kw_only=True):
    """How a report looks."""

    width: int = 100
    """The columns of the table."""

    is_full: bool = False
    """Every row is shown."""

    paint: Paint = lambda text, style: text
    """Colours a text."""

    has_blocks: bool = True
    """Blocks and other signs than those of ASCII can be shown."""

    pages: Mapping[str, str] = {}
    """The pages of logs by their names, as addresses relative to the report."""

    def link_of(self, run: RunSummary) -> str:
        """Return the address of a run's page, relative to the report; "" for none."""
        page = self.pages.get(run.log, "")
        return f"{page}#r{run.number}-run" if page and run.of_runs > 1 else page


Report = Callable[[Statistics, Look], Iterator[str]]


class ReportFormat(Struct, frozen=True):
    """One row of the table of reports."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds it."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it."""

    function: str = "report"
    """The function in the module that makes it."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

    is_coloured: bool = False
    """It is coloured on a terminal."""


REPORTS: dict[str, ReportFormat] = {
    row.name: row
    for row in (
        ReportFormat("table", "table", (".txt",), is_coloured=True),
        ReportFormat(
            *("json", "json_and_csv", (".json",), "json_report"), shown_as="json"
        ),
        ReportFormat("csv", "json_and_csv", (".csv",), "csv_report"),
        ReportFormat("markdown", "markdown", (".md", ".markdown")),
        ReportFormat("html", "page", (".html", ".htm")),
    )
}
DEFAULT_REPORT = next(iter(REPORTS))


def report(name: str) -> Report:
    """Return the function of a report; its module is imported here."""
    row = REPORTS[name]
    module = import_module(f"convert.scale.stats.{row.module}")
    made: Report = getattr(module, row.function)
    return made


STYLES: Mapping[Fate, Style] = {
    "success": "blue",
    "unresolved": "cyan",
    "error": "red",
    "cut": "yellow",
    "stopped": "dim",
    "unknown": "dim",
}
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


_TIME = METRIC["time_ms"]


class KindRow(Struct, frozen=True):
    """A kind of call, or the agent."""

    words: str
    failures: Rate | None
    """How many calls failed; None for the agent."""

    time: int
    times: list[str]
    """In words: all together, the median, 90 % and the longest."""

    share: float
    """The share of the times of all rows, added up."""


def kind_rows(statistics: Statistics) -> list[KindRow]:
    """Return a row for each kind of call, and at the end one for the agent."""
    total = statistics.total
    agent = total.spread("agent_ms").total
    whole = sum(tool.times.total or 0 for tool in statistics.tools) + (agent or 0)
    rows = []
    for tool in statistics.tools:
        times, time = tool.times, tool.times.total or 0
        numbers = (times.total, times.median, times.p90, times.most)
        written = [_TIME.written(number) for number in numbers]
        share = time / whole if whole else 0.0
        rows.append(KindRow(tool.words, tool.failures, time, written, share))
    if rows and agent is not None:
        # Only the longest pauses of a run are kept, so they have no median.
        longest = _TIME.written(total.spread("pause_ms").most)
        written = [_TIME.written(agent), "", "", longest]
        share = agent / whole if whole else 0.0
        rows.append(KindRow("agent", None, agent, written, share))
    return rows
