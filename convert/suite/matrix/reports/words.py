"""Words that every report of a matrix has in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from convert.diff.reports.appearance import shown
from convert.model.cost import dollars, recorded_cost
from convert.stats.metrics import METRIC
from convert.suite.matrix.cells import Cell, Matrix
from convert.suite.matrix.lost import Kind, Loss
from convert.suite.reports.repeated_words import p_words
from convert.wording.numbers import count

MISSING = "missing"
_NOTE = "runs that succeeded of those not stopped, median calls, median time"
FATES: dict[Kind, str] = {
    "regressed": "regressed",
    "missing": "missing",
    "stopped": "all runs stopped",
    "few": "too few runs to tell",
    "chance": "may be chance",
}
_IN_SUM: dict[Kind, str] = {
    **FATES,
    "stopped": "with all runs stopped",
    "few": "with too few runs to tell",
    "chance": "that may be chance",
}


def headline(matrix: Matrix, found: Sequence[Loss]) -> str:
    """Return what the matrix shows in one line: `3 versions, 12 cases: 1 regressed`."""
    cases = count(len(matrix.rows), "case")
    words = f"{count(len(matrix.columns), 'version')}, {cases}"
    kinds = Counter(loss.kind for loss in found)
    told = [f"{kinds[kind]:,} {_IN_SUM[kind]}" for kind in _IN_SUM if kinds[kind]]
    return f"{words}: {', '.join(told) or 'nothing succeeds less often'}"


def rate_of(cell: Cell | None) -> str:
    """Return how many runs succeeded: `7/8, 1 cut`, `3/3, 1 stopped`, `missing`."""
    if cell is None:
        return MISSING
    parts = [f"{cell.succeeded}/{cell.ended}"] if cell.ended else []
    for number, what in (
        (cell.cut, "cut"),
        (cell.stopped, "stopped"),
        (cell.unknown, "unknown"),
        (cell.broken, "unreadable"),
        (cell.copies, "of one case"),
    ):
        if number:
            parts.append(f"{number:,} {what}")
    return ", ".join(parts)


def calls_of(cell: Cell | None) -> str:
    """Return the median of the calls; "" if it is not known."""
    return "" if cell is None or cell.calls is None else f"{cell.calls:,}"


def time_of(cell: Cell | None) -> str:
    """Return the median of the times; "" if it is not known."""
    if cell is None or cell.time_ms is None:
        return ""
    return METRIC["time_ms"].written(round(cell.time_ms))


def cost_of(cell: Cell | None) -> str:
    """Return the median of the costs; "" if it is not known."""
    if cell is None or (cost := recorded_cost(cell.cost_usd)) is None:
        return ""
    return dollars(cost)


def note_on(matrix: Matrix) -> str:
    """Return what the figures of a cell are; the cost if a run records one."""
    return f"{_NOTE}, median cost" if matrix.has_costs else _NOTE


def version_of(matrix: Matrix, column: int) -> str:
    """Return the name of a version."""
    return shown(matrix.columns[column])


def change_of(loss: Loss, matrix: Matrix) -> str:
    """Return what was lost: `8/8 -> 2/8`."""
    [row] = [row for row in matrix.rows if row.name == loss.case]
    if loss.kind == "missing":
        return rate_of(row.cells[loss.before])
    return " -> ".join(rate_of(row.cells[at]) for at in (loss.before, loss.at))


def fate_of(loss: Loss, matrix: Matrix) -> str:
    """Return what a loss tells: `regressed, p 0.007 (0.014 corrected), since v2`."""
    parts = [FATES[loss.kind]]
    if loss.p is not None and loss.corrected is not None:
        parts.append(f"p {p_words(loss.p)} ({p_words(loss.corrected)} corrected)")
    is_last = loss.at == len(matrix.columns) - 1
    if loss.until is not None:
        again = "back" if loss.kind == "missing" else "as good as before again"
        parts.append(f"{again} in {version_of(matrix, loss.until)}")
    elif not is_last:
        parts.append(f"since {version_of(matrix, loss.at)}")
    return ", ".join(parts)


def broken_words(matrix: Matrix) -> str:
    """Name the logs that do not count, and why; "" if all do."""
    copies = [each.log for each in matrix.broken if each.is_copy]
    others = [each.log for each in matrix.broken if not each.is_copy]
    found = ((others, "cannot be read"), (copies, "of one case do not count"))
    return "; ".join(_named(logs, why) for logs, why in found if logs)


def _named(logs: list[str], why: str, most: int = 3) -> str:
    names = [*map(shown, logs[:most])]
    if len(logs) > most:
        names.append(f"{len(logs) - most:,} more")
    return f"{count(len(logs), 'log')} {why}: {', '.join(names)}"
