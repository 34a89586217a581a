"""The table: outcomes, figures, kinds of calls, groups and the worst runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.stats.keys import By
from convert.stats.metrics import METRIC, Metric
from convert.stats.reports.blocks import bar, histogram, shares, sign_of
from convert.stats.reports.grid import Cell, grid, line, room_beside
from convert.stats.reports.kinds import kind_rows
from convert.stats.reports.look import STYLES, Look
from convert.stats.reports.words import (
    RATES_NOTE,
    agent_of,
    broken_words,
    fate_words,
    heading_of,
    name_of_group,
    percent,
    rates,
    shown,
    state_of,
    subject_of,
    succeeded_in,
    with_interval,
)
from convert.stats.statistics import Group, Statistics
from convert.wording.columns import columns, cut_from, fitted, told_apart

_MOST_ROWS = 12
# In columns.
_WIDEST_PICTURE = 48
_LEAST_PICTURE = 6
_WIDE = 100
# The names of groups are not cut to less; columns are left out before.
_NARROWEST_NAME = 12
# A group keeps its name, the number of its runs and how many of them succeeded.
_FEWEST = 3
# The figures of a row, and those for which only a wide screen has room.
_OF_RUNS = ("calls", "failed", "unresolved", "time_ms")
_OF_GROUPS = ("time_ms",)
_WHERE_WIDE = ("tokens_out",)
_HEADINGS = {"failed": "failed"}


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the lines of the table."""
    yield line([(subject_of(statistics), "bold")], look)
    if broken := broken_words(statistics):
        yield line([(broken, "red")], look)
    if not statistics.runs:
        return
    yield ""
    yield from _outcomes(statistics.total, look)
    yield ""
    yield from _figures(statistics.total, look)
    if statistics.tools:
        yield ""
        yield from _kinds(statistics, look)
    for by, groups in statistics.groups.items():
        yield ""
        yield from _groups(by, groups, statistics.total, look)
    yield ""
    yield from _runs(statistics, look)


def _outcomes(total: Group, look: Look) -> Iterator[str]:
    """Yield a bar over the full width, and what its parts are."""
    fates = total.fates
    signs = {fate: sign_of(fate, look.has_blocks) for fate in fates}
    widths = shares(fates, look.width)
    called = fate_words(total)
    yield line([(signs[fate] * widths[fate], STYLES[fate]) for fate in fates], look)
    cells: list[Cell] = []
    used = 0
    for fate, number in fates.items():
        words = f" {number:,} {called[fate]}   "
        if used and used + len(words) > look.width:
            yield line(cells, look)
            cells, used = [], 0
        cells += [(signs[fate], STYLES[fate]), (words, "")]
        used += len(words) + 1
    yield line(cells, look)
    if words := rates(total):
        yield line([(words, "")], look)
        yield line([(RATES_NOTE, "dim")], look)


def _figures(total: Group, look: Look) -> Iterator[str]:
    """Yield the median and the like of each figure, with its histogram."""
    names = ("", "total", "median", "90 %", "most", "runs")
    rows = [_head(names)]
    metrics = total.shown_metrics
    for metric in metrics:
        spread = total.spread(metric.name)
        numbers = (spread.total, spread.median, spread.p90, spread.most)
        written = [total.written(metric, number) for number in numbers]
        if not metric.adds_up:
            written[0] = ""
        recorded = "" if spread.recorded == len(total.runs) else f"{spread.recorded:,}"
        rows.append([(metric.heading, ""), *_plain(written), (recorded, "dim")])
    room = min(room_beside(rows, look), _WIDEST_PICTURE)
    if room < _LEAST_PICTURE or len(total.runs) < 2:
        room = 0
    rows[0].append(("spread", "dim"))
    for row, metric in zip(rows[1:], metrics, strict=True):
        values = total.values(metric.name)
        is_time = metric.unit == "time"
        row.append((histogram(values, is_time, room, look.has_blocks), "blue"))
    yield from grid(rows, "<>>>>><", look)


def _kinds(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the calls of each tool, their failures and times, and the agent's time."""
    names = ("kind of call", "calls", "failed", "", "time", "median", "90 %", "longest")
    rows = [_head(names)]
    every = kind_rows(statistics)
    kinds = [
        row
        for at, row in enumerate(every)
        if look.is_full or at < _MOST_ROWS or row.failures is None
    ]
    for kind in kinds:
        failures = kind.failures
        has_failed = failures is not None and failures.hits
        rows.append(
            [
                (fitted(shown(kind.words), look.width // 3), ""),
                (f"{failures.of:,}" if failures else "", ""),
                (f"{failures.hits:,}" if failures and has_failed else "", "red"),
                (with_interval(failures) if has_failed else "", "red"),
                *_plain(kind.times),
            ]
        )
    if look.width < _WIDE:
        for row in rows:
            del row[6]
    # A blank and the number stand after the bar.
    room = min(room_beside(rows, look), _WIDEST_PICTURE) - len(" 100 %")
    rows[0].append(("share of time", "dim"))
    for row, kind in zip(rows[1:], kinds, strict=True):
        is_drawn = room >= _LEAST_PICTURE
        drawn = bar(kind.share, room, look.has_blocks) if is_drawn else ""
        row.append((f"{drawn} {percent(kind.share)}" if drawn else "", "blue"))
    yield from grid(rows, "<" + ">" * (len(rows[0]) - 2) + "<", look)
    yield from _left_out(len(every) - len(kinds), "kind", look)


def _groups(by: By, groups: Sequence[Group], total: Group, look: Look) -> Iterator[str]:
    """Yield a row for each group: its rates, and the medians of its runs."""
    metrics = _metrics(_OF_GROUPS, total, look)
    names = ("", "runs", "succeeded", "clean", "calls failed")
    rows = [_head([*names, *(f"median {metric.heading}" for metric in metrics)])]
    listed = groups if look.is_full else groups[:_MOST_ROWS]
    for group in listed:
        medians = [
            group.written(metric, group.spread(metric.name).median)
            for metric in metrics
        ]
        numbers = [
            f"{len(group.runs):,}",
            succeeded_in(group),
            with_interval(group.clean),
            with_interval(group.failures),
        ]
        rows.append([("", ""), *_plain([*numbers, *medians])])
    rows = _with_names([heading_of(by), *map(name_of_group, listed)], rows, look)
    yield from grid(rows, "<" + ">" * (len(rows[0]) - 1), look)
    yield from _left_out(len(groups) - len(listed), "group", look)


def _with_names(
    names: list[str], rows: list[list[Cell]], look: Look
) -> list[list[Cell]]:
    """Return rows with names in front, without the last columns if they do not fit."""
    least = min(max(map(columns, names)), _NARROWEST_NAME)
    while len(rows[0]) > _FEWEST and room_beside(rows, look) < least:
        rows = [row[:-1] for row in rows]
    room = min(max(room_beside(rows, look), least), look.width // 5)
    head, *others = names
    named = [(head, "dim"), *_plain(told_apart(others, room))]
    return [[name, *row[1:]] for name, row in zip(named, rows, strict=True)]


def _runs(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the worst runs, or all of them."""
    runs = statistics.runs if look.is_full else statistics.runs[:_MOST_ROWS]
    metrics = _metrics(_OF_RUNS, statistics.total, look)
    headings = [_HEADINGS.get(metric.name, metric.heading) for metric in metrics]
    rows = [_head(["run, worst first", "ended", *headings])]
    for run in runs:
        style = STYLES[run.fate] if run.fate in ("error", "cut") else ""
        numbers = [metric.of_run(run) for metric in metrics]
        name = cut_from(shown(run.name), look.width // 3)
        rows.append([(name, ""), (state_of(run), style), *_plain(numbers)])
    sides = "<<" + ">" * len(metrics) + "<"
    if statistics.is_of_agents:
        agents = [agent_of(run) for run in runs]
        # A cell is as wide as what it holds, and two blanks stand beside it.
        if max(map(columns, agents)) <= room_beside(rows, look):
            rows[0].insert(1, ("agent", "dim"))
            for row, agent in zip(rows[1:], agents, strict=True):
                row.insert(1, (agent, ""))
            sides = f"<{sides}"
    most = statistics.total.spread("calls").most
    room = min(room_beside(rows, look), _WIDEST_PICTURE)
    rows[0].append(("calls", "dim"))
    for row, run in zip(rows[1:], runs, strict=True):
        share = (run.figures.calls or 0) / most if most else 0.0
        is_drawn = room >= _LEAST_PICTURE
        row.append((bar(share, room, look.has_blocks) if is_drawn else "", "blue"))
    yield from grid(rows, sides, look)
    yield from _left_out(len(statistics.runs) - len(runs), "run", look)


def _metrics(names: Sequence[str], total: Group, look: Look) -> list[Metric]:
    """Return the figures for which there is room."""
    if look.width >= _WIDE:
        return total.metrics([*names, *_WHERE_WIDE])
    return [METRIC[name] for name in names]


def _head(names: Sequence[str]) -> list[Cell]:
    return [(name, "dim") for name in names]


def _plain(texts: Sequence[str]) -> list[Cell]:
    return [(text, "") for text in texts]


def _left_out(number: int, what: str, look: Look) -> Iterator[str]:
    """Yield how many rows are not shown, and how to see them."""
    if number > 0:
        words = f"… {number:,} more {what}{'' if number == 1 else 's'}; --full"
        page = ", or --format html for a page" if what == "run" else ""
        yield line([(f"{words} shows every row{page}", "dim")], look)
