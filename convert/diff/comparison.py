"""The result of a comparison: findings and counts, of two runs and of two logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from convert.diff.alignment.rows import CallComparison, Lines, Place, Row
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.trajectory import (
    ComparedAgents,
    ComparedDirectories,
    ComparedRun,
    Trajectory,
)
from convert.diff.files import FileComparison, commands_that_may_have_written
from convert.diff.noise_values import PairedValue
from convert.diff.run_made_values import ValuePairs
from convert.diff.texts import TextComparison
from convert.facts.failed_calls import FAILED
from convert.facts.figures import Figures, total_figures
from convert.model.events import Level, State
from convert.model.run import Run
from convert.options.settings import SEVERITIES, Category, Settings, Severity

if TYPE_CHECKING:
    from convert.diff.text_changes import FileChange


class EqualByRules(Struct, frozen=True):
    """The values that were equal only by a rule."""

    counts: Counter[str]
    """The number of values, or of calls in which a rule changed the spelling."""

    values: list[PairedValue]
    """The values that belong together."""


# The parts of two logs that may not be comparable.
Part = Literal["calls", "status", "text"]


class Finding(Struct, frozen=True):
    """One difference between two runs."""

    category: Category
    """The kind of difference."""

    severity: Severity
    """How much the difference matters; `info` if it is waived."""

    run: int
    """The number of the pair of runs, from 1."""

    comparison: CallComparison | None = None
    """The calls that differ; None for a difference of whole runs."""

    from_: str | None = None
    """The value in the baseline; None if it does not fit in a few words."""

    to: str | None = None
    """The value in the candidate; None if it does not fit in a few words."""

    better: bool = False
    """The candidate succeeded where the baseline failed."""

    limit: str | None = None
    """The option that sets the limit that is exceeded; None in other findings."""

    similarity: float | None = None
    """The similarity of the final texts, from 0 to 1; None in other findings."""

    waived: str | None = None
    """The option that lets the finding pass; None if it counts."""

    file: FileComparison | None = None
    """The file that differs; None in other findings."""

    inside: tuple[tuple[int, int], ...] = ()
    """The calls around this one, outermost first: their numbers in both runs."""

    numbers: tuple[str, str] = ("", "")
    """The numbers of the call in both runs: `3`, `2.1` inside 2, or "" for none."""

    lines: Lines = (None, None)
    """The lines of both logs that show the difference."""

    @property
    def started(self) -> Lines:
        """The lines of both logs where the call starts."""
        return self.comparison.lines if self.comparison else (None, None)

    @property
    def is_new_failure(self) -> bool:
        """Only the candidate made the call, and it is one of the failed ones."""
        return (
            self.category == "added"
            and self.comparison is not None
            and self.comparison.call.recorded.failure in FAILED
        )

    @property
    def is_about_text(self) -> bool:
        """The final texts differ."""
        return self.category in ("text", "narration", "level")


class Counts(Struct, frozen=True):
    """The number of calls in each state, those inside other calls included."""

    same: int = 0
    """Pairs that are equal and in place."""

    changed: int = 0
    """Pairs that differ in arguments or outcome, or in output if that counts."""

    moved: int = 0
    """Equal pairs at different places."""

    removed: int = 0
    """Calls of the baseline without a partner."""

    added: int = 0
    """Calls of the candidate without a partner."""

    @property
    def a(self) -> int:
        """The number of calls of the baseline."""
        return self.same + self.changed + self.moved + self.removed

    @property
    def b(self) -> int:
        """The number of calls of the candidate."""
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
    """The comparison of two runs; one of them may be missing."""

    number: int
    """The number of the pair, from 1."""

    level: Level
    """The richest level that both logs record."""

    sides: tuple[ComparedRun | None, ComparedRun | None]
    """Both runs as they were compared; None if the other log has more runs."""

    not_compared: set[Part]
    """The parts that could not be compared."""

    findings: list[Finding] = []
    """The differences: those of calls by position, then those of whole runs."""

    rows: list[Row] = []
    """The calls side by side, or the action lines, which are not counted."""

    text: TextComparison | None = None
    """The comparison of the final texts; None if they were not compared."""

    counts: Counts = Counts()
    """The number of calls in each state."""

    first_divergence: Place | None = None
    """The first calls that are not the same; None if all are."""

    resync: Place | None = None
    """The next equal pair in place after the divergence; None if there is none."""

    is_approximate: bool = False
    """There were too many calls to try all pairs."""

    files: list[FileComparison] = []
    """The files that a run changed in the end, by their paths."""

    file_changes: dict[str, FileChange | None] = {}
    """How the contents of files differ, by path; only of those that a report shows."""

    fragments: tuple[int, int] = (0, 0)
    """The edits of either run that were compared by the arguments passed."""

    agents: ComparedAgents | None = None
    """The agents of the two runs; None if it is one, or one is not known."""

    directories: ComparedDirectories | None = None
    """The directories of two runs if a log records none, else None."""

    is_by_subject: bool = False
    """Calls are compared by their subjects, since the agents differ."""

    value_pairs: ValuePairs | None = None
    """The values of both runs that belong together; None if calls were not compared."""

    equal_by_rules: EqualByRules = EqualByRules(Counter(), [])
    """The values that were equal only by a rule."""

    @property
    def a(self) -> Trajectory | None:
        """The run of the baseline; None if the candidate has more runs."""
        return self.sides[0].recorded if self.sides[0] else None

    @property
    def b(self) -> Trajectory | None:
        """The run of the candidate; None if the baseline has more runs."""
        return self.sides[1].recorded if self.sides[1] else None

    @property
    def unknown_parts(self) -> set[str]:
        """The parts that were not compared; without calls, neither were files."""
        has_files = self.level == "calls" or self.a is None or self.b is None
        # The logs of two agents may not say if a file is the same in the end.
        is_unknown = any(file.status == "not recorded" for file in self.files)
        if has_files and not (is_unknown and self.agents):
            return {*self.not_compared}
        return {*self.not_compared, "files"}

    @property
    def commands(self) -> tuple[list[AlignedCall], list[AlignedCall]]:
        """The commands that may have changed files as well."""
        a, b = (
            commands_that_may_have_written(run) if run else [] for run in self.sides
        )
        return a, b

    @property
    def ends_alike(self) -> bool:
        """Both runs changed files, and the files are the same in the end."""
        return bool(self.files) and all(file.status == "same" for file in self.files)

    @property
    def states(self) -> tuple[State | None, State | None]:
        """The states of the two runs."""
        return (
            self.a.run.state if self.a else None,
            self.b.run.state if self.b else None,
        )

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of the two runs."""
        return (
            self.a.figures if self.a else Figures(),
            self.b.figures if self.b else Figures(),
        )


class Comparison(Struct):
    """The comparison of two logs, run by run."""

    level: Level
    """The richest level that both logs record."""

    runs: list[RunComparison]
    """The pairs of runs, first with first."""

    settings: Settings
    """The settings that were in effect."""

    def __repr__(self) -> str:
        verdict = "different" if self.is_different else "same"
        return f"<Comparison: {verdict} ({self.severity}), {self.counts}>"

    def only(self, run: RunComparison) -> Comparison:
        """Return the comparison of one pair of runs."""
        return Comparison(self.level, [run], self.settings)

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of runs and calls."""
        return [finding for run in self.runs for finding in run.findings]

    @property
    def severity(self) -> Severity:
        """The highest severity of all findings."""
        return highest_of(finding.severity for finding in self.findings)

    @property
    def deciding(self) -> list[Finding]:
        """The findings that are at least as severe as `--fail-on` asks for."""
        least = SEVERITIES.index(self.settings.fail_on)
        return [
            finding
            for finding in self.findings
            if not finding.waived and SEVERITIES.index(finding.severity) >= least
        ]

    @property
    def is_different(self) -> bool:
        """A finding decides that the runs differ."""
        return bool(self.deciding)

    @property
    def is_better(self) -> bool:
        """The candidate did better in all of the findings that decide."""
        deciding = self.deciding
        return bool(deciding) and all(finding.better for finding in deciding)

    @property
    def not_compared(self) -> list[Part]:
        """The parts that could not be compared in some pair of runs."""
        return sorted({part for run in self.runs for part in run.not_compared})

    @property
    def unknown_parts(self) -> list[str]:
        """The parts that were not compared in some pair of runs, files among them."""
        return sorted({part for run in self.runs for part in run.unknown_parts})

    @property
    def rules_used(self) -> Counter[str]:
        """The number of values that were equal only by a rule, by its name."""
        return sum((run.equal_by_rules.counts for run in self.runs), Counter())

    @property
    def paired_values(self) -> list[PairedValue]:
        """The values that were equal only by a rule."""
        return [pair for run in self.runs for pair in run.equal_by_rules.values]

    @property
    def fragments(self) -> tuple[int, int]:
        """The edits of either log that were compared by the arguments passed."""
        return (
            sum(run.fragments[0] for run in self.runs),
            sum(run.fragments[1] for run in self.runs),
        )

    @property
    def counts(self) -> Counts:
        """The sums over all runs."""
        return sum((run.counts for run in self.runs), Counts())

    @property
    def similarity(self) -> float:
        """The share of calls that are the same, 2m/(a+b); 1 without any calls."""
        both = self.counts.a + self.counts.b
        return 2 * self.counts.same / both if both else 1.0

    @property
    def agents(self) -> ComparedAgents | None:
        """The agents of the first pair of runs of two agents, or None."""
        return next((run.agents for run in self.runs if run.agents), None)

    @property
    def inferred_directories(self) -> tuple[str, str]:
        """The directories inferred for the first runs that need one; "" for none."""
        found = (run.directories.inferred for run in self.runs if run.directories)
        return next(filter(any, found), ("", ""))

    @property
    def states(self) -> tuple[State | None, State | None]:
        """The states of the last run of each log."""
        a, b = (run.state if run else None for run in self.last_runs)
        return a, b

    @property
    def last_runs(self) -> tuple[Run | None, Run | None]:
        """The last run of each log."""
        a = [run.a.run for run in self.runs if run.a]
        b = [run.b.run for run in self.runs if run.b]
        return a[-1] if a else None, b[-1] if b else None

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of each log, summed over its runs."""
        a = total_figures(run.a.figures for run in self.runs if run.a)
        return a, total_figures(run.b.figures for run in self.runs if run.b)


def highest_of(severities: Iterable[Severity]) -> Severity:
    """Return the highest of some severities, or `none`."""
    return max(severities, key=SEVERITIES.index, default="none")


# Every report takes its findings from here, so that all have the same order.
def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by severity, those of one severity by position."""
    return sorted(findings, key=lambda f: -SEVERITIES.index(f.severity))


def run_of(finding: Finding, compared: Comparison) -> RunComparison:
    """Return the pair of runs that a finding is about."""
    # Runs are numbered without gaps, but need not begin at 1.
    return compared.runs[finding.run - compared.runs[0].number]
