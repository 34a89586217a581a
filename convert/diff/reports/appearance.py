"""How reports look: lines and their styles, and the words for calls that they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.changes import Matched, Row
from convert.diff.compared_call import ComparedCall
from convert.wording.sanitise import escape_controls, one_line, truncate

# What is shown of a call, and of a text, on a line without columns.
LONGEST = 1000
_WORD = 100
APPROXIMATE = "alignment approximate: too many calls to try all pairs"

LineStyle = Literal["", "removed", "added", "changed", "moved", "head"]


class ReportLine(NamedTuple):
    """A line without its end, and what it stands for."""

    text: str
    style: LineStyle = ""


class Look(Struct, frozen=True):
    """How a report looks: the names of the logs, and how much is shown.

    `width` is in columns; `name` tells several reports in one place apart.
    """

    a: str = "baseline"
    b: str = "candidate"
    is_full: bool = False
    is_verbose: bool = False
    width: int = 100
    name: str = "default"


def shown(text: str) -> str:
    """Text from a log on one line, harmless wherever it is shown."""
    return escape_controls(one_line(text))


def label(call: ComparedCall) -> str:
    """A call and what it is about."""
    return shown(call.label)


def ending(call: ComparedCall) -> str:
    """How a call ended, if that is not well."""
    return "" if call.outcome == "ok" else f"[{truncate(shown(call.outcome), _WORD)}]"


def mark_of(matched: Matched) -> str:
    """The mark of a pair in place."""
    if matched.has_other_outcome:
        return "!"
    return "~" if matched.is_changed else ""


def changed(rows: list[Row], above: str = "") -> Iterator[tuple[str, Matched]]:
    """The changed pairs with their numbers, those inside calls included."""
    for side, matched in rows:
        if matched.a is None or matched.b is None or (matched.is_moved and side == "b"):
            continue
        place = arrow(f"{above}{matched.a.number}", f"{above}{matched.b.number}")
        if matched.is_changed:
            yield place, matched
        yield from changed(matched.rows, f"{above}{matched.b.number}.")


def arrow(old: str, new: str) -> str:
    """What it was and what it is, once if that is the same."""
    return old if old == new else f"{old} -> {new}"


def times(number: int) -> str:
    """How often, if more than once."""
    return f" x{number:,}" if number > 1 else ""
