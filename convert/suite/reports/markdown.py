"""markdown: for a comment on a pull request, shorter than code hosts allow.

The verdict and the worst cases come first, and get the room first. A hidden marker
names the comment, so that a later report can replace it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from convert.diff.reports.appearance import Look, ReportLine, settings_note
from convert.diff.reports.markdown import marker
from convert.suite.reports.repeated_words import rows as rows_of_repeated
from convert.suite.reports.words import (
    calls_of,
    finding_words,
    headline,
    in_numbers,
    limit_lines,
    reason_of,
    runs_left_out,
    told,
)
from convert.suite.results import CaseResult
from convert.suite.suite import Suite
from convert.wording import markdown as escape
from convert.wording.numbers import byte_count, count
from convert.wording.sanitise import truncate
from convert.wording.words import Words

_HEAD = "| | case | calls | what |\n|---|---|---|---|"
# The share of the room for a comment.
_OF_ROWS = 0.3
_LONGEST = 200
_MOST_LIMITS = 50
# The findings of repeated runs that are listed.
_MOST_FINDINGS = 20


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the verdict, a table of the cases, and what differs in each, folded."""
    cases = told(suite, look.is_verbose)
    blocks = [f"{marker(look)}\n\n{_verdict(suite, look, is_same=suite.is_same)}"]
    if cases or suite.limits:
        blocks += _table(cases, look) if cases else []
        blocks += _limits(suite)
        blocks += _cut(suite)
        used = sum(byte_count(block) + 2 for block in blocks)
        blocks += _folded(cases, look, look.most_bytes - used)
    for line in "\n\n".join(blocks).split("\n"):
        yield ReportLine(line)


def _verdict(suite: Suite, look: Look, is_same: bool) -> str:
    line = escape.text(headline(suite))
    names = f"A {escape.code(look.a)}, B {escape.code(look.b)}"
    notes = [escape.text(note) for note in [settings_note(look)] if note]
    return "<br>\n".join([line if is_same else f"**{line}**", names, *notes])


def _table(cases: list[CaseResult], look: Look) -> Iterator[str]:
    """Yield the rows that there is room for, and how many cases have none."""
    room = sys.maxsize if look.is_full else int(_OF_ROWS * look.most_bytes)
    rows = [_HEAD]
    for at, case in enumerate(cases):
        row = _row(case, look)
        room -= byte_count(row) + 1
        if room < 0:
            yield "\n".join(rows)
            yield f"… left out: {in_numbers(cases[at:])}; --full for the rest"
            return
        rows.append(row)
    yield "\n".join(rows)


def _limits(suite: Suite) -> Iterator[str]:
    """Yield a table of the limits that are exceeded, which are no findings."""
    rows = [
        f"| {escape.cell([Words(name, 'code')])} | {escape.code(option)} | {what} |"
        for name, option, what in limit_lines(suite)
    ]
    if rows:
        head = "| limit of | option | exceeded by |\n|---|---|---|"
        yield "\n".join([head, *rows[:_MOST_LIMITS]])
    if len(rows) > _MOST_LIMITS:
        yield f"… {count(len(rows) - _MOST_LIMITS, 'more limit')}"


def _cut(suite: Suite) -> Iterator[str]:
    """Yield a list of the runs that were cut or stopped, of cases without a report."""
    lines = [*runs_left_out(suite, "markdown")]
    items = [
        f"- {escape.code(name)}: {escape.without_links(truncate(line, _LONGEST))}"
        for name, line in lines[:_MOST_LIMITS]
    ]
    if items:
        yield "\n".join(["Runs that are not compared:\n", *items])
    if len(lines) > _MOST_LIMITS:
        yield f"… {count(len(lines) - _MOST_LIMITS, 'more line')}"


def _row(case: CaseResult, look: Look) -> str:
    longest = sys.maxsize if look.is_full else _LONGEST
    name = escape.cell([Words(truncate(case.name, longest), "code")])
    style: Literal["code", "plain"] = "code" if case.fate == "trouble" else "plain"
    what = escape.cell([Words(truncate(reason_of(case), longest), style)])
    return f"| {case.word} | {name} | {calls_of(case)} | {what} |"


def _folded(cases: list[CaseResult], look: Look, most: int) -> Iterator[str]:
    """Yield what differs in each case, as far as there is room."""
    room = sys.maxsize if look.is_full else most - _LONGEST
    differing = [case for case in cases if case.is_different and case.counts]
    for at, case in enumerate(differing):
        block = _block(case, look) if "markdown" in case.blocks else ""
        room -= byte_count(block) + 2
        if room < 0 or not block:
            left = in_numbers(differing[at:])
            yield f"… details left out: {left}; --full for the rest"
            return
        yield block


def _block(case: CaseResult, look: Look) -> str:
    """Return the report of a case, folded below its name, without its own marker."""
    lines = [line.text for line in case.blocks["markdown"][2:]]
    head = [Words(f"{case.word} ", "ours"), Words(case.name, "code")]
    body = "\n".join([*_repeated(case, look), *lines])
    return f"<details><summary>{escape.summary(head)}</summary>\n\n{body}\n\n</details>"


def _repeated(case: CaseResult, look: Look) -> list[str]:
    """Return what repeated runs show, above the report of the medoids."""
    if case.repeated is None:
        return []
    longest = sys.maxsize if look.is_full else _LONGEST
    rows = [
        f"| {heading} | {escape.cell([Words(truncate(line, longest))])} |"
        for heading, line in rows_of_repeated(case.repeated)
    ]
    findings = [
        f"- {escape.without_links(truncate(finding_words(finding), longest))}"
        for finding in case.findings[: None if look.is_full else _MOST_FINDINGS]
    ]
    if len(findings) < len(case.findings):
        more = count(len(case.findings) - len(findings), "more finding")
        findings.append(f"- … {more}; --full for the rest")
    table = [rows[0], "|---|---|", *rows[1:]]
    return [*table, "", *findings, "", "The medoids:", ""]
