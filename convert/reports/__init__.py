"""The formats of reports, and the document of a report in a terminal and Markdown.

facts -> words -> document -> lines

document    cells and tables, whose texts are written once for all renderers; as CSV
terminal    tables in columns, bars, and lines cut to a width
markdown    tables with the texts of logs escaped

Pages show the same tables in their templates. A report for programs has the facts.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from convert.exports import exports
from convert.wording.escapes import ShownAs

# Names that others import from the package; each loads its module.
__getattr__ = exports(__name__, {"document": "Cell", "terminal": "Grid bar cut"})


class ReportFormat(Struct, frozen=True):
    """A format in which reports are written."""

    name: str
    """The name that `--format` takes."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

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
