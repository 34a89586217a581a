"""What a user can ask of the readers and of the writers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from convert.errors import UsageError
from convert.source.lines import LONGEST
from convert.tools.row import LANGUAGES

ToolOutput = Literal["none", "preview", "full"]
_TOOL_OUTPUTS: tuple[ToolOutput, ...] = ("none", "preview", "full")
# What a transcript that says what it leaves out needs at least.
_FEWEST_BYTES = 4096


class Reading(Struct, frozen=True):
    """How a log is read.

    No line of more than `max_line` bytes is, and no archive that expands to more than
    `max_input`. With `redact`, secrets are replaced by their kinds before anything is
    made of the log, and so is what `redact_patterns` match.
    """

    max_line: int = LONGEST
    max_input: int = 10_000_000_000
    redact: bool = False
    redact_patterns: tuple[str, ...] = ()


class Options(Struct, frozen=True):
    """The options of a conversion; every writer reads its own.

    `follows` says that something stands above the output already, so that answers
    keep an empty line between them across logs. `max_bytes` is None for no limit.
    """

    detail: bool = False
    language: str = "en"
    answer: bool = False
    partial: bool = False
    follows: bool = False
    tool_output: ToolOutput = "preview"
    max_bytes: int | None = None
    thinking: bool = False
    front_matter: bool = False


def check(options: Options) -> None:
    """Raise UsageError for what no writer can do."""
    if options.language not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise UsageError(f"cannot write in '{options.language}'; choose one of {names}")
    if options.tool_output not in _TOOL_OUTPUTS:
        names = ", ".join(_TOOL_OUTPUTS)
        raise UsageError(
            f"no tool output '{options.tool_output}'; choose one of {names}"
        )
    if options.max_bytes is not None and options.max_bytes < _FEWEST_BYTES:
        raise UsageError(
            f"cannot keep to {options.max_bytes} bytes; {_FEWEST_BYTES} is the least"
        )
