"""Reports: their formats, and their document, which three renderers show.

facts -> words -> document -> lines

The document is here: cells and tables, whose texts are written once for all renderers.

terminal    tables in columns, bars, and lines cut to a width
markdown    tables with the texts of logs escaped

Pages show the same tables in their templates. A report for programs has the facts, in
JSON or CSV.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.registry import exports
from convert.wording.escapes import ShownAs
from convert.wording.styles_and_columns import Colour

# Names that others import from the package; each loads its module.
__getattr__ = exports(__name__, {"terminal": "Grid bar cut"})


class ReportFormat(Struct, frozen=True):
    """A format in which reports are written."""

    name: str
    """The name that `--format` takes."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it."""

    shown_as: ShownAs = "text"
    """How it is escaped for a terminal or the log of a runner."""

    is_coloured: bool = False
    """Its lines are coloured on a terminal."""


FORMATS = {
    row.name: row
    for row in (
        ReportFormat("table", (".txt",), is_coloured=True),
        ReportFormat("unified", (".diff", ".patch"), is_coloured=True),
        ReportFormat("json", (".json",), shown_as="json"),
        ReportFormat("markdown", (".md", ".markdown")),
        ReportFormat("html", (".html", ".htm")),
        ReportFormat("csv", (".csv",)),
        ReportFormat("junit", (".xml",)),
        ReportFormat("github", (), shown_as="bytes"),
        ReportFormat("gitlab", (), shown_as="json"),
    )
}


def formats(names: Iterable[str]) -> dict[str, ReportFormat]:
    """Return formats by their names, the default first."""
    return {name: FORMATS[name] for name in names}


# A colour of the terminal, bold or dim.
Style = Literal[""] | Colour


class Cell(NamedTuple):
    """A harmless text on one line."""

    text: str = ""
    style: Style = ""
    number: float = 0
    """The number in the text, for bars."""

    is_usual: bool = False
    """Readers expect it: a terminal leaves it blank."""


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
    """The word for a row."""

    def cells(self, name: str) -> Iterator[Cell]:
        """Yield the cells of a column, from the top."""
        return (row.get(name, Cell()) for row in self.rows)

    def first(self, most: int | None) -> Table:
        """Return the first rows, or all of them."""
        return Table(self.columns, self.rows[:most], self.noun)


def csv_line(cells: object) -> str:
    """Return cells as a line of CSV, without its end."""
    # A report in columns does not need the library.
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()
