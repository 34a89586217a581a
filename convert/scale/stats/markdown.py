"""markdown: for a comment or the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tabulate import tabulate

from convert.scale.stats.metrics import By
from convert.scale.stats.reports import (
    RATES_NOTE,
    Look,
    agent_of,
    broken_words,
    heading_of,
    headline,
    kind_rows,
    name_of_group,
    percent,
    rates,
    state_of,
    subject_of,
    succeeded_in,
    with_interval,
)
from convert.scale.stats.statistics import Group, Statistics
from convert.wording import markdown as escape
from convert.wording.styles import Styled

_MOST_ROWS = 25
_OF_GROUPS = ("calls", "time_ms", "tokens_out")
_OF_RUNS = ("calls", "failed", "unresolved", "time_ms", "tokens_out")
_NOTE = f"Medians are those of runs; {RATES_NOTE}."


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the sentence and the tables."""
    blocks = [f"**{escape.text(headline(statistics))}**"]
    if words := rates(statistics.total):
        blocks.append(f"{words}.")
    blocks.append(escape.without_links(subject_of(statistics)))
    if broken := broken_words(statistics):
        blocks.append(escape.without_links(broken))
    if statistics.runs:
        blocks += [_figures(statistics.total)]
        blocks += _tools(statistics, look)
        for by, groups in statistics.groups.items():
            blocks += _groups(by, groups, statistics.total, look)
        blocks += _runs(statistics, look)
        blocks.append(_NOTE)
    yield from "\n\n".join(blocks).split("\n")


def _figures(total: Group) -> str:
    rows = []
    for metric in total.shown_metrics:
        spread = total.spread(metric.name)
        numbers = (spread.median, spread.p90, spread.most)
        whole = total.written(metric, spread.total) if metric.adds_up else ""
        written = [total.written(metric, number) for number in numbers]
        rows.append([metric.heading, whole, *written, f"{spread.recorded:,}"])
    return _table(["figure", "total", "median", "90 %", "most", "runs"], rows)


def _tools(statistics: Statistics, look: Look) -> Iterator[str]:
    rows = []
    for kind in kind_rows(statistics):
        numbers = ["", "", ""]
        if failures := kind.failures:
            shares = f"{failures.of:,}", f"{failures.hits:,}", with_interval(failures)
            numbers = [*shares]
        time, *others = kind.times
        cells = [_cell(kind.words), *numbers, time, percent(kind.share), *others]
        rows.append(cells)
    times = ["time", "share of time", "median", "90 %", "longest"]
    heads = ["kind of call", "calls", "failed", "", *times]
    yield from _listed(heads, rows, look)


def _groups(by: By, groups: Sequence[Group], total: Group, look: Look) -> Iterator[str]:
    metrics = total.metrics(_OF_GROUPS)
    rows = []
    for group in groups:
        spreads = [group.spread(metric.name) for metric in metrics]
        pairs = zip(metrics, spreads, strict=True)
        medians = [group.written(metric, spread.median) for metric, spread in pairs]
        shares = [with_interval(share) for share in (group.clean, group.failures)]
        written = [f"{len(group.runs):,}", succeeded_in(group), *shares]
        rows.append([_cell(name_of_group(group)), *written, *medians])
    headings = [f"median {metric.heading}" for metric in metrics]
    heads = [heading_of(by), "runs", "succeeded", "clean", "calls failed", *headings]
    yield from _listed(heads, rows, look)


def _runs(statistics: Statistics, look: Look) -> Iterator[str]:
    metrics = statistics.total.metrics(_OF_RUNS)
    has_agents = statistics.is_of_agents
    rows = [
        [
            escape.cell([Styled(run.name, "code")]),
            *([_cell(agent_of(run))] if has_agents else []),
            state_of(run),
            *(metric.of_run(run) for metric in metrics),
        ]
        for run in statistics.runs
    ]
    first = ["run, worst first", *(["agent"] if has_agents else []), "ended"]
    heads = [*first, *(metric.heading for metric in metrics)]
    yield from _listed(heads, rows, look)


def _listed(heads: list[str], rows: list[list[str]], look: Look) -> Iterator[str]:
    """Yield a table, and how many rows it leaves out."""
    shown = rows if look.is_full else rows[:_MOST_ROWS]
    if shown:
        yield _table(heads, shown)
    if len(rows) > len(shown):
        yield f"… {len(rows) - len(shown):,} more; `--full` shows every row"


def _cell(text: str) -> str:
    """Write a name from a log in a cell."""
    is_linked = escape.without_links(text) != escape.text(text)
    return escape.cell([Styled(text, "code" if is_linked else "plain")])


def _table(heads: list[str], rows: list[list[str]]) -> str:
    return tabulate(
        rows,
        heads,
        "pipe",
        disable_numparse=True,
        colalign=["left"] + ["right"] * (len(heads) - 1),
    )
