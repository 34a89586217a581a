"""One line for each finding: how severe, which kind, what, and where in both logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from convert.diff.changes import CallComparison, Comparison, Finding, RunComparison
from convert.diff.details import ValueChange, details_of
from convert.diff.effects import EFFECT
from convert.diff.reports.appearance import (
    NO_STATE,
    LineStyle,
    Look,
    arrow,
    ending,
    label,
    lines_of,
    place_of,
    shown,
    where,
)
from convert.diff.reports.detail_lines import USUAL, line_differs, result_change, value
from convert.diff.reports.selection import run_of
from convert.diff.reports.wordings import bracketed, elided
from convert.diff.text_changes import LineChange, Span, split_words, words_changed
from convert.wording.numbers import count, duration
from convert.wording.sanitise import strip_controls, truncate

_STYLES: dict[str, LineStyle] = {
    "removed": "removed",
    "added": "added",
    "moved": "moved",
}
# The number of members that are named of a call that differs in many.
_MOST_NAMES = 3
# The number of words shown before the first one that differs.
_WORDS_BEFORE = 3
_LONGEST_CHANGE = 30
# The number of characters shown of an outcome, a model and the like.
_LONGEST = 100
_LONGEST_MESSAGE = 200


class FindingLine(NamedTuple):
    """A finding in a few words."""

    severity: str
    """How much it matters."""

    category: str
    """The kind of difference."""

    call: str
    """`call` and its numbers in both runs; empty for a difference of whole runs."""

    what: str
    """What differs; may be cut."""

    note: str
    """How a call ended, or what lets the finding pass; not to be cut."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    style: LineStyle
    """The kind of line, which decides its colour."""


def finding_line(finding: Finding, compared: Comparison, look: Look) -> FindingLine:
    """Return a finding in a few words."""
    run = run_of(finding, compared)
    what, call = _about_run(finding, run, look), ""
    if finding.comparison is not None:
        what = _about_call(finding, finding.comparison, compared)
        call = f"call {place_of(finding.comparison, finding.inside)}"
    if len(compared.runs) > 1:
        call = f"run {finding.run} {call}".rstrip()
    style: LineStyle = ""
    if finding.severity != "info":
        style = _STYLES.get(finding.category, "changed")
    return FindingLine(
        finding.severity,
        finding.category,
        call,
        what,
        _note(finding),
        where(look, *lines_of(finding, run)),
        style,
    )


def _note(finding: Finding) -> str:
    """Return how a call ended in either run, and what lets a finding pass."""
    comparison = finding.comparison
    notes = []
    if comparison and not comparison.is_paired and finding.from_ is None:
        notes.append(ending(comparison.call))
    elif comparison and finding.from_ is not None and finding.to is not None:
        notes.append(arrow(_few(finding.from_), _few(finding.to)))
    if finding.better:
        notes.append("(better)")
    if finding.waived:
        notes.append(f"(waived: {shown(finding.waived)})")
    return "  ".join(filter(None, notes))


def exceeded(finding: Finding) -> str:
    """Return a figure that is above its limit."""
    show: Callable[[int], str] = "{:,}".format
    word: str = finding.category
    if finding.category == "duration":
        show = duration
    elif finding.category == "usage":
        word = "tokens"
    figures = [show(int(side)) for side in (finding.from_, finding.to) if side]
    return f"{word} exceeded: {' -> '.join(figures)} ({finding.limit})"


def lost_run(run: RunComparison, look: Look) -> str:
    """Return which log lacks a run, and how many calls the other one has in it."""
    name, calls = (
        (look.b, run.counts.removed) if run.b is None else (look.a, run.counts.added)
    )
    lost = f"; {count(calls, 'call')}" if run.level == "calls" else ""
    return f"no run {run.number} in {shown(name)}{lost}"


def failure_message(run: RunComparison, look: Look) -> str:
    """Return what a log says that holds only the message of a failure; else nothing."""
    for name, side in ((look.a, run.a), (look.b, run.b)):
        if side and side.is_failure_message:
            message = shown(strip_controls(side.run.answer or ""))
            return f"{shown(name)} says: {truncate(message, _LONGEST_MESSAGE)}"
    return ""


def _about_run(finding: Finding, run: RunComparison, look: Look) -> str:
    if finding.file is not None:
        return f"{_few(finding.file.path)} {finding.file.status}"
    match finding.category:
        case "runs":
            return lost_run(run, look)
        case "status":
            return _states(finding, run, look)
        case "level":
            return "plain text that shows no run; --level text expects it"
        case "text" | "narration":
            return _first_words(run) or f"similarity {finding.similarity or 0:.2f}"
        case "prompt":
            return "these may be two different tasks"
        case "duration" | "usage" | "calls" | "errors":
            return exceeded(finding)
    return arrow(_few(finding.from_ or ""), _few(finding.to or ""))


def _states(finding: Finding, run: RunComparison, look: Look) -> str:
    states = arrow(finding.from_ or NO_STATE, finding.to or NO_STATE)
    message = failure_message(run, look)
    return f"{states}; {message}" if message else states


def _few(text: str) -> str:
    return truncate(shown(text), _LONGEST)


def _first_words(run: RunComparison) -> str:
    """Return the first words that differ in a text; empty if whole lines differ."""
    change = result_change(run)
    if isinstance(change, LineChange):
        lines = (line for hunk in change.hunks for line in hunk.lines)
        changed = next(filter(line_differs, lines))
        spans = [] if isinstance(changed, Span) else changed.spans
    else:
        spans = change.spans if change else []
    return _glimpse(spans)


def _glimpse(spans: list[Span]) -> str:
    """Return the first change of a text with the words before and after it."""
    spans = [*elided(spans)]
    at = next((at for at, span in enumerate(spans) if span.kind != "same"), 0)
    words = split_words(spans[at - 1].text) if at else []
    more = " …" if len(words) > _WORDS_BEFORE or at > 1 else ""
    before = Span("same", f"{more}{''.join(words[-_WORDS_BEFORE:])}")
    return bracketed([before, *spans[at : at + 3]], _LONGEST_CHANGE)


def _about_call(
    finding: Finding, comparison: CallComparison, compared: Comparison
) -> str:
    a, b = comparison.a, comparison.b
    if finding.category not in ("args", "output") or a is None or b is None:
        return label(comparison.call)
    if a.label == b.label or (a.tool != b.tool and a.subject == b.subject):
        members = _members(comparison, compared)
        return f"{label(b)}: {members}" if members else label(b)
    if a.tool != b.tool or a.action_line:
        return arrow(label(a), label(b))
    return f"{shown(a.shown_tool)} {_subjects(a.subject, b.subject)}"


def _subjects(old: str, new: str) -> str:
    """Return two paths with an arrow, or two wordings of a command as one."""
    if " " not in old + new:
        short = USUAL._replace(longest=_LONGEST_CHANGE)
        return value(ValueChange("", old, new), short)
    return _glimpse(words_changed("", old, new).spans)


def _members(comparison: CallComparison, compared: Comparison) -> str:
    """Return the names of the members that differ."""
    if comparison.has_other_effect:
        return EFFECT
    details = details_of(comparison, compared.settings)
    names = [shown(detail.path) for detail in details if detail.path != "outcome"]
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    return f"{listed} and {more:,} more" if more > 0 else listed
