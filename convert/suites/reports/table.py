"""table: the verdict, the cases and all changes. unified: for pipes."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from convert.diff.reports import ReportLine, ReportOptions, settings_note
from convert.reports import Cell
from convert.reports.terminal import Grid, in_columns
from convert.suites.case_result import CaseResult, FigureName
from convert.suites.reports.phrases import (
    COLUMNS,
    MOST_EXPLAINING,
    about,
    cases_shown,
    cells_across,
    changes_of,
    explaining,
    explanation,
    figure_of,
    findings_of,
    has_costs,
    in_numbers,
    rows_of,
    runs_shown,
    skipped_details,
    style_of,
    style_of_suite,
    success_of,
    word_of,
)
from convert.suites.suite_result import Suite
from convert.suites.verdict.notes import notes
from convert.suites.verdict.sentences import (
    FIGURES,
    limit_lines,
    sentence,
    terms,
)
from convert.wording.escapes import safe_line
from convert.wording.numbers import in_words
from convert.wording.styles_and_columns import cut_start, fit

# The cases that are listed.
_MOST_ROWS = 50
# The columns that a sentence and a name have at least.
_NARROWEST = 20
_NARROWEST_NAME = 12
_GAP = 2


def table(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the sentence, the notes, and the cases, the worst first.

    It is one line or two if all is the same.
    """
    yield ReportLine(sentence(suite), style_of_suite(suite))
    if options.is_brief:
        return
    yield from map(ReportLine, notes(suite))
    cases = cases_shown(suite, options.is_verbose)
    explained = explaining(suite)[:MOST_EXPLAINING]
    if explained:
        yield ReportLine("")
    for case in explained:
        yield ReportLine(f"{safe_line(case.name)}: {explanation(case)}", style_of(case))
    if cases:
        yield ReportLine("")
        yield from _table(cases, explained, suite, options)
    yield from _limits(suite)
    for case in cases:
        yield from _details(case, options)
    # The tests that were made, and how many details are missing.
    ends = terms(suite) if options.is_full else []
    ends += filter(None, [skipped_details(suite, "table"), settings_note(options)])
    if ends and cases:
        yield ReportLine("")
    yield from map(ReportLine, ends)


def _table(
    cases: list[CaseResult],
    explained: list[CaseResult],
    suite: Suite,
    options: ReportOptions,
) -> Iterator[ReportLine]:
    """Yield a row for each case, with its sentence unless that is above."""
    listed = cases if options.is_full else cases[:_MOST_ROWS]
    width = sys.maxsize if options.is_full else options.width
    has_two = len(suite.names) == 2
    # Costs are shown where they are recorded, if two versions leave them room.
    has_room = has_costs(suite) and (not has_two or options.is_full)
    figures = COLUMNS if has_room else COLUMNS[:-1]
    named = {case.name for case in explained}
    # A sentence that is above is not repeated.
    whats = ["" if case.name in named else about(case) for case in listed]
    least = _NARROWEST if any(whats) and has_two else -_GAP
    for used in range(len(figures), -1, -1):
        grid = _grid(listed, suite, figures[:used], options, width)
        if grid.room >= least:
            break
    room, rule = grid.room, ["-" * each for each in grid.widths]
    if room >= _NARROWEST and any(whats):
        grid.add(
            Cell("details"), [Cell(fit(what, room)) for what in whats], is_text=True
        )
        rule.append("-" * len("details"))
    if has_two:
        yield ReportLine(f"A {safe_line(options.a)}, B {safe_line(options.b)}", "head")
    head, *rows = grid.texts()
    yield ReportLine(fit(head, width), "head")
    yield ReportLine(fit((" " * _GAP).join(rule), width), "head")
    for case, row in zip(listed, rows, strict=True):
        yield ReportLine(fit(row, width), style_of(case))
    if len(listed) < len(cases):
        rest = in_numbers(cases[len(listed) :])
        yield ReportLine(f"… skipped: {rest}; --full for the rest")
    yield from _about_figures(listed, figures[:used], figures[used:], suite)
    if room < -_GAP:
        yield ReportLine("… no room for all versions; --full shows them all")


def _grid(
    cases: list[CaseResult],
    suite: Suite,
    figures: Sequence[FigureName],
    options: ReportOptions,
    width: int,
) -> Grid:
    """Return a row for each case, without the sentences.

    Two versions share a column, and of more each has its own.
    """
    grid = Grid(width, heads_at_left=True)

    def add(head: str, texts: Iterable[str], is_text: bool = True) -> None:
        grid.add(Cell(head), map(Cell, texts), is_text=is_text)

    names = [safe_line(case.name) for case in cases]
    if not options.is_full:
        most = max(options.width // 3, _NARROWEST_NAME)
        names = [cut_start(name, most) for name in names]
    add("", map(word_of, cases))
    add("case", names)
    if len(suite.names) == 2:
        rows = (cells_across(case, figures) for case in cases)
        heads = ["success", *(FIGURES[figure] for figure in figures)]
        for head, texts in zip(heads, zip(*rows, strict=True), strict=True):
            add(head, texts)
        return grid
    most = max(options.width // 4, _NARROWEST_NAME)
    for at, name in enumerate(suite.names):
        sides = [case.sides[at] for case in cases]
        add(cut_start(safe_line(name), most), map(success_of, sides))
        for figure in figures:
            numbers = [figure_of(side, figure) for side in sides]
            add(FIGURES[figure], numbers, is_text=False)
    return grid


def _about_figures(
    cases: list[CaseResult],
    used: Sequence[FigureName],
    missing: Sequence[FigureName],
    suite: Suite,
) -> Iterator[ReportLine]:
    """Yield the meaning of the figures, and those without room."""
    sides = [side for case in cases for side in case.sides]
    names = in_words(
        [FIGURES[each] for each in used if any(side.values(each) for side in sides)]
    )
    if names and any(case.is_repeated for case in cases):
        yield ReportLine(f"{names}: the median of the runs that ended", "head")
    if missing:
        names = in_words([FIGURES[each] for each in missing])
        csv = " and --format csv" if len(suite.names) > 2 else ""
        yield ReportLine(f"no room for {names}; see --width{csv}")


def _limits(suite: Suite) -> Iterator[ReportLine]:
    """Yield the limits that are exceeded, which are no findings."""
    if not (lines := [*limit_lines(suite)]):
        return
    yield ReportLine("")
    yield ReportLine("limits exceeded", "head")
    for line in in_columns(lines):
        yield ReportLine(line.rstrip(), "changed")


def _details(case: CaseResult, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the figures, the changes and the findings of a case below its name.

    The comparison of the two runs that are shown has their findings.
    """
    block = case.blocks.get("table", [])
    if not ((block and case.by_findings) or options.is_full):
        return
    yield ReportLine("")
    yield ReportLine(f"== {safe_line(case.name)}: {word_of(case)}", "head")
    if case.sentence and (case.is_repeated or options.is_full) and not case.is_golden:
        yield from _wrapped(f"  {safe_line(case.sentence)}", options, indent=4)
    if options.is_full:
        for heading, words in rows_of(case):
            yield from _wrapped(f"  {heading:<10}{words}", options)
    for words in filter(None, [*changes_of(case, options.is_full), runs_shown(case)]):
        yield from _wrapped(f"  {words}", options, indent=4)
    for line in block:
        yield line._replace(text=f"  {line.text}".rstrip())
    for words in () if block else findings_of(case, options.is_full):
        yield from _wrapped(f"  {words}", options, indent=4)


def _wrapped(
    line: str, options: ReportOptions, indent: int = 12
) -> Iterator[ReportLine]:
    """Yield a line, the rest of a long one below it."""
    for part in textwrap.wrap(line, options.width, subsequent_indent=" " * indent):
        yield ReportLine(part)


def unified(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the sentence and the report of each case that differs.

    Nothing is printed if all is the same. A patch viewer ignores the sentence and the
    lines about whole cases.
    """
    if not suite.is_different and all(case.fate == "same" for case in suite.cases):
        return
    yield ReportLine(sentence(suite), style_of_suite(suite))
    yield from map(ReportLine, notes(suite))
    if options.settings_source:
        yield ReportLine(settings_note(options))
    for case in suite.cases:
        name = safe_line(case.name)
        match case.fate:
            case "trouble":
                yield ReportLine(f"trouble: {safe_line(case.headline)}", "changed")
            case "missing":
                yield ReportLine(f"Only in {safe_line(options.a)}: {name}", "removed")
            case "new":
                yield ReportLine(f"Only in {safe_line(options.b)}: {name}", "added")
            case _:
                if case.is_repeated and case.standing != "same":
                    words = safe_line(case.sentence or case.headline)
                    yield ReportLine(f"{name}: {words}")
                    for line in changes_of(case, options.is_full):
                        yield ReportLine(f"  {line}")
                yield from case.blocks.get("unified", ())
