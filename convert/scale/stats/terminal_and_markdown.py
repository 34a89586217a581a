"""The report as a table in the terminal, and as Markdown for a comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from convert.reports import Cell, Column, Table
from convert.reports.markdown import aligned_table
from convert.reports.terminal import Grid, Line, bar, cut
from convert.scale.stats.metrics import METRIC, By, Metric, distribution
from convert.scale.stats.reports import (
    OF_GROUPS,
    OF_RUNS,
    RATES_NOTE,
    STYLES,
    Look,
    broken_words,
    cost_words,
    fate_words,
    figures_of,
    groups_of,
    headline,
    kinds_of,
    rates,
    runs_of,
    slowest_of,
    subject_of,
)
from convert.scale.stats.statistics import Group, Statistics
from convert.scale.stats.summary import FATES, Fate
from convert.wording import markdown as escape
from convert.wording.numbers import count
from convert.wording.styles_and_columns import (
    columns,
    cut_distinctly,
    cut_start,
    fit,
    painted,
)

_MOST_ROWS, _MOST_IN_MARKDOWN = 12, 25
# In columns.
_WIDE = 100
# The names of groups are not cut to less; the last columns are dropped instead.
_NARROWEST_NAME = 12
# A group keeps the columns of its runs and of those that succeeded.
_FEWEST = 2
# The figures of a run; only a wide screen has room for another.
_OF_RUNS = ("calls", "failed", "unresolved", "time_ms")


def table_report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the lines of the table, none of them too wide."""
    for line in _lines(statistics, look):
        yield "".join(
            painted(cell.text, cell.style)
            if look.is_coloured and cell.style and cell.text.strip()
            else cell.text
            for cell in cut(line, look.width)
        )


def _lines(statistics: Statistics, look: Look) -> Iterator[Line]:
    yield [Cell(subject_of(statistics), "bold")]
    if broken := broken_words(statistics):
        yield [Cell(broken, "red")]
    total, groups = statistics.total, statistics.groups
    parts = [
        _outcomes(total, look),
        _figures(total, look),
        *([_kinds(kinds_of(statistics), look)] if statistics.tools else []),
        *([_slowest(slowest_of(statistics), look)] if statistics.slowest else []),
        *(_groups(by, groups[by], total, look) for by in groups),
        _runs(statistics, look),
    ]
    for part in parts if statistics.runs else ():
        yield []
        yield from part


def _outcomes(total: Group, look: Look) -> Iterator[Line]:
    """Yield a bar over the full width, and the meanings of its parts."""
    fates = total.fates
    signs = _FATES if look.has_blocks else _PLAIN_FATES
    widths = shares(fates, look.width)
    called = fate_words(total)
    yield [Cell(signs[fate] * widths[fate], STYLES[fate]) for fate in fates]
    cells: Line = []
    used = 0
    for fate, number in fates.items():
        words = f" {number:,} {called[fate]}   "
        if used and used + len(words) > look.width:
            yield cells
            cells, used = [], 0
        cells += [Cell(signs[fate], STYLES[fate]), Cell(words)]
        used += len(words) + 1
    yield cells
    if words := rates(total):
        yield [Cell(words)]
        yield [Cell(RATES_NOTE, "dim")]


def _figures(total: Group, look: Look) -> Iterator[Line]:
    """Yield the total, median and maximum of each figure, with its histogram."""
    table = figures_of(total)
    grid = Grid(look.width)
    grid.add(Cell(), table.cells("figure"), is_text=True)
    grid.add_from(table, ("total", "median", "p90", "most"))
    if look.width >= _WIDE:
        grid.add_from(table, ("run",), lambda text: cut_start(text, look.width // 6))
    grid.add_from(table, ("runs",))
    room = grid.picture_room() if len(total.runs) > 1 else 0
    drawn = [
        histogram(
            total.values(metric.name), metric.unit == "time", room, look.has_blocks
        )
        for metric in total.shown_metrics
    ]
    grid.add_pictures("spread", drawn)
    yield from grid.lines()
    if words := cost_words(total):
        yield [Cell(words, "dim")]


def _kinds(table: Table, look: Look) -> Iterator[Line]:
    """Yield the calls of each tool, their failures and times, and the agent's time."""
    rows = [
        row
        for at, row in enumerate(table.rows)
        if look.is_full or at < _MOST_ROWS or "calls" not in row
    ]
    shown = Table(table.columns, rows, table.noun)
    grid = Grid(look.width)
    grid.add_from(shown, ("kind",), lambda text: fit(text, look.width // 3))
    times = ["time", "median", "p90", "longest"]
    if look.width < _WIDE:
        times.remove("p90")
    grid.add_from(shown, ("calls", "failed", "rate", *times))
    room = grid.picture_room(len(" 100 %"))
    drawn = [
        f"{bar(share.number, room, look.has_blocks)} {share.text}" * bool(share.number)
        for share in shown.cells("share")
    ]
    grid.add_pictures("share of time", drawn if room else [""] * len(rows))
    yield from grid.lines()
    yield from _left_out(table, len(rows), look)


def _slowest(table: Table, look: Look) -> Iterator[Line]:
    """Yield the slowest commands, cut to the room that is left by their runs."""
    grid = Grid(look.width)
    grid.add_from(table, ("time",))
    grid.add_from(table, ("run",), lambda text: cut_start(text, look.width // 3))
    head = table.columns["command"].head
    room = max(grid.room, len(head))
    cells = [Cell(fit(cell.text, room)) for cell in table.cells("command")]
    grid.add(Cell(head, "dim"), cells, is_text=True, at=0)
    yield from grid.lines()


def _groups(
    by: By, groups: Sequence[Group], total: Group, look: Look
) -> Iterator[Line]:
    """Yield a row for each group: its rates, and the medians of its runs.

    The last columns are dropped if the names have no room.
    """
    table = groups_of(by, groups, _metrics(("time_ms",), total, look))
    shown = table.first(None if look.is_full else _MOST_ROWS)
    head, *others = table.columns
    grid = Grid(look.width)
    grid.add_from(shown, others)
    names = [cell.text for cell in shown.cells(head)]
    least = min(max(map(columns, [table.columns[head].head, *names])), _NARROWEST_NAME)
    while len(grid.columns) > _FEWEST and grid.room < least:
        grid.columns.pop()
    room = min(max(grid.room, least), look.width // 5)
    cells = map(Cell, cut_distinctly(names, room))
    grid.add(Cell(table.columns[head].head, "dim"), cells, is_text=True, at=0)
    yield from grid.lines()
    yield from _left_out(table, len(shown.rows), look)


def _runs(statistics: Statistics, look: Look) -> Iterator[Line]:
    """Yield the worst runs, or all of them."""
    metrics = _metrics(_OF_RUNS, statistics.total, look)
    table = runs_of(statistics, metrics)
    table.columns["failed"] = Column("failed")
    shown = table.first(None if look.is_full else _MOST_ROWS)
    grid = Grid(look.width)
    grid.add_from(shown, ("run",), lambda text: cut_start(text, look.width // 3))
    grid.add_from(shown, ("ended", *(metric.name for metric in metrics)))
    if statistics.is_of_agents:
        agents = [*shown.cells("agent")]
        # A cell is as wide as its text, and two blanks are next to it.
        if max(columns(agent.text) for agent in agents) <= grid.room:
            grid.add(Cell("agent", "dim"), agents, is_text=True, at=1)
    most = statistics.total.spread("calls").most or 1
    room = grid.picture_room()
    grid.add_pictures(
        "calls",
        [
            bar(cell.number / most, room, look.has_blocks)
            for cell in shown.cells("calls")
        ],
    )
    yield from grid.lines()
    yield from _left_out(table, len(shown.rows), look)


def _metrics(names: Sequence[str], total: Group, look: Look) -> list[Metric]:
    """Return the figures for which there is room."""
    if look.width >= _WIDE:
        return total.metrics([*names, "tokens_out"])
    return [METRIC[name] for name in names]


def _left_out(table: Table, shown: int, look: Look) -> Iterator[Line]:
    """Yield how many rows are not shown, and how to see them."""
    if number := len(table.rows) - shown:
        words = f"… {count(number, f'more {table.noun}')}; --full shows every row"
        page = ", or --format html for a page" if table.noun == "run" else ""
        yield [Cell(f"{words}{page}", "dim")]


_FATES: Mapping[Fate, str] = dict(zip(FATES, "█▓▚░▒·", strict=True))
_PLAIN_FATES: Mapping[Fate, str] = dict(zip(FATES, "#=x.~?", strict=True))


def shares(counts: Mapping[Fate, int], width: int) -> dict[Fate, int]:
    """Divide a width by counts; each gets one column at least."""
    total = sum(counts.values())
    exact = {key: number * width / total for key, number in counts.items()}
    given = {key: max(int(part), 1) for key, part in exact.items()}
    while (rest := width - sum(given.values())) != 0:
        step = 1 if rest > 0 else -1
        able = [key for key in given if given[key] + step > 0]
        key = max(able, key=lambda key: (exact[key] - given[key]) * step)
        given[key] += step
    return given


def histogram(
    values: Sequence[int], is_time: bool, width: int, has_blocks: bool
) -> str:
    """Draw the number of values in each place, from 0 to the largest value."""
    if not values or width < 2:
        return ""
    # The last place is for values beyond the end of the axis.
    made = distribution([(value, value) for value in values], is_time, width - 1)
    most = max(map(len, made.places))
    signs = "▁▂▃▄▅▆▇█" if has_blocks else ".:-=+*#@"
    wide = max(width // len(made.places), 1) if made.is_whole else 1
    drawn = [
        signs[-(-len(items) * len(signs) // most) - 1] if items else " "
        for items in made.places
    ]
    return "".join(sign.ljust(min(wide, 4)) for sign in drawn).rstrip()


def markdown_report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the sentence and the tables."""
    yield from "\n\n".join(_blocks(statistics, look)).split("\n")


def _blocks(statistics: Statistics, look: Look) -> Iterator[str]:
    yield f"**{escape.text(headline(statistics))}**"
    if words := rates(statistics.total):
        yield f"{words}."
    yield escape.without_links(subject_of(statistics))
    if broken := broken_words(statistics):
        yield escape.without_links(broken)
    if not statistics.runs:
        return
    total, groups = statistics.total, statistics.groups
    yield from aligned_table(figures_of(total))
    if words := cost_words(total):
        yield f"{words}."
    for table in (
        kinds_of(statistics),
        slowest_of(statistics),
        *(groups_of(by, groups[by], total.metrics(OF_GROUPS)) for by in groups),
        runs_of(statistics, total.metrics(OF_RUNS)),
    ):
        yield from aligned_table(table, None if look.is_full else _MOST_IN_MARKDOWN)
    yield f"Medians are over runs; {RATES_NOTE}."
