"""Styled text, measured in the cells of a terminal; a wide character takes two."""

from __future__ import annotations

import functools

from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

from convert.wording.sanitise import escape_controls, repair_surrogates

_TAB = 4


def styled(text: str, style: str) -> Text:
    """Return text of ours; what is added to it later does not get its style."""
    return Text().append(text, style)


def visible(text: str, style: str = "") -> Text:
    """Return text of a log; what would control or hide it becomes visible."""
    return styled(escape_controls(repair_surrogates(text)).expandtabs(_TAB), style)


def fitted(line: Text, cells: int) -> Text:
    """Return a line, cut with `…` at its end if it takes more cells."""
    if line.cell_len > cells:
        line = line.copy()
        line.truncate(max(cells, 0), overflow="ellipsis")
    return line


def wrapped(
    text: Text, cells: int, first: Text | None = None, others: Text | None = None
) -> list[Text]:
    """Return text as lines of at most so many cells.

    `first` is what the first line begins with, and `others` what the others do.
    """
    first = first or Text()
    others = others or Text(" " * first.cell_len)
    room = max(cells - first.cell_len, 1)
    lines: list[Text] = []
    for line in text.wrap(_console(), room, overflow="fold") or [Text()]:
        line.rstrip()
        lines.append((others if lines else first) + line)
        lines[-1].rstrip()
    return lines


def beside(left: Text, right: Text, cells: int) -> Text:
    """Return a line with one text at its start, cut if need be, and one at its end."""
    right = fitted(right, cells - 2)
    room = cells - right.cell_len - (1 if right else 0)
    left = fitted(left, room)
    if not right:
        return left
    return left + Text(" " * (cells - left.cell_len - right.cell_len)) + right


def painted(line: Text) -> str:
    """Return a line with the escape sequences of its colours."""
    return "".join(
        style.render(text, color_system=ColorSystem.STANDARD) if style else text
        for text, style, _ in line.render(_console())
    )


@functools.cache
def _console() -> Console:
    """Return what rich needs to look up styles; nothing is printed with it."""
    return Console(width=80, force_terminal=False, color_system=None)
