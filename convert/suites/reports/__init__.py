"""Reports of a suite: a function each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints nothing.
The first line of all that people read is the sentence about the suite. To add one,
write a function and name it here.

table              for people, and `unified` for pipes
markdown           for pull requests
page               for a browser, with a mark for each run
json_csv_junit     for programs: `suite.schema.json` in the folder above describes json
github_and_gitlab  remarks in CI: annotations of GitHub, issues of GitLab
phrases            cases and their runs in words that several reports use
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from convert import registry
from convert.diff import Comparison
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports import report as report_of_diff
from convert.reports import formats
from convert.suites.suite_result import Suite
from convert.wording.numbers import count

Report = Callable[[Suite, ReportOptions], Iterator[ReportLine]]

PLACES = {
    "table": "convert.suites.reports.table.table",
    "unified": "convert.suites.reports.table.unified",
    "json": "convert.suites.reports.json_csv_junit.json_report",
    "markdown": "convert.suites.reports.markdown.report",
    "html": "convert.suites.reports.page.report",
    "csv": "convert.suites.reports.json_csv_junit.csv_report",
    "junit": "convert.suites.reports.json_csv_junit.junit_report",
    "github": "convert.suites.reports.github_and_gitlab.github",
    "gitlab": "convert.suites.reports.github_and_gitlab.gitlab",
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
    made: Report = registry.load(PLACES[name])
    return made


# The place of a case among others: `CaseResult.rank`.
Rank = tuple[int, float, float, int, str]

# The lines of a table, its first and its last ones. Its head shows where the runs
# diverge, and its end has the findings and the verdict.
_MOST_LINES = 40
_LAST_LINES = 16
# The bytes of a part of a comment; code hosts take comments of 65,536 characters.
_MOST_BYTES = 8_000


class Room:
    """The room for the reports of the worst cases, which come in any order.

    A report takes as long to make as a comparison. None is made of a case if there are
    enough that are worse; a few are made of cases that turn out not to be the worst.
    """

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._worst: list[Rank] = []

    def has(self, rank: Rank) -> bool:
        """Return True if there is room for a case, and take it."""
        if self.most is None:
            return True
        is_among = bisect_left(self._worst, rank) < self.most
        if is_among:
            insort(self._worst, rank)
            del self._worst[self.most :]
        return is_among


# The reports of a suite with the report of `diff` that they need of each case that
# differs, and how many cases have room for it, the worst ones; None for all.
BLOCKS: dict[str, tuple[str, int | None]] = {
    "table": ("table", 20),
    "unified": ("unified", None),
    "markdown": ("markdown", 20),
    "junit": ("unified", None),
    "github": ("markdown", 20),
}


def rooms_for(reports: Iterable[str], is_full: bool = False) -> dict[str, Room]:
    """Return the reports of a pair that reports of a suite need, with their room."""
    rooms: dict[str, Room] = {}
    for name in reports:
        if name in BLOCKS:
            block, most = BLOCKS[name]
            if block not in rooms or is_full or most is None:
                rooms[block] = Room(None if is_full else most)
    return rooms


def block(
    name: str, comparison: Comparison, options: ReportOptions
) -> list[ReportLine]:
    """Return a report of one case, shortened unless all is to be shown."""
    if options.is_full:
        return [*report_of_diff(name)(comparison, options)]
    options = replace(options, most_bytes=_MOST_BYTES)
    lines = [*report_of_diff(name)(comparison, options)]
    if name != "table" or len(lines) <= _MOST_LINES:
        return lines
    skipped = count(len(lines) - _MOST_LINES + 1, "line")
    middle = ReportLine(f"… {skipped} skipped; --full for the rest")
    return [*lines[: _MOST_LINES - _LAST_LINES - 1], middle, *lines[-_LAST_LINES:]]
