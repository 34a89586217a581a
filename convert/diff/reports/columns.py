"""Texts cut to the columns that there are on a terminal."""

from __future__ import annotations

from convert.diff.reports.wordings import first_difference

# The most characters shown before the place from which on two texts differ.
_BEFORE = 8


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    width: int = wcswidth(text)
    return width if width >= 0 else len(text)


def fitted(text: str, most: int) -> str:
    """Return a text, cut to a number of columns if it is longer."""
    # Most characters take a column, and none more than two.
    text = text[: 4 * most + 4]
    is_short = 2 * len(text) <= most or columns(text) <= most
    return text if is_short else cut_to(text, most)


def cut_to(text: str, most: int) -> str:
    """Cut a text to a number of columns, with `…` at its end."""
    while text and columns(text) > most - 1:
        text = text[: most - 1] if len(text) > most else text[:-1]
    return f"{text.rstrip()}…"


def cut_from(text: str, most: int) -> str:
    """Cut the beginning of a name, since its end tells it from others."""
    if columns(text) <= most:
        return text
    while text and columns(text) > most - 1:
        text = text[1:]
    return f"…{text}"


def shared(old: str, new: str, most: int) -> tuple[str, str]:
    """Return two texts in the columns for both; one uses what the other leaves.

    Long ones begin shortly before they begin to differ.
    """
    if columns(old) + columns(new) <= most:
        return old, new
    begin = first_difference(old, new) - min(_BEFORE, most // 6)
    if begin > 1:
        old, new = f"…{old[begin:]}", f"…{new[begin:]}"
    room, other_room = shares(columns(old), columns(new), most)
    return fitted(old, room), fitted(new, other_room)


def shares(one: int, other: int, most: int) -> tuple[int, int]:
    """Divide columns between two texts; one may use what the other leaves."""
    half = most // 2
    return min(one, max(half, most - other)), min(other, max(half, most - one))
