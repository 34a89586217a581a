"""Cells and tables: the words of a report, for every renderer, and lines of CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.wording.escapes import repair_surrogates, safe_line
from convert.wording.styles import Colour

# A colour of the terminal, or how strong a text is.
Style = Literal[""] | Colour


class Cell(NamedTuple):
    """A text on one line, in which nothing of a log does harm."""

    text: str = ""
    style: Style = ""
    number: float = 0
    """The number that the text writes, for bars."""

    is_usual: bool = False
    """A reader expects it: a terminal leaves it blank."""


Row = dict[str, Cell]
"""The cells of a row by the names of their columns; one that is missing is blank."""


class Column(NamedTuple):
    """The column of a table."""

    head: str
    is_text: bool = False
    """Its cells are words and no numbers."""

    is_code: bool = False
    """Its cells are names, which Markdown shows as code."""

    style: Style = ""
    """The style of cells that have none of their own."""


class Table(Struct, frozen=True):
    """The rows of a table."""

    columns: dict[str, Column]
    rows: list[Row]
    noun: str = "row"
    """A row, in a word."""

    def cells(self, name: str) -> Iterator[Cell]:
        """Yield the cells of a column, from above."""
        return (row.get(name, Cell()) for row in self.rows)

    def first(self, most: int | None) -> Table:
        """Return the first rows, or all of them."""
        return Table(self.columns, self.rows[:most], self.noun)


# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@")


def harmless(text: str) -> str:
    """Return text of a log on one line, which no spreadsheet takes for a formula."""
    text = safe_line(repair_surrogates(text))
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_line(cells: object) -> str:
    """Return cells as a line of CSV, without its end."""
    # A report in columns does not need the library.
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()
