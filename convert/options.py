"""What a user can ask of the writers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ToolOutput = Literal["none", "preview", "full"]
TOOL_OUTPUTS: tuple[ToolOutput, ...] = ("none", "preview", "full")
# What a transcript that says what it leaves out needs at least.
FEWEST_BYTES = 4096


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
