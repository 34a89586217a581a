"""table: the verdict, the cases and all changes. unified: for pipes."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from convert.diff.reports.options import (
    LineStyle,
    Look,
    ReportLine,
    settings_note,
    shown,
)
from convert.suites.case_result import CaseResult, FigureName
from convert.suites.reports.phrases import (
    COLUMNS,
    MOST_EXPLAINING,
    MOST_FINDINGS,
    about,
    across,
    cases_shown,
    changes_of,
    explaining,
    explanation,
    figure_of,
    finding_words,
    has_costs,
    in_numbers,
    left_out,
    rows_of,
    runs_shown,
    style_of,
    style_of_suite,
    success_of,
    word_of,
)
from convert.suites.suite_result import Suite
from convert.suites.verdict_sentences import (
    FIGURES,
    limit_lines,
    notes,
    sentence,
    terms,
)
from convert.wording.columns import columns, cut_from, fit
from convert.wording.numbers import count, in_words

# The cases that are listed.
_MOST_ROWS = 50
# The columns that a sentence and a name have at least.
_NARROWEST = 20
_NARROWEST_NAME = 12
_GAP = 2


def table(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the sentence, what else one must know, and the cases, the worst first.

    It is one line or two if all is the same.
    """
    yield ReportLine(sentence(suite), style_of_suite(suite))
    yield from map(ReportLine, notes(suite))
    cases = cases_shown(suite, look.is_verbose)
    explained = explaining(suite)[:MOST_EXPLAINING]
    if explained:
        yield ReportLine("")
    for case in explained:
        yield ReportLine(f"{shown(case.name)}: {explanation(case)}", style_of(case))
    if cases:
        yield ReportLine("")
        yield from _table(cases, explained, suite, look)
    yield from _limits(suite)
    for case in cases:
        yield from _details(case, look)
    yield from _end(suite, look, has_more=bool(cases))


def _end(suite: Suite, look: Look, has_more: bool) -> Iterator[ReportLine]:
    """Yield the tests that were made, and how many details are missing."""
    lines = [*(terms(suite) if look.is_full else [])]
    lines += [*filter(None, [left_out(suite, "table"), settings_note(look)])]
    if lines and has_more:
        yield ReportLine("")
    yield from map(ReportLine, lines)


class _Grid(NamedTuple):
    """The rows of cases without their sentences, and the columns that they take."""

    head: list[str]
    rows: list[list[str]]
    figures: Sequence[FigureName]
    """The figures that there is room for."""

    @property
    def widths(self) -> dict[int, int]:
        """The columns with something below their head, and how wide they are."""
        every = [self.head, *self.rows]
        used = (at for at in range(len(self.head)) if any(row[at] for row in self.rows))
        return {at: max(columns(row[at]) for row in every) for at in used}

    @property
    def width(self) -> int:
        return sum(self.widths.values()) + _GAP * (len(self.widths) - 1)


def _table(
    cases: list[CaseResult], explained: list[CaseResult], suite: Suite, look: Look
) -> Iterator[ReportLine]:
    """Yield a row for each case, with its sentence unless that is above."""
    listed = cases if look.is_full else cases[:_MOST_ROWS]
    width = sys.maxsize if look.is_full else look.width
    possible = COLUMNS if _shows_costs(suite, look) else COLUMNS[:-1]
    named = {case.name for case in explained}
    # A sentence that is above is not repeated.
    whats = ["" if case.name in named else about(case) for case in listed]
    least = _NARROWEST + _GAP if any(whats) and len(suite.names) == 2 else 0
    grid = _fitting(listed, possible, suite, look, width - least)
    room = width - grid.width - _GAP
    has_what = room >= _NARROWEST and any(whats)
    right = _right(suite, grid)
    if len(suite.names) == 2:
        yield ReportLine(f"A {shown(look.a)}, B {shown(look.b)}", "head")
    last = ["what"] if has_what else []
    yield _line([*_padded(grid.head, grid.widths), *last], width, "head")
    rule = [*grid.widths.values(), *map(len, last)]
    yield _line(["-" * each for each in rule], width, "head")
    for case, row, what in zip(listed, grid.rows, whats, strict=True):
        last = [fit(what, room)] if has_what else []
        cells = [*_padded(row, grid.widths, right), *last]
        yield _line(cells, width, style_of(case))
    if len(listed) < len(cases):
        rest = in_numbers(cases[len(listed) :])
        yield ReportLine(f"… left out: {rest}; --full for the rest")
    yield from _about_figures(cases, grid.figures, possible, suite)
    if grid.width > width:
        yield ReportLine("… no room for all versions; --full shows them all")


def _shows_costs(suite: Suite, look: Look) -> bool:
    """Return True where costs are recorded, and two versions leave them room."""
    return has_costs(suite) and (len(suite.names) > 2 or look.is_full)


def _fitting(
    cases: list[CaseResult],
    possible: Sequence[FigureName],
    suite: Suite,
    look: Look,
    width: int,
) -> _Grid:
    """Return the rows with as many figures as there is room for."""
    for used in range(len(possible), -1, -1):
        head, *rows = _rows(cases, suite, possible[:used], look)
        grid = _Grid(head, rows, possible[:used])
        if grid.width <= width:
            break
    return grid


def _right(suite: Suite, grid: _Grid) -> set[int]:
    """Return the columns of numbers, which end at their right side."""
    each = 1 + len(grid.figures)
    if len(suite.names) == 2:
        return set()
    return {at for at in range(2, len(grid.head)) if (at - 2) % each}


def _about_figures(
    cases: list[CaseResult],
    used: Sequence[FigureName],
    possible: Sequence[FigureName],
    suite: Suite,
) -> Iterator[ReportLine]:
    """Yield what the figures are, and those for which there is no room."""
    shown_ones = [each for each in used if _is_recorded(cases, each)]
    names = in_words([FIGURES[each] for each in shown_ones])
    if names and any(case.is_repeated for case in cases):
        yield ReportLine(f"{names}: the median of the runs that ended", "head")
    if len(used) < len(possible):
        names = in_words([FIGURES[each] for each in possible[len(used) :]])
        csv = " and --format csv" if len(suite.names) > 2 else ""
        yield ReportLine(f"no room for {names}; see --width{csv}")


def _is_recorded(cases: list[CaseResult], figure: FigureName) -> bool:
    sides = (side for case in cases for side in case.sides)
    return any(side.median(figure) is not None for side in sides)


def _rows(
    cases: list[CaseResult], suite: Suite, figures: Sequence[FigureName], look: Look
) -> Iterator[list[str]]:
    """Yield the head and a row for each case, without the sentences.

    Two versions share a column, and of more each has its own.
    """
    heads = [FIGURES[figure] for figure in figures]
    if len(suite.names) == 2:
        yield ["", "case", "success", *heads]
    else:
        most = max(look.width // 4, _NARROWEST_NAME)
        names = [cut_from(shown(name), most) for name in suite.names]
        yield ["", "case", *(text for name in names for text in (name, *heads))]
    for case in cases:
        name = shown(case.name)
        if not look.is_full:
            name = cut_from(name, max(look.width // 3, _NARROWEST_NAME))
        cells = [
            [success_of(side), *(figure_of(side, figure) for figure in figures)]
            for side in case.sides
        ]
        if len(suite.names) == 2:
            yield [word_of(case), name, *map(across, zip(*cells, strict=True))]
        else:
            yield [word_of(case), name, *(text for row in cells for text in row)]


def _padded(
    row: list[str], widths: dict[int, int], right: Container[int] = ()
) -> list[str]:
    """Return the cells of the columns that are shown, in their widths."""
    cells = []
    for at, width in widths.items():
        gap = " " * (width - columns(row[at]))
        cells.append(gap + row[at] if at in right else row[at] + gap)
    return cells


def _line(cells: list[str], width: int, style: LineStyle) -> ReportLine:
    text = (" " * _GAP).join(cells).rstrip()
    return ReportLine(fit(text, width), style)


def _limits(suite: Suite) -> Iterator[ReportLine]:
    """Yield the limits that are exceeded, which are no findings."""
    lines = [*limit_lines(suite)]
    if not lines:
        return
    yield ReportLine("")
    yield ReportLine("limits exceeded", "head")
    widths = [max(columns(line[at]) for line in lines) for at in range(2)]
    for name, option, what in lines:
        names = _padded([name, option], dict(enumerate(widths)))
        yield ReportLine("  ".join([*names, what]), "changed")


def _details(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    """Yield the figures, the changes and the findings of a case below its name.

    The comparison of the two runs that are shown has their findings.
    """
    block = case.blocks.get("table", [])
    if not ((block and case.by_findings) or look.is_full):
        return
    yield ReportLine("")
    yield ReportLine(f"== {shown(case.name)}: {word_of(case)}", "head")
    if case.sentence and (case.is_repeated or look.is_full) and not case.is_golden:
        yield from _wrapped(f"  {shown(case.sentence)}", look, indent=4)
    if look.is_full:
        for heading, words in rows_of(case):
            yield from _wrapped(f"  {heading:<10}{words}", look)
    for words in filter(None, [*changes_of(case, look.is_full), runs_shown(case)]):
        yield from _wrapped(f"  {words}", look, indent=4)
    for line in block:
        yield line._replace(text=f"  {line.text}".rstrip())
    yield from _findings(case, look) if not block else ()


def _findings(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    """Yield the findings about the two runs that are shown, the most severe first."""
    findings = case.findings if look.is_full else case.findings[:MOST_FINDINGS]
    for finding in findings:
        yield from _wrapped(f"  {finding_words(finding)}", look, indent=4)
    if len(findings) < len(case.findings):
        more = count(len(case.findings) - len(findings), "more finding")
        yield ReportLine(f"  … {more}; --full for the rest")


def _wrapped(line: str, look: Look, indent: int = 12) -> Iterator[ReportLine]:
    """Yield a line, the rest of a long one below it."""
    for part in textwrap.wrap(line, look.width, subsequent_indent=" " * indent):
        yield ReportLine(part)


def unified(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the sentence and the report of each case that differs.

    Nothing is printed if all is the same. A patch viewer ignores the sentence and the
    lines about whole cases.
    """
    if _is_same(suite):
        return
    yield ReportLine(sentence(suite), style_of_suite(suite))
    yield from map(ReportLine, notes(suite))
    if look.settings_source:
        yield ReportLine(settings_note(look))
    for case in suite.cases:
        yield from _case(case, look)


def _is_same(suite: Suite) -> bool:
    """Return True if the runs of all cases are the same."""
    return not suite.is_different and all(case.fate == "same" for case in suite.cases)


def _case(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    match case.fate:
        case "trouble":
            yield ReportLine(f"trouble: {shown(case.headline)}", "changed")
        case "missing":
            yield ReportLine(f"Only in {shown(look.a)}: {shown(case.name)}", "removed")
        case "new":
            yield ReportLine(f"Only in {shown(look.b)}: {shown(case.name)}", "added")
        case _:
            yield from _of_runs(case, look)
            yield from case.blocks.get("unified", ())


def _of_runs(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    """Yield what all runs of a case show; a patch viewer ignores it."""
    if not case.is_repeated or case.standing == "same":
        return
    yield ReportLine(f"{shown(case.name)}: {shown(case.sentence or case.headline)}")
    for line in changes_of(case, look.is_full):
        yield ReportLine(f"  {line}")
