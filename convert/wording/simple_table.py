"""Rows in columns below their heads, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from convert.wording.columns import columns

# The width that tabulate adds to the head of a column.
PADDING = 2
# The most rows that are laid out without tabulate.
ROWS_OF_A_PAGE = 50
_GAP = "  "


def simple_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the heads, a rule and each row, as lines.

    tabulate lays out tables of more than one page. To import it takes as long as all
    else that a small comparison does, so shorter ones get the same lines without it.
    """
    if len(rows) <= ROWS_OF_A_PAGE:
        return _page(heads, rows)
    from tabulate import tabulate

    return tabulate(rows, heads, "simple", disable_numparse=True).split("\n")


def _page(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[cell.strip() for cell in row] for row in rows]
    widths = [columns(head) + PADDING for head in heads]
    for row in cells:
        widths = list(map(max, widths, map(columns, row)))
    rule = ["-" * width for width in widths]
    return [
        _GAP.join(
            cell + " " * (width - columns(cell))
            for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in (heads, rule, *cells)
    ]
