"""The result of one case: its runs, findings, changes and limits.

A version is a folder of logs, a case is one task, and a run is one attempt at it.
Workers send results to the command, so that nothing here holds a run itself.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Literal, get_args

from msgspec import Struct

from convert.diff import Counts, Part
from convert.diff.reports import ReportLine
from convert.diff.reports.finding_lines import FindingFacts
from convert.model.events import ReasonKind, State
from convert.options.settings import SEVERITIES, Category, Severity

# How a run counts. A clean one succeeded without a failure that stays unresolved, and
# `success` is any other that succeeded. An excluded one was ended by a quota, the
# network or authentication. The end of an unknown one is not recorded.
Outcome = Literal["clean", "success", "failed", "excluded", "unknown"]
SUCCEEDED: tuple[Outcome, ...] = ("clean", "success")
# How a case turned out: `trouble` cannot be compared, `missing` and `new` are on one
# side only, and `passes` differs less than `--fail-on` asks for.
Fate = Literal["trouble", "missing", "different", "passes", "new", "same"]

# How the runs of a case compare, which explains the verdict and decides nothing: fewer
# succeed than before (`fell`), more do (`rose`), or they behave in another way
# (`changed`).
Standing = Literal[
    "trouble", "missing", "limit", "fell", "changed", "rose", "new", "same"
]
STANDINGS: tuple[Standing, ...] = get_args(Standing)

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

    reason: str = ""
    """The reason that the agent gives for its error, on one line; "" for none."""

    is_refused: bool = False
    """It made calls, and a person, a rule or a hook refused each of them."""

    calls: int | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None

    @property
    def is_cut(self) -> bool:
        """Its log breaks off, and nothing outside of the agent ended it."""
        return self.state in ("cut", "unfinished") and self.outcome != "excluded"

    @property
    def has_ended(self) -> bool:
        """It ended by itself, so that its figures count."""
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

    @property
    def cut(self) -> int:
        """How many runs broke off."""
        return sum(run.is_cut for run in self.runs)

    @property
    def reasons(self) -> Counter[ReasonKind]:
        """How many runs were excluded for which kind of reason."""
        excluded = (run for run in self.runs if run.outcome == "excluded")
        return Counter(run.reason_kind for run in excluded)

    def values(self, figure: FigureName) -> list[int | float]:
        """Return a figure of the runs that have ended, of those that record it."""
        values = (getattr(run, figure) for run in self.runs if run.has_ended)
        return [value for value in values if value is not None]

    def median(self, figure: FigureName) -> int | float | None:
        """Return the median of a figure of the runs that have ended.

        It is that of the runs that record it, and None if none does. An even number of
        runs has the mean of the two in the middle.
        """
        if not (values := self.values(figure)):
            return None
        median: float = statistics.median(values)
        # The mean of two decimal numbers has few digits, which binary ones lack.
        return int(median) if median == int(median) else round(median, 12)


# One difference between the two runs of a case that reports show.
CaseFinding = FindingFacts


class Change(Struct, frozen=True, kw_only=True):
    """Something that a larger share of runs does in one version than in the other."""

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
    """The program failed, and not a log, so that it cannot be compared."""

    is_golden: bool = False
    """Its baseline is approved, so that its findings decide and not the verdict."""

    by_findings: bool = False
    """Its findings decide: it is compared with goldens, or `--fail-on` is given."""

    verdict: str = ""
    """The comparison of the runs that are shown: `different (major)`; "" for others."""

    reason: str = ""
    """Why, on one line; of trouble, why nothing can be compared."""

    troubled_log: str = ""
    """The log that trouble is about; "" if it is about none."""

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
    def runs(self) -> list[CaseRun]:
        """Its runs in all versions."""
        return [run for side in self.sides for run in side.runs]

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes in its behaviour, the steadiest first."""
        return self.behaviour.changes if self.behaviour else ()

    @property
    def headline(self) -> str:
        """The comparison of the runs that are shown, in one line; of trouble, why."""
        return ": ".join(filter(None, [self.verdict, self.reason]))

    @property
    def is_repeated(self) -> bool:
        """Some version has several runs of it."""
        return any(len(side.runs) > 1 for side in self.sides)

    @property
    def is_failure(self) -> bool:
        """It makes the command exit with another status than 0 by itself."""
        fails = bool(self.limits) or (self.by_findings and self.is_different)
        is_trouble = self.fate == "trouble"
        return self.by_findings if is_trouble else fails and not self.may_fail

    @property
    def change(self) -> float | None:
        """How many more runs succeed than before, from -1 to 1; None if unknown."""
        if not (self.a.counted and self.b.counted):
            return None
        return self.b.succeeded / self.b.counted - self.a.succeeded / self.a.counted

    @property
    def is_changed(self) -> bool:
        """Its behaviour changed, by itself or like that of most cases."""
        return self.is_listed or self.has_theme

    @property
    def standing(self) -> Standing:
        """How its runs compare, in a word."""
        if self.fate in ("trouble", "missing", "new"):
            return self.fate
        if self.limits:
            return "limit"
        if self.change:
            return "fell" if self.change < 0 else "rose"
        is_other = not self.is_repeated and self.fate != "same"
        is_found = self.by_findings and self.is_different
        return "changed" if self.is_changed or is_found or is_other else "same"

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


class CasePages(Struct, frozen=True, kw_only=True):
    """The pages of a case, by their addresses from the page of the suite."""

    sides: tuple[str, ...]
    """The page of the run of each version that reports show; "" for none."""

    comparison: str = ""
    """The page of the first version against the last; "" for none."""
