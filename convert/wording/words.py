"""Lines of styled text, before a writer puts them into a notation."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Style = Literal["ours", "plain", "code", "path"]


class Words(Struct, frozen=True):
    """Part of a line."""

    text: str
    """Text of the log as recorded, which a writer escapes, or text of runconv."""

    style: Style = "plain"
    """"ours" is text of runconv; the others are text of the log and how to show it."""


# One line.
Inline = list[Words]
