"""The lines that a failed call printed, from the output that a comparison keeps."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.call_comparison import CallComparison
from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import MOST_NESTED_VALUES, end_of
from convert.diff.reports.appearance import Look
from convert.pictures.rows import call_row
from convert.transcript.call_sections import call_section
from convert.transcript.section_builder import Shared
from convert.wording.numbers import count

# The calls whose lines a page has room for.
_MOST_CALLS = 1000
_NO_ROOM = "left out; --full shows it"


class Printed(Struct, frozen=True, kw_only=True):
    """The last lines that a failed call printed, else its message."""

    why: str = ""
    """The last of them; empty for none."""

    lines: list[str] = []
    left_out: str = ""
    """How much of it is left out; empty if nothing is."""


class Prints:
    """Tells what failed calls printed, as far as a page has room for it."""

    def __init__(self, look: Look) -> None:
        self._room: float = float("inf") if look.is_full else _MOST_CALLS

    def of(self, pair: CallComparison) -> Iterator[tuple[str, Printed]]:
        """Yield the names of the sides on which a call failed, with what it printed."""
        for name, call in (("A", pair.a), ("B", pair.b)):
            if call is None or call.outcome == "ok" or call.action_line:
                continue
            if self._room:
                self._room -= 1
                yield name, printed_by(call)
            else:
                yield name, Printed(left_out=_NO_ROOM)


def printed_by(call: ComparedCall, hidden: str = "") -> Printed:
    """Return what a call printed that failed.

    `hidden` says how many tests failed in one that ended well.
    """
    if call.recorded is None:
        return Printed()
    kept = marshal.loads(call.output_kept) if call.output_kept else None
    if call.kind == "task" and isinstance(kept, dict) and "steps" in kept:
        # The comparison puts what a subagent said beside the output.
        kept = kept.get("output")
    output = _with_ends(kept, 0)
    recorded = replace(call.recorded, output=output)
    section = call_section(recorded, Shared("", False))
    row = call_row(recorded, "", "", section, call.failure, hidden)
    earlier = count(row.earlier_lines, "earlier line")
    if output != kept:
        # Nobody counted the lines between the ends.
        earlier = "earlier lines"
    left_out = f"{earlier} left out" if row.earlier_lines else ""
    return Printed(why=row.why, lines=row.last_lines, left_out=left_out)


def _with_ends(value: Any, depth: int) -> Any:
    """Return a kept output with the ends of its long texts in place of these."""
    match value:
        case tuple():
            return end_of(value)
        case dict() if depth < MOST_NESTED_VALUES:
            return {name: _with_ends(value[name], depth + 1) for name in value}
        case list() if depth < MOST_NESTED_VALUES:
            return [_with_ends(inner, depth + 1) for inner in value]
    return value
