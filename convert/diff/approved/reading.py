"""A run that was approved, as it is compared, and when its calls were made."""

from __future__ import annotations

import bisect
import marshal
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from convert.diff.approved.goldens import added_ignores, added_scrubs, settings_with
from convert.diff.calls.arguments import EDITS, EFFECT, ArgumentRules, Form
from convert.diff.calls.outputs import digest, strings_in
from convert.diff.calls.recorded_call import (
    NEVER,
    Forms,
    Numbered,
    RecordedCall,
    command_in,
    numbered,
    with_command,
)
from convert.diff.calls.trajectory import (
    ApprovedChange,
    Digest,
    KnownContent,
    Trajectory,
    ValuePlace,
    retries_of,
    with_inner,
)
from convert.diff.noise import Normaliser
from convert.diff.noise_values import (
    MARK,
    Value,
    parseable,
    value_of_mark,
    with_leaves,
    with_strings,
)
from convert.facts.counted_tests import CountedTests
from convert.facts.edits import ABSENT, EDITING, UNRECORDED
from convert.facts.failed_calls import FAILED, FailureClass, judge
from convert.facts.figures import Figures
from convert.model.approved import (
    ApprovedCall,
    ApprovedFile,
    ApprovedRun,
    edited_by_hand,
)
from convert.model.events import Approved, ToolCall
from convert.model.run import Run
from convert.options.settings import ArgumentsCount, Settings
from convert.tools.phrases_and_outcomes import parse_outcome
from convert.tools.table import CONTENTS, short_name
from convert.wording import compiled


def trajectory(
    run: Run, approved: Approved, settings: Settings, calls: list[RecordedCall]
) -> Trajectory:
    """Return an approved run as it is compared with these settings.

    `calls` are its calls as ordinary events, to which the approved facts are added.
    Raises InputError for settings that do not fit it, and for impossible facts.
    """
    kept = approved.approved
    settings = settings_with(settings, approved.settings)
    rules = Normaliser.of_normalised(
        settings, added_scrubs(settings, approved.settings)
    )
    facts = _ApprovedFacts(approved, settings, rules)
    every = numbered(calls)
    kept_calls = [*kept.all_calls]
    for (_, call, _), kept_call in zip(every, kept_calls, strict=True):
        facts.add(call, kept_call)
    if wrong := set_places(every, kept_calls):
        raise edited_by_hand(wrong)
    files = zip(kept.files, approved.file_lines, strict=True)
    return Trajectory(
        run=run,
        level=kept.level,
        normaliser=rules,
        figures=_figures(calls, settings.args_for(is_across=False))
        if kept.level == "calls"
        else Figures(),
        net_changes=[change_of(file, line) for file, line in files],
        calls=calls,
        # Lines of text are in the order in which their calls ended.
        ended=calls
        if kept.level == "text"
        else sorted(calls, key=lambda call: call.ends),
        found_arguments={*approved.settings.ignore_arg, *approved.settings.keep_arg},
        made=_made(kept, every),
        approved=approved,
    )


def failure_of(kind: str, command: str, outcome: str) -> FailureClass | None:
    """Return how a call failed, by the facts that an approved run keeps."""
    return judge(
        ToolCall(
            run=1,
            line=1,
            number=1,
            id="",
            kind=kind,
            arguments=with_command(command),
            outcome=parse_outcome(outcome),
        )
    ).failure


def has_changed(kind: str, outcome: str, arguments: dict[str, Any]) -> bool:
    """Return True if a call changed a file, by its kind, outcome and arguments."""
    is_edit = kind in EDITING and kind != "task"
    return is_edit and outcome == "ok" and arguments.get(EFFECT) != ""


class _ApprovedFacts:
    """Adds the facts of approved calls to these calls as they were read as events."""

    def __init__(
        self, approved: Approved, settings: Settings, rules: Normaliser
    ) -> None:
        self._made = approved.approved.made
        self._scrubs = bool(added_scrubs(settings, approved.settings))
        self._rules = rules
        ignored = added_ignores(settings, approved.settings)
        self._ignored = ArgumentRules(ignored, rules) if ignored.ignore_arg else None

    def add(self, call: RecordedCall, kept: ApprovedCall) -> None:
        """Add the facts of an approved call; its output is not known."""
        call.tool, call.outcome, call.output_kept = kept.tool, kept.outcome, None
        call.known_to_act = kept.acts
        # The members are in the order of their names.
        arguments = with_leaves(with_strings(kept.arguments, str), _without_fractions)
        call.forms = self._forms(call, kept, self._arguments(call, arguments))
        derived = has_changed(call.kind, kept.outcome, kept.arguments)
        call.changes_files = derived if kept.changes is None else kept.changes
        read = with_leaves(kept.arguments, self._parseable)
        if call.event:
            call.event.arguments = None if kept.about else read
        command = command_in(call.arguments) if call.kind == "shell" else ""
        if compiled(MARK).search(command):
            call.parsed_command = self._parseable(command)
        if kept.tests is not None:
            call.tests = CountedTests(**asdict(kept.tests))
        call.failure = failure_of(call.kind, command_in(read), kept.outcome)
        if kept.failed is not None:
            hidden: FailureClass = "hidden" if kept.outcome == "ok" else "failed"
            call.failure = hidden if kept.failed else None

    def _parseable(self, value: Any) -> Any:
        return parseable(value, self._made) if isinstance(value, str) else value

    def _arguments(
        self, call: RecordedCall, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Return arguments without those that a later setting ignores."""
        if self._ignored is not None:
            contents = dict.fromkeys(CONTENTS)
            compared = self._ignored.compared(call.kind, call.names, contents)
            if call.kind in EDITS and len(compared) < len(contents):
                arguments.pop(EFFECT, None)
            arguments = self._ignored.compared(call.kind, call.names, arguments)
        if self._scrubs:
            arguments = with_leaves(arguments, self._scrubbed)
        return arguments

    def _scrubbed(self, value: Any) -> Any:
        return self._rules.text(value) if isinstance(value, str) else value

    def _forms(
        self, call: RecordedCall, kept: ApprovedCall, arguments: dict[str, Any]
    ) -> Forms:
        """Return the arguments of a call, with the keys that distinguish it."""
        marshalled = marshal.dumps(arguments, 2)
        key = [call.common_tool, marshalled]
        if made := [*self._marks_in(marshalled)]:
            key.append(made)
        form = Form(marshalled, digest(key), {}, b"")
        is_effect = EFFECT in kept.arguments or bool(kept.fragment)
        effect = form if call.kind in EDITS and is_effect else None
        fragment = None
        if kept.fragment:
            fragment = Form(marshalled, bytes.fromhex(kept.fragment), {}, b"")
        return Forms(form, effect, fragment, steering_key=None)

    def _marks_in(self, marshalled: bytes) -> Iterator[tuple[str, str, str, int]]:
        """Yield the marks in arguments, and where their values come from."""
        for _, text in strings_in(marshalled):
            for mark in map(re.Match.group, compiled(MARK).finditer(text)):
                if made := self._made.get(mark):
                    yield mark, made.call, made.around, made.ordinal


def _without_fractions(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _made(kept: ApprovedRun, calls: list[Numbered]) -> dict[Value, ValuePlace | None]:
    """Return the values that marks replace, and where they were seen first."""
    named = {name: call for name, call, _ in calls}
    found: dict[Value, ValuePlace | None] = {}
    for mark, made in kept.made.items():
        if made.call and made.call not in named:
            raise edited_by_hand(
                f"made: {mark} is from call {made.call}, which does not exist"
            )
        if match := compiled(MARK).fullmatch(mark):
            origin = named.get(made.call)
            place = ValuePlace(origin, made.around, made.ordinal) if origin else None
            found[value_of_mark(match)] = place
        else:
            raise edited_by_hand(f"made: {mark} is not a mark")
    return found


def _figures(calls: list[RecordedCall], how: ArgumentsCount) -> Figures:
    """Return the figures of calls that are recorded."""
    every = [*with_inner(calls)]
    statuses = [call.outcome.partition("(")[0] for call in every]
    errors = statuses.count("error")
    hidden = sum(call.failure == "hidden" for call in every)
    return Figures(
        calls=len(every),
        errors=errors,
        answers=errors + hidden - sum(call.failure in FAILED for call in every),
        hidden=hidden,
        rejected=statuses.count("rejected"),
        unfinished=statuses.count("unfinished"),
        tools=dict(sorted(Counter(short_name(call.tool) for call in every).items())),
        retries=retries_of(calls, how),
    )


def change_of(file: ApprovedFile, line: int) -> ApprovedChange:
    """Return the change that a trajectory has of a file."""
    return ApprovedChange(
        path=file.path,
        status=file.status,
        before=ABSENT if file.status == "new" else _content(file.before),
        after=ABSENT if file.status == "deleted" else _content(file.after),
        effect=Digest(file.effect) if file.effect else None,
        line=line,
    )


def _content(digest: str) -> KnownContent:
    return Digest(digest) if digest else UNRECORDED


# The number before that of the first call.
_NONE = "0"


def set_orders(calls: list[Numbered], kept: list[ApprovedCall]) -> None:
    """Set in approved calls when each was made, unless its number says so."""
    batches = _batches(calls)
    in_order = sorted(range(len(calls)), key=lambda at: calls[at].call.starts)
    ranks = _Ranks(calls, in_order)
    for at, ((_, call, _), approved) in enumerate(zip(calls, kept, strict=True)):
        approved.batch = batches.get(call.step, 0)
        approved.after, approved.until = ranks.after(at), ranks.until(at)


def _batches(calls: list[Numbered]) -> dict[str, int]:
    """Return the numbers of the steps that made more than one call."""
    counts = Counter(call.step for _, call, _ in calls if call.step)
    several = (call.step for _, call, _ in calls if counts[call.step] > 1)
    return {step: number for number, step in enumerate(dict.fromkeys(several), 1)}


class _Ranks:
    """The calls of a run in the order in which they started."""

    def __init__(self, calls: list[Numbered], order: list[int]) -> None:
        self.calls, self.order = calls, order
        self._starts = [calls[at].call.starts for at in order]
        self.ranks = [0] * len(calls)
        for rank, at in enumerate(order):
            self.ranks[at] = rank
        # The rank of the last call inside each one, or its own.
        self.last = [*self.ranks]
        for at in reversed(range(len(calls))):
            around = calls[at].around
            if around >= 0:
                self.last[around] = max(self.last[around], self.last[at])

    def after(self, at: int) -> str:
        """Return the number of the call before one, unless it is the one above."""
        rank = self.ranks[at]
        before = self.order[rank - 1] if rank else -1
        if before == at - 1:
            return ""
        return self.calls[before].name if rank else _NONE

    def until(self, at: int) -> str:
        """Return the number of the last call of another step that one overlaps."""
        call = self.calls[at].call
        if call.outcome == "unfinished":
            return ""
        own = self.ranks[at]
        rank = max(bisect.bisect_left(self._starts, call.ends) - 1, own)
        while rank > own and call.step == self.calls[self.order[rank]].call.step != "":
            rank -= 1
        return "" if rank == self.last[at] else self.calls[self.order[rank]].name


def set_places(calls: list[Numbered], kept: list[ApprovedCall]) -> str:
    """Set where calls start and end; return the fault in their order, or "".

    If calls end between the same two starts, inner ones do so before outer ones.
    """
    names = {name: at for at, (name, _, _) in enumerate(calls)} | {_NONE: -1}
    for (name, _, _), approved in zip(calls, kept, strict=True):
        for member, other in (("after", approved.after), ("until", approved.until)):
            if other and (other not in names or (other, member) == (_NONE, "until")):
                return (
                    f"{member} of call {name} names call {other}, which does not exist"
                )
    before = [names.get(each.after, at - 1) for at, each in enumerate(kept)]
    in_order = _in_order(before)
    if len(in_order) < len(calls):
        return "the calls cannot have started in this order"
    ranks = _Ranks(calls, in_order)
    inner_first = sorted(range(len(calls)), key=lambda at: (_end_of(calls, at), -at))
    places = {at: place for place, at in enumerate(inner_first, 1)}
    for at, ((name, call, _), given) in enumerate(zip(calls, kept, strict=True)):
        until = ranks.ranks[names[given.until]] if given.until else ranks.last[at]
        if until < ranks.ranks[at]:
            return f"until of call {name} names call {given.until}, which is earlier"
        call.step = str(given.batch) if given.batch else ""
        call.starts = ranks.ranks[at]
        call.ends = until + places[at] / (len(calls) + 1)
        if call.outcome == "unfinished":
            call.ends = NEVER
    return ""


def _in_order(before: list[int]) -> list[int]:
    """Return the places of calls, each after the one that is before it."""
    following = {each: at for at, each in enumerate(before)}
    order: list[int] = []
    at = following.get(-1, -1)
    while at >= 0 and len(order) < len(before):
        order.append(at)
        at = following.get(at, -1)
    return order


def _end_of(calls: list[Numbered], at: int) -> int:
    """Return the place after the last call inside one."""
    name = calls[at].name + "."
    end = at + 1
    while end < len(calls) and calls[end].name.startswith(name):
        end += 1
    return end
