"""What a transcript consists of, in no notation: a writer gives it one.

Text of the log stands in these pieces as it is, without control characters. Whoever
writes it escapes it for where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from msgspec import Struct

from convert.model import OK, Outcome
from convert.transcript.clips import Clip
from convert.wording.words import Inline

# What may be left out of a call where output is shortened: nothing, only the middle of
# what is long, or all.
Role = Literal["command", "argument", "output"]
FileStatus = Literal["", "new", "deleted"]


class Code(Struct, frozen=True):
    """Text as it stands in the log, in a language."""

    text: Clip
    language: str = ""
    role: Role = "output"


class Prose(Struct, frozen=True):
    """Markdown of somebody else: the user, the assistant, a subagent."""

    text: Clip
    role: Role = "command"


class Item(Struct, frozen=True, kw_only=True):
    """An entry of a list: a line, perhaps a link or a task, on a level from 0."""

    line: Inline
    url: str = ""
    is_done: bool | None = None
    level: int = 0


class Items(Struct, frozen=True):
    """A list of which `omitted` entries at the end are left out."""

    items: list[Item]
    role: Role = "output"
    omitted: int = 0


class Note(Struct, frozen=True):
    """A short paragraph; it always stays."""

    role: ClassVar[Role | None] = None
    line: Inline


class Collapsible(Struct, frozen=True):
    """Parts that a reader opens."""

    summary: Inline
    parts: list[Part]

    @property
    def role(self) -> Role | None:
        """That of the first part that has one."""
        return next(filter(None, (part.role for part in self.parts)), None)


class Steps(Struct, frozen=True):
    """What a subagent did; `omitted` steps are left out behind the first `head`."""

    role: ClassVar[Role | None] = "output"
    steps: list[Step]
    head: int = 0
    omitted: int = 0


Part = Code | Prose | Items | Note | Collapsible | Steps


class FileChange(Struct, frozen=True):
    """What a call did to a file: lines added and removed, None where not recorded."""

    path: str
    added: int | None
    removed: int | None
    status: FileStatus = ""


class Fact(Struct, frozen=True):
    """Something recorded of a run, as a line for people and as values by name."""

    name: str
    line: Inline
    values: Mapping[str, str | int]


class Title(Struct, frozen=True):
    """A run begins: what it is called."""

    text: str


class FactTable(Struct, frozen=True):
    """What is recorded of a run, as far as it is known here."""

    facts: list[Fact]


class Heading(Struct, frozen=True):
    """A heading of ours."""

    name: str


class Text(Struct, frozen=True):
    """What the user or the assistant said; `follows` says that text stands above."""

    text: Clip
    follows: bool = False


class CollapsibleText(Struct, frozen=True):
    """Text that a reader opens: a block of reasoning."""

    summary: str
    text: Clip


class CallSection(Struct, frozen=True, kw_only=True):
    """A tool call: its place among the calls of the run, what it did, what it gave.

    `is_bare` says that its parts are left out.
    """

    number: int
    title: Inline
    notes: list[str]
    summary: Inline
    parts: list[Part]
    outcome: Outcome
    changes: list[FileChange]
    is_bare: bool = False

    @property
    def is_ok(self) -> bool:
        """Whether the call did what it was to do."""
        return self.outcome == OK


Step = Prose | Collapsible | CallSection


class FileChanges(Struct, frozen=True):
    """The files that a run changed, without the last `omitted` ones."""

    changes: list[FileChange]
    omitted: int = 0


Piece = Title | FactTable | Heading | Text | CollapsibleText | CallSection | FileChanges
