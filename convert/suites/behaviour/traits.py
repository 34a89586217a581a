"""The traits of one run: all that a comparison of versions can count.

Runs are not compared with one another, so that the traits of a case take a time that
grows with its runs and not with their pairs. The version of a run plays no part in its
traits. A trait is skipped where settings ignore, waive or do not judge the finding of
`diff` that is like it.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

from convert.diff import Side
from convert.diff.calls import RecordedCall, command_in, ends_of
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.arguments import EDITS, tool_pattern
from convert.diff.calls.outputs import digest
from convert.diff.calls.trajectory import ComparedRun
from convert.diff.run_facts import LoneRun, lone_runs
from convert.facts.failed_calls import FAILED
from convert.facts.repeats import Checks
from convert.model.events import Level
from convert.options.settings import MATCHES, PARTS_OF, Category, Settings
from convert.suites.behaviour.varying_values import Environment
from convert.tools.shell import attempt_of, program_of
from convert.tools.subjects import SEARCHES, Subject, subject_of
from convert.wording.escapes import escape_controls, one_line, truncate

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
# Whether a larger share of runs counts as a change, a smaller one, or both.
Counted = Literal["both", "more", "fewer"]

# Kinds of tools that change the file which they name.
CHANGES = ("edit", "write", "delete")
# How many characters of a call are kept to name it.
_LONGEST = 300


class Trait(NamedTuple):
    """Something that a run does, equal in all runs that do it."""

    kind: Kind
    key: bytes = b""
    """The call, program or file that it is about; empty for the whole run."""

    other: bytes = b""
    """The second call of an order, the arguments, the outcome or the content."""

    times: int = 1
    """How often the run does it, at least."""

    counted: Counted = "both"


class Action(Struct, frozen=True):
    """The call, program or file that a trait is about, with what its words need."""

    kind: str
    """The kind of the tool in the model; "" for a file."""

    tool: str = ""
    """The tool as people know it."""

    about: str = ""
    """The subject on one line, without characters that do harm."""

    file: str = ""
    """The file that it changes, with marks for what is noise; "" for none."""

    words: str = ""
    place: str = ""
    """The pattern of a search, and where it searches."""

    command: str = ""
    """The command as it is compared; "" for any other call."""

    program: bytes = b""
    """Equal in two calls of one program, or of one tool."""

    acts: bool = False
    is_program: bool = False
    """It is about all calls of a program or tool."""

    is_line: bool = False
    """Its log is text, of which `about` is a line."""

    @property
    def label(self) -> str:
        """The tool and what the call is about, as in findings."""
        if self.is_line:
            return self.about
        return f"{self.tool} {self.about}".strip()


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
    """The log does not record what some edit changed."""

    @property
    def files(self) -> set[bytes]:
        """The files that the run changed."""
        return {trait.key for trait in self.traits if trait.kind == "file"}


def are_checked(one: RecordedCall | Action, other: RecordedCall | Action) -> bool:
    """Tell if one is a command that acts and the other changes a file."""
    if one.kind in CHANGES:
        one, other = other, one
    return other.kind in CHANGES and one.kind == "shell" and one.acts


def action_of(call: AlignedCall) -> Action:
    """Return a call as words need it, whatever it was compared with before."""
    arguments = call.arguments
    subject = recorded_subject(call)
    return Action(
        call.recorded.kind,
        tool=as_shown(call.recorded.shown_tool),
        about=as_shown(subject.line_with_feeds),
        file=_file_of(call, subject),
        words=as_shown(" ".join(subject.words))
        if call.recorded.kind in SEARCHES
        else "",
        place=as_shown(" ".join(subject.paths))
        if call.recorded.kind in SEARCHES
        else "",
        command=command_in(arguments),
        program=call.keys.tool,
        acts=call.recorded.acts,
    )


def _file_of(call: AlignedCall, subject: Subject) -> str:
    if call.recorded.kind not in CHANGES:
        return ""
    if call.keys.marked.kept is not None:
        subject = subject_of(call.recorded.kind, marshal.loads(call.keys.marked.kept))
    return as_shown(subject.line_with_feeds)


def action_of_program(call: AlignedCall) -> Action:
    """Return the program of a command, or the tool of any other call."""
    command = call.command
    return Action(
        call.recorded.kind,
        tool=as_shown(call.recorded.shown_tool),
        about=as_shown(program_of(command)) if command else "",
        command=command,
        program=call.keys.tool,
        acts=call.recorded.acts,
        is_program=True,
    )


def recorded_subject(call: AlignedCall) -> Subject:
    """Return the subject of a call, without numbers that come from another run."""
    return subject_of(call.recorded.kind, call.arguments)


def is_check(call: AlignedCall) -> bool:
    """Tell if a command runs tests or the like."""
    if call.recorded.kind != "shell" or call.keys.manner.how == "ignore":
        return False
    return attempt_of(call.command).is_check


def as_shown(text: str) -> str:
    """Return a text of a log on one line, without characters that do harm."""
    return truncate(escape_controls(one_line(text)), _LONGEST)


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
    for run in lone_runs(runs or side.runs, settings, Environment):
        counter.add_run(run)
    counter.end(len(side.runs))
    return found


class _Counter:
    """Folds the runs of a log into their traits."""

    def __init__(self, found: TraitedRun, settings: Settings) -> None:
        self._found = found
        self._settings = settings
        self._times: Counter[bytes] = Counter()
        self._tools: dict[tuple[str, str], Counted | None] = {}
        self._counting = {
            each for each in get_args(Category) if _counts(each, settings)
        }

    def add_run(self, run: LoneRun) -> None:
        """Add the next run of the log."""
        if run.level == "calls":
            calls = run.all_calls
            self._found.lacks_effects |= run.lacks_effects
            self._add_calls(calls, run)
            self._add_orders(run.calls)
            self._add_checks(calls)
            self._add_files(run)
        elif run.level == "text":
            self._add_lines(run)
        self._add_text(run)

    def end(self, runs: int) -> None:
        """Add what is known of the whole log."""
        for number in range(2, min(runs, _MOST_TIMES) + 1):
            self._add("runs", b"", counted=self._counted("runs"), times=number)

    def _add(
        self,
        kind: Kind,
        key: bytes,
        other: bytes = b"",
        *,
        counted: Counted | None,
        line: int | None = None,
        times: int = 1,
    ) -> None:
        if counted:
            trait = Trait(kind, key, other, times, counted)
            self._found.traits.setdefault(trait, line)

    def _add_calls(self, calls: list[AlignedCall], run: LoneRun) -> None:
        for call in calls:
            if call.is_bookkeeping:
                continue
            key = call.keys.subject
            if key not in self._found.actions:
                self._found.actions[key] = action_of(call)
            counted = self._counted_tool(call)
            self._times[key] += 1
            times = self._times[key]
            if times <= _MOST_TIMES:
                self._add(
                    "call", key, counted=counted, line=call.recorded.line, times=times
                )
            # A command that shows a file is a read of it where agents differ.
            program = (
                digest(["read"]) if call.keys.manner.shown_file else call.keys.tool
            )
            if program != key:
                if program not in self._found.actions:
                    self._found.actions[program] = action_of_program(call)
                self._add("program", program, counted=counted, line=call.recorded.line)
            self._add_arguments(call, run, key)
            self._add_outcome(call, key)
            if self._settings.outputs and call.recorded.output_kept:
                self._add_output(call, run, key)

    def _add_output(self, call: AlignedCall, run: LoneRun, key: bytes) -> None:
        counted, line = self._counted("output"), call.recorded.line
        self._add("output", key, run.output_key(call), counted=counted, line=line)

    def _add_arguments(self, call: AlignedCall, run: LoneRun, key: bytes) -> None:
        if call.keys.manner.how != "exact":
            return
        counted = self._counted("args")
        arguments = call.keys.arguments
        self._found.arguments.setdefault(
            arguments, call.keys.marked.kept or call.keys.form.kept
        )
        kind: Kind = "args"
        if call.recorded.kind in EDITS and call.recorded.outcome == "ok":
            kind = "effect" if call.keys.forms.effect else "passed"
        self._add(kind, key, arguments, counted=counted, line=call.recorded.ended_line)
        if passed := run.passed_key(call):
            # For a case in which some log does not record effects.
            self._add("passed", key, passed, counted=counted, line=call.recorded.line)
        if call.keys.marked.origins:
            origin = arguments + call.keys.marked.origins
            self._add("origin", key, origin, counted=counted, line=call.recorded.line)

    def _add_outcome(self, call: AlignedCall, key: bytes) -> None:
        if call.keys.outcome == "ok":
            return
        counted = self._counted("outcome", better="fewer")
        outcome = _encoded(as_shown(call.keys.outcome))
        self._add("outcome", key, outcome, counted=counted, line=call.recorded.line)

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
                firsts.setdefault(_ordered_key(call), place)
        ends = ends_of([call.recorded for call in calls], order)
        waiting = [(key, calls[place], place) for key, place in firsts.items()]
        for at, (key, call, place) in enumerate(waiting, 1):
            for other_key, other, other_place in waiting[at:]:
                if other_place < ends[place] or not (
                    call.recorded.acts or other.recorded.acts
                ):
                    continue
                if (
                    verification
                    if are_checked(call.recorded, other.recorded)
                    else moved
                ):
                    self._found.orders.setdefault((key, other_key), other.recorded.line)

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
            self._add("check", call.keys.tool, counted=counted, line=call.recorded.line)
        counted = self._counted("tests", better="fewer")
        for program, call in last.items():
            tests = call.recorded.counted_tests
            if call.recorded.failure in FAILED or (tests and tests.has_failures):
                self._add(
                    "tests", program, b"fail", counted=counted, line=call.recorded.line
                )
            elif tests and tests.passed == 0:
                self._add(
                    "tests", program, b"none", counted=counted, line=call.recorded.line
                )

    def _add_files(self, run: LoneRun) -> None:
        """Add the files that a run changed, and their contents in the end."""
        if self._settings.args == "ignore":
            return
        for file in run.files():
            counted = self._counted_files(file.names)
            key = _encoded(file.marked)
            self._found.actions.setdefault(
                key, Action("", about=as_shown(file.path), file=as_shown(file.marked))
            )
            done = b"deleted" if file.is_deleted else b""
            self._add("file", key, done, counted=counted, line=file.line)
            if file.content:
                self._add("content", key, file.content, counted=counted, line=file.line)

    def _add_lines(self, run: LoneRun) -> None:
        """Add the calls of a log of text, of which it has a line each."""
        for call, line, key in run.lines():
            recorded, about = call.recorded, as_shown(line)
            action = Action(
                recorded.kind, about=about, acts=recorded.acts, is_line=True
            )
            self._found.actions.setdefault(key, action)
            self._times[key] += 1
            if (times := self._times[key]) <= _MOST_TIMES:
                counted = self._counted_tool(call)
                self._add("call", key, counted=counted, line=recorded.line, times=times)

    def _add_text(self, run: LoneRun) -> None:
        """Add the answer, unless more than equality decides about it."""
        settings = self._settings
        if settings.answer_cmd or settings.min_similarity is not None:
            return
        if answer := run.answer:
            key, line = answer
            self._add("text", b"", key, counted=self._counted("text"), line=line)

    def _counted_tool(self, call: AlignedCall) -> Counted | None:
        """Return how the share of runs counts that make a call of this tool."""
        tool = call.recorded.kind, call.recorded.tool
        if tool not in self._tools:
            self._tools[tool] = self._counted_calls(call.recorded.names)
        return self._tools[tool]

    def _counted_calls(self, names: set[str]) -> Counted | None:
        """Return how the share of runs counts that call a tool with these names."""
        is_added = "added" in self._counting and not any(
            tool_pattern(name).fullmatch(each)
            for name in self._settings.allow_extra
            for each in names
        )
        return _counted(is_more=is_added, is_fewer="removed" in self._counting)

    def _counted_files(self, names: set[str]) -> Counted | None:
        """Return how the share of runs counts that change a file by these tools.

        A file that calls changed which may be added, or removed, may be so too.
        """
        if "files" not in self._counting:
            return None
        if "calls" not in self._settings.judged:
            return "both"
        return self._counted_calls(names)

    def _counted(
        self, category: Category, better: Counted | None = None
    ) -> Counted | None:
        """Return how a category counts; `better` is the direction that is better."""
        if category not in self._counting:
            return None
        if better and self._settings.allow_better:
            return "fewer" if better == "more" else "more"
        return "both"


def _counts(category: Category, settings: Settings) -> bool:
    """Tell if the settings let a category decide."""
    return (
        bool(PARTS_OF.get(category, settings.judged) & settings.judged)
        and category not in settings.ignore
        and category not in MATCHES[settings.match][0]
    )


def _counted(*, is_more: bool, is_fewer: bool) -> Counted | None:
    if is_more and is_fewer:
        return "both"
    return "more" if is_more else "fewer" if is_fewer else None


def _ordered_key(call: AlignedCall) -> bytes:
    return call.keys.tool if is_check(call) else call.keys.subject


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
