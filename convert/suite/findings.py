"""The findings of a comparison, small enough for a suite to hold those of all cases."""

from __future__ import annotations

from convert.diff import Comparison
from convert.diff.changes import Finding
from convert.diff.reports.appearance import (
    Look,
    lines_of,
    lines_of_calls,
    numbers_of,
    place_of,
)
from convert.diff.reports.finding_lines import finding_line
from convert.diff.reports.selection import by_severity, run_of
from convert.suite.model import CaseFinding

# How many columns of a call or a text are kept.
_LONGEST = 300


def findings_of(comparison: Comparison, look: Look) -> list[CaseFinding]:
    """Return the findings of a comparison, the most severe first."""
    findings = by_severity(comparison.findings)
    return [_finding(finding, comparison, look) for finding in findings]


def _finding(finding: Finding, comparison: Comparison, look: Look) -> CaseFinding:
    line = finding_line(finding, comparison, look)
    what = "  ".join(filter(None, [line.fitted(_LONGEST), line.note]))
    compared = run_of(finding, comparison)
    line_a, line_b = lines_of(finding, compared)
    call = call_a = call_b = ""
    started_a, started_b = None, None
    if finding.comparison is not None:
        started_a, started_b = lines_of_calls(finding.comparison)
        call = place_of(finding.comparison, finding.inside)
        call_a, call_b = numbers_of(finding.comparison, finding.inside)
    return CaseFinding(
        category=finding.category,
        severity=finding.severity,
        what=what,
        call=call,
        line_a=line_a,
        line_b=line_b,
        started_a=started_a,
        started_b=started_b,
        better=finding.better,
        waived=finding.waived or "",
        run_a=compared.a.run.number if compared.a else None,
        run_b=compared.b.run.number if compared.b else None,
        call_a=call_a,
        call_b=call_b,
        path=finding.file.path if finding.file else "",
    )
