"""Reports of a suite: a function each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints nothing.
The first line of all that people read is the sentence about the suite. To add one,
write a function and give it a row.

table           for people, and `unified` for pipes
markdown        for pull requests
json_and_csv    for scripts, as `suite.schema.json` in the folder above describes, and
                for spreadsheets
page            for a browser; page_cases: the cases on it
junit           for every CI; ci: annotations of GitHub, issues of GitLab
phrases         cases and their runs in words that several reports use
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.diff.reports import ReportFormat as OfPair
from convert.diff.reports.options import Look, ReportLine
from convert.wording.escapes import ShownAs

if TYPE_CHECKING:
    from convert.suites.suite_result import Suite

Report = Callable[["Suite", Look], Iterator[ReportLine]]


class ReportFormat(Struct, frozen=True):
    """One row of the table of reports."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds it."""

    suffixes: tuple[str, ...]
    """The suffixes of files that stand for it."""

    function: str = "report"
    """The function in the module that makes it."""

    of_two: bool = True
    """It is for a baseline and a candidate."""

    of_many: bool = False
    """It is for several versions."""

    block: str = ""
    """The report of `diff` that it needs of each case that differs; "" for none."""

    most_blocks: int | None = None
    """How many cases have room for it, the worst ones; None for all."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

    is_coloured: bool = False
    """Its lines are coloured on a terminal."""


_ROWS: tuple[ReportFormat, ...] = (
    ReportFormat(
        *("table", "table", (".txt",), "table"),
        of_many=True,
        block="table",
        most_blocks=20,
        is_coloured=True,
    ),
    ReportFormat(
        *("unified", "table", (".diff", ".patch"), "unified"),
        block="unified",
        is_coloured=True,
    ),
    ReportFormat(
        *("json", "json_and_csv", (".json",), "json_report"),
        of_many=True,
        shown_as="json",
    ),
    ReportFormat(
        *("markdown", "markdown", (".md", ".markdown")),
        of_many=True,
        block="markdown",
        most_blocks=20,
    ),
    ReportFormat("html", "page", (".html", ".htm"), of_many=True),
    ReportFormat(
        *("csv", "json_and_csv", (".csv",), "csv_report"),
        of_two=False,
        of_many=True,
    ),
    ReportFormat("junit", "junit", (".xml",), block="unified"),
    ReportFormat(
        *("github", "ci", (), "github"),
        block="markdown",
        most_blocks=20,
        shown_as="bytes",
    ),
    ReportFormat("gitlab", "ci", (), "gitlab", shown_as="json"),
)
REPORTS: dict[str, ReportFormat] = {row.name: row for row in _ROWS if row.of_two}
"""The reports of `runconv diff`, the default first."""

OF_VERSIONS: dict[str, ReportFormat] = {row.name: row for row in _ROWS if row.of_many}
"""Those of `runconv matrix`."""

DEFAULT_REPORT = next(iter(REPORTS))


def _of_pair(name: str, place: str) -> OfPair:
    """Return the row that a report has in the table of those of two logs."""
    row = REPORTS[name]
    return OfPair(name, place, row.suffixes, row.shown_as, row.is_coloured)


JUNIT = _of_pair("junit", "convert.suites.pair.junit")
GITHUB = _of_pair("github", "convert.suites.pair.github")
GITLAB = _of_pair("gitlab", "convert.suites.pair.gitlab")


def report(name: str) -> Report:
    """Return the function of a report.

    Its module is imported here: the libraries that one report needs must not slow
    down another.
    """
    row = (REPORTS | OF_VERSIONS)[name]
    made: Report = getattr(import_module(f"{__name__}.{row.module}"), row.function)
    return made
