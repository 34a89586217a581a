"""Two logs as a suite of one case, for the reports that are about cases.

The findings of the comparison decide, as they do for two logs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from convert.diff.comparison import Comparison
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.finding_lines import finding_facts
from convert.suites.case_reports import Room, block, result_of_pair, rooms_for
from convert.suites.case_result import CaseRun, CaseSide
from convert.suites.case_runs import outcome_of
from convert.suites.reports import report
from convert.suites.suite_result import Suite, Verdict, Word
from convert.wording.escapes import spelled
from convert.wording.urls import stem_of

_STANDARD_INPUT = "-"


def report_of_pair(
    name: str, compared: Comparison, options: ReportOptions
) -> Iterator[ReportLine]:
    """Return the lines of a report of a suite, about two logs."""
    rooms = rooms_for([name], is_full=True)
    suite = suite_of_pair(compared, options.logs, options, rooms)
    return report(name)(suite, options)


def suite_of_pair(
    compared: Comparison,
    logs: tuple[str, str],
    options: ReportOptions,
    rooms: dict[str, Room],
) -> Suite:
    """Return a suite whose case is named for the baseline, which stays the same."""
    a, b = logs
    named = b if a == _STANDARD_INPUT else a
    name = stem_of(named.replace("\\", "/").rpartition("/")[2])
    sides = _side(a, 0, compared), _side(b, 1, compared)
    case = result_of_pair(spelled(name), compared, sides)
    case.is_golden = case.by_findings = True
    if case.fate != "same" or options.is_verbose:
        case.findings = finding_facts(compared, options)
    if case.is_different or options.is_verbose:
        case.blocks = {each: block(each, compared, options) for each in rooms}
    word: Word = "different" if case.is_different else "no worse"
    return Suite(
        names=(options.a, options.b),
        cases=[case],
        settings=compared.settings,
        verdict=Verdict(word=word),
        headline=case.headline,
    )


def _side(log: str, side: int, compared: Comparison) -> CaseSide:
    log = spelled(log)
    figures, run = compared.figures[side], compared.last_runs[side]
    made = CaseRun(
        log=log,
        outcome=outcome_of(run, figures.unresolved),
        state=compared.states[side],
        reason_kind=run.reason_kind if run else "",
        calls=figures.calls,
        duration_ms=figures.duration_ms,
        tokens=figures.exact_tokens,
        cost_usd=None if figures.cost_usd is None else float(figures.cost_usd),
    )
    return CaseSide(logs=(log,), runs=(made,))


junit = functools.partial(report_of_pair, "junit")
github = functools.partial(report_of_pair, "github")
gitlab = functools.partial(report_of_pair, "gitlab")
