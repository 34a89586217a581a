"""html: the page of many runs, in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from convert.facts.time_spent import Span
from convert.pages.environment import environment, stylesheet
from convert.scale.stats.distributions import Part, pictures
from convert.scale.stats.metrics import METRIC, Metric
from convert.scale.stats.reports import (
    MISSING,
    RATES_NOTE,
    Look,
    agent_of,
    broken_words,
    fate_words,
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
    with_others,
)
from convert.scale.stats.statistics import Group, Statistics, Tasks
from convert.scale.stats.summary import Fate, RunSummary, Strip
from convert.wording.numbers import count, duration
from convert.wording.spreadsheets import shown

_OF_RUNS = ("calls", "failed", "unresolved", "time_ms", "tokens_out")
_OF_GROUPS = ("calls", "time_ms", "tokens_out")
_MOST_FIRST = 4
_MOST_TASKS = 40
_MOST_COLUMNS = 6
_MOST_SQUARES = 20
# In pixels, with the gap; and how many are beside one another.
_SQUARE, _BESIDE = 14, 5
_MOST_FILES = 15
_STRIP = 1000


class Row(Struct, frozen=True, kw_only=True):
    """A run as a row of the table."""

    number: int
    run: RunSummary
    name: str
    link: str
    agent: str
    ended: str
    figures: list[str]
    paths: list[tuple[str, str]]


class GroupRow(Struct, frozen=True, kw_only=True):
    """A group of runs as a row."""

    name: str
    runs: int
    shares: list[str]
    parts: list[Part]
    figures: list[str]


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of call, or the agent, as a row; widths of bars in per cent."""

    words: str
    is_tool: bool
    calls: int
    calls_width: float
    failed: int
    failed_width: float
    rate: str
    time_width: float
    share: str
    times: list[str]


class Cell(Struct, frozen=True, kw_only=True):
    """The runs of a task: how many succeeded, and a square for each."""

    ok: str
    clean: str
    squares: list[tuple[int, int, Fate, int, str]]
    width: int
    height: int
    more: str
    calls: str


class TaskTable(Struct, frozen=True):
    """The runs by prompt: the heads, the rows, and what they leave out."""

    heads: list[str]
    rows: list[tuple[str, list[Cell | None]]]
    note: str


def stats_page(statistics: Statistics, look: Look) -> str:
    """Return the page of many runs."""
    page = environment().get_template("scale/stats/page.html.j2")
    numbers = {id(run): number for number, run in enumerate(statistics.runs, 1)}
    longest = statistics.total.spread("time_ms").most or 0
    metrics = statistics.total.metrics(_OF_RUNS)
    return page.render(
        sheet=stylesheet("pages/templates/style.css", "scale/stats/page.css"),
        title=subject_of(statistics),
        sentence=headline(statistics),
        rates=rates(statistics.total),
        rates_note=RATES_NOTE,
        log_words=count(statistics.logs, "log"),
        broken=broken_words(statistics),
        tone=_tone(statistics.total),
        parts=_outcome_parts(statistics.total),
        outcomes_of=[*statistics.total.fates.items()],
        fate_words=fate_words(statistics.total),
        totals=_totals(statistics),
        pictures=[*pictures(statistics, numbers)],
        first=[*_first(statistics, numbers)],
        groups=[*_groups(statistics)],
        tasks=_tasks(statistics.tasks, numbers),
        kinds=[*_kinds(statistics)],
        figures=[*_figures(statistics.total)],
        files=statistics.files[:_MOST_FILES],
        file_note=_file_note(statistics),
        most_edits=max((file.edits for file in statistics.files), default=0) or 1,
        most_reads=max((file.reads for file in statistics.files), default=0) or 1,
        runs=[
            _row(number, run, longest, metrics, look)
            for number, run in enumerate(statistics.runs, 1)
        ],
        has_agents=statistics.is_of_agents,
        strip_width=_STRIP,
        longest=duration(longest) if longest else "",
        heads=[metric.heading for metric in metrics],
    )


def _tone(total: Group) -> str:
    """Return how much the outcomes should worry: by the worst that is common."""
    fates = total.fates
    if total.success is None:
        return "unknown"
    bad = fates.get("error", 0) + fates.get("cut", 0)
    if 2 * bad > len(total.runs):
        return "bad"
    is_doubtful = fates.get("unresolved") or fates.get("stopped") or bad
    return "warning" if is_doubtful else "good"


def _outcome_parts(group: Group) -> list[Part]:
    """Return the parts of a bar of the outcomes of runs."""
    parts, x = [], 0.0
    for fate, number in group.fates.items():
        width = 100 * number / len(group.runs)
        parts.append(Part(fate, x, 0, width))
        x += width
    return parts


def _totals(statistics: Statistics) -> list[tuple[str, str, str]]:
    """Return name, value and failures of each figure of all runs together.

    Runs change the same files, so that of files is a median and no sum.
    """
    total = statistics.total
    found = []
    failed = total.spread("failed").total
    for metric in total.metrics(("calls", "time_ms", "tokens_in", "tokens_out")):
        value = total.spread(metric.name).total
        if value is not None:
            bad = f"{failed:,} failed" if metric.name == "calls" and failed else ""
            found.append((metric.heading, total.written(metric, value), bad))
    files = METRIC["files"]
    median = total.spread("files").median
    if median is not None:
        words = f"{files.heading} a run, median"
        found.append((words, files.written(median), ""))
    for by, groups in statistics.groups.items():
        found.append((f"{heading_of(by)}s", f"{len(groups):,}", ""))
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
    groups.append(("Took more than three times the median", statistics.slow, "unknown"))
    for words, runs, fate in groups:
        if runs:
            listed = [
                (numbers[id(run)], shown(run.name), _note(run, fate))
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
) -> Iterator[tuple[str, list[str], list[GroupRow]]]:
    """Yield what the groups share, the heads of their medians, and a row for each."""
    metrics = statistics.total.metrics(_OF_GROUPS)
    for by, groups in statistics.groups.items():
        rows = [
            GroupRow(
                name=name_of_group(group),
                runs=len(group.runs),
                shares=[succeeded_in(group), with_interval(group.clean)],
                parts=_outcome_parts(group),
                figures=[*_medians(group, metrics), with_interval(group.failures)],
            )
            for group in groups
        ]
        yield heading_of(by), [metric.heading for metric in metrics], rows


def _medians(group: Group, metrics: Sequence[Metric]) -> Iterator[str]:
    for metric in metrics:
        yield group.written(metric, group.spread(metric.name).median)


def _tasks(tasks: Tasks | None, numbers: dict[int, int]) -> TaskTable | None:
    """Return the heads, the rows and what they leave out of the runs by prompt."""
    if tasks is None:
        return None
    heads = tasks.heads[:_MOST_COLUMNS]
    rows = [
        (
            MISSING if name is None else shown(name),
            [_cell(cell, numbers) for cell in cells[:_MOST_COLUMNS]],
        )
        for name, cells in tasks.rows[:_MOST_TASKS]
    ]
    notes = []
    if len(tasks.rows) > len(rows):
        notes.append(f"the {len(rows)} worst of {len(tasks.rows):,} prompts")
    if len(tasks.heads) > len(heads):
        notes.append(f"the first {len(heads)} of {len(tasks.heads):,} columns")
    note = f"Shown are {' and '.join(notes)}." if notes else ""
    names = [MISSING if head is None else shown(head) for head in heads]
    return TaskTable(names, rows, note)


def _cell(runs: list[RunSummary], numbers: dict[int, int]) -> Cell | None:
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
            _words_of_square(run),
        )
        for at, run in enumerate(runs[:_MOST_SQUARES])
    ]
    more = len(runs) - len(squares)
    return Cell(
        ok=_score(group),
        clean="" if group.clean is None else f"{group.clean.hits:,} clean",
        squares=squares,
        width=_SQUARE * min(len(squares), _BESIDE),
        height=_SQUARE * -(-len(squares) // _BESIDE),
        more=f"+{more:,}" if more else "",
        calls="" if median is None else count(median, "call"),
    )


def _score(group: Group) -> str:
    """Return how many of the runs whose end is recorded succeeded, and the others."""
    success = group.success
    return with_others(f"{success.hits:,}/{success.of:,}" if success else "", group)


def _words_of_square(run: RunSummary) -> str:
    return f"{shown(run.name)}: {fate_words(Group(None, [run]))[run.fate]}"


def _kinds(statistics: Statistics) -> Iterator[Kind]:
    """Yield a row for each kind of call, and one for the agent."""
    rows = kind_rows(statistics)
    most = max((tool.failures.of for tool in statistics.tools), default=1)
    longest = max((row.time for row in rows), default=0) or 1
    for row in rows:
        calls, failed = (row.failures.of, row.failures.hits) if row.failures else (0, 0)
        yield Kind(
            words=shown(row.words),
            is_tool=row.failures is not None,
            calls=calls,
            calls_width=100 * calls / most,
            failed=failed,
            failed_width=100 * failed / most,
            rate=with_interval(row.failures) if failed else "",
            time_width=100 * row.time / longest,
            share=percent(row.share),
            times=row.times,
        )


def _figures(total: Group) -> Iterator[tuple[str, list[str]]]:
    """Yield every figure with its total, median, 90 %, most and number of runs."""
    for metric in total.shown_metrics:
        spread = total.spread(metric.name)
        whole = total.written(metric, spread.total) if metric.adds_up else ""
        numbers = (spread.median, spread.p90, spread.most)
        written = [total.written(metric, number) for number in numbers]
        yield metric.heading, [whole, *written, f"{spread.recorded:,}"]


def _file_note(statistics: Statistics) -> str:
    total = len(statistics.files)
    if total <= _MOST_FILES:
        return ""
    return f"The {_MOST_FILES} edited most, of {total:,}."


def _row(
    number: int, run: RunSummary, longest: int, metrics: Sequence[Metric], look: Look
) -> Row:
    written = [metric.of_run(run) for metric in metrics]
    return Row(
        number=number,
        run=run,
        name=shown(run.name),
        link=look.link_of(run),
        agent=agent_of(run),
        ended=state_of(run),
        figures=written,
        paths=[*_paths(run.strip, run.length or 0, longest)],
    )


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


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the page of many runs."""
    yield stats_page(statistics, look).rstrip("\n")
