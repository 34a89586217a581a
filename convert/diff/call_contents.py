"""The contents of a call without a partner: its command, what it wrote, its arguments.

The text that was passed to an edit stands for its effect where a log has no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.effects import EDITS, EFFECT
from convert.diff.text_changes import Contents, Kind, Span
from convert.facts.edits import requested_diff, requested_of
from convert.tools.every_tool import CONTENTS, REPLACED
from convert.tools.table import tool_of

_KINDS: dict[str, Kind] = {"-": "removed", "+": "added", " ": "same"}
# The name of what an edit was asked for, where its effect is not recorded.
_REQUESTED = "requested"
# A shorter command or path is whole beside the name of its tool.
_LONG = 80


class Value(Struct, frozen=True):
    """An argument of a call without a partner."""

    path: str
    """The name of the argument."""

    value: str
    """The text, or any other value as JSON."""


def contents_of(call: ComparedCall) -> list[Value | Contents]:
    """Return what a call did, if it acts and says more than its name and subject."""
    untold = sorted(_untold(call), key=lambda argument: argument[0] not in REPLACED)
    return [_content(call, name, value) for name, value in untold]


def has_contents(call: ComparedCall) -> bool:
    """Return True if `contents_of` a call returns anything; texts are not split."""
    return any(True for _ in _untold(call))


def _untold(call: ComparedCall) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of an acting call that its name and subject do not show."""
    if not call.acts or not call.arguments_kept:
        return
    subject = tool_of(call.kind).subject
    named = {*subject.words, *subject.paths} if subject else set()
    for name, value in call.shown_arguments.items():
        if name not in named or _is_long(value):
            yield name, value


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and (len(value) > _LONG or "\n" in value)


def _content(call: ComparedCall, name: str, value: Any) -> Value | Contents:
    """Return an argument as it is shown: a text by its lines, another value as JSON."""
    if call.kind in EDITS:
        if name == EFFECT:
            return Contents(name, effect_lines(value))
        requested = requested_of({name: value})
        if requested and (diff := requested_diff(requested)):
            return Contents(_REQUESTED, effect_lines(diff))
    if isinstance(value, str) and ("\n" in value or name in CONTENTS):
        kind: Kind = "removed" if name in REPLACED else "added"
        lines = value.removesuffix("\n").split("\n")
        return Contents(name, [Span(kind, line) for line in lines])
    return Value(name, value if isinstance(value, str) else _json(value))


def _json(value: Any) -> str:
    # Most arguments are texts.
    import json

    return json.dumps(value, ensure_ascii=False)


def effect_lines(effect: str) -> list[Span]:
    """Return the lines of an effect without their marks."""
    return list(map(_effect_line, effect.split("\n")[:-1]))


def _effect_line(line: str) -> Span:
    """Return a line of an effect; one without a mark stands between others."""
    kind = _KINDS.get(line[:1])
    return Span(kind, line[1:]) if kind else Span("same", line)
