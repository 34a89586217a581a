"""Reports of a matrix: each turns the same cells into lines of text.

table          for people; markdown: for a comment or a job summary
json_report    for scripts, as `matrix.schema.json` in the folder above describes
csv_report     one row for each case in each version, for spreadsheets
words          what all of them say in the same way
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from convert.diff.reports import ReportFormat
from convert.diff.reports.appearance import Look, ReportLine
from convert.suite.matrix.cells import Matrix

Report = Callable[[Matrix, Look], Iterator[ReportLine]]


REPORTS: dict[str, ReportFormat] = {
    row.name: row
    for row in (
        ReportFormat("table", "table", (".txt",), is_coloured=True),
        ReportFormat("markdown", "markdown", (".md", ".markdown")),
        ReportFormat("json", "json_report", (".json",), shown_as="json"),
        ReportFormat("csv", "csv_report", (".csv",)),
    )
}


def report(name: str) -> Report:
    """Return the function of a report; its module is imported here."""
    made: Report = import_module(f"{__name__}.{REPORTS[name].module}").report
    return made
