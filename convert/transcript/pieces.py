"""The pieces of a transcript, which a writer puts into its notation.

Text of the log is in these pieces without control characters and not escaped; a writer
escapes it for its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import ClassVar, Literal

from msgspec import Struct

from convert.facts.changed_files import FileChange
from convert.model.events import OK, Outcome
from convert.transcript.shortened_texts import Clip, Excerpts
from convert.wording.styles_and_columns import Inline, Style

# Shortening omits nothing of a command, the middle of an argument, and any part of an
# output.
Role = Literal["command", "argument", "output"]


class Code(Struct, frozen=True):
    """Preformatted text of the log."""

    text: Clip | Excerpts
    """The text, with its line feeds."""

    language: str = ""
    """The language to highlight it in; empty if unknown."""

    role: Role = "output"
    """The role, which decides how much of it shortening may omit."""


class Prose(Struct, frozen=True):
    """Markdown inside a call: a prompt, an answer, a message.

    `Text` is Markdown at the top level of a transcript.
    """

    text: Clip
    """The Markdown as recorded; a writer keeps it from escaping its place."""

    role: Role = "command"
    """The role, which decides how much of it shortening may omit."""


class Item(Struct, frozen=True, kw_only=True):
    """An entry of a list."""

    line: Inline
    """The text of the entry."""

    url: str = ""
    """The target of a link on the whole line; empty for none."""

    is_done: bool | None = None
    """The state of a task; None if the entry is not a task."""

    level: int = 0
    """The depth of the entry in nested lists, from 0."""

    @property
    def written(self) -> str:
        """All that the entry shows, without styles."""
        return self.url + "".join([words.text for words in self.line])


class Finding(Struct, frozen=True, gc=False):
    """An entry of a list of findings: one text between words of our own.

    There are more of these than of all other pieces, and this is a third of an `Item`.
    """

    text: str
    """The finding, on one line."""

    style: Style
    """The style to show it in."""

    before: str = ""
    """Our own words before it, such as the number of a line."""

    after: str = ""
    """Our own words after it."""

    level: int = 0
    """The depth of the entry in nested lists, from 0."""

    @property
    def written(self) -> str:
        """All that the entry shows, without styles."""
        return f"{self.before}{self.text}{self.after}"


class Items(Struct, frozen=True):
    """A list."""

    items: Sequence[Item | Finding]
    """The entries that are shown."""

    role: Role = "output"
    """The role, which decides how much of it shortening may omit."""

    omitted: int = 0
    """The number of entries omitted after the last one shown."""

    skipped: int = 0
    """The number of entries omitted before the first one shown."""


class Note(Struct, frozen=True):
    """A short paragraph, which is never omitted."""

    role: ClassVar[Role | None] = None
    line: Inline
    """The text of the paragraph."""


class Label(Struct, frozen=True):
    """The name of the parts below it, which goes with the first of them."""

    role: ClassVar[Role | None] = None
    line: Inline
    """The name."""


class Collapsible(Struct, frozen=True):
    """Parts inside a call that a reader can open and close.

    `CollapsibleText` is its like at the top level of a transcript.
    """

    summary: Inline
    """The line that is shown when it is closed."""

    parts: list[Part]
    """The parts inside."""

    @property
    def role(self) -> Role | None:
        """The role of the first part that has one."""
        return next(filter(None, (part.role for part in self.parts)), None)


class Steps(Struct, frozen=True):
    """The steps of a subagent."""

    role: ClassVar[Role | None] = "output"
    steps: list[Step]
    """The steps that are shown, in order."""

    head: int = 0
    """The number of steps before those that are omitted."""

    omitted: int = 0
    """The number of omitted steps."""


class Omitted(Struct, frozen=True):
    """The parts of a call that were omitted to save room."""

    lines: int
    """The number of their lines and entries of lists."""

    bytes: int
    """The number of bytes of their texts, without the lists."""

    contents: frozenset[str]
    """The names of the parts that the heading does not show: `output`, `diffs`."""


class CallSection(Struct, frozen=True, kw_only=True):
    """A tool call."""

    number: int
    """Its place among the calls of the run, or of its subagent, from 1."""

    prefix: str = ""
    """The numbers of the subagents around it: `5.`, `5.2.`; "" for none."""

    title: Inline
    """The action and its subject: `Read src/app.py`."""

    ending: str
    """Its ending: `exit 1`, `refused, not done`; empty if it ended well."""

    notes: list[str]
    """Short remarks after the title, such as sizes."""

    took: str
    """Its duration: `1.2 s`; empty if that is not recorded."""

    when: str
    """When it started, and the calls that were made with it, in our own words."""

    native: str = ""
    """The agent's own name for the tool; empty if there is no other."""

    summary: Inline
    """The line that is shown when its parts are closed; the native name begins it."""

    parts: list[Part]
    """Its arguments and its output."""

    outcome: Outcome
    """The outcome as the log records it."""

    has_changed_files: bool
    """It changed files."""

    has_failed_inside: bool = False
    """A call that it made did not succeed."""

    kind: str = ""
    """The kind of tool."""

    omitted: Omitted | None = None
    """Its parts, if they were omitted to save room."""

    @property
    def remarks(self) -> list[str]:
        """The ending, the short remarks, the duration, and the name of the tool.

        A call with parts says that in the summary of these.
        """
        tool = f"by {self.native}" if self.native and not self.parts else ""
        return [*filter(None, (self.ending, *self.notes, self.took, tool))]

    @property
    def is_ok(self) -> bool:
        """The call and all calls inside it succeeded, with output recorded or not."""
        outcome = self.outcome
        return (outcome is OK or outcome == OK) and not self.has_failed_inside


Step = Prose | Collapsible | CallSection
Part = Code | Prose | Items | Note | Label | Collapsible | Steps


class Fact(Struct, frozen=True):
    """One thing recorded of a run."""

    name: str
    """Its name for people: `tool calls`."""

    line: Inline
    """Its value for people: `12 (1 failed)`."""

    values: Mapping[str, str | int | Decimal]
    """The same as values by name for front matter: `tool_calls: 12`."""


class Title(Struct, frozen=True):
    """The beginning of a run."""

    text: str
    """The title of the transcript, on one line."""


class Ending(Struct, frozen=True):
    """The verdict on a run, which comes first where the end of the log is known."""

    sentence: str
    """The sentence, on one line."""


class FactList(Struct, frozen=True):
    """Facts of a run that are known at this place."""

    facts: list[Fact]
    """The facts, in their order."""


class Heading(Struct, frozen=True):
    """A heading such as `Prompt`, `Run` or `Answer`."""

    name: str
    """The text of the heading."""


class Text(Struct, frozen=True):
    """Text of the user or the assistant, at the top level of a transcript."""

    text: Clip
    """Markdown as recorded."""

    follows: bool = False
    """The piece above is a text as well, so something must separate them."""


class Remark(Struct, frozen=True):
    """A short paragraph of our own at the top level, such as the name of a picture."""

    line: Inline
    """The text of the paragraph."""

    follows: bool = False
    """The piece above is a text, so something must separate them."""


class CollapsibleText(Struct, frozen=True):
    """Text at the top level that a reader can open and close, such as reasoning."""

    summary: str
    """The line that is shown when it is closed."""

    text: Clip
    """Markdown as recorded."""


class Block(Struct, frozen=True):
    """A part at the top level of a transcript."""

    part: Part
    """The part, which belongs to no call."""


class FoldedCalls(Struct, frozen=True):
    """Calls that follow one another, shown as one line to save room."""

    first: int
    """The number of the first one."""

    last: int
    """The number of the last one."""

    kinds: dict[str, int]
    """The number of calls of each kind of tool."""

    bare: int
    """The number of calls that have lost their parts."""

    contents: frozenset[str] = frozenset()
    """The names of these parts."""

    @property
    def calls(self) -> int:
        """The number of calls."""
        return sum(self.kinds.values())


class Correction(Struct, frozen=True):
    """The outcome that a later line of the log gives a call that has ended."""

    number: str
    """The number of the call; `2.1` is inside call 2."""

    outcome: str
    """The outcome by that line."""


class FileChanges(Struct, frozen=True):
    """The files that a run changed."""

    changes: list[FileChange]
    """The changes that are shown, one a file."""

    omitted: int = 0
    """The number of files omitted after the last one shown."""


Piece = (
    Title
    | Ending
    | FactList
    | Heading
    | Text
    | Remark
    | CollapsibleText
    | Block
    | CallSection
    | FoldedCalls
    | Correction
    | FileChanges
)
