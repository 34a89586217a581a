"""markdown: for a comment on a pull request, shorter than code hosts allow.

A hidden marker names the comment, so that a later report can replace it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from convert.diff.changes import Comparison, RunComparison
from convert.diff.details import Detail, details_of
from convert.diff.reports.appearance import Look, ReportLine, changed, label, mark_of
from convert.diff.reports.detail_lines import detail_lines, result_change
from convert.diff.reports.rows import Cell, Cells, cells_of, is_cut
from convert.diff.reports.summary import hits, summary, tools
from convert.diff.reports.verdict import is_same, same_line, verdict
from convert.wording import markdown as escape
from convert.wording.numbers import byte_count, count
from convert.wording.sanitise import truncate
from convert.wording.words import Words

# GitHub takes 65,536 characters; tables may fill half of the report.
_MOST_BYTES = 58_000
_MOST_OF_TABLES = 30_000
_LONGEST = 200
_HEAD = "| | A | baseline | B | candidate |\n|---|---:|---|---:|---|"
# Hunks are indented in the details; a diff is coloured by its first column.
_UNMARKED = re.compile(r"^  ([-+ @])", re.MULTILINE)
_NO_NAME = re.compile(r"[^A-Za-z0-9_.]+")


def report(compared: Comparison, look: Look) -> Iterator[ReportLine]:
    """Yield a summary, a table for each pair of runs and a block for each change."""
    blocks = [f"<!-- runconv-diff:{_NO_NAME.sub('-', look.name)} -->"]
    if is_same(compared) and not look.is_verbose:
        blocks.append(escape.text(same_line(compared)))
    else:
        blocks += _report(compared, look)
    for line in "\n\n".join(blocks).split("\n"):
        yield ReportLine(line)


def _report(compared: Comparison, look: Look) -> Iterator[str]:
    """Yield the blocks of a report, as many as there is room for."""
    room = _Room(_MOST_BYTES)
    yield room.needed(f"**{escape.text(verdict(compared))}**")
    tables = _Room(_MOST_OF_TABLES)
    for run in compared.runs:
        for block in _run(run, compared, look, tables):
            yield room.needed(block)
    if look.is_verbose:
        yield room.needed(_summary([hits(compared)]))
    if tables.left_out:
        yield room.needed(f"… {count(tables.left_out, 'row')} left out")
    details = (_details(run, compared) for run in compared.runs)
    yield from room.fitting(itertools.chain.from_iterable(details))
    if room.left_out:
        yield f"… {count(room.left_out, 'changed call')} left out"


def _run(
    run: RunComparison, compared: Comparison, look: Look, tables: _Room
) -> Iterator[str]:
    """Yield the summary of two runs and their table, as far as there is room."""
    lines = list(summary(run, look))
    if is_cut(run) and not look.is_full:
        lines.append(tools(run))
    if len(compared.runs) > 1:
        only = compared.only(run)
        if is_same(only) and not look.is_verbose:
            yield _summary([f"run {run.number} {same_line(only)}"])
            return
        lines.insert(0, f"run {run.number}")
    yield _summary(lines)
    table = "\n".join(tables.fitting(_table(cells_of(run, look))))
    if table:
        yield table


class _Room:
    """Counts the bytes that remain for blocks, and the blocks left out."""

    def __init__(self, most: int) -> None:
        self._remaining = most
        self.left_out = 0

    def needed(self, block: str) -> str:
        """Return a block that is never left out."""
        self._remaining -= byte_count(block) + 2
        return block

    def fitting(self, blocks: Iterable[str]) -> Iterator[str]:
        """Yield the blocks up to the first that does not fit."""
        for block in blocks:
            if self.left_out or byte_count(block) + 2 > self._remaining:
                self.left_out += 1
            else:
                yield self.needed(block)


def _summary(lines: list[str]) -> str:
    """Return the summary, with each line on its own."""
    words = (escape.text(truncate(" ".join(line.split()), _LONGEST)) for line in lines)
    return "<br>\n".join(words)


def _table(cells: list[Cells]) -> Iterator[str]:
    for place, row in enumerate(cells):
        a, b = row.a, row.b
        line = f"| {row.mark} | {a.number} | {_cell(a)} | {b.number} | {_cell(b)} |"
        yield f"{_HEAD}\n{line}" if place == 0 else line


def _cell(cell: Cell) -> str:
    """Return a call as code with how it ended, or a note as it is."""
    if not cell.text:
        return ""
    style: Literal["ours", "code"] = "code" if cell.number else "ours"
    line = [Words(truncate(cell.text, _LONGEST), style)]
    if cell.ending:
        line += [Words(" ", "ours"), Words(cell.ending)]
    return escape.cell(line)


def _details(run: RunComparison, compared: Comparison) -> Iterator[str]:
    """Yield a folded block for each changed call, and one for the final text."""
    for place, comparison in changed(run.rows):
        head = f"{mark_of(comparison)} call {place} "
        called = Words(truncate(label(comparison.call), _LONGEST), "code")
        details = details_of(comparison, compared.settings)
        yield _folded([Words(head, "ours"), called], details)
    result = result_change(run)
    if result is not None:
        yield _folded([Words("~ result", "ours")], [result])


def _folded(head: list[Words], details: list[Detail]) -> str:
    """Return details folded below a line; they cannot end the fence or the block."""
    lines = "\n".join(line.text.removeprefix("    ") for line in detail_lines(details))
    body = escape.fenced(_UNMARKED.sub(r"\1", lines), "diff")
    return f"<details><summary>{escape.summary(head)}</summary>\n\n{body}\n\n</details>"
