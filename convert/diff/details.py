"""The changes inside a pair of calls that are not equal."""

from __future__ import annotations

import functools
import marshal
import textwrap
from collections.abc import Iterator
from typing import Any, TypeGuard

from msgspec import Struct

from convert.diff.alignment.rows import CallComparison
from convert.diff.calls.arguments import EDITS, EFFECT
from convert.diff.calls.outputs import ComparedOutput, digest
from convert.diff.text_changes import (
    Contents,
    Kind,
    LineChange,
    LoneArgument,
    Pairs,
    Span,
    WordChange,
    as_json,
    contents_of,
    effect_lines,
    lines_changed,
    pair_alike,
    prose_changed,
    text_contents,
    text_lines_changed,
    words_changed,
)
from convert.diff.texts import TextComparison
from convert.options.settings import Settings
from convert.tools.phrases_and_outcomes import outcome_in_words
from convert.tools.table import tool_of
from convert.wording.escapes import one_line

# An item that was inserted is one change, and not one of every item after it.
_ID = "id"
# Arguments that are compared by words, whatever their length.
_IN_WORDS = ("command", "prompt")
_HALF = 0.5


def match_items(old: list[Any], new: list[Any]) -> tuple[list[Any], list[Any], Pairs]:
    """Match the items of two lists by their ids, else by their contents.

    Returns the items without ids that only number them, and the places of those that
    belong together, in the order of the candidate.
    """
    if _are_numbered(old) and _are_numbered(new) and _id(old[0]) == _id(new[0]):
        # An insertion renumbers the items after it: such an id only gives the place.
        old, new = (
            [{name: item[name] for name in item if name != _ID} for item in items]
            for items in (old, new)
        )
    elif _identifies_items(old) and _identifies_items(new):
        places = {_id(item): at for at, item in enumerate(old)}
        known = [(to, _id(item)) for to, item in enumerate(new)]
        return old, new, [(places[name], to) for to, name in known if name in places]
    return old, new, _paired(old, new)


def _paired(old: list[Any], new: list[Any]) -> Pairs:
    """Pair the items that are equal, by their digests, or alike."""

    def size(ones: range, others: range) -> int:
        items = [*(old[at] for at in ones), *(new[to] for to in others)]
        return sum(len(marshal.dumps(item, 2)) for item in items)

    def likeness(at: int, to: int) -> float:
        return _likeness(old_members(at), new_members(to))

    # An item is compared with several.
    old_members = functools.cache(lambda at: _members(old[at]))
    new_members = functools.cache(lambda to: _members(new[to]))
    return pair_alike([*map(digest, old)], [*map(digest, new)], size, likeness)


def _identifies_items(items: list[Any]) -> bool:
    """Return True if every item has an id of its own."""
    have_ids = all(isinstance(item, dict) and _ID in item for item in items)
    return have_ids and len({*map(_id, items)}) == len(items)


def _are_numbered(items: list[Any]) -> bool:
    """Return True if the ids of the items count from 0 or 1."""
    if not items or not _identifies_items(items):
        return False
    ids = [item[_ID] for item in items]
    number = type(ids[0])
    if number not in (int, str) or ids[0] not in (0, 1, "0", "1"):
        return False
    return ids == [number(int(ids[0]) + place) for place in range(len(ids))]


def _id(item: dict[str, Any]) -> bytes:
    return digest(item[_ID])


def _members(item: Any) -> dict[str, bytes] | None:
    """Return the members of an object with their digests; None for another value."""
    if not isinstance(item, dict):
        return None
    return {name: digest(value) for name, value in item.items()}


def _likeness(old: dict[str, bytes] | None, new: dict[str, bytes] | None) -> float:
    """Return the share of members in common; other values are half alike."""
    if old is None or new is None:
        return _HALF if old is new else 0.0
    names = len(old) + len(new) - len(old.keys() & new.keys())
    return len(old.items() & new.items()) / names if names else 1.0


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


Detail = ValueChange | WordChange | LineChange | LoneArgument | Contents


def details_of(comparison: CallComparison, settings: Settings) -> list[Detail]:
    """Return the changes inside a pair, or the contents of a call without a partner."""
    if not comparison.is_paired:
        return [*contents_of(comparison.call)]
    details = arguments_changed(comparison)
    a, b = comparison.a, comparison.b
    if a and b and comparison.has_other_outcome:
        ends = (outcome_in_words(side.recorded.outcome) for side in (a, b))
        details.insert(0, ValueChange("outcome", *ends))
    return details + (output_changed(comparison) if settings.outputs else [])


# How long the lines of a final text are, in characters.
_LINE = 96


def texts_apart(text: TextComparison | None) -> list[Contents]:
    """Return two final texts, each whole, if they are too different for a diff."""
    if text is None or text.has_diff:
        return []
    return [
        Contents(
            side,
            [
                Span("same", part)
                for line in (whole.split("\n") if whole else ())
                for part in textwrap.wrap(line, _LINE, break_on_hyphens=False) or [""]
            ],
        )
        for side, whole in (("A", text.a), ("B", text.b))
    ]


def arguments_changed(comparison: CallComparison) -> list[Detail]:
    """Return the changes in the arguments of a pair."""
    if not (comparison.a and comparison.b and comparison.has_other_arguments):
        return []
    old, new = comparison.arguments
    if comparison.a.keys.manner.is_across and comparison.a.keys.manner.how == "subject":
        old, new = (_about(comparison.call.recorded.kind, each) for each in (old, new))
    effects = [arguments.get(EFFECT) for arguments in (old, new)]
    if comparison.call.recorded.kind not in EDITS or not _are_short(effects):
        return describe(old, new)
    others = ({**old, EFFECT: None}, {**new, EFFECT: None})
    sides = zip(("A", "B"), effects, strict=True)
    # A diff of two diffs is hard to read.
    return describe(*others) + [
        Contents(f"{EFFECT} in {side}", effect_lines(effect)) for side, effect in sides
    ]


def _about(kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that name the subject of a call of a kind, and its place."""
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
    """Return the changes in the outputs of a pair."""
    if comparison.outputs is None:
        return []
    old, new = map(ComparedOutput.normalised, comparison.outputs)
    return describe({"output": old}, {"output": new})


def describe(old: dict[str, Any], new: dict[str, Any]) -> list[Detail]:
    """Return the changes between two objects, in the order of the paths."""
    details: list[Detail] = []
    one, other = _taken_out(old, new, (), details)
    if digest(one) != digest(other):
        details += _values(one, other)
    return sorted(details, key=lambda detail: detail.path)


def _taken_out(old: Any, new: Any, path: _Path, details: list[Detail]) -> Any:
    """Return the parts of both values for deepdiff, which takes long for the rest.

    The changes of long strings and prose, and the values of one side, are added to
    `details`.
    """
    match old, new:
        case str(), str() if old != new and (
            max(len(old), len(new)) > _LONG
            or "\n" in old + new
            or path[-1] in _IN_WORDS
        ):
            details.append(_text_change(_joined(path), old, new, path))
        case dict(), dict():
            return _members_taken_out(old, new, path, details)
        case list(), list() if max(len(old), len(new)) <= _LONG_LIST:
            return _items_taken_out(old, new, path, details)
        case _ if digest(old) == digest(new):
            pass
        case list(), list():
            ones, others = (list(map(as_json, items)) for items in (old, new))
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

    Items of one side and another order are reported here: deepdiff compares by place.
    """
    ones, others, pairs = match_items(old, new)
    removed = {*range(len(old))} - {at for at, _ in pairs}
    added = {*range(len(new))} - {to for _, to in pairs}
    details += [_alone((*path, at), old[at], _ABSENT) for at in removed]
    details += [_alone((*path, to), _ABSENT, new[to]) for to in added]
    in_order = sorted(pairs)
    if pairs != in_order:
        # Only ids can show that.
        order = as_json([old[at][_ID] for at, _ in in_order])
        other_order = as_json([new[to][_ID] for _, to in pairs])
        details.append(ValueChange(f"{_joined(path)} order", order, other_order))
    both = {
        to: _taken_out(ones[at], others[to], (*path, to), details) for at, to in pairs
    }
    return tuple({to: pair[side] for to, pair in both.items()} for side in (0, 1))


def _alone(path: _Path, old: Any, new: Any) -> Detail:
    """Return a value that only one side has: a text by its lines, any other as JSON."""
    text = new if old is _ABSENT else old
    if isinstance(text, str) and "\n" in text:
        kind: Kind = "added" if old is _ABSENT else "removed"
        return text_contents(_joined(path), kind, text)
    return _value_change(path, old, new)


def _text_change(path_shown: str, old: str, new: str, path: _Path) -> Detail:
    if "\n" not in old + new:
        return words_changed(path_shown, old, new)
    if path[-1] in _IN_WORDS:
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
            yield _value_change([name, *change.path(output_format="list")], one, other)


def _value_change(path: _Path | list[Any], old: Any, new: Any) -> ValueChange:
    return ValueChange(_joined(path), _value(old, new), _value(new, old))


def _value(value: Any, other: Any) -> str | None:
    """Return a string as it is if both sides are strings, else a value as JSON."""
    if value is _ABSENT:
        return None
    is_word = isinstance(value, str) and (isinstance(other, str) or other is _ABSENT)
    return value if is_word and value.strip() == value != "" else as_json(value)


def _joined(path: _Path | list[Any]) -> str:
    """Return a path as people write it: `todos[1].status`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return one_line("".join(parts).lstrip("."))
