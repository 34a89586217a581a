"""Tables in the columns of a terminal, bars, and lines cut to a width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from convert.reports import Cell, Table
from convert.wording.styles_and_columns import columns, cut_end

Line = list[Cell]
_GAP = 2
PADDING = 2
"""The least room after the head of a column with a rule."""

# In columns: the widest picture next to a table, and the narrowest.
_WIDEST, _NARROWEST = 48, 6
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class Grid:
    """Columns side by side; those with nothing below their heads are not shown.

    One that `is_ruled` shows every column, and a rule below the heads, which is two
    wider than they are.
    """

    def __init__(
        self, width: int, *, heads_at_left: bool = False, is_ruled: bool = False
    ) -> None:
        self._width, self._heads_at_left = width, heads_at_left
        self._is_ruled = is_ruled
        self.columns: list[tuple[list[Cell], bool]] = []

    def add(
        self, head: Cell, cells: Iterable[Cell], *, is_text: bool, at: int | None = None
    ) -> None:
        """Add a column, at the end or at a place; one of text begins at its left."""
        shown = [cell._replace(text="") if cell.is_usual else cell for cell in cells]
        place = len(self.columns) if at is None else at
        self.columns.insert(place, ([head, *shown], is_text))

    def add_from(
        self,
        table: Table,
        names: Iterable[str],
        fitted: Callable[[str], str] = lambda text: text,
    ) -> None:
        """Add columns of a table, with their heads; `fitted` cuts the texts."""
        for name in names:
            column = table.columns[name]
            cells = (
                cell._replace(text=fitted(cell.text), style=cell.style or column.style)
                for cell in table.cells(name)
            )
            self.add(Cell(column.head, "dim"), cells, is_text=column.is_text)

    def add_pictures(self, head: str, pictures: Iterable[str]) -> None:
        """Add a column of pictures."""
        cells = (Cell(picture, "blue") for picture in pictures)
        self.add(Cell(head, "dim"), cells, is_text=True)

    @property
    def widths(self) -> list[int]:
        """The widths of the columns that are shown."""
        return [width for width, _, _ in self._used()]

    @property
    def room(self) -> int:
        """The columns of the terminal that are left for one more cell."""
        return self._width - sum(width + _GAP for width in self.widths)

    def picture_room(self, text: int = 0) -> int:
        """Return the width of a picture next to a text; 0 if it is too narrow."""
        room = min(self.room, _WIDEST) - text
        return room if room >= _NARROWEST else 0

    def lines(self) -> Iterator[Line]:
        """Yield the heads and the rows, with the cells padded to one width."""
        used = self._used()
        for at in range(len(used[0][1]) if used else 0):
            is_left = at == 0 and self._heads_at_left
            yield [
                _padded(cells[at], width, is_text or is_left, is_first=not number)
                for number, (width, cells, is_text) in enumerate(used)
            ]

    def texts(self) -> Iterator[str]:
        """Yield the same lines as texts, without blanks at their ends."""
        return ("".join(cell.text for cell in line).rstrip() for line in self.lines())

    def _used(self) -> list[tuple[int, list[Cell], bool]]:
        used = []
        for cells, is_text in self.columns:
            if self._is_ruled:
                rule = Cell("-" * (columns(cells[0].text) + PADDING))
                width = max(columns(cell.text) for cell in (rule, *cells))
                used.append((width, [cells[0], Cell("-" * width), *cells[1:]], is_text))
            elif any(cell.text for cell in cells[1:]):
                width = max(columns(cell.text) for cell in cells)
                used.append((width, cells, is_text))
        return used


def in_columns(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return rows of texts in columns without heads, each as wide as the others."""
    grid = Grid(0)
    for texts in zip(*rows, strict=True):
        grid.add(Cell(), map(Cell, texts), is_text=True)
    _, *lines = ["".join(cell.text for cell in line) for line in grid.lines()] or [""]
    return lines


def _padded(cell: Cell, width: int, is_text: bool, is_first: bool) -> Cell:
    gap = " " * (width - columns(cell.text))
    text = cell.text + gap if is_text else gap + cell.text
    return Cell(text if is_first else " " * _GAP + text, cell.style)


def cut(line: Sequence[Cell], width: int) -> Line:
    """Return a line without blanks at its end; one that is too wide ends in `…`."""
    kept = _without_blanks(line)
    if sum(columns(cell.text) for cell in kept) <= width:
        return kept
    for at, cell in enumerate(kept):
        # One column is for the `…`.
        if columns(cell.text) > width - 1:
            return [*kept[:at], Cell(cut_end(cell.text, width), cell.style)]
        width -= columns(cell.text)
    return kept


def _without_blanks(line: Sequence[Cell]) -> Line:
    kept = [*line]
    while kept:
        cell = kept.pop()
        if text := cell.text.rstrip():
            return [*kept, Cell(text, cell.style)]
    return []


def bar(share: float, width: int, has_blocks: bool) -> str:
    """Return a bar for a share of the width; any share above 0 is visible."""
    if not share or not width:
        return ""
    if not has_blocks:
        return "#" * max(round(share * width), 1)
    whole, part = divmod(max(round(share * width * 8), 1), 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")
