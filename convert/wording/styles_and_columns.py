"""Lines of styled text, the colours of a terminal, and texts cut to its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from convert.wording import compiled

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

CODES: dict[str, int] = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "cyan": 36,
    "bold": 1,
    "dim": 2,
    "reverse": 7,
}
"""The codes of colours and other styles in the sequences of a terminal."""


def painted(text: str, colour: Colour) -> str:
    """Return a text in a colour, from its start to its end."""
    return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if text else text


# Latin letters, punctuation such as `…`, and arrows, signs and lines such as `→`, `−`
# and `─` take a column each. To import wcwidth takes 15 ms.
NARROW = r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u259f]*"


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    if text.isascii() or compiled(NARROW).fullmatch(text):
        return len(text)
    from wcwidth import wcswidth

    width: int = wcswidth(text)
    return width if width >= 0 else len(text)


def fit(text: str, most: int) -> str:
    """Return a text, cut to a number of columns if it is longer."""
    # Most characters take a column, and none more than two.
    text = text[: 4 * most + 4]
    is_short = 2 * len(text) <= most or columns(text) <= most
    return text if is_short else cut_end(text, most)


def cut_end(text: str, most: int) -> str:
    """Cut a text to a number of columns, with `…` at its end."""
    while text and columns(text) > most - 1:
        text = text[: most - 1] if len(text) > most else text[:-1]
    return f"{text.rstrip()}…"


def cut_distinctly(texts: Sequence[str], most: int) -> list[str]:
    """Return texts cut at the end, or in the middle if only the ends differ."""
    cut = [fit(text, most) for text in texts]
    if len({*cut}) == len({*texts}):
        return cut
    return [
        text
        if columns(text) <= most
        else cut_end(text, most - most // 2) + cut_start(text, most // 2 + 1)[1:]
        for text in texts
    ]


def cut_start(text: str, most: int) -> str:
    """Cut the beginning of a name, since its end distinguishes it."""
    if columns(text) <= most:
        return text
    while text and columns(text) > most - 1:
        text = text[1:]
    return f"…{text}"


def cut_middle(text: str, most: int) -> str:
    """Cut the middle of a command, since its end distinguishes it as well."""
    if len(text) <= 4 * most and columns(text) <= most:
        return text
    half = max(most, 0) // 2
    end = text[len(text) - half :]
    while columns(end) > half:
        end = end[1:]
    return f"{cut_end(text[: 2 * max(most, 0)], most - half)}{end}"
