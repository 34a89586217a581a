"""Text of the logs that shows what a finding is about, and our own words on it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from convert.diff.call_comparison import CallComparison
from convert.diff.changes import Finding, RunComparison
from convert.diff.comparison import Comparison
from convert.diff.details import ValueChange, details_of
from convert.diff.effects import EFFECT
from convert.diff.reports.appearance import (
    NO_STATE,
    arrow,
    label,
    renamed,
    shown,
    subject,
)
from convert.diff.reports.detail_lines import line_differs, result_change
from convert.diff.reports.glimpses import Glimpse, alone, command, values, wording
from convert.diff.reports.selection import run_of
from convert.diff.text_changes import LineChange, Span, words_changed
from convert.facts.run_reasons import ENDED_BY, reason_in_words
from convert.model.cost import dollars
from convert.model.run import Run
from convert.wording.numbers import count, duration
from convert.wording.sanitise import strip_controls, truncate

# The number of members that are named of a call that differs in many.
_MOST_NAMES = 3
# A longer name leaves no room for the values of a member.
_LONGEST_NAME = 50
# The number of characters shown of an outcome, a model and the like.
_LONGEST = 100
_LONGEST_MESSAGE = 200
_NOTHING = alone("")


def about(finding: Finding, compared: Comparison) -> tuple[Glimpse, str]:
    """Return text of the logs that shows what a finding is about, and our own words."""
    if finding.comparison is not None:
        return _about_call(finding, finding.comparison, compared)
    return _about_run(finding, run_of(finding, compared))


def exceeded(finding: Finding) -> str:
    """Return a figure that is above its limit."""
    word, show = limited(finding)
    figures = [show(side) for side in (finding.from_, finding.to) if side]
    return f"{word} exceeded: {' -> '.join(figures)} ({finding.limit})"


def limited(finding: Finding) -> tuple[str, Callable[[str], str]]:
    """Return the name of the figure that a limit is for, and how to write it."""
    if finding.category == "duration":
        return "duration", lambda figure: duration(int(figure))
    if (finding.limit or "").startswith("--max-cost"):
        return "cost", lambda figure: dollars(Decimal(figure))
    word = "tokens" if finding.category == "usage" else finding.category
    return word, lambda figure: f"{int(figure):,}"


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
            message = shown(strip_controls(side.run.reason))
            return f"{name} says: {truncate(message, _LONGEST_MESSAGE)}"
    return ""


def reasons(run: RunComparison) -> str:
    """Return why the runs ended that did not succeed; empty where no log says."""
    found = []
    for name, side in (("A", run.a), ("B", run.b)):
        if side is None or (side.run.state != "error" and not _stopped(side.run)):
            continue
        words = [_stopped(side.run), shown(strip_controls(reason_in_words(side.run)))]
        if said := ": ".join(filter(None, words)):
            found.append(f"{name}: {truncate(said, _LONGEST_MESSAGE)}")
    return "; ".join(found)


def _stopped(run: Run) -> str:
    return ENDED_BY.get(run.reason_kind, "")


def few(text: str) -> str:
    """Return a short text of a log on one line."""
    return truncate(shown(text), _LONGEST)


def _about_run(finding: Finding, run: RunComparison) -> tuple[Glimpse, str]:
    if finding.file is not None:
        return alone(shown(finding.file.path)), ""
    match finding.category:
        case "runs":
            return _NOTHING, lost_run(run)
        case "status":
            return _NOTHING, _states(finding, run)
        case "level":
            return _NOTHING, "plain text that shows no run; --level text expects it"
        case "text" | "narration":
            if words := _first_words(run):
                return words, ""
            return _NOTHING, f"similarity {finding.similarity or 0:.2f}"
        case "prompt":
            return _NOTHING, "these may be two different tasks"
        case "duration" | "usage" | "calls" | "errors":
            return _NOTHING, exceeded(finding)
    return _NOTHING, arrow(few(finding.from_ or ""), few(finding.to or ""))


def _states(finding: Finding, run: RunComparison) -> str:
    states = arrow(finding.from_ or NO_STATE, finding.to or NO_STATE)
    said = reasons(run)
    return f"{states}; {said}" if said else states


def _first_words(run: RunComparison) -> Glimpse | None:
    """Return the first words that differ in a text; None if whole lines differ."""
    change = result_change(run)
    if isinstance(change, LineChange):
        lines = (line for hunk in change.hunks for line in hunk.lines)
        changed = next(filter(line_differs, lines))
        return None if isinstance(changed, Span) else wording("", changed.spans)
    return wording("", change.spans) if change else None


def _about_call(
    finding: Finding, comparison: CallComparison, compared: Comparison
) -> tuple[Glimpse, str]:
    a, b = comparison.a, comparison.b
    if finding.category not in ("args", "output", "tool") or a is None or b is None:
        call = comparison.call
        is_command = call.kind == "shell" and not call.action_line
        return (command if is_command else alone)(label(call)), ""
    if a.action_line or finding.category == "tool":
        return values("", *renamed(a, b)), ""
    old, new = subject(a), subject(b)
    if old == new:
        return _about_members(comparison, compared)
    if a.tool != b.tool:
        return values("", label(a), label(b)), ""
    tool = shown(a.shown_tool)
    if " " in old + new:
        return wording(tool, words_changed("", old, new).spans), ""
    return values(tool, old, new), ""


def _about_members(
    comparison: CallComparison, compared: Comparison
) -> tuple[Glimpse, str]:
    """Return a call and the names of the members that differ; of one, the values."""
    named = label(comparison.call)
    if comparison.has_other_effect:
        return alone(named), EFFECT
    details = details_of(comparison, compared.settings)
    details = [detail for detail in details if detail.path != "outcome"]
    match details:
        case [ValueChange(path, old, new)] if len(named + path) <= _LONGEST_NAME:
            sides = ("(absent)" if side is None else shown(side) for side in (old, new))
            return values(f"{named}: {shown(path)}", *sides), ""
    names = [shown(detail.path) for detail in details]
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    return alone(named), f"{listed} and {more:,} more" if more > 0 else listed
