"""A tool call as its log records it, with the forms of its arguments."""

from __future__ import annotations

import functools
import marshal
from typing import Any

from msgspec import Struct

from convert.diff.arguments import (
    EDITS,
    ArgumentRules,
    Form,
    effect_arguments,
    without_ignored,
)
from convert.diff.normalise import Normaliser
from convert.diff.outputs import digest, printed_in
from convert.facts.changed_files import acts
from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.edits import FileEdit
from convert.facts.failed_calls import FailureClass
from convert.model.events import ToolCall
from convert.tools.table import short_name


def command_in(arguments: dict[str, Any]) -> str:
    """Return the command among the arguments of a call; "" if there is none."""
    command = arguments.get("command")
    return command if isinstance(command, str) else ""


def with_command(command: str) -> dict[str, Any]:
    """Return the arguments of a call that runs a command."""
    return {"command": command} if command else {}


class Forms(Struct, frozen=True):
    """The forms of the arguments of a call, of which a comparison takes one."""

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


NO_FORMS = Forms(Form(b"", b"", {}, b"", []))


class RecordedCall(Struct, dict=True):
    """A tool call as its log records it, whatever it is compared with."""

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
    """The call with no more than its action line shows and its times."""

    changes_files: bool = False
    """The log says that the call changed a file."""

    failure: FailureClass | None = None
    """How it went wrong; None if it did not, or if its status is an answer."""

    tests: CountedTests | None = None
    """The tests that a command ran, if that is recorded in place of its output."""

    known_to_act: bool | None = None
    """Whether the call may have changed something; None if its arguments show it."""

    parsed_command: str = ""
    """The command as it is parsed, if marks would hide that; empty otherwise."""

    action_line: str = ""
    """The action line, where logs are compared by these; empty otherwise."""

    @property
    def shown_tool(self) -> str:
        """The tool as people know it."""
        return short_name(self.tool)

    @property
    def common_tool(self) -> str:
        """The tool, by one name for those that versions of the agent use alike."""
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
        if self.event is None:
            return {}
        return self.event.arguments or {"command": self.event.about}

    @property
    def recorded_command(self) -> str:
        """The command as the log records it; empty if there is none."""
        return command_in(self.recorded_arguments)

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
    def counted_tests(self) -> CountedTests | None:
        """The tests that a command ran; None if its output counts none."""
        if self.output_kept is None:
            return self.tests
        return counted_tests(printed_in(marshal.loads(self.output_kept)))


class FormMaker:
    """Makes the forms of the calls of one run."""

    def __init__(self, rules: ArgumentRules, string_rules: Normaliser) -> None:
        self._rules = rules
        self._string_rules = string_rules

    def fragment(
        self, call: RecordedCall, arguments: dict[str, Any], earlier: bytes = b""
    ) -> Form:
        """Return the arguments passed to a tool, added to those marshalled earlier."""
        recorded = self._rules.compared(call.kind, call.names, arguments)
        return self._form(call, recorded, earlier)

    def effect(
        self, call: RecordedCall, recorded: dict[str, Any], edits: list[FileEdit]
    ) -> Form | None:
        """Return the effect of an edit with these arguments; None if not recorded."""
        effect = effect_arguments(call.kind, edits)
        if effect is None:
            return None
        names = call.names
        compared = self._rules.compared(call.kind, names, recorded)
        counted = without_ignored(effect, recorded, compared)
        counted = self._rules.compared(call.kind, names, counted)
        return self._form(call, counted | self._rules.kept(names, recorded), b"")

    def _form(
        self, call: RecordedCall, recorded: dict[str, Any], earlier: bytes
    ) -> Form:
        rules = self._string_rules
        rules.begin()
        normalised = self._rules.normalised(call.kind, recorded)
        recorded_key = b""
        if rules.hits or rules.values:
            recorded_key = digest(dict(sorted(recorded.items())))
        if earlier:
            normalised = dict(sorted((marshal.loads(earlier) | normalised).items()))
        kept = marshal.dumps(normalised, 2)
        key = digest([call.common_tool, kept])
        return Form(kept, key, dict(rules.hits), recorded_key, [*rules.values])
