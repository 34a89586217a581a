"""markdown: for a comment or the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tabulate import tabulate

from convert.diff.reports.appearance import Look, ReportLine
from convert.suite.matrix.cells import Cell, Matrix
from convert.suite.matrix.lost import losses
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
from convert.wording import markdown as escape
from convert.wording.numbers import count
from convert.wording.words import Words

_MOST_ROWS = 100


def report(matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield the sentence and the tables."""
    found = losses(matrix)
    blocks = [f"**{escape.text(headline(matrix, found))}**"]
    if broken := broken_words(matrix):
        blocks.append(escape.without_links(broken))
    heads = [version_of(matrix, at) for at in range(len(matrix.columns))]
    if matrix.rows:
        rows = [[row.name, *map(_cell_of, row.cells)] for row in matrix.rows]
        blocks += _table(["case", *heads], rows, look)
        blocks.append(f"Cells: {note_on(matrix)}.")
    if found:
        told = [
            [
                heads[loss.before],
                heads[loss.at],
                loss.case,
                change_of(loss, matrix),
                fate_of(loss, matrix),
            ]
            for loss in found
        ]
        blocks += _table(["from", "to", "case", "", "what that tells"], told, look)
    for line in "\n\n".join(blocks).split("\n"):
        yield ReportLine(line)


def _cell_of(cell: Cell | None) -> str:
    calls = calls_of(cell)
    words = [rate_of(cell), f"{calls} calls" if calls else "", time_of(cell)]
    words.append(cost_of(cell))
    return ", ".join(filter(None, words))


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], look: Look
) -> Iterator[str]:
    listed = rows if look.is_full else rows[:_MOST_ROWS]
    cells = [[escape.cell([Words(text, "plain")]) for text in row] for row in listed]
    names = [escape.cell([Words(head, "plain")]) for head in heads]
    yield tabulate(cells, names, "github", disable_numparse=True)
    if len(listed) < len(rows):
        more = count(len(rows) - len(listed), "more row")
        yield f"… {more}; --full shows every row"
