"""The figures of many runs: in total, by group, by tool and by file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from convert.facts.rates_and_spreads import Rate, Spread, rate, spread_of
from convert.facts.run_reasons import OUTSIDE
from convert.model.events import ReasonKind
from convert.scale.stats.metrics import (
    METRIC,
    METRICS,
    MOST_GROUPS,
    By,
    Metric,
    day_of,
    key_of,
)
from convert.scale.stats.summary import (
    FATES,
    MOST_SLOW,
    Fate,
    RunSummary,
    ToolCalls,
)
from convert.wording.paths import is_url, shared_folder

# From the worst to the best.
_WORST_FIRST: tuple[Fate, ...] = (
    *("error", "cut", "unresolved"),
    *("stopped", "unknown", "success"),
)
# A run is slow that took so many times the median.
_SLOW = 3


class Broken(Struct, frozen=True):
    """A log that cannot be read, at all or to its end."""

    log: str
    reason: str


class Group(Struct):
    """Runs that belong together, and their figures."""

    name: str | None
    """The fact that they share; None if the log does not record it."""

    runs: list[RunSummary]

    @property
    def fates(self) -> dict[Fate, int]:
        """The number of runs with each outcome, without those that no run has."""
        counts = Counter(run.fate for run in self.runs)
        return {fate: counts[fate] for fate in FATES if counts[fate]}

    @property
    def success(self) -> Rate | None:
        """The share of runs that succeeded, among those whose end is recorded.

        A run that was stopped counts for no agent and against none.
        """
        fates = self.fates
        hits = fates.get("success", 0) + fates.get("unresolved", 0)
        return rate(hits, hits + fates.get("error", 0) + fates.get("cut", 0))

    @property
    def stopped(self) -> dict[ReasonKind, int]:
        """The number of runs that each kind of outside reason stopped."""
        reasons = self.reasons
        return {kind: reasons[kind] for kind in OUTSIDE if kind in reasons}

    @property
    def reasons(self) -> dict[ReasonKind, int]:
        """The number of runs that ended badly for each kind of reason."""
        return dict(Counter(run.reason_kind for run in self.runs if run.reason_kind))

    @property
    def clean(self) -> Rate | None:
        """The share that succeeded and left nothing unresolved.

        It is among the runs whose end and whose failures are recorded.
        """
        clean = [run.is_clean for run in self.runs if run.is_clean is not None]
        return rate(sum(clean), len(clean))

    @property
    def failures(self) -> Rate | None:
        """The share of calls that failed."""
        calls, failed = self.spread("calls").total, self.spread("failed").total
        return None if calls is None or failed is None else rate(failed, calls)

    def run_with_most(self, metric: Metric) -> RunSummary | None:
        """Return the only run whose figure is the largest; None for several."""
        most = self.spread(metric.name).most
        found = [run for run in self.runs if most and metric.value(run) == most]
        return found[0] if len(found) == 1 < len(self.runs) else None

    @property
    def shown_metrics(self) -> list[Metric]:
        """The figures that people see."""
        return [row for row in METRICS if row.is_usual or self._has(row)]

    def metrics(self, names: Sequence[str]) -> list[Metric]:
        """Return figures by their names, and the cost if one of the runs records it."""
        cost = METRIC["cost_usd"]
        return [*(METRIC[name] for name in names), *([cost] if self._has(cost) else [])]

    def _has(self, metric: Metric) -> bool:
        """Return True if a figure is shown: a cost of 0 is, 0 refusals are not."""
        spread = self.spread(metric.name)
        return bool(spread.recorded if metric.unit == "cost" else spread.total)

    def written(self, metric: Metric, value: int | None) -> str:
        """Write a value of a figure for people; a bound if that of some run is one."""
        return metric.written(value, is_least=any(map(metric.is_least, self.runs)))

    def spread(self, metric: str) -> Spread:
        """Return how a figure spreads over the runs."""
        return spread_of(self.values(metric))

    def values(self, metric: str) -> list[int]:
        """Return a figure of those runs that record it."""
        values = map(METRIC[metric].value, self.runs)
        return [value for value in values if value is not None]


class ToolTotal(Struct, kw_only=True):
    """The calls of one tool over all runs."""

    tool: str
    runs: int
    failures: Rate
    rejected: int
    """How many calls were refused."""

    times: Spread
    """How long calls took, in milliseconds."""


class FileTotal(Struct, kw_only=True):
    """How often runs read and edited a file."""

    path: str
    runs: int = 0
    reads: int = 0
    edits: int = 0
    failed_edits: int = 0


class Tasks(Struct, frozen=True):
    """Runs by prompt, next to each other for comparison."""

    heads: list[str | None]
    """The fact that the runs of each column share, such as a model."""

    rows: list[tuple[str | None, list[list[RunSummary]]]]
    """Each prompt with the runs of each column, the worst first."""


class Statistics(Struct, kw_only=True):
    """The figures of many runs."""

    logs: int
    """The number of logs that were named."""

    broken: list[Broken]
    """The logs that cannot be read, at all or to their end."""

    total: Group
    """All runs, the worst first."""

    groups: dict[By, list[Group]]
    """The groups of the runs by the fact that they share, the worst group first."""

    tools: list[ToolTotal]
    """The tools, the most used one first."""

    files: list[FileTotal]
    """The files, the most edited one first."""

    tasks: Tasks | None
    """The runs by prompt; None if no two runs share a prompt."""

    @property
    def runs(self) -> list[RunSummary]:
        """All runs, the worst first."""
        return self.total.runs

    @property
    def is_of_agents(self) -> bool:
        """More than one agent is named in the logs."""
        return len({run.agent for run in self.runs if run.agent}) > 1

    @property
    def place(self) -> str:
        """The folder that all paths of logs share; "" if they share none."""
        paths = [run.path for run in self.runs]
        if any(map(is_url, paths)):
            return shared_folder(paths)
        folders = {*map(os.path.dirname, paths)}
        try:
            place = os.path.commonpath(folders).replace(os.sep, "/")
        except ValueError:
            return ""
        return f"{place.rstrip('/')}/" if place else ""

    @property
    def days(self) -> list[str]:
        """The first day of the runs and the last, in UTC."""
        days = sorted(filter(None, map(day_of, self.runs)))
        return list(dict.fromkeys([*days[:1], *days[-1:]]))

    @property
    def slowest(self) -> list[tuple[int, str, RunSummary]]:
        """The commands that took longest in all runs: time, command and run."""
        every = [(*each, run) for run in self.runs for each in run.slowest]
        return sorted(every, key=lambda each: -each[0])[:MOST_SLOW]

    @property
    def slow(self) -> list[RunSummary]:
        """The runs that took more than three times the median, the slowest first."""
        median = self.total.spread("time_ms").median or 0
        return sorted(
            (run for run in self.runs if (run.length or 0) > _SLOW * median > 0),
            key=lambda run: -(run.length or 0),
        )


def statistics_of(
    runs: Iterable[RunSummary],
    by: By | None = None,
    logs: int = 0,
    broken: Iterable[Broken] = (),
) -> Statistics:
    """Return the figures of runs.

    Groups are made as `by` says, or by folder and by model where that makes a few.
    """
    ordered = sorted(runs, key=_badness)
    return Statistics(
        logs=logs,
        broken=[*broken],
        total=Group(None, ordered),
        groups=_groups(ordered, by),
        tools=_tools(ordered),
        files=_files(ordered),
        tasks=_tasks(ordered, by),
    )


def grouped(
    runs: Sequence[RunSummary], by: By, among: Sequence[RunSummary] | None = None
) -> list[Group]:
    """Return the groups of runs, the largest first.

    `among` are the runs by which the kind of group is chosen.
    """
    groups: dict[str | None, list[RunSummary]] = {}
    key = key_of(by, runs if among is None else among)
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    made = [Group(name, runs) for name, runs in groups.items()]
    if by == "day":
        return sorted(made, key=lambda group: group.name or "~")
    return sorted(made, key=lambda group: (-len(group.runs), group.name or "~"))


def _groups(runs: list[RunSummary], by: By | None) -> dict[By, list[Group]]:
    if by is not None:
        return {by: _worst_first(by, grouped(runs, by))}
    usual: tuple[By, ...] = ("folder", "model")
    made = {each: grouped(runs, each) for each in usual}
    return {
        each: _worst_first(each, groups)
        for each, groups in made.items()
        if _are_several(groups)
    }


def _worst_first(by: By, groups: list[Group]) -> list[Group]:
    """Return groups by their rates; days stay in their order."""
    return groups if by == "day" else sorted(groups, key=_worst_rates)


def _are_several(groups: list[Group]) -> bool:
    """Return True if there are several groups, but not too many to compare."""
    return 1 < len(groups) <= MOST_GROUPS


def _tasks(runs: list[RunSummary], by: By | None) -> Tasks | None:
    """Return the runs by prompt, and by the fact of `by`, or by model or folder."""
    prompts = grouped(runs, "prompt")
    if max((len(group.runs) for group in prompts if group.name), default=0) < 2:
        return None
    chosen: list[By] = [by] if by is not None and by != "prompt" else []
    across: tuple[By, ...] = ("model", "folder")
    several = [each for each in across if _are_several(grouped(runs, each))]
    column_by: By = [*chosen, *several, "model"][0]
    heads = [group.name for group in grouped(runs, column_by)]
    rows = []
    for group in sorted(prompts, key=_worst_rates):
        cells = {cell.name: cell.runs for cell in grouped(group.runs, column_by, runs)}
        rows.append((group.name, [cells.get(head, []) for head in heads]))
    return Tasks(heads, rows)


def _worst_rates(group: Group) -> tuple[float, float, int, str]:
    success, clean = group.success, group.clean
    shares = (success.share if success else 1.0, clean.share if clean else 1.0)
    return *shares, -len(group.runs), group.name or "~"


def _badness(run: RunSummary) -> tuple[int, int, int, str, int]:
    rank = _WORST_FIRST.index(run.fate)
    unresolved = run.figures.unresolved or 0
    return rank, -unresolved, -(run.length or 0), run.log, run.number


def _tools(runs: Iterable[RunSummary]) -> list[ToolTotal]:
    tools: dict[str, list[ToolCalls]] = {}
    for run in runs:
        for tool in run.tools:
            tools.setdefault(tool.tool, []).append(tool)
    made = [
        ToolTotal(
            tool=name,
            runs=len(calls),
            failures=found,
            rejected=sum(each.rejected for each in calls),
            times=spread_of([time for each in calls for time in each.times]),
        )
        for name, calls in tools.items()
        if (
            found := rate(
                sum(each.failed for each in calls), sum(each.calls for each in calls)
            )
        )
        is not None
    ]
    return sorted(made, key=lambda tool: (-tool.failures.of, tool.tool))


def _files(runs: Iterable[RunSummary]) -> list[FileTotal]:
    files: dict[str, FileTotal] = {}
    for run in runs:
        for path, calls in run.files.items():
            file = files.setdefault(path, FileTotal(path=path))
            file.runs += 1
            file.reads += calls.reads
            file.edits += calls.edits
            file.failed_edits += calls.failed_edits
    return sorted(
        files.values(), key=lambda file: (-file.edits, -file.reads, file.path)
    )
