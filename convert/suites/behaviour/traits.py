"""The traits of one run: all that a comparison of versions can count.

Runs are not compared with one another, so that the time grows with the number of runs
and not with the number of pairs. The version of a run plays no part in its traits. A
trait is skipped if settings ignore, waive or do not judge the similar finding of
`diff`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

from convert.diff import Side
from convert.diff.run_facts import (
    EDITS,
    AlignedCall,
    ComparedRun,
    LoneRun,
    digest,
    ends_of,
    tool_pattern,
)
from convert.facts.failed_calls import FAILED, Checks
from convert.model.events import Level
from convert.options.settings import MATCHES, PARTS_OF, Category, Settings
from convert.suites.behaviour.actions import (
    Action,
    action_of,
    action_of_program,
    are_checked,
    as_shown,
    is_check,
)
from convert.suites.behaviour.varying_values import Environment

Kind = Literal[
    "runs",
    "call",
    "program",
    "order",
    "check",
    "args",
    "effect",
    "passed",
    "origin",
    "outcome",
    "tests",
    "output",
    "file",
    "content",
    "text",
]
# The direction that counts as a change: a larger share of runs, a smaller one, or both.
Counted = Literal["both", "more", "fewer"]


class Trait(NamedTuple):
    """Something that a run does; equal in all runs that do it."""

    kind: Kind
    key: bytes = b""
    """The call, program or file that it is about; empty for the whole run."""

    other: bytes = b""
    """The second call of an order, the arguments, the outcome or the content."""

    times: int = 1
    """How often the run does it, at least."""

    counted: Counted = "both"


class TraitedRun(Struct):
    """The traits of the run of a log."""

    log: str
    """The path of its log, as reports spell it."""

    level: Level
    """How much of a run the log records."""

    traits: dict[Trait, int | None] = {}
    """Each trait, with the line of the log where it is first seen."""

    actions: dict[bytes, Action] = {}
    """The call, program or file that each key of a trait is for."""

    orders: dict[tuple[bytes, bytes], int] = {}
    """The pairs of calls that come in this order, with the line of the later one."""

    arguments: dict[bytes, bytes] = {}
    """The marshalled arguments, by the keys that traits have of them."""

    has_changes: bool = False
    """The run changed some file, so that there is something to check."""

    lacks_effects: bool = False
    """The log does not record the effect of some edit."""

    @property
    def files(self) -> set[bytes]:
        """The files that the run changed."""
        return {trait.key for trait in self.traits if trait.kind == "file"}


# A run makes a call once, again, or three times and more.
_MOST_TIMES = 3
# How many different calls of a run have an order; of a longer run, the first ones.
_MOST_ORDERED = 60


def traits_of(
    log: str, side: Side, settings: Settings, runs: Sequence[ComparedRun] = ()
) -> TraitedRun:
    """Return the traits of the runs of a log, which count together.

    `runs` are these runs as `compare_across` returns them, if it does.
    """
    found = TraitedRun(log, side.level)
    counter = _Counter(found, settings)
    for run in runs or side.runs:
        counter.add_run(LoneRun(run, settings, Environment))
    counter.end(len(side.runs))
    return found


class _Counter:
    """Folds the runs of a log into their traits."""

    def __init__(self, found: TraitedRun, settings: Settings) -> None:
        self._found = found
        self._settings = settings
        self._times: Counter[bytes] = Counter()
        self._tools: dict[tuple[str, str], Counted | None] = {}
        # The categories that decide.
        self._counting = {
            each
            for each in get_args(Category)
            if PARTS_OF.get(each, settings.judged) & settings.judged
            and each not in settings.ignore
            and each not in MATCHES[settings.match][0]
        }

    def add_run(self, run: LoneRun) -> None:
        """Add the next run of the log."""
        if run.level == "calls":
            calls = [*run.compared.all_calls]
            self._found.lacks_effects |= run.lacks_effects
            for call in calls:
                if not call.is_bookkeeping:
                    self._add_call(call, run)
            self._add_orders(run.compared.calls)
            self._add_checks(calls)
            self._add_files(run)
        elif run.level == "text":
            self._add_lines(run)
        settings = self._settings
        # Nothing but equality decides about the answer.
        is_equality = not settings.answer_cmd and settings.min_similarity is None
        if is_equality and (answer := run.answer):
            key, line = answer
            self._add(self._counted("text"), "text", b"", key, line)

    def end(self, runs: int) -> None:
        """Add how many runs the log has."""
        for number in range(2, min(runs, _MOST_TIMES) + 1):
            self._add(self._counted("runs"), "runs", b"", times=number)

    def _add(
        self,
        counted: Counted | None,
        kind: Kind,
        key: bytes,
        other: bytes = b"",
        line: int | None = None,
        *,
        times: int = 1,
    ) -> None:
        if counted:
            self._found.traits.setdefault(Trait(kind, key, other, times, counted), line)

    def _add_call(self, call: AlignedCall, run: LoneRun) -> None:
        key, line, actions = call.keys.subject, call.recorded.line, self._found.actions
        if key not in actions:
            actions[key] = action_of(call)
        self._add_times(call, key)
        # A command that shows a file is a read of it where agents differ.
        program = digest(["read"]) if call.keys.manner.shown_file else call.keys.tool
        if program != key:
            if program not in actions:
                actions[program] = action_of_program(call)
            self._add(self._counted_tool(call), "program", program, line=line)
        if call.keys.manner.how == "exact":
            self._add_arguments(call, run, key)
        if call.keys.outcome != "ok":
            outcome = _encoded(as_shown(call.keys.outcome))
            counted = self._counted("outcome", better="fewer")
            self._add(counted, "outcome", key, outcome, line)
        if self._settings.outputs and call.recorded.output_kept:
            self._add(
                self._counted("output"), "output", key, run.output_key(call), line
            )

    def _add_times(self, call: AlignedCall, key: bytes) -> None:
        """Add that a run makes a call once more."""
        self._times[key] += 1
        if (times := self._times[key]) <= _MOST_TIMES:
            counted, line = self._counted_tool(call), call.recorded.line
            self._add(counted, "call", key, line=line, times=times)

    def _add_arguments(self, call: AlignedCall, run: LoneRun, key: bytes) -> None:
        counted, line = self._counted("args"), call.recorded.line
        arguments, marked = call.keys.arguments, call.keys.marked
        self._found.arguments.setdefault(arguments, marked.kept or call.keys.form.kept)
        kind: Kind = "args"
        if call.recorded.kind in EDITS and call.recorded.outcome == "ok":
            kind = "effect" if call.keys.forms.effect else "passed"
        self._add(counted, kind, key, arguments, call.recorded.ended_line)
        if passed := run.passed_key(call):
            # For a case in which some log does not record effects.
            self._add(counted, "passed", key, passed, line)
        if marked.origins:
            self._add(counted, "origin", key, arguments + marked.origins, line)

    def _add_orders(self, calls: list[AlignedCall]) -> None:
        """Add which calls come before which others, of those that one agent made.

        Checks go by their programs, since their options differ from run to run.
        """
        order = self._settings.effective_order
        moved, verification = self._counted("moved"), self._counted("verification")
        if order == "any" or not (moved or verification):
            return
        firsts: dict[bytes, int] = {}
        for place, call in enumerate(calls):
            if call.children:
                self._add_orders(call.children)
            if len(firsts) < _MOST_ORDERED and not call.is_bookkeeping:
                key = call.keys.tool if is_check(call) else call.keys.subject
                firsts.setdefault(key, place)
        ends = ends_of([call.recorded for call in calls], order)
        waiting = [(key, calls[place], place) for key, place in firsts.items()]
        for at, (key, call, place) in enumerate(waiting, 1):
            for other_key, other, other_place in waiting[at:]:
                one, then = call.recorded, other.recorded
                if other_place < ends[place] or not (one.acts or then.acts):
                    continue
                if verification if are_checked(one, then) else moved:
                    self._found.orders.setdefault((key, other_key), then.line)

    def _add_checks(self, calls: list[AlignedCall]) -> None:
        """Add the checks that passed after the last change, and those that failed."""
        checks: Checks[AlignedCall] = Checks()
        last: dict[bytes, AlignedCall] = {}
        for call in calls:
            if call.recorded.changes_files:
                checks.add_change(call.recorded.ends, call.recorded.step)
            elif is_check(call):
                last[call.keys.tool] = call
                if call.recorded.outcome == "ok" and call.recorded.failure is None:
                    checks.add_passed(call, call.recorded.starts, call.recorded.step)
        self._found.has_changes |= checks.has_changes
        # A check that is better is one more that passed, or one less that failed.
        counted = self._counted("verification", better="more")
        for call in checks.passed:
            self._add(counted, "check", call.keys.tool, line=call.recorded.line)
        counted = self._counted("tests", better="fewer")
        for program, call in last.items():
            tests, line = call.recorded.counted_tests, call.recorded.line
            if call.recorded.failure in FAILED or (tests and tests.has_failures):
                self._add(counted, "tests", program, b"fail", line)
            elif tests and tests.passed == 0:
                self._add(counted, "tests", program, b"none", line)

    def _add_files(self, run: LoneRun) -> None:
        """Add the files that a run changed, and their contents in the end."""
        for file in run.files() if self._settings.args != "ignore" else ():
            counted = self._counted_files(file.names)
            key = _encoded(file.marked)
            action = Action("", about=as_shown(file.path), file=as_shown(file.marked))
            self._found.actions.setdefault(key, action)
            done = b"deleted" if file.is_deleted else b""
            self._add(counted, "file", key, done, file.line)
            if file.content:
                self._add(counted, "content", key, file.content, file.line)

    def _add_lines(self, run: LoneRun) -> None:
        """Add the calls of a log of text, which has a line for each."""
        for call, line, key in run.lines():
            kind, acts = call.recorded.kind, call.recorded.acts
            action = Action(kind, about=as_shown(line), acts=acts, is_line=True)
            self._found.actions.setdefault(key, action)
            self._add_times(call, key)

    def _counted_tool(self, call: AlignedCall) -> Counted | None:
        """Return how the share of runs counts that make a call of this tool."""
        tool = call.recorded.kind, call.recorded.tool
        if tool not in self._tools:
            self._tools[tool] = self._counted_calls(call.recorded.names)
        return self._tools[tool]

    def _counted_calls(self, names: set[str]) -> Counted | None:
        """Return how the share of runs counts that call a tool with these names."""
        is_more = "added" in self._counting and not any(
            tool_pattern(name).fullmatch(each)
            for name in self._settings.allow_extra
            for each in names
        )
        if "removed" in self._counting:
            return "both" if is_more else "fewer"
        return "more" if is_more else None

    def _counted_files(self, names: set[str]) -> Counted | None:
        """Return how the share of runs counts that change a file by these tools.

        A file that calls changed which may be added, or removed, may be so too.
        """
        if "files" not in self._counting:
            return None
        is_of_calls = "calls" in self._settings.judged
        return self._counted_calls(names) if is_of_calls else "both"

    def _counted(
        self, category: Category, better: Counted | None = None
    ) -> Counted | None:
        """Return how a category counts; `better` is the direction that is better."""
        if category not in self._counting:
            return None
        if better and self._settings.allow_better:
            return "fewer" if better == "more" else "more"
        return "both"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
