"""Reports of many runs: each turns the same figures into lines of text.

table          for the terminal; blocks: its bars, grid: its columns
json_report    for scripts, as `stats.schema.json` in the folder above describes
csv_report     one row a run, for spreadsheets
markdown       for a comment or a job summary
html_report    the page of many runs
words          what all of them say in the same way; kinds: the rows of kinds of calls,
               look: how a report looks
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from msgspec import Struct

from convert.stats.reports.look import Look
from convert.stats.statistics import Statistics
from convert.wording.sanitise import ShownAs

Report = Callable[[Statistics, Look], Iterator[str]]


class ReportFormat(Struct, frozen=True):
    """One row of the table of reports."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds the function `report`."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

    is_coloured: bool = False
    """It is coloured on a terminal."""


REPORTS: dict[str, ReportFormat] = {
    row.name: row
    for row in (
        ReportFormat("table", "table", (".txt",), is_coloured=True),
        ReportFormat("json", "json_report", (".json",), shown_as="json"),
        ReportFormat("csv", "csv_report", (".csv",)),
        ReportFormat("markdown", "markdown", (".md", ".markdown")),
        ReportFormat("html", "html_report", (".html", ".htm")),
    )
}
DEFAULT_REPORT = next(iter(REPORTS))


def report(name: str) -> Report:
    """Return the function of a report; its module is imported here."""
    made: Report = import_module(f"{__name__}.{REPORTS[name].module}").report
    return made
