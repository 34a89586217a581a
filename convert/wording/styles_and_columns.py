"""Lines of styled text, the colours of a terminal, and texts cut to its columns."""

from __future__ import annotations

import functools
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
# and `─` take a column each.
NARROW = r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u259f]*"
# Joins two characters to one, as in the emoji of a woman with a rocket.
_JOINER = "\u200d"
# Makes a wide emoji of the character before it.
_AS_EMOJI = "\ufe0f"


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    # Most other texts are cut; without a pattern, a short report takes 1 % less.
    if text.replace("…", "").isascii() or compiled(NARROW).fullmatch(text):
        return len(text)
    if _JOINER in text or _AS_EMOJI in text:
        return sum(width for _, width in placed(text))
    return sum(map(_columns_of, text))


def placed(text: str) -> list[tuple[int, int]]:
    """Return where each character begins, with the signs that it has, and its columns.

    Characters that are joined are one.
    """
    found: list[tuple[int, int]] = []
    is_joined = False
    for at, sign in enumerate(text):
        width = _columns_of(sign)
        if not found or (width and not is_joined):
            found.append((at, width))
        elif sign == _AS_EMOJI and found[-1][1] == 1:
            found[-1] = found[-1][0], 2
        is_joined = sign == _JOINER
    return found


@functools.lru_cache(4096)
def _columns_of(char: str) -> int:
    """Return the columns of a character: none for a sign that joins the one before."""
    # Few texts need it.
    from unicodedata import category, east_asian_width

    kind = category(char)
    if kind == "Cn":
        # None yet: the places of newer emoji and of rarer Chinese characters are wide.
        is_emoji = "\U0001fa70" <= char <= "\U0001faff"
        return 2 if is_emoji or "\U00020000" <= char < "\U0003fffe" else 1
    is_sign = kind[0] == "M" or (kind == "Cf" and char != "\u00ad")
    is_part = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    if is_sign or is_part or "\U0001f3fb" <= char <= "\U0001f3ff":
        return 0
    return 2 if east_asian_width(char) in "FW" else 1


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


def wrapped(
    line: str, most: int, indent: int | None = None, *, is_cell: bool = False
) -> list[str]:
    """Return a line as lines of at most so many columns, which end between words.

    The further lines begin below the first word after a label, if not at an `indent`.
    A longer word stays whole, but not in a cell of a table.
    """
    if columns(line) <= most:
        return [line]
    label = compiled(r" *[^ ]+ {2,}| *").match(line)
    begin = columns(label[0]) if label and indent is None else indent or 0
    begin = begin if begin <= most // 3 else 4
    lines = [""]
    # Each word with the blanks before it and a number after it, as in `exit 1`.
    for word in compiled(r" *[^ ]+(?: \d{1,4}\b[^\w ]?(?= |$))?").findall(line):
        if lines[-1].strip() and columns(lines[-1] + word) > most:
            lines.append(" " * begin)
            word = word.lstrip()
        while is_cell and columns(lines[-1] + word) > most:
            whole = lines.pop() + word
            head = cut_end(whole, most + 1)[:-1]
            # A path is broken between folders.
            head = head[: head.rfind("/") + 1] or head
            word = whole[len(head) :]
            lines += [head, " " * begin]
        lines[-1] += word
    return lines


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
