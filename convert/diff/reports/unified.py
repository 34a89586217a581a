"""unified: the calls as the lines of a diff, for pipes and patch viewers."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.changes import Comparison, RunComparison
from convert.diff.details import details_of
from convert.diff.reports.appearance import (
    APPROXIMATE,
    LONGEST,
    Look,
    ReportLine,
    ending,
    label,
    shown,
)
from convert.diff.reports.detail_lines import around
from convert.diff.reports.rows import STYLES, Cell, Cells, all_cells
from convert.diff.reports.verdict import is_same, same_line
from convert.wording.sanitise import truncate

_CONTEXT = 3


def report(compared: Comparison, look: Look) -> Iterator[ReportLine]:
    """Yield the calls that differ with those around them; nothing if all is same."""
    if is_same(compared):
        if look.is_verbose:
            yield ReportLine(same_line(compared))
        return
    if any(run.is_approximate for run in compared.runs):
        # A patch viewer ignores lines before the patch.
        yield ReportLine(APPROXIMATE)
    yield ReportLine(f"--- {shown(look.a)}", "head")
    yield ReportLine(f"+++ {shown(look.b)}", "head")
    for run in compared.runs:
        where = f"run {run.number} " if len(compared.runs) > 1 else ""
        if run.a is None or run.b is None:
            yield ReportLine(f"@@ {where.rstrip() or 'run 1'} @@", "head")
            yield from _bounded(_unpaired(run), look)
        else:
            yield from _bounded(_calls(run, where, compared), look)
            yield from _end(run, where, look)


def _bounded(lines: Iterator[ReportLine], look: Look) -> Iterator[ReportLine]:
    """Yield lines, long ones cut unless all is to be shown."""
    for line in lines:
        yield line if look.is_full else line._replace(text=truncate(line.text, LONGEST))


def _unpaired(run: RunComparison) -> Iterator[ReportLine]:
    """Yield the calls of a run without a partner."""
    for side, sign in ((run.a, "-"), (run.b, "+")):
        for call in side.all_calls if side else ():
            yield _line(sign, Cell("", label(call), ending(call)))


def _calls(
    run: RunComparison, where: str, compared: Comparison
) -> Iterator[ReportLine]:
    cells = all_cells(run)
    for first, begin, end in _hunks([row.is_same for row in cells]):
        number = cells[first].a.number or cells[first].b.number
        yield ReportLine(f"@@ {where}call {number} @@", "head")
        for row in cells[begin:end]:
            yield from _row(row, compared)


def _hunks(is_same: list[bool]) -> Iterator[tuple[int, int, int]]:
    """Yield the first change of each hunk, and the begin and end of its rows."""
    first = begin = end = -1
    for at, same in enumerate(is_same):
        if same:
            continue
        if first >= 0 and at - _CONTEXT <= end:
            end = at + _CONTEXT + 1
            continue
        if first >= 0:
            yield first, begin, end
        first, begin, end = at, max(at - _CONTEXT, 0), at + _CONTEXT + 1
    if first >= 0:
        yield first, begin, end


def _row(row: Cells, compared: Comparison) -> Iterator[ReportLine]:
    """Yield one line for a call, two for a changed one."""
    if not row.mark:
        # The calls inside may differ.
        yield _line(" ", row.b)
    elif row.mark in ("-", "<"):
        yield _line("-", row.a, row.b.text)
    elif row.mark in ("+", ">") or row.comparison is None:
        yield _line("+", row.b, row.a.text)
    else:
        paths = [
            shown(detail.path)
            for detail in details_of(row.comparison, compared.settings)
            if detail.path != "outcome"
        ]
        yield _line("-", row.a)
        yield _line("+", row.b, f"({', '.join(paths)})" if paths else "")


def _end(run: RunComparison, where: str, look: Look) -> Iterator[ReportLine]:
    """Yield the states and the final texts that differ."""
    changes = []
    if "status" not in run.not_compared and run.states[0] != run.states[1]:
        changes.append(("status", *map(str, run.states)))
    if run.text is not None and not run.text.is_equal:
        changes.append(("result", run.text.a, run.text.b))
    for name, old, new in changes:
        yield ReportLine(f"@@ {where}{name} @@", "head")
        if not look.is_full and max(len(old), len(new)) > LONGEST:
            old, new = around(old, new)
        yield ReportLine(f"-{shown(old)}", "removed")
        yield ReportLine(f"+{shown(new)}", "added")


def _line(sign: str, cell: Cell, note: str = "") -> ReportLine:
    text = "  ".join(filter(None, [cell.text, cell.ending, note]))
    return ReportLine(f"{sign}{text}", STYLES.get(sign, ""))
