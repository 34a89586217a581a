"""Reports of a comparison: a module each, and one table that names them.

A report gives the lines to print, each with a word for its colour; it prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from convert.diff.changes import Comparison
from convert.report import json, markdown, table, unified
from convert.report.lines import Line, Look

REPORTS: dict[str, Callable[[Comparison, Look], Iterator[Line]]] = {
    "table": table.report,
    "unified": unified.report,
    "json": json.report,
    "markdown": markdown.report,
}
