"""Two logs as a suite of one case, for the reports that are about cases."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff import Comparison
from convert.diff.reports.appearance import Look, ReportLine
from convert.source.names import stem_of
from convert.suite.blocks import Room
from convert.suite.case_results import add_blocks, result_of
from convert.suite.cases import Case
from convert.suite.reports import REPORTS, report
from convert.suite.results import CaseSide
from convert.suite.suite import Suite
from convert.wording.paths import spelled

_STANDARD_INPUT = "-"


def report_of_pair(
    name: str, compared: Comparison, look: Look, logs: tuple[str, str]
) -> Iterator[ReportLine]:
    """Return the lines of a report of a suite, about two logs with these paths."""
    block = REPORTS[name].block
    suite = suite_of_pair(compared, logs, look, {block: Room(None)} if block else {})
    return report(name)(suite, look)


def suite_of_pair(
    compared: Comparison, logs: tuple[str, str], look: Look, rooms: dict[str, Room]
) -> Suite:
    """Return a suite whose case is named for the baseline, which stays the same."""
    a, b = logs
    named = b if a == _STANDARD_INPUT else a
    name = stem_of(named.replace("\\", "/").rpartition("/")[2])
    case = Case(spelled(name), (a,), (b,))
    result = result_of(case, compared, _side(a, 0, compared), _side(b, 1, compared))
    add_blocks(result, compared, look, rooms)
    return Suite(look.a, look.b, [result], compared.settings)


def _side(log: str, side: int, compared: Comparison) -> CaseSide:
    log = spelled(log)
    figures = compared.figures[side]
    return CaseSide(
        logs=(log,),
        log=log,
        state=compared.states[side],
        calls=figures.calls,
        duration_ms=figures.duration_ms,
        tokens=figures.exact_tokens,
        cost_usd=None if figures.cost_usd is None else float(figures.cost_usd),
    )
