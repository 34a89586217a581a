"""Tables, lists and folded blocks in Markdown, with the texts of logs escaped."""

from __future__ import annotations

from collections.abc import Iterator

from convert.reports.document import Table
from convert.wording import markdown as escape
from convert.wording.styles import Styled


def aligned_table(table: Table, most: int | None = None) -> Iterator[str]:
    """Yield a table, padded for people who read its source.

    `most` rows are shown; a line tells how many there are more.
    """
    # Others than this report and long tables of `diff` need no tabulate.
    from tabulate import tabulate

    shown = table.first(most)
    if shown.rows:
        columns = [
            [_cell(cell.text, column.is_code) for cell in shown.cells(name)]
            for name, column in shown.columns.items()
        ]
        yield tabulate(
            [*zip(*columns, strict=True)],
            [column.head for column in table.columns.values()],
            "pipe",
            disable_numparse=True,
            colalign=["left"] + ["right"] * (len(columns) - 1),
        )
    if rest := len(table.rows) - len(shown.rows):
        yield f"… {rest:,} more; `--full` shows every row"


def _cell(text: str, is_code: bool) -> str:
    """Write a text in a cell, as code too if a platform would make links of it."""
    is_code = is_code or escape.without_links(text) != escape.text(text)
    return escape.cell([Styled(text, "code" if is_code else "plain")])
