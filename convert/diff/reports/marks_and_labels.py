"""Calls as reports show them: names, places, marks, and rows side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile
from typing import NamedTuple

from convert.diff.alignment.rows import CallComparison, Row
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.trajectory import ComparedAgents
from convert.diff.comparison import Finding, RunComparison
from convert.diff.reports import LineStyle, ReportOptions
from convert.tools.phrases_and_outcomes import outcome_in_words
from convert.wording.escapes import safe_line, truncate
from convert.wording.numbers import count

_LONGEST_OUTCOME = 100
NO_STATE = "not recorded"
APPROXIMATE = "approximate: too many calls or values to try all pairs"


def agents_in_words(agents: ComparedAgents) -> str:
    """Return the agents of two runs, as in `Cursor against Codex 0.46.0`.

    One agent with logs of two kinds is named once, unless its versions differ.
    """
    a, b = (truncate(safe_line(agent), _LONGEST_OUTCOME) for agent in agents.spelled)
    if not agents.is_one:
        return f"{a} against {b}"
    is_one_version = len({*filter(None, agents.versions)}) <= 1
    named = max(a, b, key=len) if is_one_version else f"{a} and {b}"
    return f"two kinds of logs of {named}"


def label(call: AlignedCall) -> str:
    """Return the tool of a call and its subject."""
    if call.recorded.action_line:
        return safe_line(call.recorded.action_line)
    return f"{safe_line(call.recorded.shown_tool)} {subject(call)}".rstrip()


def subject(call: AlignedCall) -> str:
    """Return the subject of a call, with a sign for each line feed."""
    return safe_line(call.subject_with_feeds)


def label_of(comparison: CallComparison) -> str:
    """Return the label of a pair, both if the tool has another name."""
    a, b = comparison.a, comparison.b
    if a and b and comparison.has_other_tool:
        return arrow(*renamed(a, b))
    return label(comparison.call)


def renamed(a: AlignedCall, b: AlignedCall) -> tuple[str, str]:
    """Return the labels of two calls, the first without a subject that both have."""
    if a.recorded.action_line or subject(a) != subject(b):
        return label(a), label(b)
    return safe_line(
        a.recorded.shown_tool
    ), f"{safe_line(b.recorded.shown_tool)} {subject(b)}".rstrip()


def ending(call: AlignedCall) -> str:
    """Return how a call ended in brackets; nothing if it ended well."""
    outcome = call.recorded.outcome
    return "" if outcome == "ok" else f"[{ended(outcome)}]"


def ended(outcome: str) -> str:
    """Return how a call ended in words, by the name of its outcome."""
    return truncate(safe_line(outcome_in_words(outcome)), _LONGEST_OUTCOME)


def lone_ending(comparison: CallComparison) -> str:
    """Return how a call without a partner ended in brackets, also if it ended well.

    It is empty for a pair, and for an action line, which has it in its text.
    """
    call = comparison.call
    if comparison.is_paired or call.recorded.action_line:
        return ""
    return ending(call) or "[ok]"


def mark_of(comparison: CallComparison) -> str:
    """Return the mark of a pair in place, or of a call without a partner."""
    if not comparison.is_paired:
        return "+" if comparison.a is None else "-"
    if comparison.has_other_outcome:
        return "!"
    return "~" if comparison.is_changed else ""


def place_of(finding: Finding) -> str:
    """Return the numbers of a call in both runs: `3`, `3 -> 4`, or `2.1` inside 2."""
    a, b = finding.numbers
    return arrow(a or b, b or a)


def where(options: ReportOptions, line_a: int | None, line_b: int | None) -> str:
    """Return lines of both logs as `(a.ndjson:3, b.ndjson:4)`; empty for none."""
    names = zip(short_names(options), (line_a, line_b), strict=True)
    places = ", ".join(f"{safe_line(name)}:{line}" for name, line in names if line)
    return f"({places})" if places else ""


def arrow(old: str, new: str) -> str:
    """Return `old -> new`, or one of them if they are the same."""
    return old if old == new else f"{old} -> {new}"


def times(total: int) -> str:
    """Return a count as ` x3`; nothing for one."""
    return f" x{total:,}" if total > 1 else ""


def short_names(options: ReportOptions) -> tuple[str, str]:
    """Return the names of the logs, long ones without the folders that they share.

    The head of a report shows them whole.
    """
    # Such names leave room for the differences.
    if options.is_full or len(options.a) + len(options.b) <= 60:
        return options.a, options.b
    ones, others = (re.split(r"(?<=[/\\])", name) for name in (options.a, options.b))
    folders = zip(ones[:-1], others[:-1], strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], folders))
    return "".join(ones[shared:]), "".join(others[shared:])


_LONG = 20
STYLES: dict[str, LineStyle] = {
    "~": "changed",
    "!": "changed",
    "-": "removed",
    "+": "added",
    "<": "moved",
    ">": "moved",
}


class CallCell(NamedTuple):
    """One side of a row."""

    number: str = ""
    """The number of the call, as `3` or `3.1`; empty if there is no call."""

    text: str = ""
    """The call and its subject, or a note."""

    ending: str = ""
    """How the call ended, in brackets; empty if it ended well."""

    is_command: bool = False
    """The call is a command, whose end matters as well."""


class Cells(NamedTuple):
    """A row to show."""

    mark: str
    """The kind of difference; empty for equal calls."""

    a: CallCell
    """The side of the baseline."""

    b: CallCell
    """The side of the candidate."""

    comparisons: tuple[CallComparison, ...] = ()
    """The calls of the row, several if it stands for equal ones."""

    is_same: bool = False
    """The two sides are equal, with all calls inside them."""


def cells_of(compared: RunComparison, options: ReportOptions) -> list[Cells]:
    """Return the rows of two runs; calls inside calls come after them."""
    if options.is_full:
        return all_cells(compared)
    return list(_repeats(_folded(_places(compared.rows, ""))))


def all_cells(compared: RunComparison) -> list[Cells]:
    """Return all rows of two runs, none of them folded."""
    return list(map(_cells, _places(compared.rows, "")))


def is_cut(compared: RunComparison) -> bool:
    """Return True if two long runs have little in common, so that few rows suffice."""
    if not compared.rows:
        return False
    counts = compared.counts
    most = max(counts.a, counts.b)
    paired = counts.same + counts.changed + counts.moved
    return most > _LONG and 2 * paired < most


# A row, the numbers of the calls around it, such as `3.`, and whether both sides are
# equal, with all calls inside them.
_Place = tuple[Row, str, bool]


def _places(rows: Iterable[Row], above: str) -> Iterator[_Place]:
    """Yield rows, each with the rows inside it after it unless these are all equal."""
    for row in rows:
        comparison = row.comparison
        yield row, above, row.side == "both" and comparison.is_same
        if row.side != "both" or comparison.b is None:
            continue
        if not all(inner.comparison.is_same for inner in comparison.rows):
            yield from _places(
                comparison.rows, f"{above}{comparison.b.recorded.number}."
            )


def _cells(place: _Place) -> Cells:
    (side, comparison), above, is_same = place
    a, b = comparison.a, comparison.b
    mark, one, other = mark_of(comparison), _cell(a, above), _cell(b, above)
    if a and b and side == "a":
        mark, other = "<", CallCell(text=f"(moved to {above}{b.recorded.number})")
    elif a and b and side == "b":
        mark, one = ">", CallCell(text=f"(moved from {above}{a.recorded.number})")
    return Cells(mark, one, other, (comparison,), is_same)


def _cell(call: AlignedCall | None, above: str) -> CallCell:
    if call is None:
        return CallCell()
    is_command = call.recorded.kind == "shell" and not call.recorded.action_line
    return CallCell(
        f"{above}{call.recorded.number}", label(call), ending(call), is_command
    )


def _folded(places: Iterable[_Place]) -> Iterator[Cells]:
    """Yield rows, with long stretches of equal ones as the first and the last."""
    for is_same, group in groupby(places, lambda place: place[2]):
        stretch = list(group)
        if not is_same or len(stretch) < 4:
            yield from map(_cells, stretch)
            continue
        yield _cells(stretch[0])
        note = f"… {count(len(stretch) - 2, 'equal call')}"
        inner = tuple(row.comparison for row, _, _ in stretch[1:-1])
        yield Cells("", CallCell(text=note), CallCell(), inner, is_same=True)
        yield _cells(stretch[-1])


def _repeats(rows: Iterable[Cells]) -> Iterator[Cells]:
    """Yield rows, with equal neighbours that were removed or added as one row."""
    groups = groupby(
        rows,
        lambda row: (
            (row.mark, row.a[1:], row.b[1:]) if row.mark in ("-", "+") else id(row)
        ),
    )
    for _, group in groups:
        first, *others = group
        again = times(1 + len(others))
        pairs = (pair for row in others for pair in row.comparisons)
        a, b = (
            cell._replace(text=cell.text + again) if cell.text else cell
            for cell in (first.a, first.b)
        )
        yield first._replace(a=a, b=b, comparisons=(*first.comparisons, *pairs))
