"""unified: for pipes. The reports of all pairs that differ, as of two folders."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine, settings_note, shown
from convert.suite.reports.words import finding_words, limit_lines
from convert.suite.results import CaseResult
from convert.suite.suite import Suite


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the report of each case that differs; nothing if all is the same.

    A patch viewer ignores the lines about limits and about cases that cannot be
    compared.
    """
    if not suite.is_same and look.settings_source:
        yield ReportLine(settings_note(look))
    for name, option, what in limit_lines(suite):
        yield ReportLine(f"limit: {name}: {what} ({option})", "changed")
    for case in suite.cases:
        yield from _case(case, look)


def _case(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    match case.fate:
        case "trouble":
            yield ReportLine(f"trouble: {shown(case.headline)}", "changed")
        case "missing":
            yield ReportLine(f"Only in {shown(look.a)}: {shown(case.name)}", "removed")
        case "new":
            yield ReportLine(f"Only in {shown(look.b)}: {shown(case.name)}", "added")
        case _:
            yield from _of_runs(case)
            yield from case.blocks.get("unified", ())


def _of_runs(case: CaseResult) -> Iterator[ReportLine]:
    """Yield what is told of all repeated runs; a patch viewer ignores it."""
    if case.repeated is None or not (case.is_different or case.repeated.is_told):
        return
    yield ReportLine(f"{shown(case.name)}: {shown(case.headline)}")
    for finding in case.findings:
        if finding.flaps is None:
            yield ReportLine(f"  {shown(finding_words(finding))}")
