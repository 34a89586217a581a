"""What a comparison finds: plain values, which the reports show."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import ComparedOutput
from convert.diff.texts import TextComparison
from convert.diff.trajectory import Trajectory
from convert.facts.figures import Figures, total
from convert.model import Level, State
from convert.settings import SEVERITIES, Category, Settings, Severity

# What of two logs may not be compared.
Part = Literal["calls", "status", "text"]


class Matched(Struct):
    """Two calls that belong together, or one without a partner.

    `is_moved` says that they stand elsewhere, `is_changed` that they differ in what
    counts, the others in what. `outputs` are those of either call where they differ;
    `rows` compare the calls that were made inside.
    """

    a: ComparedCall | None
    b: ComparedCall | None
    is_moved: bool = False
    has_other_arguments: bool = False
    has_other_outcome: bool = False
    is_changed: bool = False
    outputs: tuple[ComparedOutput, ComparedOutput] | None = None
    rows: list[Row] = []

    @property
    def has_other_output(self) -> bool:
        """Whether two otherwise equal calls gave something else."""
        return self.outputs is not None

    @property
    def call(self) -> ComparedCall:
        """The call of the candidate, else that of the baseline."""
        call = self.b or self.a
        assert call is not None
        return call

    @property
    def is_paired(self) -> bool:
        """Whether both runs made the call."""
        return self.a is not None and self.b is not None

    @property
    def is_same(self) -> bool:
        """Whether the calls are equal and in place, with all that was made inside."""
        return (
            self.is_paired
            and not self.is_moved
            and not self.is_changed
            and all(row.matched.is_same for row in self.rows)
        )


class Row(NamedTuple):
    """One line of a comparison: a pair in place, or one side of what is not.

    A pair that has moved has two rows, one on each side.
    """

    side: Literal["both", "a", "b"]
    matched: Matched


class Place(Struct, frozen=True):
    """Where two runs part or meet: calls from 1, and the lines where they start.

    A line is None past the end of a run.
    """

    run: int
    a: int
    b: int
    line_a: int | None
    line_b: int | None


class Finding(Struct, frozen=True):
    """One difference between two runs.

    `from_` and `to` are what it was and what it is, where one word says that.
    `waived` is the option that lets it pass. `inside` are the numbers of the calls,
    on both sides, that a call was made in, from the outermost on.
    """

    category: Category
    severity: Severity
    run: int
    matched: Matched | None = None
    from_: str | None = None
    to: str | None = None
    similarity: float | None = None
    waived: str | None = None
    inside: tuple[tuple[int, int], ...] = ()


class Counts(Struct, frozen=True):
    """How many calls of either run are what."""

    same: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    added: int = 0

    @property
    def a(self) -> int:
        """The calls of the baseline."""
        return self.same + self.changed + self.moved + self.removed

    @property
    def b(self) -> int:
        """The calls of the candidate."""
        return self.same + self.changed + self.moved + self.added

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.same + other.same,
            self.changed + other.changed,
            self.moved + other.moved,
            self.removed + other.removed,
            self.added + other.added,
        )


class RunComparison(Struct):
    """Two runs, or one without a partner, and how they differ.

    `rows` are the calls, or the action lines where a text is compared by them; then
    nothing is counted. `is_approximate` where there are too many calls to align.
    """

    number: int
    level: Level
    a: Trajectory | None
    b: Trajectory | None
    not_compared: set[Part]
    findings: list[Finding] = []
    rows: list[Row] = []
    text: TextComparison | None = None
    counts: Counts = Counts()
    first_divergence: Place | None = None
    resync: Place | None = None
    is_approximate: bool = False

    @property
    def status(self) -> tuple[State | None, State | None]:
        """How the two runs ended."""
        a, b = (run.run.state if run else None for run in (self.a, self.b))
        return a, b

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of either run."""
        a, b = (run.figures if run else Figures() for run in (self.a, self.b))
        return a, b


class Comparison(Struct):
    """Two logs, run by run. `hits` counts what the rules for noise changed."""

    level: Level
    runs: list[RunComparison]
    settings: Settings
    hits: Counter[str]

    def only(self, run: RunComparison) -> Comparison:
        """One pair of runs as a comparison of its own."""
        return Comparison(self.level, [run], self.settings, self.hits)

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of runs and calls."""
        return [finding for run in self.runs for finding in run.findings]

    @property
    def severity(self) -> Severity:
        """The highest severity of all findings."""
        return highest(self.findings)

    @property
    def is_different(self) -> bool:
        """Whether a finding is as severe as `--fail-on` asks for."""
        least = SEVERITIES.index(self.settings.fail_on)
        return any(
            not finding.waived and SEVERITIES.index(finding.severity) >= least
            for finding in self.findings
        )

    @property
    def not_compared(self) -> list[Part]:
        """The parts that some pair of runs did not compare."""
        return sorted({part for run in self.runs for part in run.not_compared})

    @property
    def counts(self) -> Counts:
        """The sums over all runs."""
        return sum((run.counts for run in self.runs), Counts())

    @property
    def status(self) -> tuple[State | None, State | None]:
        """How the last run of either log ended."""
        a = [run.a.run.state for run in self.runs if run.a]
        b = [run.b.run.state for run in self.runs if run.b]
        return a[-1] if a else None, b[-1] if b else None

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of either log, summed over its runs."""
        a = total(run.a.figures for run in self.runs if run.a)
        return a, total(run.b.figures for run in self.runs if run.b)


def highest(findings: list[Finding]) -> Severity:
    """The highest severity of findings, `none` for none."""
    severities = (finding.severity for finding in findings)
    return max(severities, key=SEVERITIES.index, default="none")
