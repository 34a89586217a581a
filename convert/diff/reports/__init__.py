"""Reports of a comparison: a module each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints
nothing. To add one, write a module with a function `report` and give it a row in
PLACES; a new format has one in `convert.reports.formats` too.

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

from convert import wings
from convert.diff.comparison import Comparison
from convert.diff.reports.options import ReportLine, ReportOptions
from convert.diff.reports.verdict import short_report
from convert.reports.formats import ReportFormat, formats

Report = Callable[[Comparison, ReportOptions], Iterator[ReportLine]]


PLACES = {
    "table": "convert.diff.reports.table.report",
    "unified": "convert.diff.reports.unified.report",
    "json": "convert.diff.reports.json_report.report",
    "markdown": "convert.diff.reports.markdown.report",
    "html": "convert.pages.comparison_page.report",
}
"""The functions of reports, the default first; a wing names more."""

REPORTS = formats(PLACES)


def reports() -> dict[str, ReportFormat]:
    """Return all reports of two logs by their names, with those that wings add."""
    return formats([*PLACES, *wings.names("reports")])


def report(name: str) -> Report:
    """Return the function of a report.

    It imports the module of the report: the libraries that one report needs must not
    slow down another, nor a line for logs that are the same.
    """

    def lines(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
        short = short_report(compared, options) if name == "table" else None
        if short is not None:
            yield ReportLine(short)
        elif name in PLACES:
            yield from wings.load(PLACES[name])(compared, options)
        else:
            yield from wings.row("reports", name)(compared, options)

    return lines
