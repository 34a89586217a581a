"""Reports of a comparison: a module each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints
nothing. To add one, write a module with a function `report` and give it a row in
PLACES; a new format has one in `convert.reports` too.

table            for people; unified: for pipes, json_report: for scripts,
                 markdown: for pull requests
marks_and_labels  marks and names of calls, and rows of calls side by side
brief_lines      the brief in words, which heads the table, the page and the comment
verdict          the verdict in one line, files in words, and the findings shown
summary          the lines on counts, states, texts and figures
finding_lines    a finding on one line, the block below it, and its facts for suites
                 and tables
detail_lines     the changes inside a call or a text, and two texts cut so that their
                 difference stays in sight
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert import registry
from convert.diff.comparison import Comparison
from convert.reports import ReportFormat, formats
from convert.wording.escapes import safe_line

Report = Callable[[Comparison, "ReportOptions"], Iterator["ReportLine"]]

PLACES = {
    "table": "convert.diff.reports.table.report",
    "unified": "convert.diff.reports.unified.report",
    "json": "convert.diff.reports.json_report.report",
    "markdown": "convert.diff.reports.markdown.report",
    "html": "convert.pages.comparison_page.report",
}
"""The functions of reports, the default first; a wing names more."""

# One line for logs that are the same.
_SHORT = "convert.diff.reports.verdict.short_report"

REPORTS = formats(PLACES)


def reports() -> dict[str, ReportFormat]:
    """Return all reports of two logs by their names, with those that wings add."""
    return formats([*PLACES, *registry.names("reports")])


def report(name: str) -> Report:
    """Return the function of a report.

    It imports the module of the report: the libraries that one report needs must not
    slow down another, nor a line for logs that are the same.
    """

    def lines(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
        short = registry.load(_SHORT)(compared, options) if name == "table" else None
        if short is not None:
            yield ReportLine(short)
        elif name in PLACES:
            yield from registry.load(PLACES[name])(compared, options)
        else:
            yield from registry.row("reports", name)(compared, options)

    return lines


# The number of characters shown of a call or a text on a line without columns.
LONGEST = 1000
LineStyle = Literal["", "removed", "added", "changed", "moved", "head"]


class ReportLine(NamedTuple):
    """A line of a report."""

    text: str
    """The line, without a line feed."""

    style: LineStyle = ""
    """The kind of line, which decides its colour."""


class ReportOptions(Struct, frozen=True):
    """How a report looks."""

    a: str = "baseline"
    """The name of the baseline."""

    b: str = "candidate"
    """The name of the candidate."""

    is_full: bool = False
    """Nothing is folded or shortened."""

    is_brief: bool = False
    """Only the lines are shown that head every report."""

    is_verbose: bool = False
    """Equal logs are shown too, with the hits of the rules for noise."""

    width: int = 100
    """The width of the table, in columns."""

    name: str = "default"
    """The name of the comment, if one pull request has several."""

    most_bytes: int = 58_000
    """The most bytes of a comment; GitHub accepts 65,536 characters."""

    settings_source: str = ""
    """The file with settings that was found without being named; empty for none."""

    logs: tuple[str, str] = ("", "")
    """The paths of the logs, for reports of CI."""

    root: str = ""
    """The folder of the repository that holds the logs; empty for the current one."""

    path: str = ""
    """The file that the report is written to; empty for standard output."""

    links: tuple[tuple[str, str], ...] = ()
    """The links above a page, to pages next to it: their words and addresses."""


def settings_note(options: ReportOptions) -> str:
    """Return the file of settings that nobody named; empty for none."""
    source = safe_line(options.settings_source)
    return f"settings from {source}" if source else ""
