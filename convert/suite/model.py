"""The result of comparing versions, small enough for thousands of cases.

A version is a folder of logs, a case is one task, and a run is one attempt at it. Each
version has some runs of a case. `Suite` holds the cases of two versions or more, and
the verdict on the last of them against the first. SUITES.md is the contract.

The workers send results of cases to the command, so that nothing here holds a run
itself.
"""

from __future__ import annotations

import statistics
from typing import Literal

from msgspec import Struct

from convert.diff.changes import Counts, Part
from convert.diff.reports.appearance import ReportLine
from convert.errors import ExitStatus
from convert.model.events import ReasonKind, State
from convert.options.settings import SEVERITIES, Category, Settings, Severity
from convert.options.suite import SuiteSettings

# How a run counts. A clean one succeeded without a failure that stays unresolved, and
# `success` is any other that succeeded. An excluded one was ended by a quota, the
# network or authentication. The end of an unknown one is not recorded.
Outcome = Literal["clean", "success", "failed", "excluded", "unknown"]
SUCCEEDED: tuple[Outcome, ...] = ("clean", "success")

# The verdict on a version, from what needs attention most.
Word = Literal["worse", "different", "cannot tell", "no worse", "better"]
# The level at which each of the two tests decides.
LEVEL = 0.025

# How a case turned out: `trouble` cannot be compared, `missing` and `new` are on one
# side only, and `passes` differs less than `--fail-on` asks for.
Fate = Literal["trouble", "missing", "different", "passes", "new", "same"]

# How the runs of a case compare, which explains the verdict and decides nothing: fewer
# succeed than before (`fell`), more do (`rose`), or they behave in another way
# (`changed`).
Standing = Literal[
    "trouble", "missing", "limit", "fell", "changed", "rose", "new", "same"
]
STANDINGS: tuple[Standing, ...] = (
    *("trouble", "missing", "limit", "fell", "changed", "rose", "new", "same"),
)

# The figures of a run.
FigureName = Literal["calls", "tokens", "cost_usd", "duration_ms"]


class CaseRun(Struct, frozen=True, kw_only=True):
    """One run of a case; a figure is None where its log does not record it."""

    log: str
    """The path of its log, as reports spell it."""

    outcome: Outcome = "unknown"
    state: State | None = None
    reason_kind: ReasonKind = ""
    """The kind of reason why it ended without success."""

    calls: int | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None

    @property
    def is_cut(self) -> bool:
        """Its log breaks off, and not for a reason outside of the agent."""
        return self.state in ("cut", "unfinished") and self.outcome != "excluded"

    @property
    def has_ended(self) -> bool:
        """It came to an end of its own, so that its figures are those of a run."""
        return not self.is_cut and self.outcome != "excluded"


class CaseSide(Struct, frozen=True, kw_only=True):
    """The runs of a case in one version; without any, the case is not in it."""

    logs: tuple[str, ...] = ()
    """The paths of all its logs, those that cannot be read among them."""

    runs: tuple[CaseRun, ...] = ()
    """The logs that were read, a run each, in the order of their paths.

    Files in place of logs, which count as runs that broke off, come last.
    """

    shown: int = 0
    """The place among `runs` of the one nearest the middle, which reports show."""

    unread: int = 0
    """How many of the logs cannot be read."""

    @property
    def run(self) -> CaseRun | None:
        """The run that reports show; None without any."""
        return self.runs[self.shown] if self.runs else None

    @property
    def log(self) -> str:
        """The log of the run that reports show; "" without any."""
        return self.run.log if self.run else ""

    @property
    def counted(self) -> int:
        """How many runs count as successes or failures."""
        return sum(run.outcome not in ("excluded", "unknown") for run in self.runs)

    @property
    def succeeded(self) -> int:
        """How many runs succeeded."""
        return sum(run.outcome in SUCCEEDED for run in self.runs)

    @property
    def clean(self) -> int:
        """How many runs succeeded without a failure that stays unresolved."""
        return sum(run.outcome == "clean" for run in self.runs)

    def median(self, figure: FigureName) -> int | float | None:
        """Return the median of a figure of the runs that have ended.

        It is that of the runs that record it, and None if none does. An even number of
        runs has the mean of the two in the middle.
        """
        recorded = [
            value
            for run in self.runs
            if run.has_ended and (value := getattr(run, figure)) is not None
        ]
        if not recorded:
            return None
        median: float = statistics.median(recorded)
        # The mean of two decimal numbers has few digits, which binary ones lack.
        return int(median) if median == int(median) else round(median, 12)


class CaseFinding(Struct, frozen=True, kw_only=True):
    """One difference between the two runs of a case that reports show."""

    category: Category
    severity: Severity
    """How much it matters; `info` if it is waived."""

    what: str
    """The call, file or text, and what differs in it, on one line."""

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


class Change(Struct, frozen=True, kw_only=True):
    """Something that a larger share of the runs of one version do than of the other."""

    category: Category
    """The category of the findings about two runs that it is like."""

    severity: Severity
    what: str
    """The call, order, outcome or file, in the words of a finding, on one line."""

    sentence: str
    """The change as one sentence, for readers without statistics.

    As in `Tests used to run before the edit; now they run after it.`
    """

    theme: str
    """The same without names of this case, as `run the tests before the edit now`.

    Cases with one theme are counted in the sentence about the suite.
    """

    a: int
    of_a: int
    b: int
    of_b: int
    """How many runs of either version do it, of those that came to an end."""

    p: float
    """How often the largest share among all changes is as large by chance."""

    log: str = ""
    """A log that shows it; that of a run of the last version, if one does."""

    line: int | None = None
    """The line of that log where the call starts, from 1."""

    @property
    def steadiness(self) -> float:
        """How much larger the share of one version is than that of the other."""
        return abs(self.b / self.of_b - self.a / self.of_a)

    @property
    def is_steady(self) -> bool:
        """At least 4 of 5 runs of one version do it, and none of the other."""
        shares = sorted((self.a / self.of_a, self.b / self.of_b))
        return shares[0] == 0 and shares[1] >= STEADY


# The least share of runs that makes a change a finding, where `--fail-on` asks for it.
STEADY = 0.8


class Behaviour(Struct, frozen=True, kw_only=True):
    """How the runs of a case in one version differ from those in another."""

    p: float
    """How often permuted labels make the largest change as steady."""

    distribution: tuple[tuple[float, float], ...]
    """Each value that the p can have, with its probability if nothing changed."""

    changes: tuple[Change, ...] = ()
    """The steadiest first; at most as many as reports can show."""

    more: int = 0
    """How many changes are not kept."""


class CaseLimit(Struct, frozen=True, kw_only=True):
    """A limit for a suite that is exceeded."""

    option: str
    """The option that sets it, with its value: `--max-calls-ratio 1.5`."""

    what: str
    """The measurement, in words: `median of calls 4 -> 9 (x2.25)`."""


class CaseResult(Struct, kw_only=True):
    """The result of one case."""

    name: str
    sides: tuple[CaseSide, ...]
    """Its runs in each version, in the order of these."""

    fate: Fate
    severity: Severity = "none"
    """The highest severity of its findings."""

    is_different: bool = False
    """A finding is at least as severe as `--fail-on` asks for."""

    has_crashed: bool = False
    """The program, and not a log, is why it cannot be compared."""

    is_golden: bool = False
    """Its baseline is approved, so that its findings decide and not the verdict."""

    by_findings: bool = False
    """Its findings decide: it is compared with goldens, or `--fail-on` is given."""

    headline: str = ""
    """The comparison of the runs that are shown, in one line; of trouble, why."""

    sentence: str = ""
    """The plain words about it, for readers without statistics."""

    agents: str = ""
    """The agents of the two runs, as in `Cursor against Codex`; "" if it is one."""

    counts: Counts | None = None
    """The calls of both runs in each state; None if calls were not compared."""

    not_compared: tuple[Part, ...] = ()
    """The parts that were not compared, since not both logs record them."""

    findings: list[CaseFinding] = []
    """The differences of the two runs that are shown, the most severe first."""

    behaviour: Behaviour | None = None
    """The last version against the first; None with fewer than two runs on a side."""

    steps: tuple[Behaviour | None, ...] = ()
    """Each version against the one before it."""

    is_listed: bool = False
    """Its behaviour changed at a false discovery rate of 5 %."""

    has_theme: bool = False
    """It shows the change that most cases show, which all together prove."""

    has_unlike_tokens: bool = False
    """Its versions record other kinds of tokens, which have no ratio."""

    limits: list[CaseLimit] = []
    unchecked: list[str] = []
    """The limits that need a figure which a log does not record, by their options."""

    may_fail: bool = False
    """It does not decide, since it may fail."""

    blocks: dict[str, list[ReportLine]] = {}
    """The comparison of the two runs as a report of `diff`, by its name."""

    @property
    def a(self) -> CaseSide:
        """The first version."""
        return self.sides[0]

    @property
    def b(self) -> CaseSide:
        """The last version."""
        return self.sides[-1]

    @property
    def is_repeated(self) -> bool:
        """Some version has several runs of it."""
        return any(len(side.runs) > 1 for side in self.sides)

    @property
    def is_failure(self) -> bool:
        """It makes the command exit with another status than 0 by itself."""
        if self.fate == "trouble":
            return self.by_findings
        fails = bool(self.limits) or (self.by_findings and self.is_different)
        return fails and not self.may_fail

    @property
    def change(self) -> float | None:
        """How many more runs succeed than before, from -1 to 1; None if unknown."""
        if not (self.a.counted and self.b.counted):
            return None
        return self.b.succeeded / self.b.counted - self.a.succeeded / self.a.counted

    @property
    def is_changed(self) -> bool:
        """Its behaviour changed, by itself or as that of most cases did."""
        return self.is_listed or self.has_theme

    @property
    def standing(self) -> Standing:
        """How its runs compare, in a word."""
        if self.fate in ("trouble", "missing", "new"):
            return self.fate
        if self.limits:
            return "limit"
        change = self.change or 0
        if change:
            return "fell" if change < 0 else "rose"
        if self.is_changed or (self.by_findings and self.is_different):
            return "changed"
        if not self.is_repeated and self.fate != "same":
            return "changed"
        return "same"

    @property
    def rank(self) -> tuple[int, float, float, int, str]:
        """Its place among cases: a worse one has a lower rank."""
        behaviour = self.behaviour.p if self.behaviour else 1.0
        return (
            STANDINGS.index(self.standing),
            self.change or 0.0,
            behaviour,
            -SEVERITIES.index(self.severity),
            self.name,
        )

    def block(self, name: str) -> str:
        """Return the comparison as a report of `diff`; "" if there is none."""
        return "".join(f"{line.text}\n" for line in self.blocks.get(name, ()))


class CasePages(Struct, frozen=True, kw_only=True):
    """The pages of a case, by their addresses from the page of the suite."""

    sides: tuple[str, ...]
    """The page of the run of each version that reports show; "" for none."""

    comparison: str = ""
    """The page of the first version against the last; "" for none."""


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
    """How often mere chance makes as many failures of the last version."""

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
        """The shares differ by more than chance makes in 1 of 100 nights."""
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

    runs: tuple[int, int] = (0, 0)
    """The least and the most runs of a case in a version, of those that count."""

    runs_needed: int | None = None
    """The runs per case that detect a loss of 10 points in 80 of 100 nights.

    None where that is not known.
    """

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
    def is_judged(self) -> bool:
        """Some case is decided by the verdict, and not by its findings only."""
        return not all(case.is_golden or case.may_fail for case in self.cases)

    @property
    def missing(self) -> list[CaseResult]:
        """The cases that the last version lacks, of those that the verdict is about."""
        return [
            case
            for case in self.cases
            if case.fate == "missing" and not (case.is_golden or case.may_fail)
        ]

    @property
    def is_proven(self) -> bool:
        """A loss above the margin is ruled out, and no case is missing."""
        return self.verdict.is_proven and not self.missing

    @property
    def has_trouble(self) -> bool:
        """Nothing could be compared, or what may not be missing could not.

        That is a golden, a case at which the program crashed, and any log where
        `--strict` or `--require` asks for all of them.
        """
        troubled = [case for case in self.cases if case.fate == "trouble"]
        lone = ("trouble", "missing", "new")
        if troubled and all(case.fate in lone for case in self.cases):
            return True
        if self.is_judged and self.verdict.excluded.leaves_nothing:
            return True
        if self.is_strict or self.settings.require:
            sides = (side for case in self.cases for side in case.sides)
            return bool(troubled) or any(side.unread for side in sides)
        return any(case.is_golden or case.has_crashed for case in troubled)

    @property
    def is_red(self) -> bool:
        """The verdict makes the command exit with 1."""
        settings, word = self.suite_settings, self.verdict.word
        if not self.is_judged:
            return False
        return (
            word == "worse"
            or (word == "different" and not settings.allow_different)
            or (settings.require_proof and not self.is_proven)
        )

    @property
    def is_different(self) -> bool:
        """The verdict, the findings of a case that decide, or a limit say so."""
        return (
            self.is_red
            or bool(self.limits)
            or any(case.is_failure for case in self.cases if case.fate != "trouble")
        )

    @property
    def status(self) -> ExitStatus:
        """The exit status of the command, without `--exit-zero`."""
        if self.has_trouble:
            return ExitStatus.TROUBLE
        return ExitStatus.DIFFERENT if self.is_different else ExitStatus.SAME
