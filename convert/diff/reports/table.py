"""table: for people. Calls side by side, the changes inside them, and a summary."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.changes import Comparison, RunComparison
from convert.diff.details import details_of
from convert.diff.reports.appearance import (
    LONGEST,
    Look,
    ReportLine,
    changed,
    label,
    mark_of,
)
from convert.diff.reports.detail_lines import detail_lines, result_change
from convert.diff.reports.rows import STYLES, Cell, Cells, cells_of, is_cut
from convert.diff.reports.summary import hits, summary, tools
from convert.diff.reports.verdict import is_same, same_line, verdict
from convert.wording.numbers import count
from convert.wording.sanitise import truncate

_HEADS = ("", "A", "baseline", "B", "candidate")
_MOST_DETAILS = 50
_NARROWEST = 8


def report(compared: Comparison, look: Look) -> Iterator[ReportLine]:
    """Yield the table of each pair of runs and the verdict; one line if all is same."""
    if is_same(compared) and not look.is_verbose:
        yield ReportLine(same_line(compared))
        return
    for run in compared.runs:
        if len(compared.runs) > 1:
            yield from _numbered_run(run, compared, look)
        else:
            yield from _run(run, compared, look)
    if look.is_verbose:
        yield ReportLine(hits(compared))
    yield ReportLine(verdict(compared), "changed" if compared.is_different else "")


def _numbered_run(
    run: RunComparison, compared: Comparison, look: Look
) -> Iterator[ReportLine]:
    """Yield one of several runs below its number; one line if all is same."""
    only = compared.only(run)
    if is_same(only) and not look.is_verbose:
        yield ReportLine(f"run {run.number}  {same_line(only)}")
    else:
        yield ReportLine(f"run {run.number}", "head")
        yield from _run(run, compared, look)


def _run(run: RunComparison, compared: Comparison, look: Look) -> Iterator[ReportLine]:
    cells = cells_of(run, look)
    if cells:
        yield from _table(cells, look.width)
        yield ReportLine("")
    details = list(_details(run, compared, look))
    yield from details
    if details:
        yield ReportLine("")
    if is_cut(run) and not look.is_full:
        yield ReportLine(tools(run))
    for line in summary(run, look):
        yield ReportLine(line)


def _table(cells: list[Cells], width: int) -> Iterator[ReportLine]:
    """Yield the rows in columns; long calls are cut, but not how they ended."""
    from tabulate import tabulate

    longest = _longest(cells, width)
    rows = [
        (
            row.mark,
            row.a.number,
            _cut(row.a, longest[0]),
            row.b.number,
            _cut(row.b, longest[1]),
        )
        for row in cells
    ]
    table = tabulate(rows, _HEADS, tablefmt="simple", disable_numparse=True)
    head, rule, *lines = table.split("\n")
    yield ReportLine(head.rstrip(), "head")
    yield ReportLine(rule, "head")
    for row, line in zip(cells, lines, strict=True):
        yield ReportLine(line.rstrip(), STYLES.get(row.mark, ""))


def _longest(cells: list[Cells], width: int) -> tuple[int, int]:
    """Return the widths of both sides; one may use the room that the other leaves."""
    numbers = [
        max(3, *(len(cell.number) for cell in side))
        for side in ([row.a for row in cells], [row.b for row in cells])
    ]
    room = max(width - 2 - sum(numbers) - 4 * 2, 2 * _NARROWEST)
    a, b = (
        max(columns(_whole(cell)) for cell in side)
        for side in ([row.a for row in cells], [row.b for row in cells])
    )
    half = room // 2
    return min(a, max(half, room - b)), min(b, max(half, room - a))


def _whole(cell: Cell) -> str:
    return f"{cell.text}  {cell.ending}".rstrip()


def _cut(cell: Cell, longest: int) -> str:
    whole = _whole(cell)
    if columns(whole) <= longest:
        return whole
    ending = f"  {cell.ending}" if cell.ending else ""
    return cut_to(cell.text, max(longest - columns(ending), _NARROWEST)) + ending


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    from wcwidth import wcswidth

    width: int = wcswidth(text)
    return width if width >= 0 else len(text)


def cut_to(text: str, most: int) -> str:
    """Cut a text to a number of columns, with `…` at its end."""
    while text and columns(text) > most - 1:
        text = text[: most - 1] if len(text) > most else text[:-1]
    return f"{text.rstrip()}…"


def _details(
    run: RunComparison, compared: Comparison, look: Look
) -> Iterator[ReportLine]:
    """Yield what changed inside calls, and how the final texts differ."""
    pairs = list(changed(run.rows))
    most = len(pairs) if look.is_full else _MOST_DETAILS
    for place, comparison in pairs[:most]:
        mark = mark_of(comparison)
        called = label(comparison.call)
        if not look.is_full:
            called = truncate(called, LONGEST)
        yield ReportLine(f"{mark} call {place}  {called}", STYLES[mark])
        yield from detail_lines(details_of(comparison, compared.settings), look.is_full)
    if len(pairs) > most:
        more = count(len(pairs) - most, "more changed call")
        yield ReportLine(f"… {more}; --full for the rest")
    result = result_change(run)
    if result is not None:
        yield ReportLine("~ result", "changed")
        yield from detail_lines([result], look.is_full)
