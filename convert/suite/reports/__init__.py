"""Reports of a suite: a module each, and one table that names them.

A report yields the lines to print, each with a style for its colour; it prints nothing.
To add one, write a module with a function `report` and give it a row in REPORTS.

table           for people; unified: for pipes, json_report: for scripts, markdown: for
                pull requests
junit           for every CI; github: annotations, gitlab: issues of Code Quality
words           the words that they share; repeated_words: those on repeated runs,
                notes: the findings that CI shows one by one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.diff.reports.appearance import Look, ReportLine
from convert.wording.sanitise import ShownAs

if TYPE_CHECKING:
    from convert.suite.suite import Suite

Report = Callable[["Suite", Look], Iterator[ReportLine]]


class ReportFormat(Struct, frozen=True):
    """One row of the table of reports."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds the function `report`."""

    suffixes: tuple[str, ...]
    """The suffixes of files that stand for it."""

    block: str = ""
    """The report of `diff` that it needs of each case that differs; "" for none."""

    most_blocks: int | None = None
    """How many cases have room for it, the worst ones; None for all."""

    shown_as: ShownAs = "text"
    """How it is made harmless where a terminal or the log of a runner shows it."""

    is_coloured: bool = False
    """Its lines are coloured on a terminal."""


REPORTS: dict[str, ReportFormat] = {
    row.name: row
    for row in (
        ReportFormat(
            "table", "table", (".txt",), "table", most_blocks=20, is_coloured=True
        ),
        ReportFormat(
            "unified", "unified", (".diff", ".patch"), "unified", is_coloured=True
        ),
        ReportFormat("json", "json_report", (".json",), shown_as="json"),
        ReportFormat(
            "markdown", "markdown", (".md", ".markdown"), "markdown", most_blocks=20
        ),
        ReportFormat("junit", "junit", (".xml",), "unified"),
        ReportFormat(
            "github", "github", (), "markdown", most_blocks=20, shown_as="bytes"
        ),
        ReportFormat("gitlab", "gitlab", (), shown_as="json"),
    )
}
DEFAULT_REPORT = next(iter(REPORTS))


def report(name: str) -> Report:
    """Return the function of a report.

    Its module is imported here: the libraries that one report needs must not slow
    down another.
    """
    made: Report = import_module(f"{__name__}.{REPORTS[name].module}").report
    return made
