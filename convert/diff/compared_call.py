"""A tool call as it is compared: its arguments normalised, its keys worked out.

Arguments and output are kept as bytes, so that two long logs take no more memory than
they do on disk.
"""

from __future__ import annotations

import functools
import marshal
from collections import Counter
from typing import Any, Literal

from msgspec import Struct

from convert.diff.arguments import ArgumentRules
from convert.diff.normalise import Normaliser
from convert.diff.outputs import digest, kept_output
from convert.model import UNFINISHED, Outcome, ToolCall
from convert.options.settings import Settings
from convert.tools.commands import program
from convert.tools.names import full_name, shown_name
from convert.tools.outcomes import outcome_name
from convert.tools.subjects import Subject, subject_of
from convert.tools.table import acts, tool_of

# The place where an open call ends: after every event.
_NEVER = 1 << 62


class ComparedCall(Struct, dict=True):
    """A tool call as it is compared."""

    line: int
    """The line of the log where the call started, from 1."""

    tool: str
    """The full name of the tool, with that of its server or function."""

    kind: str
    """The kind of the tool in the model."""

    number: int = 0
    """The place among the calls of its run, or of its parent, from 1."""

    outcome: str = "ok"
    """How the call ended, as `ok`, `error(1)`, `rejected` or `unfinished`."""

    starts: int = 0
    """The place of its start among the events of the run."""

    ends: int = 0
    """The place of its end among the events of the run; after all others if open."""

    step: str = ""
    """The step of the agent that made the call; calls of one step ran in parallel."""

    output_kept: bytes | None = None
    """The marshalled output; None where the log records none."""

    arguments_kept: bytes = b""
    """The marshalled, normalised arguments."""

    exact_key: bytes = b""
    """Equal in two calls that are the same and ended alike."""

    arguments_key: bytes = b""
    """Equal in two calls that are the same, however they ended."""

    children: list[ComparedCall] = []
    """The calls that name this one as their parent."""

    recorded: ToolCall | None = None
    """The call as recorded, with no more than its action line shows."""

    compared_by: Literal["exact", "subject", "ignore"] = "exact"
    """How much of the arguments counts, as `--args` says."""

    action_line: str = ""
    """The action line, where logs are compared by these; empty otherwise."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The normalised arguments."""
        arguments: dict[str, Any] = marshal.loads(self.arguments_kept)
        return arguments

    # Most calls equal their partners, so what follows is worked out on demand.

    @functools.cached_property
    def subject(self) -> str:
        """The path, command or the like that the call is about, on one line."""
        return self._subject.line

    @functools.cached_property
    def subject_key(self) -> bytes:
        """Equal in two calls of one tool that are about the same."""
        if self.compared_by == "ignore":
            return digest([self.tool])
        return digest([self.tool, *self._subject.words, *self._subject.paths])

    @functools.cached_property
    def tool_key(self) -> bytes:
        """Equal in two calls of one tool, or of one program in a shell."""
        if self.compared_by != "ignore" and self.kind == "shell":
            command = self._recorded_arguments.get("command")
            if isinstance(command, str):
                return digest([f"shell {program(command)}"])
        return digest([self.tool])

    @functools.cached_property
    def acts(self) -> bool:
        """The call may have changed something."""
        # Placeholders would hide what a command does, so the recorded one tells.
        return acts(self.kind, self._recorded_arguments)

    @functools.cached_property
    def _subject(self) -> Subject:
        return subject_of(self.kind, self.arguments)

    @property
    def _recorded_arguments(self) -> dict[str, Any]:
        if self.recorded is None:
            return {}
        return self.recorded.arguments or {"command": self.recorded.about}

    @property
    def shown_tool(self) -> str:
        """The tool as people know it."""
        return shown_name(self.tool)

    @property
    def label(self) -> str:
        """The tool and what the call is about, on one line."""
        return self.action_line or f"{self.shown_tool} {self.subject}".rstrip()

    @property
    def names(self) -> set[str]:
        """The names by which a setting can mean the tool."""
        return {self.tool, self.tool.removeprefix("function:"), self.kind}


class CallNormaliser:
    """Turns the calls of one run into compared calls, with the rules of the settings.

    `string_rules` are those for the strings of the run.
    """

    def __init__(self, settings: Settings, directory: str, hits: Counter[str]) -> None:
        self.string_rules = Normaliser(settings, directory, hits)
        self._settings = settings
        self._rules = ArgumentRules(settings, self.string_rules)

    def compared(self, call: ToolCall, started: int, ended: int) -> ComparedCall:
        """Return a call that has ended as it is compared."""
        outcome = call.outcome or UNFINISHED
        compared = ComparedCall(
            line=call.started_line,
            tool=full_name(call),
            kind=call.kind,
            outcome=outcome_name(outcome),
            starts=started,
            ends=_NEVER if outcome == UNFINISHED else ended,
            step=call.response_id,
            output_kept=kept_output(call, self.string_rules),
            recorded=_for_action_line(call, outcome),
            compared_by=self._settings.args,
        )
        self._set_arguments(compared, self._normalised(compared, call))
        return compared

    def update(self, compared: ComparedCall, call: ToolCall) -> None:
        """Add what a repeated event records of a call that has ended."""
        if call.outcome is not None:
            compared.outcome = outcome_name(call.outcome)
        if call.output is not None:
            compared.output_kept = kept_output(call, self.string_rules)
        if call.arguments and compared.recorded:
            recorded = _subject_arguments(call.kind, call.arguments)
            earlier = compared.recorded.arguments or {}
            compared.recorded.arguments = earlier | recorded
        arguments = compared.arguments | self._normalised(compared, call)
        self._set_arguments(compared, dict(sorted(arguments.items())))

    def _normalised(self, compared: ComparedCall, call: ToolCall) -> dict[str, Any]:
        arguments = call.arguments or {}
        return self._rules.normalised(compared.kind, compared.names, arguments)

    def _set_arguments(self, compared: ComparedCall, arguments: dict[str, Any]) -> None:
        kept = compared.arguments_kept = marshal.dumps(arguments, 2)
        if compared.compared_by == "exact":
            compared.arguments_key = digest([compared.tool, kept])
        else:
            compared.arguments_key = compared.subject_key
        outcome = compared.outcome.encode(errors="replace")
        compared.exact_key = compared.arguments_key + outcome


def _for_action_line(call: ToolCall, outcome: Outcome) -> ToolCall:
    """Return a call with nothing but what its action line shows."""
    arguments = call.arguments
    if arguments is not None:
        arguments = _subject_arguments(call.kind, arguments)
    return ToolCall(
        run=call.run,
        line=call.line,
        number=call.number,
        id="",
        kind=call.kind,
        name=call.name,
        arguments=arguments,
        outcome=outcome,
        is_new_file=call.is_new_file,
        about=call.about,
    )


def _subject_arguments(kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that say what a call of a kind is about."""
    subject = tool_of(kind).subject
    names = subject.words + subject.paths if subject else ()
    return {name: arguments[name] for name in names if name in arguments}
