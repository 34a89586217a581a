"""The result of one case: what was found, without the runs themselves.

Workers send results to the command, which may hold those of thousands of cases.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from convert.diff.changes import Counts, Part
from convert.diff.reports.appearance import ReportLine
from convert.model.events import ReasonKind, State
from convert.options.settings import Category, Severity
from convert.suite.repeated import Flaps, Repeated

# How a case turned out, from the worst to the best. `passes` differs less than
# `--fail-on` asks for.
Fate = Literal["trouble", "missing", "different", "passes", "new", "same"]
# In reports, a case that differs is called by its severity, and one that only exceeds a
# limit of the suite by that.
Word = Literal[Fate, Severity, "limit"]
WORDS: tuple[Word, ...] = (
    *("trouble", "missing", "critical", "major", "minor", "info"),
    *("limit", "passes", "new", "same"),
)
# The members of findings that tables have as columns; in reports, `call` says it.
IN_TABLES = frozenset({"run_a", "run_b", "call_a", "call_b", "path"})
FATES: tuple[Fate, ...] = ("trouble", "missing", "different", "passes", "new", "same")


class CaseSide(Struct, frozen=True, kw_only=True):
    """The runs of a case on one side; figures are None where they are not recorded."""

    logs: tuple[str, ...] = ()
    """The paths of the logs, as they were named or found, and as reports spell them."""

    log: str = ""
    """The path of the log that the report of the case is about; "" for none.

    For repeated runs, it is the medoid.
    """

    state: State | None = None
    """The state of the last run of that log."""

    reason_kind: ReasonKind = ""
    """The kind of reason why it ended without success."""

    calls: int | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None


class CaseFinding(Struct, frozen=True, kw_only=True):
    """One difference between the two runs that the report of a case is about."""

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
    """The numbers of both runs; None where there is none, or for repeated runs."""

    call_a: str = ""
    call_b: str = ""
    """The numbers of the call in both logs, as `3` or `5.2`; "" for none.

    In `call`, one that a subagent made is below the call of the subagent.
    """

    path: str = ""
    """The file that differs; "" for any other difference."""

    flaps: Flaps | None = None
    """In how many pairs of repeated runs it occurs; None for one run on each side."""


class CaseLimit(Struct, frozen=True, kw_only=True):
    """A limit for a suite that a case has exceeded."""

    option: str
    """The option that sets it, with its value: `--max-calls-ratio 1.5`."""

    what: str
    """The measurement, in words: `median of calls 4 -> 9 (x2.25)`."""


class CaseResult(Struct, kw_only=True):
    """The result of one case."""

    name: str
    """The name of the case: the path of its logs in both folders, without suffix."""

    fate: Fate
    severity: Severity = "none"
    """The highest severity of all findings.

    A missing case is `critical`, a new one `minor`.
    """

    is_different: bool = False
    """It is at least as severe as `--fail-on` asks for."""

    headline: str = ""
    """The verdict in one line, with its reasons; for trouble, the message."""

    a: CaseSide = CaseSide()
    b: CaseSide = CaseSide()
    agents: str = ""
    """The agents of the two runs, as in `Cursor against Codex`; "" if it is one."""

    counts: Counts | None = None
    """The calls of both runs in each state; None if calls were not compared."""

    not_compared: tuple[Part, ...] = ()
    """The parts that were not compared, since not both logs record them."""

    findings: list[CaseFinding] = []
    """The differences, the most severe first."""

    repeated: Repeated | None = None
    """The figures of repeated runs; None for one run on each side."""

    limits: list[CaseLimit] = []
    """The limits that are exceeded; they are no findings."""

    unchecked: list[str] = []
    """The limits that need a figure which a log does not record, by their options."""

    may_fail: bool = False
    """It does not decide, since it may fail."""

    blocks: dict[str, list[ReportLine]] = {}
    """The comparison as a report of `diff`, by its name, as far as one is wanted.

    Only for a case that differs, and only as many cases as reports show.
    """

    def block(self, name: str) -> str:
        """Return the comparison as a report of `diff`; "" if there is none."""
        return "".join(f"{line.text}\n" for line in self.blocks.get(name, ()))

    @property
    def is_failure(self) -> bool:
        """The case makes the command exit with another status than 0."""
        fails = self.is_different or bool(self.limits)
        return self.fate == "trouble" or (fails and not self.may_fail)

    @property
    def is_told(self) -> bool:
        """Reports list it: it is not the same, or it lacks some of its runs."""
        lacks_runs = self.repeated is not None and self.repeated.is_told
        return self.word != "same" or lacks_runs

    @property
    def word(self) -> Word:
        """How it turned out in a word; of a difference, how severe it is."""
        if self.fate == "different":
            return self.severity
        if self.limits and self.fate in ("passes", "same"):
            return "limit"
        return self.fate
