"""Words in a style, before a notation shows it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Style = Literal["ours", "plain", "code", "path"]


class Words(Struct, frozen=True):
    """Part of a line: words of ours, or of the log as text, code or a path."""

    text: str
    style: Style = "plain"


# All of one line.
Inline = list[Words]
