"""A line for each finding, and the block below it.

The line has the severity, the category, the difference and the lines of both logs; the
block has the details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct

from convert.diff.alignment.rows import CallComparison
from convert.diff.calls.arguments import EFFECT
from convert.diff.checks import EARLIER, GONE, PARALLEL, PASSED
from convert.diff.comparison import (
    Comparison,
    Finding,
    RunComparison,
    by_severity,
    run_of,
)
from convert.diff.details import Detail, ValueChange, details_of, texts_apart
from convert.diff.file_changes import file_change, has_known_contents
from convert.diff.files import FileComparison
from convert.diff.reports import LineStyle, ReportOptions
from convert.diff.reports.detail_lines import (
    Shortened,
    changed_words,
    line_differs,
    one_command,
    one_text,
    result_change,
    subtle_words,
    two_values,
)
from convert.diff.reports.marks_and_labels import (
    NO_STATE,
    arrow,
    ended,
    label,
    label_of,
    lone_ending,
    mark_of,
    place_of,
    renamed,
    subject,
    where,
)
from convert.diff.reports.verdict import file_words
from convert.diff.text_changes import (
    FileChange,
    LineChange,
    Span,
    has_contents,
    words_changed,
)
from convert.facts.run_reasons import ENDED_BY, reason_in_words
from convert.model.run import dollars
from convert.options.settings import Category, Severity
from convert.wording.escapes import safe_line, strip_controls, truncate
from convert.wording.numbers import count, duration
from convert.wording.styles_and_columns import columns, fit

# The number of members that are named of a call that differs in many.
_MOST_NAMES = 3
_NOTHING = one_text("")


def exceeded(finding: Finding) -> str:
    """Return a figure that is above its limit."""
    word, show = limited(finding.category, finding.limit or "")
    figures = [show(Decimal(side)) for side in (finding.from_, finding.to) if side]
    return f"{word} exceeded: {' -> '.join(figures)} ({finding.limit})"


def limited(
    category: Category, option: str
) -> tuple[str, Callable[[int | Decimal], str]]:
    """Return the name of the figure that a limit is for, and how to write it."""
    if category == "duration":
        return "duration", lambda figure: duration(int(figure))
    if option.startswith("--max-cost"):
        return "cost", lambda figure: dollars(Decimal(figure))
    word = "tokens" if category == "usage" else category
    return word, lambda figure: f"{int(figure):,}"


def lost_run(run: RunComparison) -> str:
    """Return the log that lacks a run, and the number of calls in the other log."""
    name, calls = (
        ("B", run.counts.removed) if run.b is None else ("A", run.counts.added)
    )
    lost = f"; {count(calls, 'call')}" if run.level == "calls" else ""
    return f"no run {run.number} in {name}{lost}"


def reasons(run: RunComparison) -> str:
    """Return the reasons of runs that did not succeed; empty where no log has one."""
    found = []
    for name, side in (("A", run.a), ("B", run.b)):
        if side is None:
            continue
        stopped = ENDED_BY.get(side.run.reason_kind, "")
        if side.run.state != "error" and not (stopped or side.run.reason):
            continue
        reason = safe_line(strip_controls(reason_in_words(side.run)))
        if said := ": ".join(filter(None, (stopped, reason))):
            found.append(f"{name}: {truncate(said, 200)}")
    return "; ".join(found)


def few(text: str) -> str:
    """Return a short text of a log on one line."""
    return truncate(safe_line(text), 100)


def _about_run(finding: Finding, run: RunComparison) -> tuple[Shortened, str]:
    if finding.file is not None:
        return _about_file(finding.file, run)
    match finding.category:
        case "runs":
            return _NOTHING, lost_run(run)
        case "status":
            states = arrow(finding.from_ or NO_STATE, finding.to or NO_STATE)
            return _NOTHING, "; ".join(filter(None, [states, reasons(run)]))
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


def _about_file(file: FileComparison, run: RunComparison) -> tuple[Shortened, str]:
    """Return the path of a file, with the first difference if both runs changed it."""
    path = safe_line(file.path)
    found = file_change(file, run) if file.status == "differs" else None
    if found is None or not found.change.hunks:
        return one_text(path), ""
    hunk = found.change.hunks[0]
    match hunk.subtle:
        case [first, *_] if first.line == hunk.line and not first.is_visible:
            return one_text(path), subtle_words(first)
    texts = {
        line.kind: line.text for line in reversed(hunk.lines) if isinstance(line, Span)
    }
    words = words_changed("", texts.get("removed", ""), texts.get("added", ""))
    return changed_words(f"{path}:", words.spans), ""


def _first_words(run: RunComparison) -> Shortened | None:
    """Return the first words that differ in a text; None if all of it differs."""
    if run.text and not run.text.has_diff:
        return None
    change = result_change(run)
    if isinstance(change, LineChange):
        lines = (line for hunk in change.hunks for line in hunk.lines)
        changed = next(filter(line_differs, lines))
        return None if isinstance(changed, Span) else changed_words("", changed.spans)
    return changed_words("", change.spans) if change else None


def _about_call(
    finding: Finding, comparison: CallComparison, compared: Comparison
) -> tuple[Shortened, str]:
    a, b = comparison.a, comparison.b
    if finding.category not in ("args", "output", "tool") or a is None or b is None:
        call = comparison.call
        is_command = call.recorded.kind == "shell" and not call.recorded.action_line
        return (one_command if is_command else one_text)(label(call)), ""
    if a.recorded.action_line or finding.category == "tool":
        return two_values("", *renamed(a, b)), ""
    old, new = subject(a), subject(b)
    if pairs := comparison.value_pairs:
        old = pairs.named(old, is_baseline=True)
        new = pairs.named(new, is_baseline=False)
    if old == new:
        return _about_members(comparison, compared)
    if a.recorded.tool != b.recorded.tool:
        return two_values("", label(a), label(b)), ""
    tool = safe_line(a.recorded.shown_tool)
    if " " in old + new:
        return changed_words(tool, words_changed("", old, new).spans), ""
    return two_values(tool, old, new), ""


def _about_members(
    comparison: CallComparison, compared: Comparison
) -> tuple[Shortened, str]:
    """Return a call and the names of the members that differ; of one, the values."""
    named = label(comparison.call)
    if comparison.has_other_effect:
        return one_text(named), EFFECT
    details = details_of(comparison, compared.settings)
    details = [detail for detail in details if detail.path != "outcome"]
    match details:
        # A longer name leaves no room for the values.
        case [ValueChange(path, old, new)] if len(named + path) <= 50:
            sides = (
                "(absent)" if side is None else safe_line(side) for side in (old, new)
            )
            return two_values(f"{named}: {safe_line(path)}", *sides), ""
    names = [safe_line(detail.path) for detail in details]
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    return one_text(named), f"{listed} and {more:,} more" if more > 0 else listed


_STYLES: dict[str, LineStyle] = {
    "removed": "removed",
    "added": "added",
    "moved": "moved",
}
# The fate of a check that passed after the last change of the other run.
_LOST = {
    EARLIER: "run only before it",
    PARALLEL: "run only in parallel with it",
    GONE: "not run after it",
}


class FindingLine(Struct, frozen=True):
    """A finding in a few words."""

    call: str
    """`call` and its numbers in both runs; empty for a difference of whole runs."""

    shown: Shortened
    """The call, file or values that differ, cut to a number of columns."""

    difference: str
    """The difference in our own words; empty if the text or a note shows it."""

    notes: tuple[str, ...]
    """How a call ended, and the option that lets the finding pass; never cut."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    style: LineStyle
    """The kind of line, which decides its colour."""

    @property
    def note(self) -> str:
        """The notes on one line."""
        return "  ".join(self.notes)

    def fitted(self, most: int) -> str:
        """Return the finding in so many columns; our own words have precedence."""
        difference = f": {self.difference}" if self.difference else ""
        shown = self.shown(max(most - columns(difference), most // 2))
        return fit(f"{shown}{difference}" if shown else self.difference, most)


def finding_line(
    finding: Finding, compared: Comparison, options: ReportOptions
) -> FindingLine:
    """Return a finding in a few words."""
    comparison = finding.comparison
    call = f"call {place_of(finding)}" if comparison else ""
    if comparison:
        shown, difference = _about_call(finding, comparison, compared)
    else:
        shown, difference = _about_run(finding, run_of(finding, compared))
    if len(compared.runs) > 1:
        call = f"run {finding.run} {call}".rstrip()
    is_info = finding.severity == "info"
    return FindingLine(
        call,
        shown,
        difference,
        tuple(filter(None, _notes(finding))),
        where(options, *finding.lines),
        "" if is_info else _STYLES.get(finding.category, "changed"),
    )


def _notes(finding: Finding) -> Iterator[str]:
    """Yield how a call ended in either run, and the option that lets a finding pass."""
    comparison = finding.comparison
    is_about_order = finding.category == "moved" and finding.to is not None
    if finding.category == "verification" or is_about_order:
        yield _fate(finding)
    elif finding.category == "claim":
        yield claim_words(finding)
    elif finding.file is not None:
        # The words of a file that differs are those that differ.
        if finding.file.status != "differs" or not has_known_contents(finding.file):
            yield file_words(finding.file)
    elif comparison and not comparison.is_paired:
        yield lone_ending(comparison)
    elif comparison and finding.category != "tool" and finding.to is not None:
        yield arrow(ended(finding.from_ or ""), ended(finding.to))
    if finding.better:
        yield "(better)"
    if finding.waived:
        yield f"(waived: {safe_line(finding.waived)})"


def _fate(finding: Finding) -> str:
    """Return the fate of a check in both runs, the better one first."""
    sides = [("A", finding.from_ or ""), ("B", finding.to or "")]
    if finding.to == PASSED:
        sides.reverse()
    (one, fate), (other, other_fate) = sides
    fate, other_fate = map(ended, (fate, other_fate))
    if fate == PASSED:
        return f"{fate} in {one}, {_LOST.get(other_fate, other_fate)} in {other}"
    return f"run {fate} in {one}, {other_fate} in {other}"


def claim_words(finding: Finding) -> str:
    """Return the failed tests of a run, and the words of its answer."""
    side, claim = ("A", finding.from_) if finding.from_ else ("B", finding.to)
    comparison = finding.comparison
    call = comparison and (comparison.a if side == "A" else comparison.b)
    if not call:
        return ""
    tests = call.recorded.counted_tests
    failed = tests.failures if tests else ""
    line = call.recorded.ended_line
    return f'{failed} in {side} (line {line}), whose answer says "{few(claim or "")}"'


class Block(NamedTuple):
    """The details of one call, of a file in the end or of a final text."""

    mark: str
    """The kind of difference, as in the table of calls."""

    name: str
    """The number of the call, `file` or `result`."""

    call: str
    """The call and its subject, or the path of the file; empty for a text."""

    ending: str
    """How a call without a partner ended, in brackets; empty for all others."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    details: list[Detail]
    """The differences, or the contents of a call without a partner."""


def block_of(finding: Finding, compared: Comparison, options: ReportOptions) -> Block:
    """Return the block of a finding that has details."""
    lines = where(options, *finding.lines)
    comparison = finding.comparison
    run = run_of(finding, compared)
    if finding.file is not None:
        return _block_of_file(finding.file, file_change(finding.file, run), lines)
    if comparison is None:
        change = result_change(run)
        details: list[Detail] = [*texts_apart(run.text)]
        if change is not None and not details:
            details.append(change)
        return Block("~", "result", "", "", lines, details)
    called = label_of(comparison)
    return Block(
        mark_of(comparison),
        f"call {place_of(finding)}",
        called if options.is_full else truncate(called, 100),
        lone_ending(comparison),
        lines,
        details_of(comparison, compared.settings),
    )


def _block_of_file(file: FileComparison, found: FileChange | None, where: str) -> Block:
    """Return the block of a file that differs in the end."""
    mark = "~"
    if found and None in (found.old, found.new):
        mark = "+" if found.old is None else "-"
    changes: list[Detail] = [found.change] if found else []
    return Block(mark, "file", safe_line(file.path), "", where, changes)


# Every report takes its findings from here, so that no two disagree on their order.
def with_details(compared: Comparison) -> list[Finding]:
    """Return the findings that have details, one for each call, file or text."""
    found: dict[tuple[int, int], Finding] = {}
    for finding in by_severity(compared.findings):
        if _has_details(finding):
            about = finding.file or finding.comparison
            found.setdefault((finding.run, id(about)), finding)
    return list(found.values())


def _has_details(finding: Finding) -> bool:
    comparison = finding.comparison
    if finding.file is not None:
        return has_known_contents(finding.file)
    if comparison is None or finding.category == "claim":
        return finding.is_about_text
    if comparison.is_paired:
        return comparison.is_changed
    return has_contents(comparison.call)


class FindingFacts(Struct, frozen=True, kw_only=True):
    """One difference between two runs."""

    category: Category
    severity: Severity
    """How much it matters; `info` if it is waived."""

    about: str
    """The call, file or text that differs, on one line."""

    notes: tuple[str, ...] = ()
    """How it differs, and the option that lets it pass."""

    was: str = ""
    now: str = ""
    """How its call ended in both runs; "" unless the outcome differs."""

    call: str = ""
    """The number of the call in both runs, as `3 -> 4`; "" for whole runs."""

    line_a: int | None = None
    line_b: int | None = None
    """The lines of both logs that show it, from 1; None where none does."""

    started_a: int | None = None
    started_b: int | None = None
    """The lines where its call starts; None where it is not made, or about no call."""

    better: bool = False
    """The baseline failed where the candidate did not."""

    waived: str = ""
    """The option that lets it pass; "" if it counts."""

    run_a: int | None = None
    run_b: int | None = None
    """The numbers of both runs in their logs; None where there is none."""

    call_a: str = ""
    call_b: str = ""
    """The numbers of the call in both logs, as `3` or `5.2`; "" for none."""

    path: str = ""
    """The file that differs; "" for any other difference."""

    @property
    def what(self) -> str:
        """The call, file or text, and how it differs, on one line."""
        return "  ".join(filter(None, [self.about, *self.notes]))


def finding_facts(compared: Comparison, options: ReportOptions) -> list[FindingFacts]:
    """Return the findings of a comparison, the most severe first."""
    return [_facts(each, compared, options) for each in by_severity(compared.findings)]


def _facts(
    finding: Finding, compared: Comparison, options: ReportOptions
) -> FindingFacts:
    line = finding_line(finding, compared, options)
    run = run_of(finding, compared)
    return FindingFacts(
        category=finding.category,
        severity=finding.severity,
        about=line.fitted(300),
        notes=line.notes,
        was=ended(finding.from_ or "") if finding.category == "outcome" else "",
        now=ended(finding.to or "") if finding.category == "outcome" else "",
        call=place_of(finding),
        line_a=finding.lines[0],
        line_b=finding.lines[1],
        started_a=finding.started[0],
        started_b=finding.started[1],
        better=finding.better,
        waived=finding.waived or "",
        run_a=run.a.run.number if run.a else None,
        run_b=run.b.run.number if run.b else None,
        call_a=finding.numbers[0],
        call_b=finding.numbers[1],
        path=finding.file.path if finding.file else "",
    )
