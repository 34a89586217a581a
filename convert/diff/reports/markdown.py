"""markdown: for a comment on a pull request, shorter than code hosts allow."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Literal

from convert.diff.comparison import Comparison, Finding, RunComparison, highest_of
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.brief_lines import brief_lines
from convert.diff.reports.detail_lines import bounds, detail_lines
from convert.diff.reports.finding_lines import (
    Block,
    block_of,
    finding_line,
    with_details,
)
from convert.diff.reports.marks_and_labels import CallCell, Cells, is_cut
from convert.diff.reports.summary import rules, summary, tools
from convert.diff.reports.verdict import (
    headline,
    is_same,
    omitted,
    omitted_rows,
    reported,
    rows_with_room,
    same_line,
    select,
    short_report,
)
from convert.options.settings import SEVERITIES
from convert.reports.markdown import folded, head, row
from convert.wording import markdown as escape
from convert.wording.escapes import truncate
from convert.wording.numbers import byte_count, count
from convert.wording.styles_and_columns import Styled

# Hunks are indented in the details; a diff is coloured by its first column.
_UNMARKED = re.compile(r"^  ([-+ @~!…])", re.MULTILINE)
_NO_NAME = re.compile(r"[^A-Za-z0-9_.]+")


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the verdict, the findings, a summary, the details and the calls."""
    blocks = [marker(options)]
    if same := short_report(compared, options):
        blocks.append(f"{escape.text(same)}<br>\n{_names(options)}")
    else:
        blocks += _report(compared, options)
    for line in "\n\n".join(blocks).split("\n"):
        yield ReportLine(line)


def marker(options: ReportOptions) -> str:
    """Return the hidden line by which a later report finds the comment."""
    return f"<!-- runconv-diff:{_NO_NAME.sub('-', options.name)} -->"


def _report(compared: Comparison, options: ReportOptions) -> Iterator[str]:
    """Yield the blocks of a report, as many as there is room for."""
    brief = _brief(compared, options)
    if brief and options.is_brief:
        yield f"{brief}<br>\n{_names(options)}"
        return
    blocks = [
        *filter(None, [brief]),
        f"**{escape.text(headline(compared))}**<br>\n{_names(options)}",
        *_findings(compared, options),
        *_summaries(compared, options),
        *_details(compared, options),
    ]
    yield from blocks
    used = sum(byte_count(block) + 2 for block in blocks)
    yield from _tables(compared, options, max(options.most_bytes - used, 0))


def _brief(compared: Comparison, options: ReportOptions) -> str:
    """Return the lines that head every report; empty if there are none."""
    lines = map(escape.without_links, brief_lines(compared, options))
    return "<br>\n".join(lines)


def _names(options: ReportOptions) -> str:
    """Return the line that names both logs."""
    return f"A {escape.code(options.a)}, B {escape.code(options.b)}"


def _findings(compared: Comparison, options: ReportOptions) -> Iterator[str]:
    """Yield a table of the findings, the most severe first."""
    longest = _longest(options)

    def show(finding: Finding) -> str:
        line = finding_line(finding, compared, options)
        # As code, nothing in it becomes a mention of somebody or a link to an issue.
        words = [Styled(line.shown(longest), "code")]
        if line.difference:
            colon = ": " if words[0].text else ""
            words += [Styled(colon, "ours"), Styled(truncate(line.difference, longest))]
        if line.note:
            words += [Styled(" ", "ours"), Styled(line.note)]
        what = escape.cell(words)
        lines = escape.cell([Styled(line.where, "code")])
        return row([finding.severity, finding.category, line.call, what, lines])

    selected = select(
        reported(compared, options), show, byte_count, _room(0.2, options)
    )
    if selected.shown:
        heads = head(["severity", "category", "call", "what", "where"])
        yield "\n".join([heads, *(line for _, line in selected.shown)])
    yield from filter(None, [omitted(selected)])


def _summaries(compared: Comparison, options: ReportOptions) -> Iterator[str]:
    """Yield the summaries of the pairs of runs for which there is room."""
    room = _room(0.1, options) or sys.maxsize
    blocks = {}
    for run in sorted(compared.runs, key=_by_severity):
        block = _lines(_summary(run, compared, options), options)
        room -= byte_count(block)
        if room < 0:
            break
        blocks[run.number] = block
    yield from (block for _, block in sorted(blocks.items()))
    if len(blocks) < len(compared.runs):
        more = count(len(compared.runs) - len(blocks), "run")
        yield f"… summaries of {more} skipped; --full for the rest"
    if noise := _lines(rules(compared, options), options):
        yield noise


def _by_severity(run: RunComparison) -> int:
    return -SEVERITIES.index(highest_of(finding.severity for finding in run.findings))


def _summary(
    run: RunComparison, compared: Comparison, options: ReportOptions
) -> Iterator[str]:
    """Yield the lines for one pair of runs; one line for one of several if same."""
    if len(compared.runs) > 1:
        only = compared.only(run)
        if is_same(only) and not options.is_verbose:
            yield f"run {run.number} {same_line(only)}"
            return
        yield f"run {run.number}"
    yield from summary(run, options)
    if is_cut(run) and not options.is_full:
        yield tools(run)


def _lines(lines: Iterable[str], options: ReportOptions) -> str:
    """Return lines as a paragraph."""
    cut = (truncate(" ".join(line.split()), _longest(options)) for line in lines)
    return "<br>\n".join(map(escape.without_links, cut))


def _details(compared: Comparison, options: ReportOptions) -> Iterator[str]:
    """Yield a folded block for each call or text that differs inside."""
    selected = select(
        with_details(compared),
        lambda finding: _folded(block_of(finding, compared, options), options),
        byte_count,
        _room(0.5, options),
    )
    yield from (block for _, block in selected.shown)
    yield from filter(None, [omitted(selected, "details ")])


def _folded(block: Block, options: ReportOptions) -> str:
    """Return details folded below a line; they cannot end the fence or the block."""
    found = detail_lines(block.details, bounds(options.is_full))
    whole = (line.text.removeprefix("    ") for line in found)
    lines, left = _fitting(whole, 0, _room(0.14, options))
    if left:
        lines.append(f"… {count(left, 'more line')}")
    body = escape.fenced(_UNMARKED.sub(r"\1", "\n".join(lines)), "diff")
    line = [
        Styled(f"{block.mark} {block.name}{' ' if block.call else ''}", "ours"),
        Styled(block.call, "code"),
        *(
            Styled(f" {words}", "ours")
            for words in (block.ending, block.where)
            if words
        ),
    ]
    return folded(line, body)


def _tables(compared: Comparison, options: ReportOptions, most: int) -> Iterator[str]:
    """Yield the calls of each pair of runs side by side, while there is room."""
    room = None if options.is_full else most
    all_shown: list[Cells] = []
    all_hidden: list[Cells] = []
    for run in compared.runs:
        if len(compared.runs) > 1 and is_same(compared.only(run)):
            continue
        first = _head(run, compared, options)
        shown, hidden = rows_with_room(run, options, None)
        lines = (_row(cells, options) for cells in shown)
        used = byte_count(first) + len("\n\n</details>\n\n")
        rows, _ = _fitting(lines, used, room)
        all_shown += shown[: len(rows)]
        all_hidden += [*shown[len(rows) :], *hidden]
        if rows:
            table = "\n".join([first, *rows])
            room = None if room is None else room - byte_count(table)
            yield f"{table}\n\n</details>"
    found = reported(compared, options)
    yield from filter(None, [omitted_rows(all_shown, all_hidden, found)])


def _head(run: RunComparison, compared: Comparison, options: ReportOptions) -> str:
    title = f"calls of run {run.number}" if len(compared.runs) > 1 else "calls"
    names = (escape.cell([Styled(name)]) for name in (options.a, options.b))
    return (
        f"<details><summary>{title} side by side</summary>\n\n"
        f"| | A | {next(names)} | B | {next(names)} |\n|---|---:|---|---:|---|"
    )


def _fitting(
    lines: Iterable[str], used: int, most: int | None
) -> tuple[list[str], int]:
    """Return the lines that fit after some bytes, and the number of the others."""
    fitting, left = [], 0
    for each in lines:
        used += byte_count(each) + 1
        if left or (most is not None and used > most):
            left += 1
        else:
            fitting.append(each)
    return fitting, left


def _row(cells: Cells, options: ReportOptions) -> str:
    a, b = cells.a, cells.b
    return row([cells.mark, a.number, _cell(a, options), b.number, _cell(b, options)])


def _cell(cell: CallCell, options: ReportOptions) -> str:
    """Return a call as code with how it ended, or a note as it is."""
    if not cell.text:
        return ""
    style: Literal["ours", "code"] = "code" if cell.number else "ours"
    line = [Styled(truncate(cell.text, _longest(options)), style)]
    if cell.ending:
        line += [Styled(" ", "ours"), Styled(cell.ending)]
    return escape.cell(line)


def _room(share: float, options: ReportOptions) -> int | None:
    """Return the bytes for a part of the comment; None if all is to be shown.

    The rows of calls get the rest.
    """
    return None if options.is_full else int(share * options.most_bytes)


def _longest(options: ReportOptions) -> int:
    """Return how long a call may be."""
    return sys.maxsize if options.is_full else 200
