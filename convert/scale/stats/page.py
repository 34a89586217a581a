"""html: the page of many runs, in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.facts.rates_and_spreads import Spread
from convert.facts.time_spent import Span
from convert.pages.environment import environment, stylesheet
from convert.reports import Row
from convert.scale.stats.metrics import (
    METRIC,
    Distribution,
    Dot,
    Metric,
    distribution,
    dots,
    heights,
)
from convert.scale.stats.reports import (
    MISSING,
    OF_GROUPS,
    OF_RUNS,
    RATES_NOTE,
    Look,
    broken_words,
    cost_words,
    fate_words,
    figures_of,
    groups_of,
    heading_of,
    headline,
    kinds_of,
    rates,
    runs_of,
    slowest_of,
    some_runs,
    subject_of,
    with_others,
)
from convert.scale.stats.statistics import Group, Statistics, Tasks
from convert.scale.stats.summary import FATES, Fate, RunSummary, Strip
from convert.wording.escapes import safe_line
from convert.wording.numbers import count, duration

# The parts of a bar of outcomes: fate, place and width.
_Parts = list[tuple[Fate, float, float]]
_MOST_FIRST = 4
_MOST_TASKS = 40
_MOST_COLUMNS = 6
_MOST_SQUARES = 20
# In pixels, with the gap; and how many are next to each other.
_SQUARE, _BESIDE = 14, 5
_MOST_FILES = 15
_STRIP = 1000
# The number of runs that the style prints.
_ON_PAPER = 100


def page_report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the page of many runs."""
    page = environment().get_template("scale/stats/page.html.j2")
    total, files = statistics.total, statistics.files
    numbers = {id(run): number for number, run in enumerate(statistics.runs, 1)}
    longest = total.spread("time_ms").most or 0
    metrics = total.metrics(OF_RUNS)
    kinds = kinds_of(statistics)
    rows = zip(statistics.runs, runs_of(statistics, metrics).rows, strict=True)
    slow_runs = [numbers[id(run)] for _, _, run in statistics.slowest]
    yield page.render(
        sheet=stylesheet("pages/templates/style.css", "scale/stats/page.css"),
        title=subject_of(statistics),
        sentence=headline(statistics),
        rates=rates(total),
        rates_note=RATES_NOTE,
        log_words=count(statistics.logs, "log"),
        broken=broken_words(statistics),
        tone=_tone(total),
        parts=_outcome_parts(total),
        outcomes_of=[*total.fates.items()],
        fate_words=fate_words(total),
        totals=_totals(statistics),
        cost=cost_words(total) if statistics.runs else "",
        pictures=[*pictures(statistics, numbers)],
        first=[*_first(statistics, numbers)],
        groups=[*_groups(statistics)],
        tasks=_tasks(statistics.tasks, numbers),
        kinds=kinds.rows,
        most_calls=max((cell.number for cell in kinds.cells("calls")), default=0) or 1,
        longest_kind=max((cell.number for cell in kinds.cells("time")), default=0) or 1,
        slowest=[*zip(slowest_of(statistics).rows, slow_runs, strict=True)],
        figures=figures_of(total).rows,
        files=files[:_MOST_FILES],
        file_note=f"The {_MOST_FILES} edited most, of {len(files):,}."
        if len(files) > _MOST_FILES
        else "",
        most_edits=max((file.edits for file in files), default=0) or 1,
        most_reads=max((file.reads for file in files), default=0) or 1,
        runs=[
            (
                run,
                row,
                look.link_of(run),
                [*_paths(run.strip, run.length or 0, longest)],
            )
            for run, row in rows
        ],
        on_paper=_ON_PAPER,
        has_agents=statistics.is_of_agents,
        strip_width=_STRIP,
        longest=duration(longest) if longest else "",
        metrics=metrics,
    ).rstrip("\n")


def _tone(total: Group) -> str:
    """Return how alarming the outcomes are: by the worst that is common."""
    fates = total.fates
    if total.success is None:
        return "unknown"
    bad = fates.get("error", 0) + fates.get("cut", 0)
    if 2 * bad > len(total.runs):
        return "bad"
    is_doubtful = fates.get("unresolved") or fates.get("stopped") or bad
    return "warning" if is_doubtful else "good"


def _outcome_parts(group: Group) -> _Parts:
    parts, x = [], 0.0
    for fate, number in group.fates.items():
        width = 100 * number / len(group.runs)
        parts.append((fate, x, width))
        x += width
    return parts


def _totals(statistics: Statistics) -> list[tuple[str, str, str, str]]:
    """Return name, value, runs and failures of each figure of all runs together.

    Runs change the same files, so that of files is a median and no sum.
    """
    total, files = statistics.total, METRIC["files"]
    failed = total.spread("failed").total
    found = []
    names = ("calls", "time_ms", "tokens_in", "tokens_out")
    for metric in (*total.metrics(names), files):
        spread, heading = total.spread(metric.name), metric.heading
        value = spread.median if metric is files else spread.total
        if value is not None:
            name = f"{heading} a run, median" if metric is files else heading
            some = some_runs(spread.recorded, total)
            bad = f"{failed:,} failed" if metric.name == "calls" and failed else ""
            found.append((name, total.written(metric, value), some, bad))
    for by, groups in statistics.groups.items():
        named = [group for group in groups if group.name is not None]
        some = some_runs(sum(len(group.runs) for group in named), total)
        found.append((f"{heading_of(by)}s", f"{len(named):,}", some, ""))
    return found


def _first(
    statistics: Statistics, numbers: dict[int, int]
) -> Iterator[tuple[str, int, list[tuple[int, str, str]]]]:
    """Yield the runs to look at first: the reason, how many, and some of them."""
    by_fate: dict[Fate, str] = {
        "error": "Error",
        "cut": "Broke off",
        "unresolved": "Succeeded, failures unresolved",
        "stopped": "Stopped by a quota, the network or authentication",
    }
    groups = [
        (words, [run for run in statistics.runs if run.fate == fate], fate)
        for fate, words in by_fate.items()
    ]
    refused = [
        run
        for run in statistics.runs
        if run.state == "success" and run.figures.are_all_refused
    ]
    groups.append(("Succeeded, all calls refused", refused, "success"))
    groups.append(("Took more than three times the median", statistics.slow, "unknown"))
    for words, runs, fate in groups:
        if runs:
            listed = [
                (numbers[id(run)], safe_line(run.name), _note(run, fate))
                for run in runs[:_MOST_FIRST]
            ]
            yield words, len(runs), listed


def _note(run: RunSummary, fate: Fate) -> str:
    if fate == "unresolved":
        return f"{run.figures.unresolved:,} unresolved"
    if fate == "stopped":
        return run.reason_kind
    return duration(run.length) if fate == "unknown" and run.length else ""


def _groups(
    statistics: Statistics,
) -> Iterator[tuple[str, list[Metric], list[tuple[Row, _Parts]]]]:
    """Yield the heading of groups, the figures of their medians, and their rows."""
    metrics = statistics.total.metrics(OF_GROUPS)
    for by, groups in statistics.groups.items():
        parts = map(_outcome_parts, groups)
        rows = zip(groups_of(by, groups, metrics).rows, parts, strict=True)
        yield heading_of(by), metrics, [*rows]


def _tasks(tasks: Tasks | None, numbers: dict[int, int]) -> dict[str, object] | None:
    """Return the heads and the rows of the runs by prompt, and a note on others."""
    if tasks is None:
        return None
    heads = tasks.heads[:_MOST_COLUMNS]
    rows = [
        (
            MISSING if name is None else safe_line(name),
            [_cell(cell, numbers) for cell in cells[:_MOST_COLUMNS]],
        )
        for name, cells in tasks.rows[:_MOST_TASKS]
    ]
    notes = []
    if len(tasks.rows) > len(rows):
        notes.append(f"the {len(rows)} worst of {len(tasks.rows):,} prompts")
    if len(tasks.heads) > len(heads):
        notes.append(f"the first {len(heads)} of {len(tasks.heads):,} columns")
    return {
        "heads": [MISSING if head is None else safe_line(head) for head in heads],
        "rows": rows,
        "note": f"Shown are {' and '.join(notes)}." if notes else "",
    }


def _cell(runs: list[RunSummary], numbers: dict[int, int]) -> dict[str, object] | None:
    """Return how many runs of a task succeeded, and a square for each."""
    if not runs:
        return None
    group = Group(None, runs)
    median = group.spread("calls").median
    squares = [
        (
            at % _BESIDE * _SQUARE,
            at // _BESIDE * _SQUARE + 1,
            run.fate,
            numbers[id(run)],
            f"{safe_line(run.name)}: {fate_words(Group(None, [run]))[run.fate]}",
        )
        for at, run in enumerate(runs[:_MOST_SQUARES])
    ]
    more, success = len(runs) - len(squares), group.success
    ok = f"{success.hits:,}/{success.of:,}" if success else ""
    calls = "" if median is None else count(median, "call")
    return {
        "ok": with_others(ok, group),
        "clean": "" if group.clean is None else f"{group.clean.hits:,} clean",
        "squares": squares,
        "width": _SQUARE * min(len(squares), _BESIDE),
        "height": _SQUARE * -(-len(squares) // _BESIDE),
        "note": " · ".join(filter(None, (f"{more:,} more" if more else "", calls))),
    }


def _paths(strip: Strip, length: int, longest: int) -> Iterator[tuple[str, str]]:
    """Yield class and path of the parts of a strip, the failures over the others."""
    if not longest or not length or strip == Strip():
        return
    width = _STRIP * length / longest
    yield "track", f"M0 6h{width:.0f}v1h-{width:.0f}z"
    for class_, marks, top, height in (
        ("edit", strip.edits, 0, 6),
        ("run", strip.commands, 6, 6),
        ("failed", strip.failed, 0, 12),
    ):
        if marks:
            yield class_, path_of_strip(marks, longest, _STRIP, top, height)


def path_of_strip(
    marks: Iterable[Span], longest: int, width: int, top: int, height: int
) -> str:
    """Return marks as the path of an SVG that is `width` wide for the longest run."""
    parts = []
    for begin, end in marks:
        x = width * begin / longest
        wide = max(width * (end - begin) / longest, 1)
        parts.append(f"M{x:.0f} {top}h{wide:.0f}v{height}h-{wide:.0f}z")
    return "".join(parts)


_DISTRIBUTIONS = {
    "calls": "Calls",
    "time_ms": "Time",
    "failed": "Failed calls",
    "tokens_out": "Tokens out",
}
# More runs than this are drawn as bars.
_MOST_DOTS = 400
# In pixels: the narrowest picture, a dot with its gap, the middle of the lowest row,
# and the height of all rows.
_NARROWEST, _DOT, _BASE, _HEIGHT = 240, 6, 93, 90
# Dots are smaller where more than 15 are in one stack.
_ROWS = (_HEIGHT // _DOT, 24)
_LETTER = 6


def pictures(
    statistics: Statistics, numbers: dict[int, int]
) -> Iterator[dict[str, object]]:
    """Yield a picture of each figure: dots or bars, ticks, and the same in words.

    `numbers` are those of the rows of runs, by their ids. Places are in per cent or in
    pixels.
    """
    for name, title in _DISTRIBUTIONS.items():
        metric = METRIC[name]
        known = [
            (value, run)
            for run in sorted(statistics.runs, key=lambda run: FATES.index(run.fate))
            if (value := metric.value(run)) is not None
        ]
        if known:
            spread = statistics.total.spread(name)
            runs = len(statistics.runs)
            yield {"title": title, **_picture(metric, known, spread, runs, numbers)}


def _picture(
    metric: Metric,
    known: list[tuple[int, RunSummary]],
    spread: Spread,
    runs: int,
    numbers: dict[int, int],
) -> dict[str, object]:
    made = distribution(known, metric.unit == "time")
    pitch, drawn = _dots(made, runs)
    written = metric.written
    words = f"median {written(spread.median)}, 90 % up to {written(spread.p90)}"
    if spread.recorded < runs:
        words = f"{words}, of {count(spread.recorded, 'run')} that record it"
    _, most_run = max(known, key=lambda pair: pair[0])
    return {
        "dots": [
            (numbers[id(dot.item)], dot.item.fate, dot.x, _BASE - pitch * dot.row)
            for dot in drawn or ()
        ],
        "radius": round(pitch * 0.43, 1),
        "bars": [] if drawn is not None else [*_bars(made)],
        "ticks": _ticks(made, metric, spread),
        "words": words,
        "most": f"most {written(spread.most)}",
        "most_run": numbers[id(most_run)],
    }


def _dots(
    made: Distribution[RunSummary], runs: int
) -> tuple[float, list[Dot[RunSummary]] | None]:
    """Return the height of a row and the dots; None if there are too many dots."""
    for rows in _ROWS if runs <= _MOST_DOTS else ():
        drawn = dots(made, _NARROWEST, _DOT, rows)
        if drawn is not None:
            highest = max((dot.row for dot in drawn), default=0) + 1
            return min(_DOT, _HEIGHT / highest), drawn
    return _DOT, None


def _bars(
    made: Distribution[RunSummary],
) -> Iterator[tuple[Fate, float, float, float, float]]:
    """Yield the parts of the bars of many runs: fate, place, width and height."""
    fates = [[run.fate for run in runs] for runs in made.places]
    width = 100 / len(fates)
    for place, parts in enumerate(heights(fates, FATES)):
        for fate, low, high in parts:
            y = _BASE + _DOT / 2 - _HEIGHT * (low + high)
            yield fate, place * width, y, width * 0.85, _HEIGHT * high


def _ticks(
    made: Distribution[RunSummary], metric: Metric, spread: Spread
) -> list[tuple[float, str, str]]:
    """Return place, label and class of the marks at the median and at 90 %."""
    ticks = [
        (made.middle(value), metric.written(value), class_)
        for value, class_ in ((spread.median, "median"), (spread.p90, ""))
        if value is not None
    ]
    if made.has_rest:
        ticks.append((100.0, f"> {metric.written(made.top)}", "rest"))
    kept: list[tuple[float, str, str]] = []
    for tick in ticks:
        if all(abs(tick[0] - other[0]) >= _room(tick, other) for other in kept):
            kept.append(tick)
    return kept


def _room(*ticks: tuple[float, str, str]) -> float:
    """Return the least distance of labels, in per cent of the width."""
    letters = sum(len(label) for _, label, _ in ticks) / 2
    return 100 * (letters + 1) * _LETTER / _NARROWEST
