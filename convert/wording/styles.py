"""Lines of styled text, and the colours of a terminal."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Style = Literal["ours", "plain", "code", "path"]


class Styled(Struct, frozen=True):
    """Part of a line."""

    text: str
    """Text of the log as recorded, which a writer escapes, or text of runconv."""

    style: Style = "plain"
    """"ours" is text of runconv; the others are text of the log and how to show it."""


# One line.
Inline = list[Styled]
Colour = Literal["red", "green", "yellow", "blue", "cyan", "bold", "dim"]

_CODES: dict[Colour, int] = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "cyan": 36,
    "bold": 1,
    "dim": 2,
}


def painted(text: str, colour: Colour) -> str:
    """Return a text in a colour, from its start to its end."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if text else text
