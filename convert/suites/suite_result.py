"""The result of all cases: the tests, the verdict, and the suite.

`Suite` holds the cases of two versions or more, and the verdict on the last of them
against the first.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from convert.errors import ExitStatus
from convert.model.events import ReasonKind
from convert.options.settings import Settings, SuiteSettings
from convert.suites.case_result import (
    CaseLimit,
    CasePages,
    CaseResult,
    CaseSide,
    FigureName,
)

# The verdict on a version, the most urgent first.
Word = Literal["worse", "different", "cannot tell", "no worse", "better"]
# The level at which each of the two tests decides.
LEVEL = 0.025


class Success(Struct, frozen=True, kw_only=True):
    """How many runs succeed in two versions, in the cases that both have."""

    a: float
    b: float
    """The rates, from 0 to 1, with the cases weighted as the test weights them."""

    runs_a: int
    runs_b: int
    cases: int
    low: float
    high: float
    """The interval of `b - a` at 95 %."""

    p_worse: float
    """How often chance makes as many failures in the last version."""

    p_better: float
    p_worse_refined: float = 1.0
    """The same with equal sums ordered by the hard cases, which decides."""

    p_better_refined: float = 1.0

    @property
    def difference(self) -> float:
        """How much larger the rate of the last version is."""
        return self.b - self.a

    @property
    def p(self) -> float:
        """The p of a difference in either direction."""
        return min(2 * min(self.p_worse, self.p_better), 1.0)


class Figure(Struct, frozen=True, kw_only=True):
    """How much a figure of the runs has grown, with the runs of each case compared."""

    name: FigureName

    ratio: float
    """The ratio of geometric means: 2 is twice as much."""

    low: float
    high: float
    """The interval at 95 %; `high` may be infinite, and `low` 0."""

    p: float
    corrected: float
    """The p after Holm's correction for clean success and all figures."""

    cases: int


class Excluded(Struct, frozen=True, kw_only=True):
    """The runs that a quota, the network or authentication ended."""

    a: dict[ReasonKind, int] = {}
    b: dict[ReasonKind, int] = {}
    of_a: int = 0
    of_b: int = 0
    """How many runs there are in all."""

    p: float = 1.0
    """The p of Fisher's exact test of the two shares."""

    @property
    def leaves_nothing(self) -> bool:
        """All runs of a version were excluded."""
        sums = (sum(self.a.values()), self.of_a), (sum(self.b.values()), self.of_b)
        return any(number == of > 0 for number, of in sums)

    @property
    def differs(self) -> bool:
        """Chance makes such a difference of the shares in less than 1 of 100 nights."""
        return self.p < 0.01


class Verdict(Struct, frozen=True, kw_only=True):
    """The verdict on one version against another."""

    word: Word
    success: Success | None = None
    """None where no case records in both versions how its runs ended."""

    clean: Success | None = None
    clean_corrected: float = 1.0
    """The p of clean success after Holm's correction, with the figures."""

    is_no_worse: bool = False
    """The interval rules out a loss above the margin."""

    figures: tuple[Figure, ...] = ()
    behaviour_p: float | None = None
    """The p of all cases together; None if no case has repeated runs."""

    behaviour_cases: int = 0
    """How many cases have repeated runs on both sides."""

    theme: str = ""
    """The change that most of the listed cases have in common; "" for none."""

    theme_cases: int = 0
    """How many cases have it."""

    excluded: Excluded = Excluded()
    cases: int = 0
    """The cases of both versions that enter a test."""

    runs_a: tuple[int, int] = (0, 0)
    runs_b: tuple[int, int] = (0, 0)
    """The least and the most runs of a case in each version, of those that count."""

    runs_needed: int | None = None
    """The runs per case that detect a loss of 10 points in 80 of 100 nights.

    None where that is not known.
    """

    runs_needed_for_loss: int | None = None
    """Those that detect a loss as large as the one that these runs show.

    None where that is not known, and without such a loss.
    """

    @property
    def runs(self) -> tuple[int, int]:
        """The least and the most runs of a case in a version."""
        (least, most), (least_b, most_b) = self.runs_a, self.runs_b
        return min(least, least_b), max(most, most_b)

    @property
    def is_proven(self) -> bool:
        """A loss above the margin is ruled out."""
        return self.is_no_worse or self.word == "better"


class Suite(Struct, kw_only=True):
    """The cases of two versions or more, the worst first, and the verdict."""

    names: tuple[str, ...]
    """The names of the versions: their folders, or the names in their place."""

    cases: list[CaseResult]
    settings: Settings
    suite_settings: SuiteSettings = SuiteSettings()
    verdict: Verdict
    """The last version against the first."""

    steps: tuple[Verdict, ...] = ()
    """Each version against the one before it, at 5 % for all steps together."""

    worse_since: int | None = None
    """The version that first was worse, from 0, if the last one is worse."""

    limits: list[CaseLimit] = []
    """The limits that all cases together exceed."""

    has_same_logs: bool = False
    """The first and the last version hold the same logs, byte for byte."""

    can_fail: bool = False
    """A command exits with 1 if the verdict says so, without `--exit-zero`."""

    is_strict: bool = False
    """`--strict` is given, so that no log may be one that cannot be read."""

    grouping: str = ""
    """How logs were grouped into cases, if that is a guess; "" otherwise."""

    headline: str = ""
    """The verdict on two logs, which are a suite of one case; "" for folders."""

    pages: dict[str, dict[str, CasePages]] = {}
    """The pages next to each page of the suite: by its path and the names of cases."""

    @property
    def a(self) -> str:
        """The name of the first version."""
        return self.names[0]

    @property
    def b(self) -> str:
        """The name of the last version."""
        return self.names[-1]

    @property
    def sides(self) -> list[CaseSide]:
        """The sides of all cases."""
        return [side for case in self.cases for side in case.sides]

    @property
    def judged(self) -> list[CaseResult]:
        """The cases that the verdict is about, and not their findings only."""
        return [case for case in self.cases if not (case.is_golden or case.may_fail)]

    @property
    def is_judged(self) -> bool:
        """The verdict is about some case."""
        return bool(self.judged)

    @property
    def missing(self) -> list[CaseResult]:
        """The cases that the verdict is about and the last version lacks."""
        return [case for case in self.judged if case.fate == "missing"]

    @property
    def is_proven(self) -> bool:
        """A loss above the margin is ruled out, and no case is missing."""
        return self.verdict.is_proven and not self.missing

    @property
    def has_trouble(self) -> bool:
        """Nothing could be compared, or a necessary log could not.

        Goldens and cases at which the program crashed are necessary, and all logs with
        `--strict` or `--require`.
        """
        troubled = [case for case in self.cases if case.fate == "trouble"]
        lone = ("trouble", "missing", "new")
        needs_all = self.is_strict or bool(self.settings.require)
        is_unread = bool(troubled) or any(side.unread for side in self.sides)
        return (
            (bool(troubled) and all(case.fate in lone for case in self.cases))
            or (self.is_judged and self.verdict.excluded.leaves_nothing)
            or (needs_all and is_unread)
            or any(case.is_golden or case.has_crashed for case in troubled)
        )

    @property
    def is_against(self) -> bool:
        """The verdict itself is a reason to exit with 1."""
        word = self.verdict.word
        return self.is_judged and (
            word == "worse"
            or (word == "different" and not self.suite_settings.allow_different)
        )

    @property
    def is_red(self) -> bool:
        """The verdict makes the command exit with 1, or that it is not proven does."""
        is_open = self.is_judged and not self.is_proven
        return self.is_against or (self.suite_settings.require_proof and is_open)

    @property
    def is_different(self) -> bool:
        """The verdict, the findings of a case that decide, or a limit say so."""
        return (
            self.is_red
            or bool(self.limits)
            or any(case.is_failure for case in self.cases if case.fate != "trouble")
        )

    @property
    def status(self) -> int:
        """The exit status of the command, without `--exit-zero`."""
        if self.has_trouble:
            return ExitStatus.TROUBLE
        return ExitStatus.DIFFERENT if self.is_different else ExitStatus.SAME
