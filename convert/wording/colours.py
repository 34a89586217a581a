"""The colours of a terminal: the 16 that each theme chooses for itself."""

from __future__ import annotations

from typing import Literal

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
