"""One line for each finding: how severe, which kind, what, and where in both logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from convert.diff.changes import CallComparison, Comparison, Finding, RunComparison
from convert.diff.details import details_of
from convert.diff.effects import EFFECT
from convert.diff.reports.appearance import (
    NO_STATE,
    LineStyle,
    Look,
    arrow,
    label,
    lines_of,
    lone_ending,
    place_of,
    renamed,
    shown,
    subject,
    where,
)
from convert.diff.reports.columns import columns, fitted
from convert.diff.reports.detail_lines import line_differs, result_change
from convert.diff.reports.file_words import file_words
from convert.diff.reports.glimpses import Glimpse, alone, values, wording
from convert.diff.reports.selection import run_of
from convert.diff.text_changes import LineChange, Span, words_changed
from convert.diff.verification import EARLIER, GONE, PASSED
from convert.wording.numbers import count, duration
from convert.wording.sanitise import strip_controls, truncate

_STYLES: dict[str, LineStyle] = {
    "removed": "removed",
    "added": "added",
    "moved": "moved",
}
# The number of members that are named of a call that differs in many.
_MOST_NAMES = 3
# The number of characters shown of an outcome, a model and the like.
_LONGEST = 100
_LONGEST_MESSAGE = 200
# What became of a check that passed after the last change of the other run.
_LOST = {EARLIER: "run only before it", GONE: "not run after it"}


class FindingLine(NamedTuple):
    """A finding in a few words."""

    severity: str
    """How much it matters."""

    category: str
    """The kind of difference."""

    call: str
    """`call` and its numbers in both runs; empty for a difference of whole runs."""

    what: Glimpse
    """The call, file or values that it is about, as many columns of them as asked."""

    members: str
    """The names of the members that differ; empty if `what` shows the difference."""

    note: str
    """How a call ended, or what lets the finding pass; not to be cut."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    style: LineStyle
    """The kind of line, which decides its colour."""

    def fitted(self, most: int) -> str:
        """Return what differs in so many columns; the names of members are kept."""
        members = f": {self.members}" if self.members else ""
        return fitted(
            self.what(max(most - columns(members), most // 2)) + members, most
        )


def finding_line(finding: Finding, compared: Comparison, look: Look) -> FindingLine:
    """Return a finding in a few words."""
    run = run_of(finding, compared)
    call, members = "", ""
    if finding.comparison is None:
        what = _about_run(finding, run)
    else:
        what = _about_call(finding, finding.comparison)
        members = _members(finding, finding.comparison, compared)
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
        members,
        _note(finding),
        where(look, *lines_of(finding, run)),
        style,
    )


def _note(finding: Finding) -> str:
    """Return how a call ended in either run, and what lets a finding pass."""
    comparison = finding.comparison
    notes = []
    if finding.category == "verification":
        notes.append(_fate(finding))
    elif finding.file is not None:
        notes.append(file_words(finding.file))
    elif comparison and not comparison.is_paired:
        notes.append(lone_ending(comparison))
    elif comparison and finding.category != "tool" and finding.to is not None:
        notes.append(arrow(_few(finding.from_ or ""), _few(finding.to)))
    if finding.better:
        notes.append("(better)")
    if finding.waived:
        notes.append(f"(waived: {shown(finding.waived)})")
    return "  ".join(filter(None, notes))


def _fate(finding: Finding) -> str:
    """Return what became of a check in both runs, the better one first."""
    sides = [("A", finding.from_ or ""), ("B", finding.to or "")]
    if finding.to == PASSED:
        sides.reverse()
    (one, fate), (other, other_fate) = sides
    fate, other_fate = map(_few, (fate, other_fate))
    if fate == PASSED:
        return f"{fate} in {one}, {_LOST.get(other_fate, other_fate)} in {other}"
    return f"run {fate} in {one}, {other_fate} in {other}"


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


def lost_run(run: RunComparison) -> str:
    """Return which log lacks a run, and how many calls the other one has in it."""
    name, calls = (
        ("B", run.counts.removed) if run.b is None else ("A", run.counts.added)
    )
    lost = f"; {count(calls, 'call')}" if run.level == "calls" else ""
    return f"no run {run.number} in {name}{lost}"


def failure_message(run: RunComparison) -> str:
    """Return what a log says that holds only the message of a failure; else nothing."""
    for name, side in (("A", run.a), ("B", run.b)):
        if side and side.is_failure_message:
            message = shown(strip_controls(side.run.answer or ""))
            return f"{name} says: {truncate(message, _LONGEST_MESSAGE)}"
    return ""


def _about_run(finding: Finding, run: RunComparison) -> Glimpse:
    if finding.file is not None:
        return alone(_few(finding.file.path))
    match finding.category:
        case "runs":
            return alone(lost_run(run))
        case "status":
            return alone(_states(finding, run))
        case "level":
            return alone("plain text that shows no run; --level text expects it")
        case "text" | "narration":
            similarity = f"similarity {finding.similarity or 0:.2f}"
            return _first_words(run) or alone(similarity)
        case "prompt":
            return alone("these may be two different tasks")
        case "duration" | "usage" | "calls" | "errors":
            return alone(exceeded(finding))
    return alone(arrow(_few(finding.from_ or ""), _few(finding.to or "")))


def _states(finding: Finding, run: RunComparison) -> str:
    states = arrow(finding.from_ or NO_STATE, finding.to or NO_STATE)
    message = failure_message(run)
    return f"{states}; {message}" if message else states


def _few(text: str) -> str:
    return truncate(shown(text), _LONGEST)


def _first_words(run: RunComparison) -> Glimpse | None:
    """Return the first words that differ in a text; None if whole lines differ."""
    change = result_change(run)
    if isinstance(change, LineChange):
        lines = (line for hunk in change.hunks for line in hunk.lines)
        changed = next(filter(line_differs, lines))
        return None if isinstance(changed, Span) else wording("", changed.spans)
    return wording("", change.spans) if change else None


def _about_call(finding: Finding, comparison: CallComparison) -> Glimpse:
    a, b = comparison.a, comparison.b
    if finding.category not in ("args", "output", "tool") or a is None or b is None:
        return alone(label(comparison.call))
    if a.action_line or finding.category == "tool":
        return values("", *renamed(a, b))
    old, new = subject(a), subject(b)
    if old == new:
        return alone(label(b))
    if a.tool != b.tool:
        return values("", label(a), label(b))
    tool = shown(a.shown_tool)
    if " " in old + new:
        return wording(tool, words_changed("", old, new).spans)
    return values(tool, old, new)


def _members(finding: Finding, comparison: CallComparison, compared: Comparison) -> str:
    """Return the names of the members that differ, if nothing else shows them."""
    a, b = comparison.a, comparison.b
    if finding.category not in ("args", "output") or a is None or b is None:
        return ""
    if subject(a) != subject(b) or a.action_line:
        return ""
    if comparison.has_other_effect:
        return EFFECT
    details = details_of(comparison, compared.settings)
    names = [shown(detail.path) for detail in details if detail.path != "outcome"]
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    return f"{listed} and {more:,} more" if more > 0 else listed
