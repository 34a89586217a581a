"""csv: one row for each case in each version, for spreadsheets.

A fact that is not recorded is an empty cell, and so is everything of a missing case.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine
from convert.stats.reports.csv_report import harmless
from convert.suite.model import CaseSide, FigureName, Suite

_COUNTS = ("succeeded", "clean", "counted", "cut", "excluded", "unknown", "unread")
_FIGURES: tuple[FigureName, ...] = ("calls", "duration_ms", "tokens", "cost_usd")
COLUMNS = ("case", "version", *_COUNTS, *_FIGURES)


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield a head and the rows, case by case in the order of their names."""
    yield ReportLine(_line(COLUMNS))
    for case in sorted(suite.cases, key=lambda case: case.name):
        for name, side in zip(suite.names, case.sides, strict=True):
            cells = _of(side) if side.logs else [""] * (len(COLUMNS) - 2)
            yield ReportLine(_line([harmless(case.name), harmless(name), *cells]))


def _of(side: CaseSide) -> list[int | float | str]:
    """Return how many runs ended how, and the medians of their figures."""
    outcomes = [run.outcome for run in side.runs]
    counts: list[int | float | str] = [
        side.succeeded,
        side.clean,
        side.counted,
        sum(run.is_cut for run in side.runs),
        outcomes.count("excluded"),
        outcomes.count("unknown"),
        side.unread,
    ]
    medians = [side.median(figure) for figure in _FIGURES]
    return counts + ["" if each is None else each for each in medians]


def _line(cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()
