"""Reports of many runs: their table, and the document that they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from convert import registry
from convert.facts.rates_and_spreads import Rate
from convert.reports import Cell, Column, Row, Style, Table, formats
from convert.scale.stats.metrics import METRIC, By, Metric
from convert.scale.stats.statistics import Group, Statistics
from convert.scale.stats.summary import Fate, RunSummary
from convert.wording.escapes import safe_line
from convert.wording.numbers import count, in_words


class Look(Struct, frozen=True, kw_only=True):
    """The appearance of a report."""

    width: int = 100
    """The columns of the table."""

    is_full: bool = False
    """Every row is shown."""

    is_coloured: bool = False

    has_blocks: bool = True
    """Blocks and other signs outside of ASCII can be shown."""

    pages: Mapping[str, str] = {}
    """The pages of logs by their names, as addresses relative to the report."""

    def link_of(self, run: RunSummary) -> str:
        """Return the address of a run's page, relative to the report; "" for none."""
        page = self.pages.get(run.log, "")
        return f"{page}#r{run.number}-run" if page and run.of_runs > 1 else page


Report = Callable[[Statistics, Look], Iterator[str]]

PLACES = {
    "table": "convert.scale.stats.terminal_and_markdown.table_report",
    "json": "convert.scale.stats.json_and_csv.json_report",
    "csv": "convert.scale.stats.json_and_csv.csv_report",
    "markdown": "convert.scale.stats.terminal_and_markdown.markdown_report",
    "html": "convert.scale.stats.page.page_report",
}
"""The functions of reports, the default first."""

REPORTS = formats(PLACES)
DEFAULT_REPORT = next(iter(REPORTS))


def report(name: str) -> Report:
    """Return the function of a report; its module is imported here."""
    made: Report = registry.load(PLACES[name])
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
# The figures in the rows of runs and of groups, where there is room for all.
OF_RUNS = ("calls", "failed", "unresolved", "time_ms", "tokens_out")
OF_GROUPS = ("calls", "time_ms", "tokens_out")
RATES_NOTE = "clean: nothing unresolved; the 95 % interval is in brackets"
_FATE_WORDS: Mapping[Fate, str] = {
    "success": "succeeded, clean",
    "unresolved": "succeeded, failures unresolved",
    "error": "error",
    "cut": "broke off",
    "stopped": "stopped",
    "unknown": "end not recorded",
}

# The outcomes that count in no share of successes.
_OTHERS: Mapping[Fate, str] = {"stopped": "stopped", "unknown": "not recorded"}


def headline(statistics: Statistics) -> str:
    """Return the number of runs with each outcome, in a sentence."""
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
    """Return the name of each outcome of the runs of a group."""
    called = dict(_FATE_WORDS)
    if kinds := group.stopped:
        counts = [f"{number:,} {kind}" for kind, number in kinds.items()]
        listed = ", ".join(counts if len(kinds) > 1 else kinds)
        called["stopped"] = f"stopped ({listed})"
    clean = group.clean.hits if group.clean else 0
    if clean != group.fates.get("success", 0):
        called["success"] = "succeeded, clean where recorded" if clean else "succeeded"
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
    """Return the subject of the report: `200 runs, 2026-10-01 to 2026-10-02`."""
    runs = count(len(statistics.runs), "run")
    if len(statistics.runs) != statistics.logs:
        runs = f"{runs} of {count(statistics.logs, 'log')}"
    if statistics.place:
        runs = f"{runs} in {safe_line(statistics.place)}"
    days = " to ".join(statistics.days)
    return f"{runs}, {days}" if days else runs


def broken_words(statistics: Statistics, most: int = 3) -> str:
    """Name the logs that cannot be read; "" if all can."""
    broken = statistics.broken
    if not broken:
        return ""
    names = [safe_line(each.log) for each in broken[:most]]
    if len(broken) > most:
        names.append(f"{len(broken) - most:,} more")
    logs = count(len(broken), "log")
    return f"{logs} cannot be read, at all or to the end: {in_words(names)}"


def heading_of(by: By) -> str:
    """Return the name of the fact that groups share, for people."""
    return by.replace("_", " ")


def percent(share: float) -> str:
    """Write a share: `87 %`."""
    return f"{round(100 * share)} %"


def with_interval(rate: Rate | None) -> str:
    """Write a rate with its interval: `87 % (79–92)`."""
    if rate is None:
        return MISSING
    low, high = round(100 * rate.low), round(100 * rate.high)
    return f"{percent(rate.share)} ({low}–{high})"


def with_others(share: str, group: Group) -> str:
    """Write how many runs were stopped, or have no recorded end, after a share.

    As in `87 % (79–92), 2 not recorded`, or `1 stopped` where no other run ended.
    """
    fates = group.fates
    others = [f"{fates[fate]:,} {_OTHERS[fate]}" for fate in _OTHERS if fate in fates]
    return ", ".join(filter(None, (share, *others)))


def state_of(run: RunSummary) -> str:
    """Return how a run ended, in a word or two."""
    if run.fate == "stopped":
        return f"stopped ({run.reason_kind})"
    return _FATE_WORDS["cut"] if run.fate == "cut" else run.state or MISSING


_FIGURES = {
    "figure": Column("figure", is_text=True),
    "total": Column("total"),
    "median": Column("median"),
    "p90": Column("90 %"),
    "most": Column("most"),
    "run": Column("in run", is_text=True, is_code=True),
    "runs": Column("runs", style="dim"),
}


def figures_of(total: Group) -> Table:
    """Return a row for each figure: total, median, 90 %, maximum and runs."""
    rows: list[Row] = []
    for metric in total.shown_metrics:
        spread = total.spread(metric.name)
        written = {
            "total": total.written(metric, spread.total) if metric.adds_up else "",
            "median": total.written(metric, spread.median),
            "p90": total.written(metric, spread.p90),
            "most": total.written(metric, spread.most),
        }
        run = total.run_with_most(metric)
        is_usual = spread.recorded == len(total.runs)
        rows.append(
            {
                "figure": Cell(metric.heading),
                **{name: Cell(text) for name, text in written.items()},
                "run": Cell(safe_line(run.name) if run else ""),
                "runs": Cell(f"{spread.recorded:,}", is_usual=is_usual),
            }
        )
    return Table(_FIGURES, rows)


def cost_words(total: Group) -> str:
    """Say that no run records a cost; "" if one does."""
    if total.spread("cost_usd").recorded:
        return ""
    return f"cost: recorded by none of {count(len(total.runs), 'run')}"


def some_runs(recorded: int, total: Group) -> str:
    """Return how many runs record a fact: `(83 of 200 runs)`; "" if all do."""
    runs = len(total.runs)
    return "" if recorded == runs else f"({recorded:,} of {runs:,} runs)"


_SLOWEST = {
    "command": Column("slowest commands", is_text=True, is_code=True),
    "time": Column("time"),
    "run": Column("run", is_text=True, is_code=True),
}


def slowest_of(statistics: Statistics) -> Table:
    """Return a row for each of the slowest commands of all runs."""
    rows = [
        {
            "command": Cell(safe_line(command)),
            "time": Cell(METRIC["time_ms"].written(took)),
            "run": Cell(safe_line(run.name)),
        }
        for took, command, run in statistics.slowest
    ]
    return Table(_SLOWEST, rows, "command")


_KINDS = {
    "kind": Column("kind of call", is_text=True),
    "calls": Column("calls"),
    "failed": Column("failed", style="red"),
    "rate": Column("", style="red"),
    "time": Column("time"),
    "share": Column("share of time"),
    "median": Column("median"),
    "p90": Column("90 %"),
    "longest": Column("longest"),
}


def kinds_of(statistics: Statistics) -> Table:
    """Return a row for each kind of call, and at the end one for the agent.

    The agent has no calls. Shares are of the times of all rows, added up; a time that
    is not recorded has none.
    """
    total = statistics.total
    agent = total.spread("agent_ms").total
    whole = sum(tool.times.total or 0 for tool in statistics.tools) + (agent or 0)

    def timed(name: str, *numbers: int | None) -> dict[str, Cell]:
        """Return the cells of a row with its name and its times."""
        time = numbers[0] or 0
        share = time / whole if whole else 0.0
        times = [METRIC["time_ms"].written(number) for number in numbers]
        return {
            "kind": Cell(safe_line(name)),
            "time": Cell(times[0], number=time),
            "share": Cell("" if numbers[0] is None else percent(share), number=share),
            **dict(
                zip(("longest", "median", "p90"), map(Cell, times[1:]), strict=False)
            ),
        }

    rows: list[Row] = []
    for tool in statistics.tools:
        times, failures = tool.times, tool.failures
        is_usual = not failures.hits
        shares = {
            "calls": Cell(f"{failures.of:,}", number=failures.of),
            "failed": Cell(
                f"{failures.hits:,}", number=failures.hits, is_usual=is_usual
            ),
            "rate": Cell(with_interval(failures), is_usual=is_usual),
        }
        spread = times.total, times.most, times.median, times.p90
        rows.append({**timed(tool.tool, *spread), **shares})
    if rows and agent is not None:
        # Only the longest pauses of a run are kept, so they have no median.
        row = timed("agent", agent, total.spread("pause_ms").most)
        rows.append({**row, "median": Cell(), "p90": Cell()})
    return Table(_KINDS, rows, "kind")


def groups_of(by: By, groups: Sequence[Group], metrics: Sequence[Metric]) -> Table:
    """Return a row for each group: its rates, and the medians of its runs."""
    rows = [
        {
            "name": Cell(MISSING if group.name is None else safe_line(group.name)),
            "runs": Cell(f"{len(group.runs):,}"),
            "succeeded": Cell(
                with_others(
                    with_interval(group.success) if group.success else "", group
                )
            ),
            "clean": Cell(with_interval(group.clean)),
            "failures": Cell(with_interval(group.failures)),
            **{
                metric.name: Cell(
                    group.written(metric, group.spread(metric.name).median)
                )
                for metric in metrics
            },
        }
        for group in groups
    ]
    columns = {
        "name": Column(heading_of(by), is_text=True),
        "runs": Column("runs"),
        "succeeded": Column("succeeded"),
        "clean": Column("clean"),
        "failures": Column("calls failed"),
        **{metric.name: Column(f"median {metric.heading}") for metric in metrics},
    }
    return Table(columns, rows, "group")


def runs_of(statistics: Statistics, metrics: Sequence[Metric]) -> Table:
    """Return a row for each run, the worst first."""
    rows = [
        {
            "run": Cell(safe_line(run.name)),
            "agent": Cell(safe_line(run.agent) or MISSING),
            "ended": Cell(
                state_of(run), STYLES[run.fate] if run.fate in ("error", "cut") else ""
            ),
            **{
                metric.name: Cell(metric.of_run(run), number=metric.value(run) or 0)
                for metric in metrics
            },
        }
        for run in statistics.runs
    ]
    columns = {
        "run": Column("run, worst first", is_text=True, is_code=True),
        "agent": Column("agent", is_text=True),
        "ended": Column("ended", is_text=True),
        **{metric.name: Column(metric.heading) for metric in metrics},
    }
    if not statistics.is_of_agents:
        del columns["agent"]
    return Table(columns, rows, "run")
