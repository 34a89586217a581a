"""Reports of a comparison: a module each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints
nothing. To add one, write a module with a function `report` and give it a row in
REPORTS.

table          for people; unified: for pipes, json_report: for scripts,
               markdown: for pull requests
options        the options of a report, and its lines
labels         names and marks of calls, and rows of calls side by side
verdict        the verdict in one line, files in words, and the findings shown
summary        the lines on counts, states, texts and figures
finding_lines  a finding on one line; facts: all findings, for suites and tables
detail_lines   the changes inside a call or a text
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from convert import wings
from convert.diff.comparison import Comparison
from convert.diff.reports.options import ReportLine, ReportOptions
from convert.diff.reports.verdict import short_report
from convert.wording.escapes import ShownAs

Report = Callable[[Comparison, ReportOptions], Iterator[ReportLine]]


class ReportFormat(Struct, frozen=True):
    """One row of the table of reports."""

    name: str
    """The name that `--format` takes."""

    place: str
    """The function that makes it, named by its place."""

    suffixes: tuple[str, ...]
    """The suffixes of files that stand for it."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

    is_coloured: bool = False
    """Its lines are coloured on a terminal."""

    is_short: bool = False
    """Logs that are the same take one line."""


REPORTS: dict[str, ReportFormat] = {
    row.name: row
    for row in (
        ReportFormat(
            "table",
            "convert.diff.reports.table.report",
            (".txt",),
            is_coloured=True,
            is_short=True,
        ),
        ReportFormat(
            "unified",
            "convert.diff.reports.unified.report",
            (".diff", ".patch"),
            is_coloured=True,
        ),
        ReportFormat(
            "json",
            "convert.diff.reports.json_report.report",
            (".json",),
            shown_as="json",
        ),
        ReportFormat(
            "markdown",
            "convert.diff.reports.markdown.report",
            (".md", ".markdown"),
        ),
        ReportFormat(
            "html",
            "convert.pages.comparison_page.report",
            (".html", ".htm"),
        ),
    )
}
DEFAULT_REPORT = next(iter(REPORTS))


def reports() -> dict[str, ReportFormat]:
    """Return all reports of two logs by their names, with those that wings add."""
    added = {name: wings.row("reports", name) for name in wings.names("reports")}
    return {**REPORTS, **added}


def report(name: str) -> Report:
    """Return the function of a report.

    It imports the module of the report: the libraries that one report needs must not
    slow down another, nor a line for logs that are the same.
    """
    row: ReportFormat = REPORTS.get(name) or wings.row("reports", name)

    def lines(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
        short = short_report(compared, options) if row.is_short else None
        if short is None:
            yield from wings.load(row.place)(compared, options)
        else:
            yield ReportLine(short)

    return lines
