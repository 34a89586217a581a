"""What changed inside one matched, unequal pair of calls.

deepdiff describes; it never decides. Long strings, prose and long lists are taken out
before it sees them, and compared by lines or by words.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from convert.diff.changes import Matched
from convert.diff.outputs import ComparedOutput, digest
from convert.diff.texts import CJK
from convert.settings import Settings
from convert.wording.differences import Block, align, hunks
from convert.wording.sanitise import one_line, truncate

# As people read a line: what stands between blanks, with the blanks in front of it.
_CHUNK = rf"\s*(?:[{CJK}]|[^\s{CJK}]+)|\s+$"
_LONG = 4000
_LONG_LIST = 100
_CONTEXT = 3
_MOST_LINES = 20
# What is shown of equal words on either side of a change, and of a long value.
_AROUND = 6
_BEGIN = 60
_NOT_ENDED = " (no line feed at the end)"
# Strings that are read as prose, whatever their length.
_IN_WORDS = ("command", "prompt")

_ABSENT = object()

Kind = Literal["same", "removed", "added"]
_Path = tuple[Any, ...]


class Span(NamedTuple):
    """A part of a text that both sides have, or one; a line of it without its end."""

    kind: Kind
    text: str


class Hunk(NamedTuple):
    """Changed lines with those around them; `line` is the first changed, from 1."""

    line: int
    lines: list[Span]


class ValueChange(NamedTuple):
    """Another value at a path, as JSON, or as it is where both are words.

    None stands for a member that is not there.
    """

    path: str
    old: str | None
    new: str | None


class WordChange(NamedTuple):
    """A text that reads otherwise."""

    path: str
    spans: list[Span]


class LineChange(NamedTuple):
    """A text of which some lines differ; `omitted` changed lines are not shown."""

    path: str
    changed: int
    total: int
    hunks: list[Hunk]
    omitted: int


Detail = ValueChange | WordChange | LineChange


def details_of(matched: Matched, settings: Settings) -> list[Detail]:
    """What changed inside a pair: outcome, arguments, and the output if it counts."""
    details = arguments_changed(matched)
    if matched.a and matched.b and matched.has_other_outcome:
        details = [
            ValueChange("outcome", matched.a.outcome, matched.b.outcome),
            *details,
        ]
    return details + (output_changed(matched) if settings.outputs else [])


def arguments_changed(matched: Matched) -> list[Detail]:
    """What changed in the arguments of a pair."""
    if not (matched.a and matched.b and matched.has_other_arguments):
        return []
    return describe(matched.a.arguments, matched.b.arguments)


def output_changed(matched: Matched) -> list[Detail]:
    """What changed in what the calls of a pair gave."""
    if matched.outputs is None:
        return []
    old, new = map(ComparedOutput.normalised, matched.outputs)
    return describe({"output": old}, {"output": new})


def describe(old: dict[str, Any], new: dict[str, Any]) -> list[Detail]:
    """What changed between the members of two values, in the order of their paths."""
    details: list[Detail] = []
    one, other = _taken_out(old, new, (), details)
    if digest(one) != digest(other):
        details += _values(one, other)
    return sorted(details, key=lambda detail: detail.path)


def words_changed(path: str, old: str, new: str) -> WordChange:
    """Two texts as one, by words."""
    spans = _spans(re.findall(_CHUNK, old), re.findall(_CHUNK, new))
    return WordChange(path, list(_elided(spans)))


def _taken_out(old: Any, new: Any, path: _Path, details: list[Detail]) -> Any:
    """Both values without what is long or prose and differs, which is described.

    deepdiff takes seconds for strings of many lines and for long lists.
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
                details.append(_lines_changed(_joined(path), ones, others))
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
    is_ended = old.endswith("\n") or new.endswith("\n")
    ones, others = (_lines(text, is_ended) for text in (old, new))
    return _lines_changed(path_shown, ones, others)


def _lines(text: str, is_ended: bool) -> list[str]:
    """The lines of a text; `is_ended` marks a last one without a line feed."""
    *lines, last = text.split("\n")
    if last and is_ended:
        last += _NOT_ENDED
    return [*lines, last] if last or not is_ended else lines


def _short(value: Any) -> Any:
    """A value with a beginning and a digest in place of each long text."""
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
    """The members that differ: plain values as they are, others as deepdiff says.

    Where it says nothing of a member that differs, the two values are shown.
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
    """What deepdiff says of two unequal values."""
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
    """A value as words if both sides are that, else as JSON; None for none."""
    if value is _ABSENT:
        return None
    is_word = isinstance(value, str) and (isinstance(other, str) or other is _ABSENT)
    return value if is_word and value.strip() == value != "" else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _joined(path: _Path | list[Any]) -> str:
    """A path as people write it: `todos[1].status`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return one_line("".join(parts).lstrip("."))


def _spans(ones: list[str], others: list[str]) -> Iterator[Span]:
    """Both sequences as one: what both have, and between that what either has."""
    at = to = 0
    for block in [*align(ones, others).blocks, Block(len(ones), len(others), 0)]:
        if at < block.old:
            yield Span("removed", "".join(ones[at : block.old]))
        if to < block.new:
            yield Span("added", "".join(others[to : block.new]))
        if block.length:
            yield Span("same", "".join(ones[block.old : block.old_end]))
        at, to = block.old_end, block.new_end


def _elided(spans: Iterator[Span]) -> Iterator[Span]:
    """Spans of which long equal ones show the words next to a change only."""
    listed = list(spans)
    for place, span in enumerate(listed):
        words = re.findall(_CHUNK, span.text) if span.kind == "same" else []
        before = 0 if place == 0 else _AROUND
        behind = 0 if place == len(listed) - 1 else _AROUND
        if len(words) <= before + behind + 1:
            yield span
            continue
        first = "".join(words[:before])
        last = "".join(words[len(words) - behind :])
        yield Span("same", f"{first} …{last}")


def _lines_changed(path: str, old: list[str], new: list[str]) -> LineChange:
    """Two texts by their lines, the first changes with the lines around them."""
    blocks = align(old, new).blocks
    equal = sum(block.length for block in blocks)
    changed = max(len(old), len(new)) - equal
    shown: list[Hunk] = []
    room = _MOST_LINES
    for hunk in hunks(blocks, len(old), len(new), _CONTEXT):
        if room <= 0:
            break
        lines = list(_hunk_lines(hunk, old, new))
        first = next(n for n, line in enumerate(lines) if line.kind != "same")
        if first < room:
            shown.append(Hunk(hunk[0].new + first + 1, lines[:room]))
        room -= len(lines)
    said = [line.kind for hunk in shown for line in hunk.lines]
    omitted = len(old) + len(new) - 2 * equal
    omitted -= sum(kind != "same" for kind in said)
    return LineChange(path, changed, max(len(old), len(new)), shown, omitted)


def _hunk_lines(hunk: list[Block], old: list[str], new: list[str]) -> Iterator[Span]:
    first = hunk[0]
    yield from (Span("same", line) for line in new[first.new : first.new_end])
    for block, follower in itertools.pairwise(hunk):
        yield from (Span("removed", line) for line in old[block.old_end : follower.old])
        yield from (Span("added", line) for line in new[block.new_end : follower.new])
        equal = new[follower.new : follower.new_end]
        yield from (Span("same", line) for line in equal)
