"""The changes inside a pair of calls that are not equal.

deepdiff only describes the changes; keys and digests decide whether there are any.
Long strings, prose and long lists are taken out first and compared by lines or words.
The items of other lists are matched first, so deepdiff sees pairs of objects alone.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec import Struct

from convert.diff.call_comparison import CallComparison
from convert.diff.call_contents import Value, contents_of, effect_lines
from convert.diff.effects import EDITS, EFFECT
from convert.diff.matched_items import match_items
from convert.diff.outputs import ComparedOutput, digest
from convert.diff.text_changes import (
    Contents,
    Kind,
    LineChange,
    Span,
    WordChange,
    lines_changed,
    prose_changed,
    text_lines_changed,
    words_changed,
)
from convert.options.settings import Settings
from convert.tools.every_tool import IN_WORDS
from convert.tools.table import tool_of
from convert.wording.sanitise import one_line

if TYPE_CHECKING:
    from json import JSONEncoder

_LONG = 4000
_LONG_LIST = 100
# The effects of two edits are shown one after the other up to so many lines.
_LONG_EFFECT = 20

_ABSENT = object()

_Path = tuple[Any, ...]


class ValueChange(Struct, frozen=True):
    """Two values of a member, as JSON, or as they are if both are strings."""

    path: str
    """The path of the member in the arguments or the output."""

    old: str | None
    """The value in the baseline; None if the member is absent."""

    new: str | None
    """The value in the candidate; None if the member is absent."""


Detail = ValueChange | WordChange | LineChange | Value | Contents


def details_of(comparison: CallComparison, settings: Settings) -> list[Detail]:
    """Return what changed inside a pair, or what a call without a partner did."""
    if not comparison.is_paired:
        return [*contents_of(comparison.call)]
    details = arguments_changed(comparison)
    a, b = comparison.a, comparison.b
    if a and b and comparison.has_other_outcome:
        details.insert(0, ValueChange("outcome", a.outcome, b.outcome))
    return details + (output_changed(comparison) if settings.outputs else [])


def arguments_changed(comparison: CallComparison) -> list[Detail]:
    """Return what changed in the arguments of a pair."""
    if not (comparison.a and comparison.b and comparison.has_other_arguments):
        return []
    old, new = comparison.arguments
    if comparison.a.is_across and comparison.a.compared_by == "subject":
        old, new = (_about(comparison.call.kind, each) for each in (old, new))
    effects = [arguments.get(EFFECT) for arguments in (old, new)]
    if comparison.call.kind not in EDITS or not _are_short(effects):
        return describe(old, new)
    others = ({**old, EFFECT: None}, {**new, EFFECT: None})
    sides = zip(("A", "B"), effects, strict=True)
    # A diff of two diffs is hard to read.
    return describe(*others) + [
        Contents(f"{EFFECT} in {side}", effect_lines(effect)) for side, effect in sides
    ]


def _about(kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that say what a call of a kind is about, and where."""
    names = tool_of(kind).subject
    if names is None:
        return arguments
    about = {name.partition(".")[0] for name in (*names.words, *names.paths)}
    kept = about | {EFFECT, "workingDirectory"}
    return {name: value for name, value in arguments.items() if name in kept}


def is_effect(path: str) -> bool:
    """Return True for the path of a detail that shows the effect of an edit."""
    return path in (EFFECT, f"{EFFECT} in A", f"{EFFECT} in B")


def _are_short(effects: list[Any]) -> TypeGuard[list[str]]:
    """Return True for two effects that differ and can be shown one after the other."""
    return effects[0] != effects[1] and all(
        isinstance(effect, str) and effect.count("\n") <= _LONG_EFFECT
        for effect in effects
    )


def output_changed(comparison: CallComparison) -> list[Detail]:
    """Return what changed in the outputs of a pair."""
    if comparison.outputs is None:
        return []
    old, new = map(ComparedOutput.normalised, comparison.outputs)
    return describe({"output": old}, {"output": new})


def describe(old: dict[str, Any], new: dict[str, Any]) -> list[Detail]:
    """Return what changed between two objects, in the order of the paths."""
    details: list[Detail] = []
    one, other = _taken_out(old, new, (), details)
    if digest(one) != digest(other):
        details += _values(one, other)
    return sorted(details, key=lambda detail: detail.path)


def _taken_out(old: Any, new: Any, path: _Path, details: list[Detail]) -> Any:
    """Return what is left of both values for deepdiff, which takes long for the rest.

    The changes of long strings and prose, and what only one side has, are added to
    `details`.
    """
    match old, new:
        case str(), str() if old != new and _is_taken_out(old, new, path):
            details.append(_text_change(_joined(path), old, new, path))
        case dict(), dict():
            return _members_taken_out(old, new, path, details)
        case list(), list() if max(len(old), len(new)) <= _LONG_LIST:
            return _items_taken_out(old, new, path, details)
        case _ if digest(old) == digest(new):
            pass
        case list(), list():
            ones, others = (list(map(_json, items)) for items in (old, new))
            details.append(lines_changed(_joined(path), ones, others))
        case _:
            return old, new
    return None, None


def _members_taken_out(
    old: dict[str, Any], new: dict[str, Any], path: _Path, details: list[Detail]
) -> Any:
    details += [
        _alone((*path, name), old.get(name, _ABSENT), new.get(name, _ABSENT))
        for name in old.keys() ^ new.keys()
    ]
    both = {
        name: _taken_out(value, new[name], (*path, name), details)
        for name, value in old.items()
        if name in new
    }
    return tuple({name: pair[side] for name, pair in both.items()} for side in (0, 1))


def _items_taken_out(
    old: list[Any], new: list[Any], path: _Path, details: list[Detail]
) -> Any:
    """Return the matched items of two lists by their places in the candidate.

    Items of one side and another order are told here: deepdiff compares by place.
    """
    matched = match_items(old, new)
    details += [_alone((*path, at), old[at], _ABSENT) for at in matched.removed]
    details += [_alone((*path, to), _ABSENT, new[to]) for to in matched.added]
    if matched.is_reordered:
        order, other_order = map(_json, matched.orders)
        details.append(ValueChange(f"{_joined(path)} order", order, other_order))
    both = {
        to: _taken_out(matched.old[at], matched.new[to], (*path, to), details)
        for at, to in matched.pairs
    }
    return tuple({to: pair[side] for to, pair in both.items()} for side in (0, 1))


def _alone(path: _Path, old: Any, new: Any) -> Detail:
    """Return what only one side has: a text by its lines, any other value as JSON."""
    text = new if old is _ABSENT else old
    if isinstance(text, str) and "\n" in text:
        kind: Kind = "added" if old is _ABSENT else "removed"
        lines = text.removesuffix("\n").split("\n")
        return Contents(_joined(path), [Span(kind, line) for line in lines])
    return _value_change(path, old, new)


def _is_taken_out(old: str, new: str, path: _Path) -> bool:
    is_long = max(len(old), len(new)) > _LONG
    return is_long or "\n" in old or "\n" in new or path[-1] in IN_WORDS


def _text_change(path_shown: str, old: str, new: str, path: _Path) -> Detail:
    if "\n" not in old + new:
        return words_changed(path_shown, old, new)
    if path[-1] in IN_WORDS:
        return prose_changed(path_shown, old, new)
    return text_lines_changed(path_shown, old, new)


def _values(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    """Yield the members that differ, nested ones as deepdiff describes them.

    If it finds no change in a member that differs, both values are shown.
    """
    nested: list[str] = []
    for name in sorted(old):
        one, other = old[name], new[name]
        if digest(one) == digest(other):
            continue
        if isinstance(one, dict | list) and isinstance(other, dict | list):
            nested.append(name)
        else:
            yield _value_change([name], one, other)
    for name in nested:
        changes = list(_described(name, old[name], new[name]))
        yield from changes or [_value_change([name], old[name], new[name])]


def _described(name: str, old: Any, new: Any) -> Iterator[ValueChange]:
    """Yield the changes that deepdiff finds in two unequal values."""
    from deepdiff import DeepDiff
    from deepdiff.helper import NotPresent

    tree = DeepDiff(old, new, view="tree", verbose_level=2, threshold_to_diff_deeper=0)
    for category in sorted(tree):
        for change in tree[category]:
            one, other = (
                _ABSENT if isinstance(side, NotPresent) else side
                for side in (change.t1, change.t2)
            )
            path = [name, *change.path(output_format="list")]
            yield _value_change(path, one, other)


def _value_change(path: _Path | list[Any], old: Any, new: Any) -> ValueChange:
    return ValueChange(_joined(path), _value(old, new), _value(new, old))


def _value(value: Any, other: Any) -> str | None:
    """Return a string as it is if both sides are strings, else a value as JSON."""
    if value is _ABSENT:
        return None
    is_word = isinstance(value, str) and (isinstance(other, str) or other is _ABSENT)
    return value if is_word and value.strip() == value != "" else _json(value)


def _json(value: Any) -> str:
    return _encoder().encode(value)


@functools.cache
def _encoder() -> JSONEncoder:
    """Return one encoder for all values: `json.dumps` makes one for each."""
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, sort_keys=True)


def _joined(path: _Path | list[Any]) -> str:
    """Return a path as people write it: `todos[1].status`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return one_line("".join(parts).lstrip("."))
