"""A tool call in one comparison: the keys by which it is aligned, and its marks."""

from __future__ import annotations

import functools
import marshal
from typing import Any

from msgspec import Struct

from convert.diff.calls.arguments import Form
from convert.diff.calls.outputs import digest
from convert.diff.calls.recorded_call import Forms, RecordedCall, command_in
from convert.diff.noise_values import Value, without_marks
from convert.facts import BOOKKEEPING
from convert.options.settings import ArgumentsCount
from convert.tools.shell import program_of, spelling_of
from convert.tools.subjects import Subject, led_by_directory, subject_of

# The number of bytes of a key that distinguish two fragments of edits. A trajectory
# keeps as many of a fragment.
SHORT_KEY = 8
_NO_ARGUMENTS = marshal.dumps({}, 2)


class Manner(Struct, frozen=True):
    """How a call is compared."""

    how: ArgumentsCount = "exact"
    """How much of the arguments counts, as `--args` says."""

    is_across: bool = False
    """The partner is a call of another agent, which has other names for errors."""

    place: str = ""
    """The folder of a command, if another agent names it in another way."""

    shown_file: str = ""
    """The file that a command shows, if another agent reads it with a tool."""


EXACT = Manner()


class Marked(Struct, frozen=True):
    """The marks in a call for the values that its run made."""

    values: tuple[Value, ...] = ()
    """The values, in the order of the arguments."""

    kept: bytes | None = None
    """The marshalled arguments with marks; None without any."""

    origins: bytes = b""
    """Equal in two calls whose values come from the same places."""

    program: str = ""
    """The program with marks; empty if it has none."""


NOT_MARKED = Marked()


class CallKeys(Struct, frozen=True, dict=True):
    """The keys of a call in one manner of comparing it; see `keys_of`."""

    call: RecordedCall
    """The call."""

    forms: Forms
    """The forms of its arguments, perhaps in the directory of another run."""

    form: Form
    """The form that is compared."""

    manner: Manner
    """How the call is compared."""

    marked: Marked
    """The marks in its arguments."""

    arguments: bytes
    """Equal in two calls that are the same, however they ended."""

    exact: bytes
    """Equal in two calls that are the same and ended alike."""

    @property
    def origin(self) -> bytes:
        """Equal in two calls that are the same, with values from the same places."""
        return self.exact + self.marked.origins

    @property
    def retry(self) -> bytes:
        """Equal in a call that failed and in the same call made again.

        A call that failed has no effect.
        """
        if self.forms.fragment is None or self.manner.how != "exact":
            return self.arguments[:SHORT_KEY]
        return self.forms.fragment.key[:SHORT_KEY]

    # Most calls equal their partners, so the other keys are computed on demand.

    @functools.cached_property
    def subject(self) -> bytes:
        """Equal in two calls of one tool that are about the same."""
        if self.manner.how != "exact":
            return self.arguments
        return _subject_key(self.call, self.marked_subject, self.manner)

    @functools.cached_property
    def tool(self) -> bytes:
        """Equal in two calls of one tool, or of one program and subcommand."""
        call = self.call
        if self.manner.how != "ignore" and call.kind == "shell":
            if self.marked.program:
                return digest([f"shell {self.marked.program}"])
            command = call.command_in(marshal.loads(self.form.kept))
            if isinstance(command, str):
                key = digest([f"shell {program_of(command)}"])
                # Asked now, while the command is parsed: it takes half of the time.
                _ = call.acts
                return key
        return digest([call.common_tool])

    @functools.cached_property
    def renamed(self) -> bytes:
        """Equal in two calls that are the same under another name.

        The tool may be another one of the same server, with the same arguments. Without
        arguments nothing says that two tools are one.
        """
        family = _family(self.call)
        arguments = self.marked.kept or self.form.kept
        if not family or arguments == _NO_ARGUMENTS or self.manner.how != "exact":
            return self.arguments
        return digest([family, arguments])

    @functools.cached_property
    def spelling(self) -> bytes:
        """Equal in two calls that are the same but for the spelling of a command.

        It is the key of the arguments where no spelling is known.
        """
        manner, form = self.manner, self.form
        if self.call.kind != "shell" or manner.how == "ignore":
            return self.arguments
        kept = form.kept if self.marked.kept is None else self.marked.kept
        arguments = marshal.loads(kept)
        command = command_in(arguments)
        if manner.how == "subject":
            arguments = {"place": manner.place}
            command = led_by_directory(command)[1] if manner.place else command
        spelled = spelling_of(
            without_marks(command, self.marked.values), has_home="home" in form.hits
        )
        if not spelled:
            return self.arguments
        return digest([self.call.common_tool, arguments | {"command": ""}, spelled])

    @property
    def outcome(self) -> str:
        """The outcome, in the words that the agents of both runs have for it."""
        return _outcome(self.call, self.manner)

    @functools.cached_property
    def form_subject(self) -> Subject:
        """The subject of the arguments."""
        return subject_of(self.call.kind, marshal.loads(self.form.kept))

    @property
    def marked_subject(self) -> Subject:
        """The subject of the arguments, with marks."""
        if self.marked.kept is None:
            return self.form_subject
        return subject_of(self.call.kind, marshal.loads(self.marked.kept))


def keys_of(
    call: RecordedCall,
    forms: Forms,
    form: Form,
    manner: Manner,
    marked: Marked = NOT_MARKED,
) -> CallKeys:
    """Return the keys of a call that is compared in a manner by one of its forms."""
    if manner.how != "exact":
        kept = form.kept if marked.kept is None else marked.kept
        subject = subject_of(call.kind, marshal.loads(kept))
        arguments = _subject_key(call, subject, manner)
    elif marked.kept is None:
        arguments = form.key
    else:
        arguments = digest([call.common_tool, marked.kept])
    exact = arguments + _outcome(call, manner).encode(errors="replace")
    return CallKeys(call, forms, form, manner, marked, arguments, exact)


def _subject_key(call: RecordedCall, subject: Subject, manner: Manner) -> bytes:
    if manner.how == "ignore":
        return digest([call.common_tool])
    # To search everywhere, one agent names the directory of the run.
    if not manner.is_across:
        return digest([call.common_tool, *subject.words, *subject.paths])
    if manner.shown_file:
        return digest(["read", manner.shown_file, ""])
    paths = [path for path in subject.paths if path != "."]
    words = subject.words
    if manner.place:
        words = [led_by_directory(word)[1] for word in words]
    return digest([call.common_tool, *words, *paths, manner.place])


def _outcome(call: RecordedCall, manner: Manner) -> str:
    return call.outcome.partition("(")[0] if manner.is_across else call.outcome


def _family(call: RecordedCall) -> str:
    """Return the words that tools share which may be one under several names."""
    if call.kind == "mcp":
        server, _, _ = call.tool.partition("/")
        return server
    return call.kind if call.kind == "function" else ""


class AlignedCall(Struct):
    """A call while its run is compared with another one."""

    recorded: RecordedCall
    """The call."""

    keys: CallKeys
    """Its keys, made anew whenever a comparison learns more of the call."""

    children: list[AlignedCall] = []
    """The calls made inside it."""

    def compare_by(self, form: Form, forms: Forms | None = None) -> None:
        """Compare the call by one form of its arguments, perhaps of others."""
        forms = forms or self.keys.forms
        self.keys = keys_of(self.recorded, forms, form, self.keys.manner)

    def compare_in(self, manner: Manner) -> None:
        """Compare the call in a manner, with a folder or a file that it shows."""
        keys = self.keys
        if manner != keys.manner:
            self.keys = keys_of(self.recorded, keys.forms, keys.form, manner)

    def mark(self, marked: Marked) -> None:
        """Mark the values that the run made in the keys."""
        keys = self.keys
        self.keys = keys_of(self.recorded, keys.forms, keys.form, keys.manner, marked)

    @property
    def values(self) -> list[Value]:
        """The values that the run made, which are marked in the keys."""
        return [*self.keys.marked.values]

    @property
    def arguments(self) -> dict[str, Any]:
        """The normalised arguments that are compared."""
        arguments: dict[str, Any] = marshal.loads(self.keys.form.kept)
        return arguments

    @property
    def command(self) -> str:
        """The command; empty if there is none."""
        return command_in(self.arguments)

    @property
    def is_bookkeeping(self) -> bool:
        """An agent keeps its books by the call, such as a to-do list.

        Not all agents have such tools.
        """
        names = {self.recorded.kind, self.recorded.tool.removeprefix("function:")}
        return self.keys.manner.is_across and not names.isdisjoint(BOOKKEEPING)

    @property
    def subject(self) -> str:
        """The path, command or the like that the call is about, on one line."""
        return self.keys.form_subject.line

    @property
    def subject_with_feeds(self) -> str:
        """The subject on one line, with `⏎` for each line feed."""
        return self.keys.form_subject.line_with_feeds

    @property
    def label(self) -> str:
        """The tool and the subject of the call, on one line."""
        call = self.recorded
        return call.action_line or f"{call.shown_tool} {self.subject}".rstrip()


def aligned(calls: list[RecordedCall], manner: Manner = EXACT) -> list[AlignedCall]:
    """Return calls as they are compared by their usual forms, with those inside."""
    return [
        AlignedCall(
            call,
            keys_of(call, call.forms, call.forms.usual, manner),
            aligned(call.children, manner) if call.children else [],
        )
        for call in calls
    ]


def is_other_name(one: AlignedCall, other: AlignedCall) -> bool:
    """Return True if the agent itself has two names for the tool of two calls.

    Another agent may read a file with a command.
    """
    manner = one.keys.manner
    is_by_subject = manner.is_across and manner.how == "subject"
    if is_by_subject and (manner.shown_file or other.keys.manner.shown_file):
        return one.keys.arguments == other.keys.arguments
    a, b = one.recorded, other.recorded
    return a.tool != b.tool and a.common_tool == b.common_tool
