"""The changes inside a pair of calls that are not equal.

deepdiff only describes the changes; keys and digests decide whether there are any.
Long strings, prose and long lists are taken out first and compared by lines or words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from convert.diff.changes import CallComparison
from convert.diff.outputs import ComparedOutput, digest
from convert.diff.text_changes import (
    LineChange,
    WordChange,
    lines_changed,
    text_lines_changed,
    words_changed,
)
from convert.options.settings import Settings
from convert.wording.sanitise import one_line, truncate

_LONG = 4000
_LONG_LIST = 100
# The number of characters shown of a long value.
_BEGIN = 60
# Strings that are compared by words, whatever their length.
_IN_WORDS = ("command", "prompt")

_ABSENT = object()

_Path = tuple[Any, ...]


class ValueChange(NamedTuple):
    """Two values of a member, as JSON, or as they are if both are strings."""

    path: str
    """The path of the member in the arguments or the output."""

    old: str | None
    """The value in the baseline; None if the member is absent."""

    new: str | None
    """The value in the candidate; None if the member is absent."""


Detail = ValueChange | WordChange | LineChange


def details_of(comparison: CallComparison, settings: Settings) -> list[Detail]:
    """Return what changed in outcome and arguments, and in the output if it counts."""
    details = arguments_changed(comparison)
    if comparison.a and comparison.b and comparison.has_other_outcome:
        details = [
            ValueChange("outcome", comparison.a.outcome, comparison.b.outcome),
            *details,
        ]
    return details + (output_changed(comparison) if settings.outputs else [])


def arguments_changed(comparison: CallComparison) -> list[Detail]:
    """Return what changed in the arguments of a pair."""
    if not (comparison.a and comparison.b and comparison.has_other_arguments):
        return []
    return describe(*comparison.arguments)


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
    """Return both values without the long strings, prose and long lists that differ.

    Their changes are added to `details`, since deepdiff takes seconds for them.
    """
    match old, new:
        case str(), str() if old != new and _is_taken_out(old, new, path):
            details.append(_text_change(_joined(path), old, new, path))
            return None, None
        case dict(), dict():
            return _members_taken_out(old, new, path, details)
        case list(), list() if max(len(old), len(new)) > _LONG_LIST:
            if digest(old) != digest(new):
                ones, others = (list(map(_json, items)) for items in (old, new))
                details.append(lines_changed(_joined(path), ones, others))
            return None, None
        case list(), list() if len(old) == len(new):
            pairs = [
                _taken_out(one, other, (*path, place), details)
                for place, (one, other) in enumerate(zip(old, new, strict=True))
            ]
            return [one for one, _ in pairs], [other for _, other in pairs]
    return _short(old), _short(new)


def _members_taken_out(
    old: dict[str, Any], new: dict[str, Any], path: _Path, details: list[Detail]
) -> Any:
    both = {
        name: _taken_out(old[name], new[name], (*path, name), details)
        for name in old
        if name in new
    }
    return tuple(
        {
            name: both[name][side] if name in both else _short(value)
            for name, value in members.items()
        }
        for side, members in enumerate((old, new))
    )


def _is_taken_out(old: str, new: str, path: _Path) -> bool:
    is_long = max(len(old), len(new)) > _LONG
    return is_long or "\n" in old or "\n" in new or path[-1] in _IN_WORDS


def _text_change(path_shown: str, old: str, new: str, path: _Path) -> Detail:
    if path[-1] in _IN_WORDS or "\n" not in old + new:
        return words_changed(path_shown, old, new)
    return text_lines_changed(path_shown, old, new)


def _short(value: Any) -> Any:
    """Return a value with a beginning and a digest in place of each long text."""
    match value:
        case str() if len(value) > _LONG or "\n" in value:
            begin = truncate(one_line(value[: 2 * _BEGIN]), _BEGIN)
            name = digest(value).hex()[:8]
            return f"{begin} ({len(value):,} characters, {name})"
        case dict():
            return {name: _short(inner) for name, inner in value.items()}
        case list() if len(value) > _LONG_LIST:
            return f"({len(value):,} items, {digest(value).hex()[:8]})"
        case list():
            return [_short(inner) for inner in value]
    return value


def _values(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    """Yield the members that differ, nested ones as deepdiff describes them.

    If it finds no change in a member that differs, both values are shown.
    """
    nested: list[str] = []
    for name in sorted({*old, *new}):
        one, other = old.get(name, _ABSENT), new.get(name, _ABSENT)
        if one is not _ABSENT and other is not _ABSENT and digest(one) == digest(other):
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


def _value_change(path: list[Any], old: Any, new: Any) -> ValueChange:
    return ValueChange(_joined(path), _value(old, new), _value(new, old))


def _value(value: Any, other: Any) -> str | None:
    """Return a string as it is if both sides are strings, else a value as JSON."""
    if value is _ABSENT:
        return None
    is_word = isinstance(value, str) and (isinstance(other, str) or other is _ABSENT)
    return value if is_word and value.strip() == value != "" else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _joined(path: _Path | list[Any]) -> str:
    """Return a path as people write it: `todos[1].status`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return one_line("".join(parts).lstrip("."))
