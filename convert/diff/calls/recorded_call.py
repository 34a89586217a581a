"""Tool calls as their log records them, inside each other, and made at once."""

from __future__ import annotations

import bisect
import functools
import marshal
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from convert.diff.calls.arguments import (
    EDITS,
    EFFECT,
    ArgumentRules,
    Form,
    effect_arguments,
    plain,
)
from convert.diff.calls.outputs import digest, printed_in
from convert.facts.changed_files import acts
from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.edits import FileEdit
from convert.facts.failed_calls import FailureClass
from convert.model.events import ToolCall
from convert.tools.shell import checked_by, hands_on, may_fail_elsewhere
from convert.tools.table import CONTENTS, short_name

if TYPE_CHECKING:
    from convert.tools.shell.checking import CheckedBy


def command_in(arguments: dict[str, Any]) -> str:
    """Return the command among the arguments of a call; "" if there is none."""
    command = arguments.get("command")
    return command if isinstance(command, str) else ""


def with_command(command: str) -> dict[str, Any]:
    """Return the arguments of a call that runs a command."""
    return {"command": command} if command else {}


# The place where an open call ends: after every event.
NEVER = 1 << 62


class Forms(Struct, frozen=True):
    """The forms of the arguments of a call; a comparison takes one of them."""

    usual: Form
    """The effect if it is known, else the arguments as passed to the tool."""

    effect: Form | None = None
    """The change that an edit made; None if it failed or that is not recorded."""

    fragment: Form | None = None
    """The arguments as passed to the tool; None if they have no other form."""

    steering_key: bytes | None = b""
    """Equal in two calls with the same arguments that steer the tool.

    Those are not compared. None if they are not known.
    """


NO_FORMS = Forms(Form(b"", b"", {}, b""))


class RecordedCall(Struct, dict=True):
    """A tool call as its log records it."""

    line: int
    """The line of the log where the call started, from 1."""

    tool: str
    """The full name of the tool, with that of its server or function."""

    kind: str
    """The kind of the tool in the model."""

    ended_line: int = 0
    """The line of the log where the call ended, which records its effect, from 1."""

    number: int = 0
    """The place among the calls of its run, or of its parent, from 1."""

    outcome: str = "ok"
    """How the call ended, as `ok`, `error(1)`, `rejected` or `unfinished`."""

    starts: float = 0
    """The place of its start among the events of the run."""

    ends: float = 0
    """The place of its end among the events of the run; after all others if open."""

    step: str = ""
    """The step of the agent that made the call; calls of one step ran in parallel."""

    id: str = ""
    """The id of the call; empty if the log records none."""

    children: list[RecordedCall] = []
    """The calls of the subagent: steps, and calls that name this one as parent."""

    forms: Forms = NO_FORMS
    """The normalised arguments."""

    output_kept: bytes | None = None
    """The marshalled output; None where the log records none."""

    event: ToolCall | None = None
    """The call with its times, and no more than its action line shows."""

    changes_files: bool = False
    """The log says that the call changed a file."""

    failure: FailureClass | None = None
    """How it failed; None if it did not, or if its status is an answer."""

    tests: CountedTests | None = None
    """The tests that a command ran, if that is recorded in place of its output."""

    known_to_act: bool | None = None
    """True if it may have changed something; None if its arguments show that."""

    parsed_command: str = ""
    """The command to be parsed, if marks would hide its effect; empty otherwise."""

    action_line: str = ""
    """The action line, if logs are compared by these; empty otherwise."""

    @property
    def shown_tool(self) -> str:
        """The tool as people know it."""
        return short_name(self.tool)

    @property
    def common_tool(self) -> str:
        """The tool; one name for tools that versions of the agent use alike."""
        return EDITS[0] if self.tool in EDITS else self.tool

    @property
    def names(self) -> set[str]:
        """The names by which a setting can mean the tool."""
        return {self.tool, self.tool.removeprefix("function:"), self.kind}

    @property
    def arguments(self) -> dict[str, Any]:
        """The normalised arguments in their usual form."""
        arguments: dict[str, Any] = marshal.loads(self.forms.usual.kept)
        return arguments

    @property
    def recorded_arguments(self) -> dict[str, Any]:
        """The arguments that the action line shows, as the log records them."""
        event = self.event
        return (event.arguments or {"command": event.about}) if event else {}

    @property
    def recorded_command(self) -> str:
        """The command as the log records it; empty if there is none."""
        return command_in(self.recorded_arguments)

    @property
    def command(self) -> str:
        """The command to be parsed, without marks; empty if there is none."""
        return self.parsed_command or self.recorded_command

    def command_in(self, normalised: dict[str, Any]) -> Any:
        """Return the command in arguments, or in those that the log records.

        It has no directory of the run, in which its scripts may be, and no marks.
        """
        arguments = self.recorded_arguments | normalised
        return self.parsed_command or arguments.get("command")

    @functools.cached_property
    def acts(self) -> bool:
        """The call may have changed something."""
        if self.known_to_act is not None:
            return self.known_to_act
        # Placeholders would hide the effect of a command, so the recorded one decides.
        return acts(self.kind, self.recorded_arguments)

    @functools.cached_property
    def checked_by(self) -> CheckedBy:
        """The part of the result of a command that shows if its checks passed."""
        if self.kind != "shell" or not self.acts:
            return "nothing"
        return checked_by(self.command)

    @property
    def may_have_failed_elsewhere(self) -> bool:
        """It is a command that can fail although its only check passed."""
        return may_fail_elsewhere(self.command)

    @property
    def only_changes_the_world(self) -> bool:
        """It is a command that acts and checks nothing: a push, a commit."""
        return self.kind == "shell" and self.acts and self.checked_by == "nothing"

    @property
    def hands_on(self) -> bool:
        """It is a command that sends the work to others: a push, a deployment."""
        return self.kind == "shell" and self.acts and hands_on(self.command)

    @functools.cached_property
    def counted_tests(self) -> CountedTests | None:
        """The tests that a command ran; None if its output counts none."""
        if self.output_kept is None:
            return self.tests
        return counted_tests(printed_in(marshal.loads(self.output_kept)))


def fragment_form(
    call: RecordedCall,
    arguments: dict[str, Any],
    rules: ArgumentRules,
    earlier: Form | None = None,
) -> Form:
    """Return the arguments passed to a tool, added to those of an earlier event."""
    return _form(call, rules.compared(call.kind, call.names, arguments), rules, earlier)


def effect_form(
    call: RecordedCall,
    recorded: dict[str, Any],
    rules: ArgumentRules,
    edits: list[FileEdit],
) -> Form | None:
    """Return the effect of an edit with these arguments; None if not recorded."""
    effect = effect_arguments(call.kind, edits)
    if effect is None:
        return None
    names = call.names
    compared = rules.compared(call.kind, names, recorded)
    if CONTENTS & (recorded.keys() - compared.keys()):
        # To ignore the text that was passed to an edit is to ignore its effect.
        del effect[EFFECT]
    counted = rules.compared(call.kind, names, effect)
    return _form(call, counted | rules.kept(names, recorded), rules, None)


def _form(
    call: RecordedCall,
    recorded: dict[str, Any],
    rules: ArgumentRules,
    earlier: Form | None,
) -> Form:
    strings = rules.normaliser
    strings.begin()
    normalised = rules.normalised(call.kind, recorded)
    recorded_key = digest(plain(recorded)) if strings.hits or earlier else b""
    if earlier:
        recorded_key = digest([earlier.as_written, recorded_key])
        normalised = dict(sorted((marshal.loads(earlier.kept) | normalised).items()))
    kept = marshal.dumps(normalised, 2)
    key = digest([call.common_tool, kept])
    return Form(kept, key, dict(strings.hits), recorded_key)


class Numbered(NamedTuple):
    """A call with its number in its run: `3`, or `1.2` inside of 1."""

    name: str
    """The number."""

    call: RecordedCall
    """The call."""

    around: int
    """The place of the call around it in the list of all calls; -1 for none."""


def numbered(calls: list[RecordedCall]) -> list[Numbered]:
    """Return the calls of a run, each followed by those made inside."""
    found: list[Numbered] = []
    _number_all(calls, "", -1, found)
    return found


def _number_all(
    calls: list[RecordedCall], above: str, around: int, found: list[Numbered]
) -> None:
    for number, call in enumerate(calls, 1):
        found.append(Numbered(f"{above}{number}", call, around))
        if call.children:
            _number_all(call.children, f"{above}{number}.", len(found) - 1, found)


# Calls nested deeper than this become siblings of the innermost.
_MOST_NESTED_CALLS = 50


def nest(
    calls: dict[int, RecordedCall], ids: dict[str, int], parents: dict[int, str]
) -> list[RecordedCall]:
    """Put calls below their parents, number siblings from 1, and return the others.

    `calls` and `parents` go by the numbers of calls in their run, `ids` leads to those
    numbers. A call whose parent is unknown, or is inside the call itself, has none.
    """
    numbers = sorted(calls)
    known = {
        number: ids[parents[number]] for number in numbers if parents.get(number) in ids
    }
    outer = _outer(numbers, _without_cycles(known))
    own = []
    # A step may also be recorded as a call that names its parent. Without that, an id
    # in common means nothing: a subagent may count its calls from 0 as well.
    linked = {
        call_id: calls[number] for call_id, number in ids.items() if number in parents
    }
    taken: set[int] = set()
    for number in numbers:
        calls[number].children = _linked(calls[number].children, linked, taken)
    for number in numbers:
        if id(calls[number]) in taken:
            continue
        if number in outer:
            calls[outer[number]].children.append(calls[number])
        else:
            own.append(calls[number])
    _number(own)
    return own


def _linked(
    steps: list[RecordedCall], linked: dict[str, RecordedCall], taken: set[int]
) -> list[RecordedCall]:
    """Return steps; a step that is also a call is replaced by it, once."""
    found = []
    for step in steps:
        call = linked.get(step.id) if step.id else None
        if call is None:
            step.children = _linked(step.children, linked, taken)
            found.append(step)
        elif id(call) not in taken:
            taken.add(id(call))
            found.append(call)
    return found


def _number(siblings: list[RecordedCall]) -> None:
    """Number calls from 1, and those inside each of them."""
    for number, call in enumerate(siblings, 1):
        call.number = number
        _number(call.children)


def _without_cycles(parents: dict[int, int]) -> dict[int, int]:
    """Return the parents by number, without the last link of each cycle."""
    kept = dict(parents)
    known: set[int] = set()
    for number in parents:
        path = []
        while number in parents and number not in known:
            known.add(number)
            path.append(number)
            number = parents[number]
        if number in path:
            del kept[max(path[path.index(number) :])]
    return kept


def _outer(numbers: list[int], parents: dict[int, int]) -> dict[int, int]:
    """Return the call that each one is put below: its parent, or one above that."""
    outer: dict[int, int] = {}
    # For each call, the call that its own children are put below, and its depth.
    inside: dict[int, tuple[int, int]] = {}
    for number in numbers:
        path = [number]
        while path[-1] in parents and path[-1] not in inside:
            path.append(parents[path[-1]])
        for inner in reversed(path):
            if inner in inside:
                continue
            if inner not in parents:
                inside[inner] = inner, 0
                continue
            above, depth = inside[parents[inner]]
            outer[inner] = above
            inside[inner] = (
                (inner, depth + 1) if depth < _MOST_NESTED_CALLS else (above, depth)
            )
    return outer


Order = Literal["strict", "partial", "any"]


def ends_of(calls: list[RecordedCall], order: Order) -> list[int]:
    """Return for each call the place of the first one that was made after it.

    The calls between ran in parallel with it: in one step, or at the same time.
    """
    if order == "strict":
        return list(range(1, len(calls) + 1))
    if order == "any":
        return [len(calls)] * len(calls)
    # Steps of a subagent are before calls that name it as their parent.
    starts = list(accumulate((call.starts for call in calls), max))
    steps = {call.step: place for place, call in enumerate(calls, 1) if call.step}
    ends = [
        bisect.bisect_left(starts, call.ends, place)
        for place, call in enumerate(calls, 1)
    ]
    if not steps:
        return ends
    return [
        max(end, steps.get(call.step, 0)) for call, end in zip(calls, ends, strict=True)
    ]


def batches_of(ends: list[int]) -> Iterator[list[int]]:
    """Yield the places of calls that all ran in parallel with one another.

    `ends` are those of `ends_of`. Batches are as long as possible, from the first on.
    """
    batch: list[int] = []
    end = 0
    for place, own_end in enumerate(ends):
        if batch and place >= end:
            yield batch
            batch = []
        end = min(end, own_end) if batch else own_end
        batch.append(place)
    if batch:
        yield batch


def batched(calls: list[RecordedCall]) -> list[bool]:
    """Return for each call True if it ran in parallel with another one."""
    is_batched = []
    latest = 0
    for place, end in enumerate(ends_of(calls, "partial")):
        is_batched.append(place < latest or place + 1 < end)
        latest = max(latest, end)
    return is_batched
