"""The comparison of two logs, run by run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from convert.diff.agents_compared import ComparedAgents
from convert.diff.changes import Counts, Finding, Part, RunComparison
from convert.diff.values import PairedValue
from convert.facts.figures import Figures, total
from convert.model.events import Level, State
from convert.model.run import Run
from convert.options.settings import SEVERITIES, Settings, Severity


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
        """The edits of either log that were compared by what was passed to the tool."""
        a, b = (sum(run.fragments[side] for run in self.runs) for side in (0, 1))
        return a, b

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
        """The agents of the first pair of runs that differ in them; None if none."""
        return next((run.agents for run in self.runs if run.agents), None)

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
        a = total(run.a.figures for run in self.runs if run.a)
        return a, total(run.b.figures for run in self.runs if run.b)


def highest(findings: list[Finding]) -> Severity:
    """Return the highest severity of findings, `none` if there are none."""
    return highest_of(finding.severity for finding in findings)


def highest_of(severities: Iterable[Severity]) -> Severity:
    """Return the highest of severities, `none` if there are none."""
    return max(severities, key=SEVERITIES.index, default="none")
