"""table: for people. The cases, the worst first, what differs in them, the verdict."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine, settings_note, shown
from convert.suite.repeated import Repeated
from convert.suite.reports.repeated_words import rows as rows_of_repeated
from convert.suite.reports.words import (
    calls_of,
    finding_words,
    headline,
    in_numbers,
    left_out,
    limit_lines,
    reason_of,
    runs_left_out,
    style_of,
    told,
)
from convert.suite.results import CaseResult
from convert.suite.suite import Suite
from convert.wording.columns import columns, cut_from, fitted
from convert.wording.numbers import count

_HEADS = ("", "case", "calls", "what")
# The cases that are listed.
_MOST_ROWS = 50
# The findings of repeated runs that are listed.
_MOST_FINDINGS = 20
_NARROWEST = 20


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield a line a case that is not the same, what differs in these, the verdict.

    It is one line if all is the same.
    """
    cases = told(suite, look.is_verbose)
    if not cases and not suite.limits:
        yield ReportLine(
            "; ".join(filter(None, [headline(suite), settings_note(look)]))
        )
        return
    yield ReportLine(f"A {shown(look.a)}, B {shown(look.b)}", "head")
    yield ReportLine("")
    if cases:
        yield from _table(cases, look)
    yield from _limits(suite, is_alone=not cases)
    yield from _cut(suite, look)
    for case in cases:
        yield from _block(case, look)
    yield ReportLine("")
    notes = [left_out(suite, "table"), settings_note(look)]
    yield from map(ReportLine, filter(None, notes))
    yield ReportLine(headline(suite), "changed" if suite.is_different else "")


def _table(cases: list[CaseResult], look: Look) -> Iterator[ReportLine]:
    """Yield the rows in columns; of a long name, the end is shown."""
    most = sys.maxsize if look.is_full else _MOST_ROWS
    rows = [
        (case.word, shown(case.name), calls_of(case), reason_of(case))
        for case in cases[:most]
    ]
    widths = [max(columns(row[at]) for row in (*rows, _HEADS)) for at in range(3)]
    if not look.is_full:
        widths[1] = min(widths[1], max(look.width // 3, _NARROWEST))
    room = max(look.width - sum(widths) - 6, _NARROWEST)
    yield ReportLine(_line(_HEADS, widths), "head")
    yield ReportLine("  ".join("-" * width for width in [*widths, 4]), "head")
    for row, case in zip(rows, cases, strict=False):
        what = row[3] if look.is_full else fitted(row[3], room)
        yield ReportLine(_line((*row[:3], what), widths), style_of(case))
    if len(cases) > most:
        yield ReportLine(f"… left out: {in_numbers(cases[most:])}; --full for the rest")


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        _padded(cut_from(cell, width), width)
        for cell, width in zip(row, widths, strict=False)
    ]
    return "  ".join([*cells, row[3]]).rstrip()


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _limits(suite: Suite, is_alone: bool) -> Iterator[ReportLine]:
    """Yield the limits that are exceeded, which are no findings."""
    lines = [*limit_lines(suite)]
    if not lines:
        return
    if not is_alone:
        yield ReportLine("")
    yield ReportLine("limits exceeded", "head")
    widths = [max(columns(line[at]) for line in lines) for at in range(2)]
    for name, option, what in lines:
        words = [_padded(name, widths[0]), _padded(option, widths[1]), what]
        yield ReportLine("  ".join(words), "changed")


def _cut(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the runs that were cut, of the cases whose report is not shown."""
    lines = [*runs_left_out(suite, "table")]
    if not lines:
        return
    yield ReportLine("")
    yield ReportLine("runs that are not compared", "head")
    most = sys.maxsize if look.is_full else _MOST_ROWS
    for name, line in lines[:most]:
        yield from _wrapped(f"{name}  {line}", look)
    if len(lines) > most:
        yield ReportLine(f"… {len(lines) - most:,} more; --full for the rest")


def _block(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    """Yield what differs in a case below a line that names it."""
    lines = case.blocks.get("table")
    if not lines:
        return
    yield ReportLine("")
    yield ReportLine(f"== {shown(case.name)}: {case.word}", "head")
    if case.repeated is not None:
        yield from _repeated(case, case.repeated, look)
    for line in lines:
        yield line._replace(text=f"  {line.text}".rstrip())


def _repeated(case: CaseResult, repeated: Repeated, look: Look) -> Iterator[ReportLine]:
    """Yield what repeated runs show, and the head of the report of the medoids."""
    for heading, line in rows_of_repeated(repeated):
        yield from _wrapped(f"  {heading:<10}{line}", look)
    yield ReportLine("")
    findings = case.findings if look.is_full else case.findings[:_MOST_FINDINGS]
    for finding in findings:
        yield from _wrapped(f"  {finding_words(finding)}", look)
    if len(findings) < len(case.findings):
        more = count(len(case.findings) - len(findings), "more finding")
        yield ReportLine(f"  … {more}; --full for the rest")
    yield ReportLine("")
    yield ReportLine("  the medoids:", "head")


def _wrapped(line: str, look: Look) -> Iterator[ReportLine]:
    """Yield a line, the rest of a long one below it."""
    import textwrap

    indent = " " * 12
    for part in textwrap.wrap(line, look.width, subsequent_indent=indent):
        yield ReportLine(part)
