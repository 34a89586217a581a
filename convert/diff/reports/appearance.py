"""How reports look: lines and their styles, and the words for calls that they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.changes import CallComparison, Row
from convert.diff.compared_call import ComparedCall
from convert.wording.sanitise import escape_controls, one_line, truncate

# The number of characters shown of a call or a text on a line without columns.
LONGEST = 1000
_LONGEST_OUTCOME = 100
APPROXIMATE = "alignment approximate: too many calls to try all pairs"

LineStyle = Literal["", "removed", "added", "changed", "moved", "head"]


class ReportLine(NamedTuple):
    """A line of a report."""

    text: str
    """The line, without a line feed."""

    style: LineStyle = ""
    """The kind of line, which decides its colour."""


class Look(Struct, frozen=True):
    """How a report looks."""

    a: str = "baseline"
    """The name of the baseline."""

    b: str = "candidate"
    """The name of the candidate."""

    is_full: bool = False
    """Nothing is folded or shortened."""

    is_verbose: bool = False
    """Equal logs are shown too, with the hits of each rule."""

    width: int = 100
    """The width of the table, in columns."""

    name: str = "default"
    """The name that tells comments on one pull request apart."""


def shown(text: str) -> str:
    """Return text from a log on one line, without characters that do harm."""
    return escape_controls(one_line(text))


def label(call: ComparedCall) -> str:
    """Return the tool of a call and what the call is about."""
    return shown(call.label)


def ending(call: ComparedCall) -> str:
    """Return how a call ended in brackets; nothing if it ended well."""
    return (
        ""
        if call.outcome == "ok"
        else f"[{truncate(shown(call.outcome), _LONGEST_OUTCOME)}]"
    )


def mark_of(comparison: CallComparison) -> str:
    """Return the mark of a pair in place."""
    if comparison.has_other_outcome:
        return "!"
    return "~" if comparison.is_changed else ""


def changed(rows: list[Row], above: str = "") -> Iterator[tuple[str, CallComparison]]:
    """Yield the changed pairs with their numbers, those inside calls included."""
    for side, comparison in rows:
        if (
            comparison.a is None
            or comparison.b is None
            or (comparison.is_moved and side == "b")
        ):
            continue
        place = arrow(f"{above}{comparison.a.number}", f"{above}{comparison.b.number}")
        if comparison.is_changed:
            yield place, comparison
        yield from changed(comparison.rows, f"{above}{comparison.b.number}.")


def arrow(old: str, new: str) -> str:
    """Return `old -> new`, or one of them if they are the same."""
    return old if old == new else f"{old} -> {new}"


def times(total: int) -> str:
    """Return a count as ` x3`; nothing for one."""
    return f" x{total:,}" if total > 1 else ""
