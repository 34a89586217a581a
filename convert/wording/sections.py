r"""Tables of data in files: sections of cells, much as in an INI file.

    # A comment is a line of its own.
    [find]
    acts with = -delete -exec
    looks = find . -name '*.py'
    looks = find . \( -name a -o -name b \)

A value is the rest of its line as it is: it has no quotes and no escapes, so that
people can read patterns and commands. A name may repeat in its section, and so may a
heading.
"""

from __future__ import annotations

import os
from collections.abc import Container

Cells = dict[str, list[str]]

# Characters that a line cannot hold, or that nobody would see at its end.
_MARKS = {"␣": " ", "⏎": "\n", "⇥": "\t", "␍": "\r"}


def read_sections(
    folder: str, name: str, names: Container[str] | None = None
) -> list[tuple[str, Cells]]:
    """Return each heading of a file with its cells, in the order of the file.

    Only cells with one of `names` are allowed, so that none is lost by a typing error.
    """
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    sections: list[tuple[str, Cells]] = []
    cells: Cells | None = None
    for number, line in enumerate(lines, 1):
        if not line or line[0] == "#":
            continue
        if line[0] == "[" and line[-1] == "]":
            cells = {}
            sections.append((line[1:-1], cells))
            continue
        cell, equals, value = line.partition(" =")
        if cells is None or not equals or (names is not None and cell not in names):
            raise LookupError(f"{path}:{number}: no cell of this table: {line}")
        if cell in cells:
            cells[cell].append(value[1:])
        else:
            cells[cell] = [value[1:]]
    return sections


def unmarked(value: str) -> str:
    """Return a value with characters in place of its marks.

    ␣ is a blank at an edge or inside a word, ⏎ a line feed, ␍ a carriage return, and ⇥
    a tab.
    """
    if not value.isascii():
        for mark, character in _MARKS.items():
            value = value.replace(mark, character)
    return value


def words_of(cells: Cells, name: str) -> tuple[str, ...]:
    """Return the words of all cells of a name; none if there is no such cell."""
    text = " ".join(cells[name]) if name in cells else ""
    # Marks are not in ASCII, and few files have any.
    return tuple(text.split() if text.isascii() else map(unmarked, text.split()))
