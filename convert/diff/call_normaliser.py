"""Turning the calls of a run into calls that can be compared."""

from __future__ import annotations

import itertools
from typing import Any

from msgspec.structs import replace

from convert.diff.arguments import ArgumentRules
from convert.diff.compared_call import ComparedCall
from convert.diff.forms import ComparedTool, Forms
from convert.diff.normalise import Normaliser
from convert.diff.outputs import digest, kept_output
from convert.facts.edits import EDITING, FileEdit, are_changes, edits_of
from convert.model.events import UNFINISHED, Outcome, ToolCall
from convert.options.settings import Settings
from convert.tools.names import full_name
from convert.tools.outcomes import outcome_name
from convert.tools.table import tool_of

# The place where an open call ends: after every event.
_NEVER = 1 << 62


class CallNormaliser:
    """Turns the calls of one run into compared calls, with the rules of the settings.

    `string_rules` are those for the strings of the run.
    """

    def __init__(self, settings: Settings, directory: str) -> None:
        self.string_rules = Normaliser(settings, directory)
        self._settings = settings
        self._rules = ArgumentRules(settings, self.string_rules)
        self._forms = Forms(self._rules, self.string_rules)

    @property
    def found_arguments(self) -> set[str]:
        """The settings that name an argument of some call."""
        return self._rules.found

    def compared(self, call: ToolCall, started: float, ended: float) -> ComparedCall:
        """Return a call that has ended as it is compared, with those inside it."""
        outcome = call.outcome or UNFINISHED
        compared = ComparedCall(
            line=call.started_line,
            ended_line=call.line,
            tool=full_name(call),
            kind=call.kind,
            outcome=outcome_name(outcome),
            starts=started,
            ends=_NEVER if outcome == UNFINISHED else ended,
            step=call.response_id,
            output_kept=kept_output(call, self.string_rules),
            recorded=_for_action_line(call, outcome),
            compared_by=self._settings.args_for(is_across=False),
            id=call.id,
            children=self._steps(call, started),
        )
        self._set_arguments(compared, call)
        return compared

    def _steps(self, call: ToolCall, started: float) -> list[ComparedCall]:
        """Return the calls of a subagent, one after the other inside their parent."""
        if not call.steps:
            return []
        calls = [step for step in call.steps if isinstance(step, ToolCall)]
        between = 1 / (2 * len(calls) + 1)
        begins = (started + (2 * place + 1) * between for place in itertools.count())
        return [
            self.compared(step, begin, begin + between)
            for step, begin in zip(calls, begins, strict=False)
        ]

    def update(self, compared: ComparedCall, call: ToolCall) -> None:
        """Add what a repeated event records of a call that has ended."""
        if call.outcome is not None:
            compared.outcome = outcome_name(call.outcome)
        if call.output is not None:
            compared.output_kept = kept_output(call, self.string_rules)
            compared.children = self._steps(call, compared.starts)
        if call.arguments and compared.recorded:
            recorded = _subject_arguments(call.kind, call.arguments)
            earlier = compared.recorded.arguments or {}
            compared.recorded.arguments = earlier | recorded
        form = compared.fragment
        kept = form.kept if form else compared.arguments_kept
        self._set_arguments(compared, call, kept)

    def _set_arguments(
        self, compared: ComparedCall, call: ToolCall, earlier: bytes = b""
    ) -> None:
        """Set the arguments of a call, added to those that are known from earlier."""
        tool = ComparedTool(compared.kind, compared.names, compared.common_tool)
        arguments = call.arguments or {}
        form = self._forms.fragment(tool, arguments, earlier)
        steering = self._rules.steering(compared.kind, compared.names, arguments)
        if steering:
            compared.steering_key = digest(sorted(steering))
        if compared.outcome == "ok":
            edits = _edits(compared, call)
            compared.changes_files |= are_changes(edits)
            found = self._forms.effect(tool, arguments, edits)
            compared.effect = found or compared.effect
        else:
            compared.effect = None
            compared.changes_files = False
        compared.fragment = form if compared.effect else None
        compared.compare_by(compared.effect or form)


def _edits(compared: ComparedCall, call: ToolCall) -> list[FileEdit]:
    """Return the changes of a call; what a subagent did are calls of its own.

    Arguments that only an earlier event records are known all the same.
    """
    if call.kind not in EDITING or call.steps is not None:
        return []
    known = compared.recorded.arguments if compared.recorded else None
    if known and not known.keys() <= (call.arguments or {}).keys():
        call = replace(call, arguments=known | (call.arguments or {}))
    return edits_of(call)


def _for_action_line(call: ToolCall, outcome: Outcome) -> ToolCall:
    """Return a call with nothing but what its action line shows, and when it was."""
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
        since_start_ms=call.since_start_ms,
        duration_ms=call.duration_ms,
        ended_since_start_ms=call.ended_since_start_ms,
        longest_ms=call.longest_ms,
    )


def _subject_arguments(kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that say what a call of a kind is about."""
    subject = tool_of(kind).subject
    names = subject.words + subject.paths if subject else ()
    return {name: arguments[name] for name in names if name in arguments}
