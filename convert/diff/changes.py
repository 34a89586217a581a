"""The differences between two runs: findings, counts, and places."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

from convert.diff.agents_compared import ComparedAgents
from convert.diff.call_comparison import CallComparison, Row
from convert.diff.compared_call import ComparedCall
from convert.diff.equal_by_rules import EqualByRules
from convert.diff.net_files import FileComparison, commands_that_may_have_written
from convert.diff.texts import TextComparison
from convert.diff.trajectory import Trajectory
from convert.diff.value_pairs import ValuePairs
from convert.facts.figures import Figures
from convert.facts.judged import FAILED
from convert.model.events import Level, State
from convert.options.settings import Category, Severity

# The parts of two logs that may not be comparable.
Part = Literal["calls", "status", "text"]


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
    def is_new_failure(self) -> bool:
        """Only the candidate made the call, and it is one of the failed ones."""
        if self.category != "added" or self.comparison is None:
            return False
        return self.comparison.call.failure in FAILED

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
    """The edits of either run that were compared by what was passed to the tool."""

    agents: ComparedAgents | None = None
    """The agents of the two runs; None if it is one, or one is not known."""

    is_by_subject: bool = False
    """Calls are compared by their subjects, since the agents differ."""

    value_pairs: ValuePairs | None = None
    """The values of both runs that belong together; None if calls were not compared."""

    equal_by_rules: EqualByRules = EqualByRules(Counter(), [])
    """The values that were equal by a rule alone."""

    @property
    def unknown_parts(self) -> set[str]:
        """The parts that were not compared; without calls, files are none either."""
        has_files = self.level == "calls" or self.a is None or self.b is None
        if has_files and not self._lacks_contents:
            return {*self.not_compared}
        return {*self.not_compared, "files"}

    @property
    def _lacks_contents(self) -> bool:
        """The logs of two agents do not say if a file is the same in the end."""
        is_unknown = any(file.status == "not recorded" for file in self.files)
        return is_unknown and self.agents is not None

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
