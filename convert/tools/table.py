"""All kinds of tools, and the names of tools, arguments and outputs.

Every writer, `diff` and transcripts read this one table, whose rows are the sections
of kinds.ini. A kind without a row is shown by its name, and nothing else depends on
knowing it. A cell that has nothing to say is not written.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Literal

from msgspec import Struct

from convert.model.events import ToolCall
from convert.wording.escapes import one_line
from convert.wording.sections import Cells, read_sections, words_of

Effect = Literal["looks", "acts", "acts on files", "command"]
# Where a picture of a run shows a call.
Lane = Literal["look", "edit", "run", "other"]


class SubjectArguments(Struct, frozen=True, kw_only=True):
    """The arguments that make up a subject."""

    verb: str = ""
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
    """Everything that runconv knows about one kind of tool, except its phrases."""

    effect: Effect
    """A call changes nothing ("looks"), or it may change something ("acts").

    "acts on files" may change files that its log does not name.
    "command" leaves it to the shell command, which `tools.shell` examines.
    """

    lane: Lane
    """The lane of a call in the picture of a run."""

    label: str
    """The name of the kind in a row of calls, shortened if it has over six letters."""

    transcript: str
    """The function that shows a call, as `module.function` of `transcript.kinds`.

    A name and not the function, so that the other formats start without that code.
    """

    subject: SubjectArguments | None = None
    """The arguments by which `diff` knows a call; None if there are none."""

    target: SubjectArguments | None = None
    """The arguments that people read instead, for a kind without a subject.

    Of several, each that is recorded; a dot leads into an object.
    """

    arguments: tuple[str, ...] = ()
    """Arguments that are neither in the subject nor noise."""

    noise: Noise = Noise()
    """Members that `diff` ignores, besides `NOISE`."""

    text_member: str | None = None
    """The member of the output that is shown as text; None if none is.

    It holds all of an output that is recorded as a text and nothing else, as other
    agents record lists of files, findings and tasks; `content` does without a cell.
    """


UNKNOWN = Tool(
    effect="acts on files", lane="other", label="tool", transcript="services.as_json"
)
"""The row of a kind that has none in the table."""

_WORDS = ("effect", "lane", "label", "transcript")
_CELLS = frozenset(
    {
        *(*_WORDS, "verb", "words", "paths", "target words", "target paths"),
        *("arguments", "noise", "output noise", "text"),
    }
)


@functools.cache
def tools() -> dict[str, Tool]:
    """Return the row of each kind; the first call reads them."""
    sections = read_sections(os.path.dirname(__file__), "kinds.ini", _CELLS)
    return {kind: _row(cells) for kind, cells in sections}


def tool_of(kind: str) -> Tool:
    """Return the row of a kind, known or not."""
    return tools().get(kind, UNKNOWN)


def _row(cells: Cells) -> Tool:
    words: dict[str, Any] = {name: cells[name][0] for name in _WORDS if name in cells}
    return Tool(
        subject=_arguments(cells, "words", "paths"),
        target=_arguments(cells, "target words", "target paths"),
        arguments=words_of(cells, "arguments"),
        noise=Noise(
            arguments=words_of(cells, "noise"), outputs=words_of(cells, "output noise")
        ),
        text_member=cells.get("text", [None])[0],
        **words,
    )


def _arguments(cells: Cells, words: str, paths: str) -> SubjectArguments | None:
    if words not in cells and paths not in cells:
        return None
    return SubjectArguments(
        verb=cells.get("verb", [""])[0],
        words=words_of(cells, words),
        paths=words_of(cells, paths),
    )


def full_name(call: ToolCall) -> str:
    """Return the kind of a call, followed by the name of a foreign tool."""
    if call.kind in FOREIGN and call.name:
        return f"{call.kind}:{call.name}"
    return call.kind


def kind_in(full_name: str) -> str:
    """Return the kind in the full name of a tool."""
    kind, colon, _ = full_name.partition(":")
    return kind if colon and kind in FOREIGN else full_name


def short_name(full_name: str) -> str:
    """Return a tool's full name on one line, as reports show it."""
    return one_line(full_name.removeprefix("function:")) or "unknown"


# Kinds whose arguments another program defines: none of them is noise or a default.
FOREIGN = {"mcp", "function"}

# No two runs have these in common. Outputs are ignored at any depth.
NOISE = Noise(
    arguments=(
        "conversationId",
        "hookAdditionalContexts",
        "hookApprovalRequirement",
        "requestId",
        "requestedSandboxPolicy",
        "sandboxPolicy",
        "skipApproval",
        "smartModeApproval",
        "smartModeApprovalOnly",
        "toolCallId",
    ),
    outputs=(
        "agentId",
        "createdAt",
        "duration",
        "durationMs",
        "executionTime",
        "localExecutionTimeMs",
        "msToWait",
        "pid",
        "runtimeMs",
        "shellId",
        "terminalsFolder",
        "timestamp",
        "timestamp_ms",
        "transcriptPath",
        "updatedAt",
    ),
)

# Arguments that hold a path, or a list of paths, which can be spelled in several ways.
PATHS = {"path", "filePath", "targetDirectory", "workingDirectory", "downloadPath"}
LISTS_OF_PATHS = {"paths", "targetDirectories", "filePaths"}

# Members with the text that the agent writes into files, where it chooses each id.
CONTENTS = {
    *("streamContent", "fileText", "contents", "content", "oldText", "newText"),
    *("old_string", "new_string", "patchContent", "patch", "chars"),
}


def known_arguments(kind: str) -> set[str]:
    """Return the names of the arguments that a kind is known to take.

    Empty for a kind that is not in the table, or whose tools are not the agent's own.
    """
    tool = tools().get(kind)
    if kind in FOREIGN or tool is None:
        return set()
    return {
        *tool.arguments,
        *(path.partition(".")[0] for path in NOISE.arguments + tool.noise.arguments),
        *(tool.subject.words + tool.subject.paths if tool.subject else ()),
    }


@functools.lru_cache(maxsize=256)
def noise_members(kind: str) -> frozenset[str]:
    """Return the last names of the arguments of a kind that `diff` ignores."""
    paths = NOISE.arguments + tool_of(kind).noise.arguments
    return frozenset(path.rpartition(".")[2] for path in paths)
