"""A suite: the results of all cases, and the verdict on them."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from convert.options.settings import SEVERITIES, Settings
from convert.suite.results import FATES, CaseResult, Fate

Rank = tuple[int, int, bool, str]


class Suite(Struct):
    """The comparison of a baseline with a candidate, case by case."""

    a: str
    """The name of the baseline: its folder, or its log."""

    b: str
    """The name of the candidate."""

    cases: list[CaseResult]
    """The cases, the worst first; of those alike, in the order of their names."""

    settings: Settings
    """The settings that were in effect."""

    @property
    def fates(self) -> dict[Fate, int]:
        """How many cases turned out how; those without any are left out."""
        counts = Counter(case.fate for case in self.cases)
        return {fate: counts[fate] for fate in FATES if counts[fate]}

    @property
    def has_trouble(self) -> bool:
        """Some case could not be compared."""
        return any(case.fate == "trouble" for case in self.cases)

    @property
    def is_different(self) -> bool:
        """Some case differs as `--fail-on` asks for, or exceeds a limit."""
        return any(case.is_different or case.limits for case in self.cases)


def worst_first(cases: list[CaseResult]) -> list[CaseResult]:
    """Return cases in the order of reports."""
    return sorted(cases, key=rank)


def rank(case: CaseResult) -> Rank:
    """Return what orders cases: a worse one has a lower rank."""
    first = {"trouble": 0, "missing": 1}.get(case.fate, 2)
    severity = SEVERITIES.index(case.severity)
    return first, -severity, case.fate == "new", case.name
