"""The facts of one run by itself, to be counted with those of many runs.

In a comparison of two runs, a value that the other run knows was not made by the run.
Here no other run is known, so the run made each value that it saw before it used it.
Values that vary for another reason have marks as well.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.calls.aligned_call import AlignedCall, Manner, Marked
from convert.diff.calls.arguments import EDITS, EFFECT, tool_pattern
from convert.diff.calls.outputs import ComparedOutput, digest
from convert.diff.calls.recorded_call import RecordedCall, ends_of
from convert.diff.calls.trajectory import (
    ApprovedChange,
    ComparedRun,
    Trajectory,
    compared_by_fragment,
    compared_run,
)
from convert.diff.calls.two_agents import compared_across
from convert.diff.files import Change, changed_by, compares_contents, done_to
from convert.diff.noise_values import Value, with_leaves, with_strings
from convert.diff.run_made_values import origin_of
from convert.diff.seen_values import SeenValues
from convert.diff.texts import has_final_text
from convert.facts.changed_files import NetChange
from convert.facts.edits import text_of
from convert.model.events import Level
from convert.options.settings import Settings
from convert.tools.phrases_and_outcomes import action_line
from convert.tools.shell import program_of
from convert.wording import compiled
from convert.wording.paths import place_of

# The interface for those who count the calls of many runs.
__all__ = [
    "EDITS",
    "EFFECT",
    "AlignedCall",
    "ComparedRun",
    "FileFacts",
    "LoneRun",
    "RecordedCall",
    "Varying",
    "compared_across",
    "digest",
    "ends_of",
    "tool_pattern",
]

# Tools of these kinds have no numbers among their arguments that are times.
_TEXTS = ("shell", "read", "edit", "write", "delete", "grep", "glob", "ls")


class Varying(Protocol):
    """The values that differ from run to run although all runs do the same."""

    def mark(self, value: Value) -> str | None:
        """Return the mark for a value; None if it matters."""

    def replaced(self, text: str, mark: Callable[[Value], str | None]) -> str:
        """Return a text with marks for its values; None leaves one."""


class FileFacts(Struct, frozen=True):
    """A file that a run changed."""

    path: str
    """The path by one spelling, the same in all runs."""

    marked: str
    """The path with marks."""

    is_deleted: bool
    """The run deleted it."""

    names: set[str]
    """The names of the tools that changed it."""

    content: bytes
    """Equal in two files with the same content; empty if that is not compared."""

    line: int
    """The line of the log that records the change."""


class LoneRun:
    """A run by itself, with marks in the keys of its calls.

    `varying` returns the varying values for a prompt.
    """

    def __init__(
        self,
        run: Trajectory | ComparedRun,
        settings: Settings,
        varying: Callable[[str], Varying],
    ) -> None:
        if isinstance(run, Trajectory):
            run = compared_run(run, Manner(settings.args_for(is_across=False)))
        self.compared = run
        self._settings = settings
        self._marks: _Marks | None = None
        if not settings.raw and run.recorded.made is None:
            prompts = (text for text in run.recorded.run.prompts if text.strip())
            self._marks = _Marks(run, varying(next(prompts, "")))
            if self.level == "calls":
                self._marks.add_to(run)

    @property
    def level(self) -> Level:
        """How much of the run its format records."""
        return self.compared.recorded.level

    @property
    def lacks_effects(self) -> bool:
        """The log does not record the change that some edit made."""
        return compared_by_fragment(self.compared.recorded.all_calls) > 0

    def passed_key(self, call: AlignedCall) -> bytes:
        """Return the key of the arguments passed to an edit with an effect; or b""."""
        forms = call.keys.forms
        if forms.effect is None or forms.fragment is None:
            return b""
        kept = forms.fragment.kept
        if self._marks and (marked := self._marks.marked(kept)) is not None:
            return digest([call.recorded.common_tool, marked])
        return forms.fragment.key

    def output_key(self, call: AlignedCall) -> bytes:
        """Return a key of the arguments and the output."""
        kept = call.recorded.output_kept or b""
        printed = ComparedOutput(kept, self.compared.rules).normalised()
        marked = self._marks.value(printed) if self._marks else printed
        return call.keys.arguments + digest(marked)

    def files(self) -> Iterator[FileFacts]:
        """Yield the files that the run changed in the end."""
        has_contents = compares_contents(self._settings)
        names: dict[str, set[str]] = {}
        for call in self.compared.all_calls:
            if path := changed_by(call):
                names.setdefault(path, set()).update(call.recorded.names)
        for change in self.compared.recorded.net_changes:
            if change.status != "same":
                path = change.path
                if isinstance(change, NetChange):
                    path = place_of(
                        self.compared.rules.path(change.name or path), ""
                    ).key
                yield FileFacts(
                    path=path,
                    marked=self._marked(path),
                    is_deleted=done_to(change) == "deleted",
                    names=names.get(path, set()),
                    content=self._content(change) if has_contents else b"",
                    line=change.line,
                )

    def _content(self, change: Change) -> bytes:
        if isinstance(change, ApprovedChange):
            return str(change.effect or "").encode()
        text = None if change.status == "deleted" else text_of(change.after)
        content = None if text is None else self.compared.rules.content(text)
        return b"" if content is None else digest([self._marked(content)])

    def lines(self) -> Iterator[tuple[AlignedCall, str, bytes]]:
        """Yield the calls of a log of text, each with its action line and a key.

        The keys of two lines are equal that differ only in marked values.
        """
        directory = self.compared.recorded.run.directory
        for call in self.compared.all_calls:
            if event := call.recorded.event:
                line = action_line(event, directory, has_subject=True)
                yield call, line, digest([self._marked(line)])

    @property
    def answer(self) -> tuple[bytes, int | None] | None:
        """The key of the answer and its line; None if it is not compared.

        If a log joins the answer with other texts, these count as well.
        """
        run, how = self.compared.recorded.run, self._settings.text
        if how == "ignore" or not has_final_text(self.compared.recorded):
            return None
        said = (run.answer if run.segments else run.text) or ""
        if self.level == "text":
            said = (run.answer or "").removesuffix("\n")
        elif how in ("full", "exact"):
            said = run.text or ""
        if how != "exact":
            said = self._marked(self.compared.rules.prose(said))
        lines = [segment.line for segment in run.segments if segment.text.strip()]
        return digest([said]), lines[-1] if lines else run.last_line

    def _marked(self, text: str) -> str:
        return self._marks.text(text) if self._marks else text


class _Marks:
    """Adds marks to the calls and texts of one run."""

    def __init__(self, run: ComparedRun, varying: Varying) -> None:
        self._seen = SeenValues(run)
        self._varying = varying
        self._made: dict[Value, bool] = {}
        # The values that marks have replaced since the last call began.
        self._found: list[Value] = []

    def add_to(self, run: ComparedRun) -> None:
        """Add marks to the keys of all calls."""
        for call in run.all_calls:
            keys = call.keys
            if call.recorded.kind in _TEXTS and not _has_digits(keys.form.kept):
                continue
            place, file = map(self.text, (keys.manner.place, keys.manner.shown_file))
            call.compare_in(replace(keys.manner, place=place, shown_file=file))
            self._found = []
            marked = marshal.dumps(self.value(call.arguments), 2)
            if self._found:
                values, origins = tuple(self._found), self._origins()
                call.mark(Marked(values, marked, origins, self._program(call)))

    def marked(self, kept: bytes) -> bytes | None:
        """Return marshalled arguments with marks; None without any."""
        if not _has_digits(kept):
            return None
        self._found = []
        marked = self.value(marshal.loads(kept))
        return marshal.dumps(marked, 2) if self._found else None

    def text(self, text: str) -> str:
        """Return a text with marks."""
        return self._varying.replaced(text, self._mark)

    def value(self, value: Any) -> Any:
        """Return a value of JSON with marks in its strings and for its times."""
        return with_leaves(with_strings(value, self.text), self._with_time)

    def _program(self, call: AlignedCall) -> str:
        """Return the program of a command with marks; "" without any."""
        if call.recorded.kind != "shell" or call.keys.manner.how == "ignore":
            return ""
        # The marks would be redirections in the command.
        program = program_of(call.command)
        marked = self.text(program)
        return "" if marked == program else marked

    def _with_time(self, value: Any) -> Any:
        """Return a mark for a number that is a time; any other value stays."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        text = str(value)
        marked = self.text(text)
        return value if marked == text else marked

    def _mark(self, value: Value) -> str | None:
        if value not in self._made:
            self._made[value] = self._seen.has_made(value)
        mark = f"<{value.shape}>" if self._made[value] else self._varying.mark(value)
        if mark is not None:
            self._found.append(value)
        return mark

    def _origins(self) -> bytes:
        """Return a key of the places that the values come from; b"" without places.

        Times have no place, since any output may show the date by chance.
        """
        places = [
            self._seen.place(value)
            if self._made[value] and value.shape != "time"
            else None
            for value in self._found
        ]
        if not any(places):
            return b""
        return digest([*map(origin_of, self._found, places)])


def _has_digits(kept: bytes) -> bool:
    return compiled(r"[0-9]|/tmp\.").search(kept.decode("latin-1")) is not None
