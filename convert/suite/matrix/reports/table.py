"""table: for people. The cases, what each version made of them, and what it lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.diff.reports.appearance import LineStyle, Look, ReportLine, shown
from convert.stats.reports.grid import Cell, grid
from convert.stats.reports.look import Look as GridLook
from convert.suite.matrix.cells import Matrix, Row
from convert.suite.matrix.lost import Kind, Loss, losses
from convert.suite.matrix.reports.words import (
    broken_words,
    calls_of,
    change_of,
    cost_of,
    fate_of,
    headline,
    note_on,
    rate_of,
    time_of,
    version_of,
)
from convert.wording.columns import columns, cut_from
from convert.wording.numbers import count

_MOST_ROWS = 50
_GAP = 2
_NARROWEST = 12
_FIGURES = (("", rate_of), ("calls", calls_of), ("time", time_of), ("cost", cost_of))
_STYLES: dict[Kind, LineStyle] = {
    "regressed": "removed",
    "missing": "removed",
    "stopped": "removed",
    "few": "changed",
    "chance": "",
}


def report(matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield the cells, the losses from version to version, and the sum of both."""
    found = losses(matrix)
    if matrix.rows:
        yield from _cells(matrix, look)
        yield ReportLine("")
    if found:
        yield from _losses(found, matrix, look)
        yield ReportLine("")
    if broken := broken_words(matrix):
        yield ReportLine(broken, "removed")
    yield ReportLine(headline(matrix, found))


def _cells(matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield a row for each case; figures for which there is no room are left out."""
    shown_rows = matrix.rows if look.is_full else matrix.rows[:_MOST_ROWS]
    parts = note_on(matrix).split(", ")
    for used in range(len(parts), 0, -1):
        rows, sides = _grid(matrix, shown_rows, used, look)
        if _width(rows) <= look.width or used == 1:
            break
    needed = _width(rows)
    width = max(needed, look.width) if look.is_full else look.width
    head, *body = grid(rows, sides, GridLook(width=width))
    yield ReportLine(head, "head")
    yield from map(ReportLine, body)
    if needed > width:
        yield ReportLine("… no room for all versions; --full shows them all")
    if len(shown_rows) < len(matrix.rows):
        more = count(len(matrix.rows) - len(shown_rows), "more case")
        yield ReportLine(f"… {more}; --full shows every row")
    yield ReportLine("")
    yield ReportLine(", ".join(parts[:used]), "head")
    if used < len(parts):
        left_out = " and ".join(parts[used:])
        yield ReportLine(f"no room for {left_out}; see --width and --format csv")


def _grid(
    matrix: Matrix, rows: Sequence[Row], used: int, look: Look
) -> tuple[list[list[Cell]], str]:
    """Return the cells of the table with the first figures of each version."""
    figures = _FIGURES[:used]
    head = ["case"]
    for at in range(len(matrix.columns)):
        name = cut_from(version_of(matrix, at), max(look.width // 4, _NARROWEST))
        head += [heading or name for heading, _ in figures]
    made = [head]
    for row in rows:
        name = cut_from(shown(row.name), max(look.width // 3, _NARROWEST))
        made.append([name, *(of(cell) for cell in row.cells for _, of in figures)])
    sides = "<" + ("<" + ">" * (used - 1)) * len(matrix.columns)
    return [[(text, "") for text in line] for line in made], sides


def _width(rows: Sequence[Sequence[Cell]]) -> int:
    """Return the columns that rows take; a head with nothing below takes none."""
    used = [at for at in range(len(rows[0])) if any(row[at][0] for row in rows[1:])]
    widths = [max(columns(row[at][0]) for row in rows) for at in used]
    return sum(widths) + _GAP * (len(widths) - 1)


def _losses(found: Sequence[Loss], matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield a line for each case that succeeds less often than before."""
    listed = found if look.is_full else found[:_MOST_ROWS]
    rows = [["from", "to", "case", "", "what that tells"]]
    for loss in listed:
        names = [version_of(matrix, at) for at in (loss.before, loss.at)]
        case = cut_from(shown(loss.case), max(look.width // 3, _NARROWEST))
        rows.append([*names, case, change_of(loss, matrix), fate_of(loss, matrix)])
    cells: list[list[Cell]] = [[(text, "") for text in row] for row in rows]
    head, *body = grid(cells, "<<<<<", GridLook(width=look.width))
    yield ReportLine(head, "head")
    for loss, line in zip(listed, body, strict=True):
        yield ReportLine(line, _STYLES[loss.kind])
    if len(listed) < len(found):
        more = count(len(found) - len(listed), "more loss", "more losses")
        yield ReportLine(f"… {more}; --full shows every row")
