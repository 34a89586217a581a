"""The traits of one run: all that a comparison of versions can count.

Runs are not compared with one another, so that the traits of a case take a time that
grows with its runs and not with their pairs. The version of a run plays no part in its
traits. A trait is skipped where settings ignore, waive or do not judge the finding of
`diff` that is like it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from convert.diff import Side
from convert.diff.aligned_call import AlignedCall, Manner
from convert.diff.arguments import EDITS, EFFECT, arguments_in, tool_pattern
from convert.diff.batches import ends_of
from convert.diff.comparable import compared_by_fragment, is_bookkeeping
from convert.diff.files import Change, done_to
from convert.diff.outputs import ComparedOutput, digest
from convert.diff.texts import has_final_text
from convert.diff.trajectory import ApprovedChange, ComparedRun, compared_run
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
    log: str, side: Side, settings: Settings, runs: Sequence[ComparedRun] = ()
) -> TraitedRun:
    """Return the traits of the runs of a log, which count together.

    `runs` are these runs as `compare_across` returns them, if it does.
    """
    found = TraitedRun(log, side.level)
    counter = _Counter(found, settings)
    manner = Manner(settings.args_for(is_across=False))
    for run in runs or (compared_run(each, manner) for each in side.runs):
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

    def add_run(self, run: ComparedRun) -> None:
        """Add the next run of the log."""
        marks = None
        level = run.recorded.level
        if not self._settings.raw and run.recorded.made is None:
            marks = Marks(run)
        if level == "calls":
            calls = [*run.all_calls]
            lacking = compared_by_fragment(run.recorded.all_calls)
            self._found.lacks_effects |= lacking > 0
            if marks:
                marks.add_to(calls)
            self._add_calls(calls, run, marks)
            self._add_orders(run.calls)
            self._add_checks(calls)
            self._add_files(run, marks)
        elif level == "text":
            self._add_lines(run, marks)
        self._add_text(run, marks)

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

    def _add_calls(
        self, calls: list[AlignedCall], run: ComparedRun, marks: Marks | None
    ) -> None:
        for call in calls:
            if is_bookkeeping(call):
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
            self._add_arguments(call, key, marks)
            self._add_outcome(call, key)
            if self._settings.outputs and call.recorded.output_kept:
                self._add_output(call, run, key, marks)

    def _add_arguments(
        self, call: AlignedCall, key: bytes, marks: Marks | None
    ) -> None:
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
        if call.keys.forms.effect and call.keys.forms.fragment:
            # For a case in which some log does not record effects.
            fragment = call.keys.forms.fragment
            passed = marks.passed(call.recorded, fragment) if marks else fragment.key
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

    def _add_output(
        self, call: AlignedCall, run: ComparedRun, key: bytes, marks: Marks | None
    ) -> None:
        output = ComparedOutput(call.recorded.output_kept or b"", run.rules)
        printed = output.normalised()
        other = call.keys.arguments + digest(marks.value(printed) if marks else printed)
        self._add(
            "output",
            key,
            other,
            counted=self._counted("output"),
            line=call.recorded.line,
        )

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
            if len(firsts) < _MOST_ORDERED and not is_bookkeeping(call):
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

    def _add_files(self, run: ComparedRun, marks: Marks | None) -> None:
        """Add the files that a run changed, and what is in them in the end."""
        if self._settings.args == "ignore":
            return
        changers: dict[str, set[str]] = {}
        for call in run.all_calls:
            if call.recorded.kind in CHANGES and (
                paths := recorded_subject(call).paths
            ):
                path = place_of(paths[0], "").key
                changers.setdefault(path, set()).update(call.recorded.names)
        for change in run.recorded.net_changes:
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

    def _add_lines(self, run: ComparedRun, marks: Marks | None) -> None:
        """Add the calls of a log of text, of which it has a line each."""
        for call in run.all_calls:
            if call.recorded.event is None:
                continue
            line = action_line(
                call.recorded.event, run.recorded.run.directory, has_subject=True
            )
            key = digest([marks.text(line) if marks else line])
            about = as_shown(line)
            action = Action(
                call.recorded.kind, about=about, acts=call.recorded.acts, is_line=True
            )
            self._found.actions.setdefault(key, action)
            self._times[key] += 1
            if (times := self._times[key]) <= _MOST_TIMES:
                counted = self._counted_tool(call)
                self._add(
                    "call", key, counted=counted, line=call.recorded.line, times=times
                )

    def _add_text(self, run: ComparedRun, marks: Marks | None) -> None:
        """Add the answer, unless more than equality decides about it."""
        settings = self._settings
        is_judged_otherwise = settings.answer_cmd or settings.min_similarity is not None
        if (
            settings.text == "ignore"
            or is_judged_otherwise
            or not has_final_text(run.recorded)
        ):
            return
        said = _answer_of(run, is_whole=settings.text in ("full", "exact"))
        if settings.text != "exact":
            said = run.rules.prose(said)
            said = marks.text(said) if marks else said
        lines = [
            segment.line
            for segment in run.recorded.run.segments
            if segment.text.strip()
        ]
        line = lines[-1] if lines else run.recorded.run.last_line
        self._add("text", b"", digest([said]), counted=self._counted("text"), line=line)

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


def _path_of(change: Change, run: ComparedRun) -> str:
    """Return the path of a file by one spelling, the same in all runs."""
    if isinstance(change, ApprovedChange):
        return change.path
    return place_of(run.rules.path(change.name or change.path), "").key


def _content_of(change: Change, run: ComparedRun, marks: Marks | None) -> bytes:
    """Return a digest of what a file holds in the end; empty if not recorded."""
    if isinstance(change, ApprovedChange):
        return _encoded(str(change.effect or ""))
    text = text_of(change.after)
    if text is None or change.status == "deleted":
        return b""
    text = run.rules.content(text)
    return digest([marks.text(text) if marks else text])


def _answer_of(run: ComparedRun, *, is_whole: bool) -> str:
    """Return the answer of a run, or all that it said where its log joins them."""
    whole, answer = run.recorded.run.text or "", run.recorded.run.answer or ""
    if run.recorded.level == "text":
        return answer.removesuffix("\n")
    return answer if run.recorded.run.segments and not is_whole else whole


def _ordered_key(call: AlignedCall) -> bytes:
    return call.keys.tool if is_check(call) else call.keys.subject


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
