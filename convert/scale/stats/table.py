"""The table: outcomes, figures, kinds of calls, groups and the worst runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from convert.scale.stats.distributions import distribution
from convert.scale.stats.metrics import METRIC, By, Metric
from convert.scale.stats.reports import (
    RATES_NOTE,
    STYLES,
    Look,
    Style,
    agent_of,
    broken_words,
    fate_words,
    heading_of,
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
from convert.scale.stats.summary import FATES, Fate
from convert.wording.columns import columns, cut_distinctly, cut_from, cut_to, fit
from convert.wording.spreadsheets import shown

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
                (fit(shown(kind.words), look.width // 3), ""),
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
    named = [(head, "dim"), *_plain(cut_distinctly(others, room))]
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


Cell = tuple[str, Style]
_GAP = 2


def grid(rows: Sequence[Sequence[Cell]], sides: str, look: Look) -> Iterator[str]:
    """Yield rows as lines; each letter of `sides` is `<` or `>`, for a column.

    Columns in which nothing stands below their head are left out.
    """
    used = _used(rows)
    widths = {at: max(columns(row[at][0]) for row in rows) for at in used}
    for row in rows:
        cells = [_padded(row[at], widths[at], sides[at], at == used[0]) for at in used]
        yield line(cells, look)


def room_beside(rows: Sequence[Sequence[Cell]], look: Look) -> int:
    """Return the columns that are left for one more cell in each row."""
    taken = (max(columns(row[at][0]) for row in rows) + _GAP for at in _used(rows))
    return look.width - sum(taken)


def line(cells: Sequence[Cell], look: Look) -> str:
    """Return cells as one line that is not too wide; a cut one ends in `…`."""
    cells = _without_blanks(cells)
    if sum(columns(text) for text, _ in cells) > look.width:
        cells = _cut(cells, look.width)
    return "".join(
        look.paint(text, style) if text.strip() else text for text, style in cells
    )


def _cut(cells: Sequence[Cell], width: int) -> list[Cell]:
    """Return the first cells, the last one of them cut."""
    kept: list[Cell] = []
    for text, style in cells:
        # A column is for the sign that something is cut.
        if columns(text) > width - 1:
            return [*kept, (cut_to(text, width), style)]
        kept.append((text, style))
        width -= columns(text)
    return kept


def _used(rows: Sequence[Sequence[Cell]]) -> list[int]:
    """Return the columns with something below their head."""
    return [at for at in range(len(rows[0])) if any(row[at][0] for row in rows[1:])]


def _padded(cell: Cell, width: int, side: str, is_first: bool) -> Cell:
    text, style = cell
    gap = " " * (width - columns(text))
    text = text + gap if side == "<" else gap + text
    return ("" if is_first else " " * _GAP) + text, style


def _without_blanks(cells: Sequence[Cell]) -> list[Cell]:
    """Return cells without blanks at the end of the line."""
    kept = list(cells)
    while kept:
        text, style = kept.pop()
        if text.rstrip():
            return [*kept, (text.rstrip(), style)]
    return []


_HEIGHTS = "▁▂▃▄▅▆▇█"
_PLAIN_HEIGHTS = ".:-=+*#@"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FATES: Mapping[Fate, str] = dict(zip(FATES, "█▓▚░▒·", strict=True))
_PLAIN_FATES: Mapping[Fate, str] = dict(zip(FATES, "#=x.~?", strict=True))


def sign_of(fate: Fate, has_blocks: bool) -> str:
    """Return the sign of an outcome in a bar."""
    return (_FATES if has_blocks else _PLAIN_FATES)[fate]


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


def bar(share: float, width: int, has_blocks: bool) -> str:
    """Return a bar for a share of the width, at least a sliver unless it is nothing."""
    if not share:
        return ""
    if not has_blocks:
        return "#" * max(round(share * width), 1)
    whole, part = divmod(max(round(share * width * 8), 1), 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")


def histogram(
    values: Sequence[int], is_time: bool, width: int, has_blocks: bool
) -> str:
    """Return how many values there are in each place, from 0 to the largest."""
    if not values or width < 2:
        return ""
    # The last place is for values beyond the end of the axis.
    made = distribution([(value, value) for value in values], is_time, width - 1)
    most = max(map(len, made.places))
    signs = _HEIGHTS if has_blocks else _PLAIN_HEIGHTS
    wide = max(width // len(made.places), 1) if made.is_whole else 1
    drawn = [
        signs[-(-len(items) * len(signs) // most) - 1] if items else " "
        for items in made.places
    ]
    return "".join(sign.ljust(min(wide, 4)) for sign in drawn).rstrip()
