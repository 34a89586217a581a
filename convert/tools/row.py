"""The cells of a row in the table of tools.

Every cell must be given, so a kind with a missing one fails on import. A cell that has
nothing to say is None.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# Where a picture of a run shows a call.
Lane = Literal["look", "edit", "run", "other"]


class SubjectArguments(Struct, frozen=True, kw_only=True):
    """The arguments that say what a call is about."""

    verb: str
    """The English verb before the subject in the heading of a transcript."""

    words: tuple[str, ...] = ()
    """Names of arguments that are shown as they are, in this order."""

    paths: tuple[str, ...] = ()
    """Names of arguments that are shown relative to the directory of the run."""


class Noise(Struct, frozen=True, kw_only=True):
    """Members that `diff` ignores, as paths: `timeout`, `todos.*.createdAt`."""

    arguments: tuple[str, ...] = ()
    """Paths into the arguments; `--keep-arg` restores one by its last name."""

    outputs: tuple[str, ...] = ()
    """Paths into the output."""


class Tool(Struct, frozen=True, kw_only=True):
    """Everything that runconv knows about one kind of tool."""

    subject: SubjectArguments | None
    """The arguments that say what a call is about; None if no argument does."""

    effect: Literal["looks", "acts", "acts on files", "command"]
    """A call changes nothing ("looks"), or it may change something ("acts").

    "acts on files" may change files that its log does not name.
    "command" leaves it to the shell command, which `tools.commands` examines.
    """

    lane: Lane
    """The lane of a call in the picture of a run."""

    label: str
    """A word of up to six letters that names the kind of a call in a row."""

    noise: Noise | None
    """Members that `diff` ignores, besides `every_tool.NOISE`; None if nothing."""

    text_member: str | None
    """The member of the output that is shown as text; None if none is.

    It holds all of an output that is recorded as a text and nothing else, as other
    agents record lists of files, findings and tasks; `content` does without a cell.
    """

    transcript: str
    """The function that shows a call, as `module.function` of `transcript.kinds`.

    A name and not the function, so that the other formats start without that code.
    """
