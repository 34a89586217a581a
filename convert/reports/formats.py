"""The formats of reports, whatever they are about."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from convert.wording.escapes import ShownAs


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
