"""The lines that single edits removed and added, where a log has no whole content.

Two agents show other lines around a change, or only the text that an edit replaced, so
that what is removed and added is all that they can have in common.
"""

from __future__ import annotations

import marshal

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.effects import EFFECT
from convert.facts.edits import requested_of
from convert.wording.hunks import hunks_of


class _Lines(Struct, frozen=True):
    """The changed lines of an edit."""

    marked: list[str]
    """The lines behind their marks."""

    may_be_parts: bool
    """The text that was replaced may begin and end inside a line."""

    def text(self, mark: str) -> str:
        """Return the lines with a mark, without it."""
        return "\n".join(line[1:] for line in self.marked if line[0] == mark)


def are_same_changes(a: list[ComparedCall], b: list[ComparedCall]) -> bool | None:
    """Return True if edits of a file changed the same; None if that is not known."""
    ones, others = [*map(_lines_of, a)], [*map(_lines_of, b)]
    if None in (*ones, *others):
        return None
    lines, other_lines = ([each.marked for each in of if each] for of in (ones, others))
    if lines == other_lines:
        return True
    match ones, others:
        case [_Lines() as one], [_Lines() as other]:
            return None if _may_be_same(one, other) else False
    return None


def _may_be_same(one: _Lines, other: _Lines) -> bool:
    """Return True if the parts of lines that one edit changed stand in the other's."""
    return (one.may_be_parts and _stand_in(one, other)) or (
        other.may_be_parts and _stand_in(other, one)
    )


def _stand_in(parts: _Lines, lines: _Lines) -> bool:
    return all(parts.text(mark) in lines.text(mark) for mark in "-+")


def _lines_of(call: ComparedCall) -> _Lines | None:
    """Return the lines that an edit removed and added; None if not recorded."""
    if call.effect is None:
        pairs = requested_of(call.arguments)
        if pairs is None or any(pair.is_everywhere for pair in pairs):
            # Such a text may appear in several places.
            return None
        lines = [line for pair in pairs for line in _changed(pair.old, pair.new)]
        return _Lines(lines, may_be_parts=True) if lines else None
    effect = marshal.loads(call.effect.kept).get(EFFECT)
    if not isinstance(effect, str):
        return None
    return _Lines(_marked(effect), may_be_parts=False)


def _changed(old: str, new: str) -> list[str]:
    return [line for hunk in hunks_of(old, new) for line in _marked(hunk.body)]


def _marked(body: str) -> list[str]:
    return [line for line in body.split("\n") if line[:1] in ("-", "+") and line]
