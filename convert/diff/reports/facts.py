"""The findings of a comparison as plain facts, for suites and tables."""

from __future__ import annotations

from msgspec import Struct

from convert.diff.comparison import Comparison, Finding, by_severity, run_of
from convert.diff.reports.finding_lines import few, finding_line
from convert.diff.reports.labels import place_of
from convert.diff.reports.options import ReportOptions
from convert.options.settings import Category, Severity

# How many columns of a call or a text are kept.
_LONGEST = 300


class FindingFacts(Struct, frozen=True, kw_only=True):
    """One difference between two runs."""

    category: Category
    severity: Severity
    """How much it matters; `info` if it is waived."""

    about: str
    """The call, file or text that differs, on one line."""

    notes: tuple[str, ...] = ()
    """How it differs, and what lets it pass."""

    was: str = ""
    now: str = ""
    """How its call ended in both runs; "" unless the outcome differs."""

    call: str = ""
    """The number of the call in both runs, as `3 -> 4`; "" for whole runs."""

    line_a: int | None = None
    line_b: int | None = None
    """The lines of both logs that show it, from 1; None where none does."""

    started_a: int | None = None
    started_b: int | None = None
    """The lines where its call starts; None where it is not made, or about no call."""

    better: bool = False
    """The baseline failed where the candidate did not."""

    waived: str = ""
    """The option that lets it pass; "" if it counts."""

    run_a: int | None = None
    run_b: int | None = None
    """The numbers of both runs in their logs; None where there is none."""

    call_a: str = ""
    call_b: str = ""
    """The numbers of the call in both logs, as `3` or `5.2`; "" for none."""

    path: str = ""
    """The file that differs; "" for any other difference."""

    @property
    def what(self) -> str:
        """The call, file or text, and how it differs, on one line."""
        return "  ".join(filter(None, [self.about, *self.notes]))


def finding_facts(compared: Comparison, options: ReportOptions) -> list[FindingFacts]:
    """Return the findings of a comparison, the most severe first."""
    findings = by_severity(compared.findings)
    return [_facts(finding, compared, options) for finding in findings]


def _facts(
    finding: Finding, compared: Comparison, options: ReportOptions
) -> FindingFacts:
    line = finding_line(finding, compared, options)
    run = run_of(finding, compared)
    line_a, line_b = finding.lines
    started_a, started_b = finding.started
    call_a, call_b = finding.numbers
    return FindingFacts(
        category=finding.category,
        severity=finding.severity,
        about=line.fitted(_LONGEST),
        notes=line.notes,
        was=few(finding.from_ or "") if finding.category == "outcome" else "",
        now=few(finding.to or "") if finding.category == "outcome" else "",
        call=place_of(finding),
        line_a=line_a,
        line_b=line_b,
        started_a=started_a,
        started_b=started_b,
        better=finding.better,
        waived=finding.waived or "",
        run_a=run.a.run.number if run.a else None,
        run_b=run.b.run.number if run.b else None,
        call_a=call_a,
        call_b=call_b,
        path=finding.file.path if finding.file else "",
    )
