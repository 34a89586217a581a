"""Tables, lists and folded blocks in Markdown, with the texts of logs escaped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from convert.reports import Table
from convert.wording import markdown as escape
from convert.wording.escapes import truncate
from convert.wording.styles_and_columns import Inline, Style, Styled


def aligned_table(table: Table, most: int | None = None) -> Iterator[str]:
    """Yield a table, padded for people who read its source.

    `most` rows are shown; a line counts the others.
    """
    # Only this table and the one of `table` need the library. It pads by columns if
    # wcwidth happens to be installed, else by characters; both are shown alike.
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


def row(cells: Iterable[str]) -> str:
    """Return written cells as the row of a table."""
    return f"| {' | '.join(cells)} |"


def head(cells: Sequence[str]) -> str:
    """Return written cells as the head of a table, with the rule below it."""
    return f"{row(cells)}\n|{'---|' * len(cells)}"


def cell(text: str, longest: int = sys.maxsize, style: Style = "plain") -> str:
    """Write a text, cut to so many characters, in a cell."""
    return escape.cell([Styled(truncate(text, longest), style)])


def listed(lines: Iterable[str], longest: int = sys.maxsize) -> Iterator[str]:
    """Yield lines as one list; nothing for none."""
    items = [f"- {at_start(line, longest)}" for line in lines]
    if items:
        yield "\n".join(items)


def at_start(text: str, longest: int = sys.maxsize) -> str:
    """Write literal text without links where a block begins.

    It is code if its first sign could begin a block for one of many parsers.
    """
    text = truncate(text, longest)
    written, code = escape.without_links(text), escape.code(text)
    is_safe = text[:1].isalnum() or text[:1] == "`"
    return escape.at_start(text, "plain") if is_safe and written != code else code


def folded(summary: Inline, body: str) -> str:
    """Return a block that is folded below a line."""
    line = escape.summary(summary)
    return f"<details><summary>{line}</summary>\n\n{body}\n\n</details>"
