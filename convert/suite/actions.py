"""The traits of a run and the calls they are about, small enough to keep."""

from __future__ import annotations

import marshal
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.compared_call import ComparedCall, command_in
from convert.model.events import Level
from convert.tools.commands import attempt_of, program_of
from convert.tools.subjects import Subject, subject_of
from convert.tools.targets import SEARCHES
from convert.wording.sanitise import escape_controls, one_line, truncate

Kind = Literal[
    "runs",
    "call",
    "program",
    "order",
    "check",
    "args",
    "effect",
    "passed",
    "origin",
    "outcome",
    "tests",
    "output",
    "file",
    "content",
    "text",
]
# Whether a larger share of runs counts as a change, a smaller one, or both.
Counted = Literal["both", "more", "fewer"]

# Kinds of tools that change the file which they name.
CHANGES = ("edit", "write", "delete")
# How many characters of a call are kept to name it.
_LONGEST = 300


class Trait(NamedTuple):
    """Something that a run does, equal in all runs that do it."""

    kind: Kind
    key: bytes = b""
    """The call, program or file that it is about; empty for the whole run."""

    other: bytes = b""
    """The second call of an order, the arguments, the outcome or the content."""

    times: int = 1
    """How often the run does it, at least."""

    counted: Counted = "both"


class Action(Struct, frozen=True):
    """The call, program or file that a trait is about, with what its words need."""

    kind: str
    """The kind of the tool in the model; "" for a file."""

    tool: str = ""
    """The tool as people know it."""

    about: str = ""
    """The subject on one line, without characters that do harm."""

    file: str = ""
    """The file that it changes, with marks for what is noise; "" for none."""

    words: str = ""
    place: str = ""
    """The pattern of a search, and where it searches."""

    command: str = ""
    """The command as it is compared; "" for any other call."""

    program: bytes = b""
    """Equal in two calls of one program, or of one tool."""

    acts: bool = False
    is_program: bool = False
    """It is about all calls of a program or tool."""

    is_line: bool = False
    """Its log is text, of which `about` is a line."""

    @property
    def label(self) -> str:
        """The tool and what the call is about, as in findings."""
        if self.is_line:
            return self.about
        return f"{self.tool} {self.about}".strip()


class TraitedRun(Struct):
    """The traits of the run of a log."""

    log: str
    """The path of its log, as reports spell it."""

    level: Level
    """How much of a run the log records."""

    traits: dict[Trait, int | None] = {}
    """Each trait, with the line of the log where it is first seen."""

    actions: dict[bytes, Action] = {}
    """The call, program or file that each key of a trait is for."""

    orders: dict[tuple[bytes, bytes], int] = {}
    """The pairs of calls that come in this order, with the line of the later one."""

    arguments: dict[bytes, bytes] = {}
    """The marshalled arguments, by the keys that traits have of them."""

    has_changes: bool = False
    """The run changed some file, so that there is something to check."""

    lacks_effects: bool = False
    """The log does not record what some edit changed."""

    @property
    def files(self) -> set[bytes]:
        """The files that the run changed."""
        return {trait.key for trait in self.traits if trait.kind == "file"}


def are_checked(one: ComparedCall | Action, other: ComparedCall | Action) -> bool:
    """Tell if one is a command that acts and the other changes a file."""
    if one.kind in CHANGES:
        one, other = other, one
    return other.kind in CHANGES and one.kind == "shell" and one.acts


def action_of(call: ComparedCall) -> Action:
    """Return a call as words need it, whatever it was compared with before."""
    arguments = call.arguments
    subject = recorded_subject(call)
    return Action(
        call.kind,
        tool=as_shown(call.shown_tool),
        about=as_shown(subject.line_with_feeds),
        file=_file_of(call, subject),
        words=as_shown(" ".join(subject.words)) if call.kind in SEARCHES else "",
        place=as_shown(" ".join(subject.paths)) if call.kind in SEARCHES else "",
        command=command_in(arguments),
        program=call.tool_key,
        acts=call.acts,
    )


def _file_of(call: ComparedCall, subject: Subject) -> str:
    if call.kind not in CHANGES:
        return ""
    if call.marked_kept is not None:
        subject = subject_of(call.kind, marshal.loads(call.marked_kept))
    return as_shown(subject.line_with_feeds)


def action_of_program(call: ComparedCall) -> Action:
    """Return the program of a command, or the tool of any other call."""
    command = command_in(call.arguments)
    return Action(
        call.kind,
        tool=as_shown(call.shown_tool),
        about=as_shown(program_of(command)) if command else "",
        command=command,
        program=call.tool_key,
        acts=call.acts,
        is_program=True,
    )


def recorded_subject(call: ComparedCall) -> Subject:
    """Return the subject of a call, without numbers that come from another run."""
    return subject_of(call.kind, call.arguments)


def is_check(call: ComparedCall) -> bool:
    """Tell if a command runs tests or the like."""
    if call.kind != "shell" or call.compared_by == "ignore":
        return False
    return attempt_of(command_in(call.arguments)).is_check


def as_shown(text: str) -> str:
    """Return a text of a log on one line, without characters that do harm."""
    return truncate(escape_controls(one_line(text)), _LONGEST)
