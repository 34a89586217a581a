"""Reports of a suite: a function each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints nothing.
The first line of all that people read is the sentence about the suite. To add one,
write a function and name it here.

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
from typing import TYPE_CHECKING

from convert import wings
from convert.diff.reports import ReportLine, ReportOptions
from convert.reports import formats

if TYPE_CHECKING:
    from convert.suites.suite_result import Suite

Report = Callable[["Suite", ReportOptions], Iterator[ReportLine]]

PLACES = {
    "table": "convert.suites.reports.table.table",
    "unified": "convert.suites.reports.table.unified",
    "json": "convert.suites.reports.json_and_csv.json_report",
    "markdown": "convert.suites.reports.markdown.report",
    "html": "convert.suites.reports.page.report",
    "csv": "convert.suites.reports.json_and_csv.csv_report",
    "junit": "convert.suites.reports.junit.report",
    "github": "convert.suites.reports.ci.github",
    "gitlab": "convert.suites.reports.ci.gitlab",
}
"""The functions of reports, the default first."""

REPORTS = formats(name for name in PLACES if name != "csv")
"""The reports of `runconv diff`, the default first."""

OF_VERSIONS = formats(("table", "json", "markdown", "html", "csv"))
"""Those of `runconv matrix`."""


def report(name: str) -> Report:
    """Return the function of a report.

    Its module is imported here: the libraries that one report needs must not slow
    down another.
    """
    made: Report = wings.load(PLACES[name])
    return made
