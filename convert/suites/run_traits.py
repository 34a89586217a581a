"""The traits of one run: all that a comparison of versions can count.

Runs are not compared with one another, so that the traits of a case take a time that
grows with its runs and not with their pairs. The version of a run plays no part in its
traits. A trait is skipped where settings ignore, waive or do not judge the finding of
`diff` that is like it.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import get_args

from convert.diff import Side
from convert.diff.arguments import EDITS, EFFECT, arguments_in, tool_pattern
from convert.diff.batches import ends_of
from convert.diff.comparable import is_bookkeeping
from convert.diff.compared_call import ComparedCall
from convert.diff.files import Change, done_to
from convert.diff.outputs import ComparedOutput, digest
from convert.diff.texts import has_final_text
from convert.diff.trajectory import ApprovedChange, Trajectory
from convert.facts.edits import text_of
from convert.facts.failed_calls import FAILED
from convert.facts.repeats import Checks
from convert.options.settings import MATCHES, PARTS_OF, Category, Settings
from convert.suites.actions import (
    CHANGES,
    Action,
    Counted,
    Kind,
    Trait,
    TraitedRun,
    action_of,
    action_of_program,
    are_checked,
    as_shown,
    is_check,
    recorded_subject,
)
from convert.suites.varying_values import Marks
from convert.tools.names import CONTENTS
from convert.tools.outcomes import action_line
from convert.wording.paths import place_of

# traits. Settings that ignore, waive or do not judge a finding of `diff` leave out the
# traits that are like it.
# A run makes a call once, again, or three times and more.
_MOST_TIMES = 3
# How many different calls of a run have an order; of a longer run, the first ones.
_MOST_ORDERED = 60


def traits_of(
    log: str, side: Side, settings: Settings, *, is_across: bool = False
) -> TraitedRun:
    """Return the traits of the runs of a log, which count together.

    With `is_across`, the runs of the case were prepared by `compare_across`.
    """
    found = TraitedRun(log, side.level)
    counter = _Counter(found, settings, is_across)
    for run in side.runs:
        counter.add_run(run)
    counter.end(len(side.runs))
    return found


class _Counter:
    """Folds the runs of a log into their traits."""

    def __init__(self, found: TraitedRun, settings: Settings, is_across: bool) -> None:
        self._found = found
        self._settings = settings
        self._is_across = is_across
        self._how = settings.args_for(is_across)
        self._times: Counter[bytes] = Counter()
        self._tools: dict[tuple[str, str], Counted | None] = {}
        self._counting = {
            each for each in get_args(Category) if _counts(each, settings)
        }

    def add_run(self, run: Trajectory) -> None:
        """Add the next run of the log."""
        marks = None
        if not self._settings.raw and run.made is None:
            marks = Marks(run)
        if run.level == "calls":
            calls = [*run.all_calls]
            self._prepare(calls)
            if marks:
                marks.add_to(calls)
            self._add_calls(calls, run, marks)
            self._add_orders(run.calls)
            self._add_checks(calls)
            self._add_files(run, marks)
        elif run.level == "text":
            self._add_lines(run, marks)
        self._add_text(run, marks)

    def end(self, runs: int) -> None:
        """Add what is known of the whole log."""
        for number in range(2, min(runs, _MOST_TIMES) + 1):
            self._add("runs", b"", counted=self._counted("runs"), times=number)

    def _prepare(self, calls: list[ComparedCall]) -> None:
        """Compare calls as if no other comparison had looked at them."""
        for call in calls:
            call.compare_with(self._how, self._is_across)
            if not self._is_across:
                call.place_at("")
                call.read_file("")
            if call.effect is not None:
                call.compare_by(call.effect)
            elif call.made_values:
                call.set_values([], None)
            if call.kind in EDITS and call.outcome == "ok" and call.effect is None:
                self._found.lacks_effects = True

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

    def _add_calls(
        self, calls: list[ComparedCall], run: Trajectory, marks: Marks | None
    ) -> None:
        for call in calls:
            if is_bookkeeping(call):
                continue
            key = call.subject_key
            if key not in self._found.actions:
                self._found.actions[key] = action_of(call)
            counted = self._counted_tool(call)
            self._times[key] += 1
            times = self._times[key]
            if times <= _MOST_TIMES:
                self._add("call", key, counted=counted, line=call.line, times=times)
            # A command that shows a file is a read of it where agents differ.
            program = digest(["read"]) if call.shown_file else call.tool_key
            if program != key:
                if program not in self._found.actions:
                    self._found.actions[program] = action_of_program(call)
                self._add("program", program, counted=counted, line=call.line)
            self._add_arguments(call, key, marks)
            self._add_outcome(call, key)
            if self._settings.outputs and call.output_kept:
                self._add_output(call, run, key, marks)

    def _add_arguments(
        self, call: ComparedCall, key: bytes, marks: Marks | None
    ) -> None:
        if call.compared_by != "exact":
            return
        counted = self._counted("args")
        arguments = call.arguments_key
        self._found.arguments.setdefault(
            arguments, call.marked_kept or call.arguments_kept
        )
        kind: Kind = "args"
        if call.kind in EDITS and call.outcome == "ok":
            kind = "effect" if call.effect else "passed"
        self._add(kind, key, arguments, counted=counted, line=call.ended_line)
        if call.effect and call.fragment:
            # For a case in which some log does not record effects.
            fragment = call.fragment
            passed = marks.passed(call, fragment) if marks else fragment.key
            self._add("passed", key, passed, counted=counted, line=call.line)
        if call.origins:
            origin = arguments + call.origins
            self._add("origin", key, origin, counted=counted, line=call.line)

    def _add_outcome(self, call: ComparedCall, key: bytes) -> None:
        if call.compared_outcome == "ok":
            return
        counted = self._counted("outcome", better="fewer")
        outcome = _encoded(as_shown(call.compared_outcome))
        self._add("outcome", key, outcome, counted=counted, line=call.line)

    def _add_output(
        self, call: ComparedCall, run: Trajectory, key: bytes, marks: Marks | None
    ) -> None:
        output = ComparedOutput(call.output_kept or b"", run.normaliser)
        printed = output.normalised()
        other = call.arguments_key + digest(marks.value(printed) if marks else printed)
        self._add("output", key, other, counted=self._counted("output"), line=call.line)

    def _add_orders(self, calls: list[ComparedCall]) -> None:
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
            if len(firsts) < _MOST_ORDERED and not is_bookkeeping(call):
                firsts.setdefault(_ordered_key(call), place)
        ends = ends_of(calls, order)
        waiting = [(key, calls[place], place) for key, place in firsts.items()]
        for at, (key, call, place) in enumerate(waiting, 1):
            for other_key, other, other_place in waiting[at:]:
                if other_place < ends[place] or not (call.acts or other.acts):
                    continue
                if verification if are_checked(call, other) else moved:
                    self._found.orders.setdefault((key, other_key), other.line)

    def _add_checks(self, calls: list[ComparedCall]) -> None:
        """Add the checks that passed after the last change, and those that failed."""
        checks: Checks[ComparedCall] = Checks()
        last: dict[bytes, ComparedCall] = {}
        for call in calls:
            if call.changes_files:
                checks.add_change(call.ends, call.step)
            elif is_check(call):
                last[call.tool_key] = call
                if call.outcome == "ok" and call.failure is None:
                    checks.add_passed(call, call.starts, call.step)
        self._found.has_changes |= checks.has_changes
        # A check that is better is one more that passed, or one less that failed.
        counted = self._counted("verification", better="more")
        for call in checks.passed:
            self._add("check", call.tool_key, counted=counted, line=call.line)
        counted = self._counted("tests", better="fewer")
        for program, call in last.items():
            tests = call.counted_tests
            if call.failure in FAILED or (tests and tests.has_failures):
                self._add("tests", program, b"fail", counted=counted, line=call.line)
            elif tests and tests.passed == 0:
                self._add("tests", program, b"none", counted=counted, line=call.line)

    def _add_files(self, run: Trajectory, marks: Marks | None) -> None:
        """Add the files that a run changed, and what is in them in the end."""
        if self._settings.args == "ignore":
            return
        changers: dict[str, set[str]] = {}
        for call in run.all_calls:
            if call.kind in CHANGES and (paths := recorded_subject(call).paths):
                path = place_of(paths[0], "").key
                changers.setdefault(path, set()).update(call.names)
        for change in run.net_changes:
            if change.status == "same":
                continue
            path = _path_of(change, run)
            counted = self._counted_files(changers.get(path, set()))
            marked = marks.text(path) if marks else path
            key = _encoded(marked)
            done = b"deleted" if done_to(change) == "deleted" else b""
            self._found.actions.setdefault(
                key, Action("", about=as_shown(path), file=as_shown(marked))
            )
            self._add("file", key, done, counted=counted, line=change.line)
            if self._has_contents and (content := _content_of(change, run, marks)):
                self._add("content", key, content, counted=counted, line=change.line)

    @functools.cached_property
    def _has_contents(self) -> bool:
        """The settings compare the contents of files."""
        return self._settings.args in ("auto", "exact") and not any(
            argument.tool.fullmatch(tool) and argument.path[0] in {EFFECT, *CONTENTS}
            for argument in arguments_in(self._settings.ignore_arg)
            for tool in EDITS
        )

    def _add_lines(self, run: Trajectory, marks: Marks | None) -> None:
        """Add the calls of a log of text, of which it has a line each."""
        for call in run.all_calls:
            if call.recorded is None:
                continue
            line = action_line(call.recorded, run.run.directory, has_subject=True)
            key = digest([marks.text(line) if marks else line])
            about = as_shown(line)
            action = Action(call.kind, about=about, acts=call.acts, is_line=True)
            self._found.actions.setdefault(key, action)
            self._times[key] += 1
            if (times := self._times[key]) <= _MOST_TIMES:
                counted = self._counted_tool(call)
                self._add("call", key, counted=counted, line=call.line, times=times)

    def _add_text(self, run: Trajectory, marks: Marks | None) -> None:
        """Add the answer, unless more than equality decides about it."""
        settings = self._settings
        is_judged_otherwise = settings.answer_cmd or settings.min_similarity is not None
        if settings.text == "ignore" or is_judged_otherwise or not has_final_text(run):
            return
        said = _answer_of(run, is_whole=settings.text in ("full", "exact"))
        if settings.text != "exact":
            said = run.normaliser.prose(said)
            said = marks.text(said) if marks else said
        lines = [segment.line for segment in run.run.segments if segment.text.strip()]
        line = lines[-1] if lines else run.run.last_line
        self._add("text", b"", digest([said]), counted=self._counted("text"), line=line)

    def _counted_tool(self, call: ComparedCall) -> Counted | None:
        """Return how the share of runs counts that make a call of this tool."""
        tool = call.kind, call.tool
        if tool not in self._tools:
            self._tools[tool] = self._counted_calls(call.names)
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


def _path_of(change: Change, run: Trajectory) -> str:
    """Return the path of a file by one spelling, the same in all runs."""
    if isinstance(change, ApprovedChange):
        return change.path
    return place_of(run.normaliser.path(change.name or change.path), "").key


def _content_of(change: Change, run: Trajectory, marks: Marks | None) -> bytes:
    """Return a digest of what a file holds in the end; empty if not recorded."""
    if isinstance(change, ApprovedChange):
        return _encoded(str(change.effect or ""))
    text = text_of(change.after)
    if text is None or change.status == "deleted":
        return b""
    text = run.normaliser.content(text)
    return digest([marks.text(text) if marks else text])


def _answer_of(run: Trajectory, *, is_whole: bool) -> str:
    """Return the answer of a run, or all that it said where its log joins them."""
    whole, answer = run.run.text or "", run.run.answer or ""
    if run.level == "text":
        return answer.removesuffix("\n")
    return answer if run.run.segments and not is_whole else whole


def _ordered_key(call: ComparedCall) -> bytes:
    return call.tool_key if is_check(call) else call.subject_key


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
