"""The limits for a run of the candidate, which each of its repeated runs may exceed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from convert.diff.changes import Finding
from convert.diff.limits import FOR_CANDIDATE
from convert.diff.reports.about import limited
from convert.options.settings import Settings
from convert.suite.repeated_pairs import RepeatedRun, compare_runs
from convert.suite.results import CaseFinding
from convert.wording.numbers import count


def without_limits(settings: Settings) -> Settings:
    """Return the settings of pairs, without the limits for a run of the candidate.

    A limit holds for each run, however seldom one exceeds it.
    """
    return settings.replace(**dict.fromkeys(FOR_CANDIDATE))


def limits_exceeded(
    runs: Sequence[RepeatedRun], settings: Settings
) -> list[CaseFinding]:
    """Return a finding for each limit that one of the candidate's runs exceeds.

    A run that was cut counts too: it would have used still more.
    """
    if all(getattr(settings, name) is None for name in FOR_CANDIDATE):
        return []
    found: dict[str, list[Finding]] = {}
    for run in runs:
        # A log differs from itself in nothing but the limits that it exceeds.
        findings = compare_runs(run, run, settings).findings
        exceeded = {each.limit: each for each in findings if each.limit}
        for option, finding in exceeded.items():
            found.setdefault(option, []).append(finding)
    return [_finding(option, findings, len(runs)) for option, findings in found.items()]


def _finding(option: str, findings: list[Finding], runs: int) -> CaseFinding:
    first = findings[0]
    word, show = limited(first)
    figure = show(max((each.to or "0" for each in findings), key=Decimal))
    share = f"{len(findings):,} of {count(runs, 'run')}"
    up_to = "up to " if len(findings) > 1 else ""
    return CaseFinding(
        category=first.category,
        severity=first.severity,
        what=f"{word} exceeded in {share} of B: {up_to}{figure} ({option})",
        waived=first.waived or "",
    )
