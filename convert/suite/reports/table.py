"""table: for people. The cases, the worst first, what differs in them, the verdict."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine, settings_note, shown
from convert.suite.reports.words import (
    calls_of,
    headline,
    in_numbers,
    left_out,
    reason_of,
    style_of,
    told,
    verdict_of,
)
from convert.suite.results import CaseResult
from convert.suite.suite import Suite
from convert.wording.columns import columns, cut_from, fitted

_HEADS = ("", "case", "calls", "what")
# The cases that are listed.
_MOST_ROWS = 50
_NARROWEST = 20


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield a line a case that is not the same, what differs in these, the verdict.

    It is one line if all is the same.
    """
    cases = told(suite, look.is_verbose)
    if not cases:
        yield ReportLine(
            "; ".join(filter(None, [headline(suite), settings_note(look)]))
        )
        return
    yield ReportLine(f"A {shown(look.a)}, B {shown(look.b)}", "head")
    yield ReportLine("")
    yield from _table(cases, look)
    for case in cases:
        yield from _block(case)
    yield ReportLine("")
    notes = [left_out(suite), settings_note(look)]
    yield from map(ReportLine, filter(None, notes))
    yield ReportLine(headline(suite), "changed" if suite.is_different else "")


def _table(cases: list[CaseResult], look: Look) -> Iterator[ReportLine]:
    """Yield the rows in columns; of a long name, the end is shown."""
    most = sys.maxsize if look.is_full else _MOST_ROWS
    rows = [
        (verdict_of(case), shown(case.name), calls_of(case), reason_of(case))
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


def _block(case: CaseResult) -> Iterator[ReportLine]:
    """Yield what differs in a case below a line that names it."""
    lines = case.blocks.get("table")
    if not lines:
        return
    yield ReportLine("")
    yield ReportLine(f"== {shown(case.name)}: {verdict_of(case)}", "head")
    for line in lines:
        yield line._replace(text=f"  {line.text}".rstrip())
