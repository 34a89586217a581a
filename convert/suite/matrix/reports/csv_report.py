"""csv: one row for each case in each version, for spreadsheets.

A fact that is not recorded is an empty cell, and so is everything of a missing case.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine
from convert.stats.reports.csv_report import harmless
from convert.suite.matrix.cells import Cell, Matrix

_FIGURES = (
    "succeeded",
    "ended",
    "cut",
    "unknown",
    "broken",
    "calls",
    "time_ms",
    "stopped",
    "cost_usd",
)
COLUMNS = ("case", "version", *_FIGURES)


def report(matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield a head and the rows, case by case."""
    yield ReportLine(_line(COLUMNS))
    for row in matrix.rows:
        for name, cell in zip(matrix.columns, row.cells, strict=True):
            yield ReportLine(_line([harmless(row.name), harmless(name), *_of(cell)]))


def _of(cell: Cell | None) -> Iterator[int | float | str]:
    for name in _FIGURES:
        value = None if cell is None else getattr(cell, name)
        yield "" if value is None else value


def _line(cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()
