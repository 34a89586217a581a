"""Reports of a comparison: a module each, and one table that names them.

A report gives the lines to print, each with a word for its colour; it prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from convert.diff.changes import Comparison
from convert.diff.reports.lines import Line, Look

Report = Callable[[Comparison, Look], Iterator[Line]]

# Each in a module of its name, which is imported when it is asked for: the libraries
# that one needs are not to make another wait.
REPORTS = ("table", "unified", "json", "markdown")


def report(name: str) -> Report:
    """The function `report` of a report's module."""
    made: Report = import_module(f"convert.diff.reports.{name}").report
    return made
