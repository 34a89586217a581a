"""The findings that stand above the rows: how calls and runs ended, and the rest."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

from msgspec import Struct

from convert.diff.call_comparison import Fate
from convert.diff.changes import Finding
from convert.diff.compared_call import ComparedCall
from convert.diff.comparison import Comparison
from convert.diff.reports.about import few, reasons
from convert.diff.reports.appearance import NO_STATE, Look, label_of, lines_of, place_of
from convert.diff.reports.finding_lines import finding_line
from convert.diff.reports.html.printed import printed_by
from convert.diff.reports.html.rows import anchor_of, lines_in_words
from convert.diff.reports.selection import by_severity, run_of, told
from convert.diff.reports.verdict import waived_in_words
from convert.options.settings import SEVERITIES
from convert.wording.sanitise import truncate

# These stand in no row; the others do, or in the parts on files and answers.
_WITHOUT_ROW = (
    *("verification", "tests", "level"),
    *("duration", "usage", "calls", "errors"),
)
_LONGEST = 200
# So many stand in sight, the others are folded.
_MOST = 12
# What one finding of a category is called that is named for several things.
_SINGULAR = {"runs": "run", "files": "file", "calls": "call", "errors": "error"}

_Item = TypeVar("_Item")


class Listed(Struct, frozen=True, kw_only=True):
    """A finding in a list."""

    anchor: str
    """The id of its row; empty without one."""

    number: str
    """The numbers of the call in both runs; empty for a finding of whole runs."""

    words: str
    ends: str = ""
    """How the call or the run ended in both logs; empty for any other finding."""

    fate: Fate = "alike"
    """The meaning of that."""

    why: str = ""
    """The last line that a call printed which failed in the candidate."""

    note: str = ""
    where: str = ""
    """The lines in both logs."""


def severities(compared: Comparison) -> list[tuple[str, str]]:
    """Return for each severity how many findings of each category it has."""
    found: dict[str, Counter[str]] = {}
    for finding in by_severity(compared.findings):
        if finding.severity != "info":
            found.setdefault(finding.severity, Counter())[finding.category] += 1
    return [(name, _in_numbers(categories)) for name, categories in found.items()]


def _in_numbers(categories: Counter[str]) -> str:
    """Count the findings of each category, one of `runs` as `1 run`."""
    return ", ".join(
        f"{number:,} {_SINGULAR.get(name, name) if number == 1 else name}"
        for name, number in sorted(categories.items())
    )


def groups(items: list[_Item], most: int = _MOST) -> list[list[_Item]]:
    """Return the first items, and the rest, which is folded; empty ones left out."""
    return [group for group in (items[:most], items[most:]) if group]


def critical(compared: Comparison, look: Look, prefix: str) -> list[Listed]:
    """Return what ended otherwise, the calls by their position."""
    return [
        _ended(finding, compared, look, prefix)
        for finding in told(compared, look)
        if finding.severity == SEVERITIES[-1]
    ]


def besides(compared: Comparison, look: Look, prefix: str) -> list[Listed]:
    """Return the other findings that no row shows."""
    return [
        _other(finding, compared, look, prefix)
        for finding in told(compared, look)
        if finding.category in _WITHOUT_ROW and finding.severity != "info"
    ]


def informs(compared: Comparison) -> str:
    """Return the categories that count for nothing, and what options let pass."""
    findings = compared.findings
    names = {each.category for each in findings if each.severity == "info"}
    waived = {each.category for each in findings if each.waived}
    parts = [", ".join(sorted(names - waived)), waived_in_words(findings)]
    return "; ".join(filter(None, parts))


def _ended(finding: Finding, compared: Comparison, look: Look, prefix: str) -> Listed:
    if finding.category not in ("outcome", "status"):
        return _other(finding, compared, look, prefix)
    was, now = (few(end or NO_STATE) for end in (finding.from_, finding.to))
    comparison = finding.comparison
    words, note = "the run", reasons(run_of(finding, compared))
    if comparison is not None:
        words, note = truncate(label_of(comparison), _LONGEST), ""
    return Listed(
        anchor=anchor_of(finding, prefix),
        number=number_of(finding),
        words=words,
        ends=f"{was} → {now}",
        fate=_fate(finding),
        why=_why(comparison.b) if comparison else "",
        note=note,
        where=_where(finding, compared),
    )


def _other(finding: Finding, compared: Comparison, look: Look, prefix: str) -> Listed:
    line = finding_line(finding, compared, look)
    words = f"{finding.category}: {line.fitted(_LONGEST)}"
    return Listed(
        anchor=anchor_of(finding, prefix),
        number=number_of(finding),
        words=words,
        note=line.note,
        where=_where(finding, compared),
    )


def _why(call: ComparedCall | None) -> str:
    """Return the last line that a call printed that failed."""
    has_failed = call and call.outcome != "ok" and not call.action_line
    return printed_by(call).why if call and has_failed else ""


def _fate(finding: Finding) -> Fate:
    """Return whether a call or a run ended better or worse."""
    if finding.comparison is not None:
        return finding.comparison.fate
    if finding.better:
        return "better"
    return "worse" if finding.from_ == "success" else "otherwise"


def number_of(finding: Finding) -> str:
    """Return the numbers of a call in both runs; empty for whole runs."""
    if finding.comparison is None:
        return ""
    return place_of(finding.comparison, finding.inside).replace("->", "→")


def _where(finding: Finding, compared: Comparison) -> str:
    return lines_in_words(*lines_of(finding, run_of(finding, compared)))
