"""A suite: the results of all cases, and the verdict on them."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from convert.options.settings import SEVERITIES, Settings
from convert.options.suite import SuiteSettings
from convert.suite.results import FATES, WORDS, CaseLimit, CaseResult, Fate

Rank = tuple[int, int, str]


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

    suite_settings: SuiteSettings = SuiteSettings()
    """Those of the suite as a whole."""

    limits: list[CaseLimit] = []
    """The limits that all cases together exceed."""

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
    def is_same(self) -> bool:
        """All cases are the same, and none exceeds a limit."""
        return not self.limits and all(case.word == "same" for case in self.cases)

    @property
    def exceeds_limit(self) -> bool:
        """A limit is exceeded, by a case that may not fail or by all together."""
        exceeding = (case for case in self.cases if case.limits and not case.may_fail)
        return bool(self.limits) or any(exceeding)

    @property
    def is_different(self) -> bool:
        """Some case differs as `--fail-on` asks for, or a limit is exceeded."""
        cases = (case for case in self.cases if case.fate != "trouble")
        return bool(self.limits) or any(case.is_failure for case in cases)


def worst_first(cases: list[CaseResult]) -> list[CaseResult]:
    """Return cases in the order of reports."""
    return sorted(cases, key=rank)


def rank(case: CaseResult) -> Rank:
    """Return what orders cases: a worse one has a lower rank."""
    return WORDS.index(case.word), -SEVERITIES.index(case.severity), case.name
