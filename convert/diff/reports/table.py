"""table: for people. The verdict, the findings, calls side by side, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import zip_longest

from convert.diff.comparison import Comparison, Finding, RunComparison
from convert.diff.reports import LineStyle, ReportLine, ReportOptions
from convert.diff.reports.brief_lines import brief_lines
from convert.diff.reports.detail_lines import bounds, detail_lines, shares
from convert.diff.reports.finding_lines import (
    FindingLine,
    block_of,
    finding_line,
    with_details,
)
from convert.diff.reports.marks_and_labels import (
    STYLES,
    CallCell,
    Cells,
    is_cut,
)
from convert.diff.reports.summary import rules, summary, tools
from convert.diff.reports.verdict import (
    Selection,
    headline,
    is_same,
    omitted,
    omitted_rows,
    reported,
    rows_with_room,
    same_line,
    select,
)
from convert.reports import Cell
from convert.reports.terminal import PADDING, Grid, in_columns
from convert.wording.escapes import safe_line
from convert.wording.styles_and_columns import (
    columns,
    cut_end,
    cut_middle,
    cut_start,
    wrapped,
)

_NARROWEST = 8
_NARROWEST_FINDING = 40
# How much of long runs there is room for.
_MOST_FINDINGS = 20
_MOST_ROWS = 100
_MOST_LINES = 200
# Where fewer columns are there, a call and a finding take several lines.
_WIDE = 90
_MOST_LINES_OF_CALL = 3

_Lines = list[ReportLine]


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the brief, the findings, and the table of each pair of runs."""
    style: LineStyle = "changed" if compared.is_different else ""
    lines = brief_lines(compared, options)
    for line in lines:
        yield ReportLine(line, style)
        style = ""
    if lines and options.is_brief:
        return
    if lines:
        yield ReportLine("")
    yield from verdict_and_findings(compared, options)
    yield ReportLine("")
    if len(compared.runs) > 1 or not compared.runs[0].rows:
        yield ReportLine(f"A {safe_line(options.a)}, B {safe_line(options.b)}", "head")
    details = _details(compared, options)
    most = None if options.is_full else _MOST_ROWS
    for run in compared.runs:
        if len(compared.runs) > 1:
            only = compared.only(run)
            if is_same(only) and not options.is_verbose:
                yield ReportLine(f"run {run.number}  {same_line(only)}")
                continue
            yield ReportLine(f"run {run.number}", "head")
        shown, hidden = rows_with_room(run, options, most)
        most = None if most is None else most - len(shown)
        if shown:
            yield from _table(shown, options)
        if hidden:
            found = reported(compared.only(run), options)
            yield ReportLine(omitted_rows(shown, hidden, found))
        if shown or hidden:
            yield ReportLine("")
        yield from _run(run, details, options)
    yield from map(ReportLine, filter(None, [omitted(details, "details ")]))
    yield from map(ReportLine, rules(compared, options))


def verdict_and_findings(
    compared: Comparison, options: ReportOptions
) -> Iterator[ReportLine]:
    """Yield the verdict on one line, and the findings below it, if it has any."""
    yield ReportLine(headline(compared), "changed" if compared.is_different else "")
    if findings := list(_findings(compared, options)):
        yield from [ReportLine(""), *findings]


def _run(
    run: RunComparison, details: Selection[_Lines], options: ReportOptions
) -> Iterator[ReportLine]:
    blocks = [lines for finding, lines in details.shown if finding.run == run.number]
    for lines in blocks:
        yield from lines
    if blocks:
        yield ReportLine("")
    if is_cut(run) and not options.is_full:
        yield ReportLine(tools(run))
    yield from map(ReportLine, summary(run, options))


def _details(compared: Comparison, options: ReportOptions) -> Selection[_Lines]:
    """Return the lines on differences inside calls and texts, if there is room."""

    def show(finding: Finding) -> _Lines:
        block = block_of(finding, compared, options)
        words = [f"{block.mark} {block.name}", block.call, block.ending, block.where]
        head = ReportLine("  ".join(filter(None, words)), STYLES[block.mark])
        return [head, *detail_lines(block.details, bounds(options.is_full))]

    most = None if options.is_full else _MOST_LINES
    return select(with_details(compared), show, len, most)


def _findings(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield a line for each finding, in columns."""

    selected = select(
        reported(compared, options),
        lambda finding: finding_line(finding, compared, options),
        lambda line: 1,
        None if options.is_full else _MOST_FINDINGS,
    )
    heads = in_columns(
        (finding.severity, finding.category, line.call)
        for finding, line in selected.shown
    )
    for (_, line), begin in zip(selected.shown, heads, strict=True):
        yield from _finding_lines(line, begin, options)
    yield from map(ReportLine, filter(None, [omitted(selected)]))


def _finding_lines(
    line: FindingLine, begin: str, options: ReportOptions
) -> Iterator[ReportLine]:
    """Yield a finding on one line, its place on a second one if there is no room."""
    is_narrow = _is_narrow(options)
    most = sys.maxsize if options.is_full else options.width * (1 + is_narrow)
    room = most - columns("  ".join(filter(None, [begin, line.note]))) - 2
    on_line = room - columns(line.where) - 2
    is_on_line = on_line >= _NARROWEST_FINDING or columns(line.fitted(room)) <= on_line
    what = line.fitted(max(on_line if is_on_line else room, _NARROWEST_FINDING))
    words = [begin, what, line.note, line.where if is_on_line else ""]
    text = "  ".join(filter(None, words)).rstrip()
    for part in wrapped(text, options.width, 4) if is_narrow else [text]:
        yield ReportLine(part, line.style)
    if not is_on_line:
        yield ReportLine(f"    {line.where}", line.style)


def _table(cells: list[Cells], options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the rows in columns; long calls are cut, but not how they ended."""
    names = [safe_line(name) for name in (options.a, options.b)]
    longest = _longest(cells, names, options)
    a, b = (
        cut_start(name, most - PADDING)
        for name, most in zip(names, longest, strict=True)
    )
    rows = list[tuple[str, ...]]()
    styles = list[LineStyle](["head", "head"])
    for row in cells:
        lines = _rows(row, longest, _MOST_LINES_OF_CALL if _is_narrow(options) else 1)
        rows += lines
        styles += [STYLES.get(row.mark, "")] * len(lines)
    grid = Grid(options.width, is_ruled=True)
    for head, texts in zip(("", "A", a, "B", b), zip(*rows, strict=True), strict=True):
        grid.add(Cell(head), map(Cell, texts), is_text=True)
    yield from map(ReportLine, grid.texts(), styles)


def _is_narrow(options: ReportOptions) -> bool:
    """Return True if a call and a finding may take several lines."""
    return options.width < _WIDE and not options.is_full


def _rows(row: Cells, longest: tuple[int, int], most: int) -> list[tuple[str, ...]]:
    """Return the cells of a row, on one line or on several."""
    a, b = longest
    sides = _cut_both(row, (most * a, most * b))
    texts = (
        wrapped(text.strip(), room, 2, is_cell=True)
        for text, room in zip(sides, longest, strict=True)
    )
    head = (row.mark, row.a.number, row.b.number)
    rows = list[tuple[str, ...]]()
    for one, other in zip_longest(*texts, fillvalue=""):
        mark, number, other_number = head
        rows.append((mark, number, one, other_number, other))
        head = ("", "", "")
    return rows


def _longest(
    cells: list[Cells], names: list[str], options: ReportOptions
) -> tuple[int, int]:
    """Return the widths of both sides; one may use the room that the other leaves."""
    sides = ([row.a for row in cells], [row.b for row in cells])
    numbers = [max(3, *(len(cell.number) for cell in side)) for side in sides]
    a, b = (
        max(columns(name) + PADDING, *(columns(_whole(cell)) for cell in side))
        for name, side in zip(names, sides, strict=True)
    )
    if options.is_full:
        return a, b
    room = max(options.width - 2 - sum(numbers) - 4 * 2, 2 * _NARROWEST)
    return shares(a, b, room)


def _whole(cell: CallCell) -> str:
    return f"{cell.text}  {cell.ending}".rstrip()


def _cut_both(row: Cells, longest: tuple[int, int]) -> tuple[str, str]:
    """Cut both sides of a row so that two commands look different if they are."""
    one, other = _cut(row.a, longest[0]), _cut(row.b, longest[1])
    if one != other or row.a.text == row.b.text:
        return one, other
    a, b = (cell._replace(is_command=False) for cell in (row.a, row.b))
    return _cut(a, longest[0]), _cut(b, longest[1])


def _cut(cell: CallCell, longest: int) -> str:
    whole = _whole(cell)
    if columns(whole) <= longest:
        return whole
    ending = f"  {cell.ending}" if cell.ending else ""
    cut = cut_middle if cell.is_command else cut_end
    return cut(cell.text, max(longest - columns(ending), _NARROWEST)) + ending
