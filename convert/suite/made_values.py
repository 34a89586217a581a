"""Marks for values that say nothing about the version of a run.

Two runs are compared by what either knows of the other's values. Many runs have to be
compared with none, so that here a value which the run saw before it used it is always
one that it made. A second key of a call says from which place such a value is. Values
that come from the day or the machine have marks as well.
"""

from __future__ import annotations

import marshal
from typing import Any

from convert.diff.compared_call import ComparedCall, command_in
from convert.diff.forms import Form
from convert.diff.outputs import digest
from convert.diff.run_made import Seen, with_strings
from convert.diff.trajectory import Trajectory
from convert.diff.values import Value
from convert.suite.environment import Environment, replaced
from convert.tools.commands import program_of
from convert.wording.compiled import compiled

# Tools of these kinds have no numbers among their arguments that are times.
_TEXTS = ("shell", "read", "edit", "write", "delete", "grep", "glob", "ls")


class Marks:
    """Puts marks into the calls and texts of one run."""

    def __init__(self, run: Trajectory) -> None:
        self._seen = Seen(run)
        prompts = (text for text in run.run.prompts if text.strip())
        self._environment = Environment(next(prompts, ""))
        self._made: dict[Value, bool] = {}
        # The values that marks have replaced since the last call began.
        self._found: list[Value] = []

    def add_to(self, calls: list[ComparedCall]) -> None:
        """Put marks into the keys of calls."""
        for call in calls:
            if call.kind in _TEXTS and not _has_digits(call.arguments_kept):
                continue
            call.place_at(self.text(call.place))
            call.read_file(self.text(call.shown_file))
            self._found = []
            marked = self.value(call.arguments)
            if self._found:
                call.set_values(self._found, marked, self._origins())
                self._mark_program(call)

    def passed(self, call: ComparedCall, fragment: Form) -> bytes:
        """Return the key of what was passed to an edit, with marks."""
        if not _has_digits(fragment.kept):
            return fragment.key
        self._found = []
        marked = self.value(marshal.loads(fragment.kept))
        if not self._found:
            return fragment.key
        return digest([call.common_tool, marshal.dumps(marked, 2)])

    def text(self, text: str) -> str:
        """Return a text with marks."""
        return replaced(text, self._mark)

    def value(self, value: Any) -> Any:
        """Return a value of JSON with marks in its strings, and for its times."""
        return self._with_times(with_strings(value, self.text))

    def _mark_program(self, call: ComparedCall) -> None:
        if call.kind != "shell" or call.compared_by == "ignore":
            return
        # The marks would be redirections in the command.
        program = program_of(command_in(call.arguments))
        marked = self.text(program)
        if marked != program:
            call.mark_program(marked)

    def _with_times(self, value: Any) -> Any:
        match value:
            case bool():
                return value
            case int() | float():
                text = str(value)
                marked = self.text(text)
                return value if marked == text else marked
            case dict():
                return {name: self._with_times(inner) for name, inner in value.items()}
            case list():
                return [self._with_times(inner) for inner in value]
        return value

    def _mark(self, value: Value) -> str | None:
        if value not in self._made:
            self._made[value] = self._seen.has_made(value)
        if self._made[value]:
            mark: str | None = f"<{value.shape}>"
        else:
            mark = self._environment.mark(value)
        if mark is not None:
            self._found.append(value)
        return mark

    def _origins(self) -> list[tuple[str, ...]]:
        """Return where the values come from that were found; empty if from nowhere.

        Some output shows the day by chance, so that a time has no place.
        """
        places = [
            self._seen.place(value)
            if self._made[value] and value.shape != "time"
            else None
            for value in self._found
        ]
        if not any(places):
            return []
        return [
            (value.shape, place.call.tool, place.context, str(place.ordinal))
            if place
            else (value.shape,)
            for value, place in zip(self._found, places, strict=True)
        ]


def _has_digits(kept: bytes) -> bool:
    return compiled(r"[0-9]").search(kept.decode("latin-1")) is not None
