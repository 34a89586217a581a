"""Rows of styled cells in columns, no line of them wider than the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.stats.reports.look import Look, Style
from convert.wording.columns import columns, cut_to

Cell = tuple[str, Style]
_GAP = 2


def grid(rows: Sequence[Sequence[Cell]], sides: str, look: Look) -> Iterator[str]:
    """Yield rows as lines; each letter of `sides` is `<` or `>`, for a column.

    Columns in which nothing stands below their head are left out.
    """
    used = _used(rows)
    widths = {at: max(columns(row[at][0]) for row in rows) for at in used}
    for row in rows:
        cells = [_padded(row[at], widths[at], sides[at], at == used[0]) for at in used]
        yield line(cells, look)


def room_beside(rows: Sequence[Sequence[Cell]], look: Look) -> int:
    """Return the columns that are left for one more cell in each row."""
    taken = (max(columns(row[at][0]) for row in rows) + _GAP for at in _used(rows))
    return look.width - sum(taken)


def line(cells: Sequence[Cell], look: Look) -> str:
    """Return cells as one line that is not too wide; a cut one ends in `…`."""
    cells = _without_blanks(cells)
    if sum(columns(text) for text, _ in cells) > look.width:
        cells = _cut(cells, look.width)
    return "".join(
        look.paint(text, style) if text.strip() else text for text, style in cells
    )


def _cut(cells: Sequence[Cell], width: int) -> list[Cell]:
    """Return the first cells, the last one of them cut."""
    kept: list[Cell] = []
    for text, style in cells:
        # A column is for the sign that something is cut.
        if columns(text) > width - 1:
            return [*kept, (cut_to(text, width), style)]
        kept.append((text, style))
        width -= columns(text)
    return kept


def _used(rows: Sequence[Sequence[Cell]]) -> list[int]:
    """Return the columns with something below their head."""
    return [at for at in range(len(rows[0])) if any(row[at][0] for row in rows[1:])]


def _padded(cell: Cell, width: int, side: str, is_first: bool) -> Cell:
    text, style = cell
    gap = " " * (width - columns(text))
    text = text + gap if side == "<" else gap + text
    return ("" if is_first else " " * _GAP) + text, style


def _without_blanks(cells: Sequence[Cell]) -> list[Cell]:
    """Return cells without blanks at the end of the line."""
    kept = list(cells)
    while kept:
        text, style = kept.pop()
        if text.rstrip():
            return [*kept, (text.rstrip(), style)]
    return []
