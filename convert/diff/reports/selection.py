"""The findings that a report shows: the most severe first, as far as there is room.

Every report takes its findings from here, so that no two disagree on what matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from convert.diff.call_contents import has_contents
from convert.diff.changes import Finding, RunComparison
from convert.diff.comparison import Comparison
from convert.diff.reports.appearance import Look
from convert.options.settings import SEVERITIES, Severity

Shown = TypeVar("Shown")


class Selection(NamedTuple, Generic[Shown]):
    """The findings that there is room for."""

    shown: list[tuple[Finding, Shown]]
    """Each finding with what shows it, the most severe first."""

    left_out: Counter[Severity]
    """How many findings of each severity have no room."""


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by severity, those of one severity by position."""
    return sorted(findings, key=lambda f: -SEVERITIES.index(f.severity))


def told(compared: Comparison, look: Look) -> list[Finding]:
    """Return the findings that a report lists, the most severe first.

    A summary counts those for information, unless they decide or all is asked for.
    """
    has_all = look.is_full or look.is_verbose or compared.settings.fail_on == "info"
    return by_severity(
        finding
        for finding in compared.findings
        if has_all or SEVERITIES.index(finding.severity) > SEVERITIES.index("info")
    )


def with_details(compared: Comparison) -> list[Finding]:
    """Return the findings that have details, one for each call or text."""
    found: dict[tuple[int, int], Finding] = {}
    for finding in by_severity(compared.findings):
        if _has_details(finding):
            found.setdefault((finding.run, id(finding.comparison)), finding)
    return list(found.values())


def select(
    findings: Iterable[Finding],
    show: Callable[[Finding], Shown],
    size: Callable[[Shown], int],
    most: int | None,
) -> Selection[Shown]:
    """Return what there is room for, up to the first finding that does not fit.

    `most` is the room in the unit of `size`; None is room for all. Nothing is made of
    the findings behind, which may be many.
    """
    selected: Selection[Shown] = Selection([], Counter())
    used = 0
    for finding in findings:
        if not selected.left_out:
            shown = show(finding)
            used += size(shown)
            if most is None or used <= most:
                selected.shown.append((finding, shown))
                continue
        selected.left_out[finding.severity] += 1
    return selected


def run_of(finding: Finding, compared: Comparison) -> RunComparison:
    """Return the pair of runs that a finding is about."""
    # Runs are numbered without gaps, but need not begin at 1.
    return compared.runs[finding.run - compared.runs[0].number]


def in_numbers(severities: Counter[Severity]) -> str:
    """Return how many findings there are of each severity: `2 major, 1 minor`."""
    order = [name for name in reversed(SEVERITIES) if severities[name]]
    return ", ".join(f"{severities[name]:,} {name}" for name in order)


def left_out(selection: Selection[Shown], what: str = "") -> str:
    """Return how many findings are left out; empty if none are."""
    if not selection.left_out:
        return ""
    numbers = in_numbers(selection.left_out)
    return f"… {what}left out: {numbers}; --full for the rest"


def _has_details(finding: Finding) -> bool:
    comparison = finding.comparison
    if comparison is None:
        return finding.is_about_text
    if comparison.is_paired:
        return comparison.is_changed
    return has_contents(comparison.call)
