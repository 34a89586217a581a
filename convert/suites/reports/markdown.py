"""markdown: for a comment, shorter than code hosts allow.

The sentence and the worst cases come first, and get the room first. A hidden marker
names the comment, so that a later report can replace it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from convert.diff.reports import ReportLine, ReportOptions, settings_note
from convert.diff.reports.markdown import marker
from convert.reports.markdown import at_start, cell, folded, head, listed, row
from convert.suites.case_result import CaseResult, CaseSide, FigureName
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
    sentence_of,
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
from convert.wording import markdown as escape
from convert.wording.escapes import truncate
from convert.wording.numbers import byte_count, count
from convert.wording.styles_and_columns import Styled

# The share of the room for a comment.
_OF_ROWS = 0.3
_LONGEST, _LONGEST_SENTENCE = 200, 400
_MOST_LIMITS = 50


def report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the sentence, the cases that explain it, a table, and details, folded."""
    cases = cases_shown(suite, options.is_verbose)
    explained = explaining(suite)[:MOST_EXPLAINING]
    blocks = [f"{marker(options)}\n\n{_verdict(suite, options)}"]
    if options.is_brief:
        cases = explained = []
    if explained:
        lines = (
            f"- {escape.code(truncate(case.name, _LONGEST))}:"
            f" {escape.without_links(truncate(explanation(case), _LONGEST_SENTENCE))}"
            for case in explained
        )
        blocks.append("\n".join(lines))
    if cases:
        blocks += _table(cases, {case.name for case in explained}, suite, options)
    blocks += _limits(suite)
    if options.is_full:
        blocks += listed(terms(suite))
    used = sum(byte_count(block) + 2 for block in blocks)
    blocks += _folded(cases, options, options.most_bytes - used)
    yield from map(ReportLine, "\n\n".join(blocks).split("\n"))


def _verdict(suite: Suite, options: ReportOptions) -> str:
    names = " → ".join(map(escape.code, suite.names))
    if len(suite.names) == 2:
        names = f"A {escape.code(options.a)}, B {escape.code(options.b)}"
    lines = [f"**{escape.without_links(sentence(suite))}**", names]
    lines += map(at_start, filter(None, [*notes(suite), settings_note(options)]))
    return "<br>\n".join(lines)


def _table(
    cases: list[CaseResult], named: set[str], suite: Suite, options: ReportOptions
) -> Iterator[str]:
    """Yield the rows that there is room for, and how many cases have none.

    Two versions share a column for each figure, and of more each has its own. The
    sentences of the cases that are named above are not repeated.
    """
    room = sys.maxsize if options.is_full else int(_OF_ROWS * options.most_bytes)
    longest, has_two = _longest(options), len(suite.names) == 2
    figures = COLUMNS if has_costs(suite) else COLUMNS[:-1]
    heads = ["success", *(FIGURES[figure] for figure in figures)]
    if not has_two:
        heads = [cell(name, style="code") for name in suite.names]
    rows = [head(["", "case", *heads, ""])]
    for at, case in enumerate(cases):
        what = "" if case.name in named else about(case)
        cells = cells_across(case, figures)
        if not has_two:
            cells = (_of_version(side, figures) for side in case.sides)
        end = cell(what, longest, "code" if case.fate == "trouble" else "plain")
        line = row([word_of(case), cell(case.name, longest, "code"), *cells, end])
        room -= byte_count(line) + 1
        if room < 0:
            yield "\n".join(rows)
            yield f"… skipped: {in_numbers(cases[at:])}; --full for the rest"
            return
        rows.append(line)
    yield "\n".join(rows)


def _of_version(side: CaseSide, figures: tuple[FigureName, ...]) -> str:
    """Return a case in one of several versions: `4/4, 9 calls, 13.8 s`."""
    texts = {figure: figure_of(side, figure) for figure in figures}
    texts["calls"] = texts["calls"] and f"{texts['calls']} calls"
    return ", ".join(filter(None, [success_of(side), *texts.values()]))


def _limits(suite: Suite) -> Iterator[str]:
    """Yield a table of the limits that are exceeded, which are no findings."""
    rows = [
        row([cell(name, style="code"), cell(option, style="code"), cell(what)])
        for name, option, what in limit_lines(suite)
    ]
    if rows:
        heads = head(["limit of", "option", "exceeded by"])
        yield "\n".join([heads, *rows[:_MOST_LIMITS]])
    if len(rows) > _MOST_LIMITS:
        yield f"… {count(len(rows) - _MOST_LIMITS, 'more limit')}"


def _folded(
    cases: list[CaseResult], options: ReportOptions, most: int
) -> Iterator[str]:
    """Yield the differences in each case, until the room is used up."""
    room = sys.maxsize if options.is_full else most - _LONGEST
    differing = [case for case in cases if _has_details(case, options)]
    for at, case in enumerate(differing):
        body = _body(case, options)
        name = [Styled(f"{word_of(case)} ", "ours"), Styled(case.name, "code")]
        block = folded(name, body) if body else ""
        room -= byte_count(block) + 2
        if room < 0 or not block:
            left = in_numbers(differing[at:])
            yield f"… details skipped: {left}; --full for the rest"
            return
        yield block


def _has_details(case: CaseResult, options: ReportOptions) -> bool:
    """Return True for a case that has details besides its row of the table."""
    if case.fate in ("trouble", "missing", "new"):
        return False
    if case.by_findings:
        return case.is_different and case.counts is not None
    has_findings = any(finding.severity != "info" for finding in case.findings)
    return case.is_repeated or has_findings or options.is_full


def _body(case: CaseResult, options: ReportOptions) -> str:
    """Return the figures and changes of a case, and the comparison of two runs.

    "" if findings decide and there is no room for them.
    """
    parts = [] if case.is_golden else [*_runs(case, options)]
    if "markdown" in case.blocks:
        # Without its own marker.
        lines = [line.text for line in case.blocks["markdown"][2:]]
        parts.append("\n".join(lines))
    elif case.by_findings:
        return ""
    else:
        parts += listed(findings_of(case, options.is_full), _longest(options))
    return "\n\n".join(parts)


def _runs(case: CaseResult, options: ReportOptions) -> Iterator[str]:
    """Yield the figures and changes of all runs of a case."""
    if not (case.is_repeated or options.is_full):
        return
    longest = _longest(options)
    if case.sentence:
        yield at_start(sentence_of(case), max(longest, _LONGEST_SENTENCE))
    first, *rows = ([heading, cell(line, longest)] for heading, line in rows_of(case))
    yield "\n".join([head(first), *map(row, rows)])
    yield from listed(changes_of(case, options.is_full), longest)
    if words := runs_shown(case):
        yield at_start(words, longest)


def _longest(options: ReportOptions) -> int:
    return sys.maxsize if options.is_full else _LONGEST
