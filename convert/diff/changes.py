"""The values that a comparison returns; reports show them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.equal_by_rules import EqualByRules, Hits
from convert.diff.net_files import FileComparison, commands_that_may_have_written
from convert.diff.outputs import ComparedOutput
from convert.diff.texts import TextComparison
from convert.diff.trajectory import Trajectory
from convert.diff.value_pairs import ValuePairs
from convert.diff.values import PairedValue
from convert.facts.figures import Figures, total
from convert.model import Level, State
from convert.options.settings import SEVERITIES, Category, Settings, Severity

# The parts of two logs that may not be comparable.
Part = Literal["calls", "status", "text"]


class CallComparison(Struct):
    """The comparison of a pair of calls, or one call without a partner."""

    a: ComparedCall | None
    """The call of the baseline; None for an added call."""

    b: ComparedCall | None
    """The call of the candidate; None for a removed call."""

    is_moved: bool = False
    """The two calls stand at different places, and the difference counts."""

    has_other_tool: bool = False
    """The tools have different names, and the arguments are equal."""

    has_other_arguments: bool = False
    """The arguments differ."""

    has_other_outcome: bool = False
    """The outcomes differ."""

    is_changed: bool = False
    """The pair differs in something that counts as a change."""

    outputs: tuple[ComparedOutput, ComparedOutput] | None = None
    """The outputs of an otherwise equal pair if they differ, else None."""

    output_hits: tuple[Hits, Hits] | None = None
    """What the rules changed in outputs that count and are equal by rules alone."""

    rows: list[Row] = []
    """The comparison of the calls made inside the pair."""

    value_pairs: ValuePairs | None = None
    """The values of both runs that belong together, if the arguments differ."""

    @property
    def arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of both calls, with one name for values that belong together.

        A call that is missing has none.
        """
        pairs = self.value_pairs
        if pairs is None or self.a is None or self.b is None:
            a, b = (call.shown_arguments if call else {} for call in (self.a, self.b))
            return a, b
        return (
            pairs.named_arguments(self.a, is_baseline=True),
            pairs.named_arguments(self.b, is_baseline=False),
        )

    @property
    def has_other_effect(self) -> bool:
        """The calls are edits that changed other things, as far as that is recorded."""
        effects = [call and call.effect for call in (self.a, self.b)]
        return self.has_other_arguments and None not in effects

    @property
    def has_other_output(self) -> bool:
        """The outputs of an otherwise equal pair differ."""
        return self.outputs is not None

    @property
    def call(self) -> ComparedCall:
        """The call of the candidate, else that of the baseline."""
        call = self.b or self.a
        assert call is not None
        return call

    @property
    def is_paired(self) -> bool:
        """Both runs made the call."""
        return self.a is not None and self.b is not None

    @property
    def is_in_place(self) -> bool:
        """Both runs made the call, at the same place or where order does not matter."""
        return self.is_paired and not self.is_moved

    @property
    def is_same(self) -> bool:
        """The calls are equal and in place, and so are all calls inside them."""
        return (
            self.is_in_place
            and not self.is_changed
            and all(row.comparison.is_same for row in self.rows)
        )


class Row(NamedTuple):
    """One row of a comparison: a pair in place, or one side of any other calls.

    A moved pair has two rows, one on each side.
    """

    side: Literal["both", "a", "b"]
    """The sides of the report that the row is on."""

    comparison: CallComparison
    """The calls of the row."""


class Place(Struct, frozen=True, omit_defaults=True):
    """A place where two runs diverge or meet again."""

    run: int
    """The number of the pair of runs, from 1."""

    a: int
    """The number of the call in the baseline, from 1; one past the end if none."""

    b: int
    """The number of the call in the candidate, from 1; one past the end if none."""

    line_a: int | None
    """The line where the call of the baseline starts; None past the end."""

    line_b: int | None
    """The line where the call of the candidate starts; None past the end."""

    steps: tuple[tuple[int, int], ...] = ()
    """The calls inside these that are not the same, outermost first, if they are."""

    @property
    def names(self) -> tuple[str, str]:
        """The numbers of the calls in both runs, as `3`, or as `1.2` inside of 1."""
        a, b = (
            ".".join(str(numbers[side]) for numbers in ((self.a, self.b), *self.steps))
            for side in (0, 1)
        )
        return a, b


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
    """The value in the baseline; None if a few words cannot say it."""

    to: str | None = None
    """The value in the candidate; None if a few words cannot say it."""

    better: bool = False
    """The baseline failed where the candidate did not."""

    limit: str | None = None
    """The option that sets the limit that is exceeded; None in other findings."""

    similarity: float | None = None
    """How near the final texts are, from 0 to 1; None in other findings."""

    waived: str | None = None
    """The option that lets the finding pass; None if it counts."""

    file: FileComparison | None = None
    """The file that differs; None in other findings."""

    inside: tuple[tuple[int, int], ...] = ()
    """The calls around this one, outermost first: their numbers in both runs."""

    @property
    def is_about_text(self) -> bool:
        """The final texts differ."""
        return self.category in ("text", "narration", "level")


class Counts(Struct, frozen=True):
    """The number of calls in each state; calls inside others are counted too."""

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

    a: Trajectory | None
    """The run of the baseline; None if the candidate has more runs."""

    b: Trajectory | None
    """The run of the candidate; None if the baseline has more runs."""

    not_compared: set[Part]
    """The parts that could not be compared."""

    findings: list[Finding] = []
    """The differences: those of calls by position, then those of whole runs."""

    rows: list[Row] = []
    """The calls side by side, or the action lines; then nothing is counted."""

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

    fragments: tuple[int, int] = (0, 0)
    """The edits of either run that were compared by the text passed to the tool."""

    value_pairs: ValuePairs | None = None
    """The values of both runs that belong together; None if calls were not compared."""

    equal_by_rules: EqualByRules = EqualByRules(Counter(), [])
    """The values that were equal by a rule alone."""

    @property
    def unknown_parts(self) -> set[str]:
        """The parts that were not compared; without calls, files are none either."""
        if self.level == "calls" or self.a is None or self.b is None:
            return {*self.not_compared}
        return {*self.not_compared, "files"}

    @property
    def commands(self) -> tuple[list[ComparedCall], list[ComparedCall]]:
        """The commands that may have changed files as well."""
        a, b = (
            commands_that_may_have_written(run) if run else []
            for run in (self.a, self.b)
        )
        return a, b

    @property
    def ends_alike(self) -> bool:
        """Both runs changed files, and the files are the same in the end."""
        return bool(self.files) and all(file.status == "same" for file in self.files)

    @property
    def states(self) -> tuple[State | None, State | None]:
        """The states of the two runs."""
        a, b = (run.run.state if run else None for run in (self.a, self.b))
        return a, b

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of the two runs."""
        a, b = (run.figures if run else Figures() for run in (self.a, self.b))
        return a, b


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
        return highest(self.findings)

    @property
    def is_different(self) -> bool:
        """A finding is at least as severe as `--fail-on` asks for."""
        least = SEVERITIES.index(self.settings.fail_on)
        return any(
            not finding.waived and SEVERITIES.index(finding.severity) >= least
            for finding in self.findings
        )

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
        """How many values were equal by each rule alone, by its name."""
        return sum((run.equal_by_rules.counts for run in self.runs), Counter())

    @property
    def paired_values(self) -> list[PairedValue]:
        """The values that were equal by a rule alone."""
        return [pair for run in self.runs for pair in run.equal_by_rules.values]

    @property
    def fragments(self) -> tuple[int, int]:
        """The edits of either log that were compared by the text passed to the tool."""
        a, b = (sum(run.fragments[side] for run in self.runs) for side in (0, 1))
        return a, b

    @property
    def counts(self) -> Counts:
        """The sums over all runs."""
        return sum((run.counts for run in self.runs), Counts())

    @property
    def states(self) -> tuple[State | None, State | None]:
        """The states of the last run of each log."""
        a = [run.a.run.state for run in self.runs if run.a]
        b = [run.b.run.state for run in self.runs if run.b]
        return a[-1] if a else None, b[-1] if b else None

    @property
    def figures(self) -> tuple[Figures, Figures]:
        """The figures of each log, summed over its runs."""
        a = total(run.a.figures for run in self.runs if run.a)
        return a, total(run.b.figures for run in self.runs if run.b)


def highest(findings: list[Finding]) -> Severity:
    """Return the highest severity of findings, `none` if there are none."""
    severities = (finding.severity for finding in findings)
    return max(severities, key=SEVERITIES.index, default="none")
