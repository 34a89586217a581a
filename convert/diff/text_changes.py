"""The changes inside a text, and the contents of a call without a partner."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.arguments import EDITS, EFFECT
from convert.diff.texts import (
    CJK,
    LEAST_ALIKE,
    may_have_cjk,
    similarity,
    words_of,
)
from convert.facts.edits import requested_diff, requested_replacements
from convert.tools.table import CONTENTS, tool_of
from convert.wording.alignment import Block, align, common_length

# Equal items are aligned first. Items between them are paired where they are alike, so
# that the likeness of all pairs together is the greatest.
# How alike two items are, from 0 to 1, by their places in either list.
Likeness = Callable[[int, int], float]
# How many characters or bytes some items of both lists have, by their places.
Size = Callable[[range, range], int]
Pairs = list[tuple[int, int]]

# The contents that an edit replaces.
_REPLACED = {"oldText", "old_string"}
_LEAST = 0.5
# The number of pairs of items between two equal ones that are tried, of long items and
# of short ones, which must not take longer than the rest of the comparison.
_MOST_PAIRS = 2500
_FEW_PAIRS = 64


def pair_alike(
    old: Sequence[Hashable], new: Sequence[Hashable], size: Size, likeness: Likeness
) -> Pairs:
    """Return the places of items that are equal or alike; neither list is reordered."""
    pairs: Pairs = []
    at = to = 0
    for block in [*align(old, new).blocks, Block(len(old), len(new), 0)]:
        gap = range(at, block.old), range(to, block.new)
        pairs += alike_between(*gap, size, likeness)
        pairs += [(block.old + n, block.new + n) for n in range(block.length)]
        at, to = block.old_end, block.new_end
    return pairs


def alike_between(
    old: range, new: range, size: Size, likeness: Likeness
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of alike items between two equal ones, if they are few."""
    if _may_be_tried(old, new, size):
        yield from _between(old, new, likeness)


def _may_be_tried(old: range, new: range, size: Size) -> bool:
    """Return True if the items between two equal ones are few, also for their size."""
    tries = len(old) * len(new)
    return 0 < tries <= _MOST_PAIRS and (
        tries <= _FEW_PAIRS or tries <= size(old, new) // 2
    )


def _between(old: range, new: range, likeness: Likeness) -> Iterator[tuple[int, int]]:
    """Yield the pairs among items that are not equal."""
    likely = {
        (at, to): like
        for at, to in itertools.product(old, new)
        if (like := likeness(at, to)) >= _LEAST
    }
    sums = _sums(old, new, likely)
    at, to = old.start, new.start
    while at < old.stop and to < new.stop:
        here = sums[at, to]
        if (at, to) in likely and here == likely[at, to] + sums[at + 1, to + 1]:
            yield at, to
            at, to = at + 1, to + 1
        elif here == sums[at + 1, to]:
            at += 1
        else:
            to += 1


def _sums(
    old: range, new: range, likely: dict[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    """Return the greatest likeness of the items from each two places on."""
    sums = {(at, new.stop): 0.0 for at in range(old.start, old.stop + 1)}
    sums |= {(old.stop, to): 0.0 for to in new}
    for at, to in itertools.product(reversed(old), reversed(new)):
        together = likely.get((at, to), 0.0) + sums[at + 1, to + 1]
        sums[at, to] = max(together, sums[at + 1, to], sums[at, to + 1])
    return sums


# A word as a reader sees it, with the white space before it.
_WORD = rf"\s*(?:[{CJK}]|[^\s{CJK}]+)|\s+$"
_SPACED_WORD = r"\s*\S+|\s+$"
_CONTEXT = 3
# Two lines with more pairs of words are not compared with each other.
_MOST_WORD_PAIRS = 40_000_000
_NOT_ENDED = " (no line feed at the end)"

Kind = Literal["same", "removed", "added"]


class Span(NamedTuple):
    """A part of a text that both sides have or only one; or a line without its end."""

    kind: Kind
    """The sides that have it: both, the old one or the new one."""

    text: str
    """The text; a line has no line feed."""


class Rewording(Struct, frozen=True):
    """A line that both sides have in another wording."""

    spans: list[Span]
    """Both wordings as one."""


class SubtleChange(NamedTuple):
    """A change within a line that is hard to see."""

    line: int
    """The number of the line in the new text, from 1."""

    column: int
    """The number of the first character that differs, from 1; 0 at the end."""

    old: str
    """The characters of the old text; empty for none."""

    new: str
    """The characters of the new text; empty for none."""

    @property
    def is_visible(self) -> bool:
        """Only its size makes it hard to see."""
        both = self.old + self.new
        return both.isascii() and both.isprintable() and " " not in both


class Hunk(NamedTuple):
    """Changed lines with those around them."""

    line: int
    """The number of the first changed line, from 1."""

    lines: list[Span | Rewording]
    """The lines without their ends."""

    subtle: tuple[SubtleChange, ...] = ()
    """The changes in lines of files that are hard to see."""


class WordChange(Struct, frozen=True):
    """Two wordings of a text."""

    path: str
    """The path of the text in the arguments or the output."""

    spans: list[Span]
    """Both texts as one."""


class LineChange(Struct, frozen=True):
    """Two texts that differ in some lines."""

    path: str
    """The path of the text in the arguments or the output."""

    changed: int
    """The number of lines that differ."""

    total: int
    """The number of lines of the longer text."""

    hunks: list[Hunk]
    """The changes with a few lines around them."""


class FileChange(Struct, frozen=True):
    """The difference between the contents in which two runs leave a file."""

    old: str | None
    """The content that the baseline leaves; None if it leaves no file."""

    new: str | None
    """The content that the candidate leaves, with lines that are equal as in `old`."""

    change: LineChange
    """The lines that differ, after the rules for contents."""


class Contents(Struct, frozen=True):
    """A text of a call without a partner, or a final text unlike the other one."""

    path: str
    """The name of the argument, or the side of a final text."""

    lines: list[Span]
    """All lines: `removed` if an edit replaced them, else `added`; `same` of a side."""


def words_changed(path: str, old: str, new: str) -> WordChange:
    """Compare two texts by words."""
    return WordChange(path, list(_spans(old, new)))


def prose_changed(path: str, old: str, new: str) -> WordChange | LineChange:
    """Compare two texts by lines, and lines that are alike by words."""
    if "\n" not in old + new and similarity(old, new) >= LEAST_ALIKE:
        return words_changed(path, old, new)
    ones, others = old.split("\n"), new.split("\n")
    return line_change(path, ones, others, _alike_lines(ones, others))


def _alike_lines(ones: list[str], others: list[str]) -> Pairs:
    """Pair the lines of two texts that are equal or alike."""

    def size(old: range, new: range) -> int:
        lines = [*(ones[at] for at in old), *(others[to] for to in new)]
        return sum(map(len, lines))

    def likeness(at: int, to: int) -> float:
        old, new = words(ones[at]), words(others[to])
        if not old and not new:
            return 1.0
        if len(old) * len(new) > _MOST_WORD_PAIRS:
            return 0.0
        return 2 * common_length(old, new) / (len(old) + len(new))

    # A line is compared with several.
    words = functools.cache(words_of)
    return pair_alike(ones, others, size, likeness)


def text_lines_changed(path: str, old: str, new: str) -> LineChange:
    """Compare two texts by lines."""
    is_ended = old.endswith("\n") or new.endswith("\n")
    return lines_changed(path, *(lines_of(text, is_ended) for text in (old, new)))


def lines_changed(path: str, old: list[str], new: list[str]) -> LineChange:
    """Compare two lists of lines."""
    pairs = align(old, new).pairs(range(len(old)), range(len(new)))
    return line_change(path, old, new, [*pairs])


def line_change(path: str, old: list[str], new: list[str], pairs: Pairs) -> LineChange:
    """Return how two lists of lines differ of which these are equal or alike."""
    longer = max(len(old), len(new))
    equal = sum(old[at] == new[to] for at, to in pairs)
    hunks = [*_hunks([*_merged(old, new, pairs)])]
    return LineChange(path, longer - equal, longer, hunks)


def lines_of(text: str, is_ended: bool) -> list[str]:
    """Return the lines of a text; `is_ended` marks a last one without a line feed."""
    *lines, last = text.split("\n")
    if last and is_ended:
        last += _NOT_ENDED
    return [*lines, last] if last or not is_ended else lines


def _merged(old: list[str], new: list[str], pairs: Pairs) -> Iterator[Span | Rewording]:
    """Yield two lists of lines as one: lines of only one side, and pairs."""
    at = to = 0
    for one, other in [*pairs, (len(old), len(new))]:
        yield from (Span("removed", line) for line in old[at:one])
        yield from (Span("added", line) for line in new[to:other])
        at, to = one + 1, other + 1
        if at <= len(old):
            if old[one] == new[other]:
                yield Span("same", new[other])
            else:
                yield Rewording([*_spans(old[one], new[other])])


def _hunks(lines: list[Span | Rewording]) -> Iterator[Hunk]:
    """Yield the lines that differ, with some of the equal ones around them."""
    kinds = [line.kind if isinstance(line, Span) else "reworded" for line in lines]
    numbers = [*itertools.accumulate((kind != "removed" for kind in kinds), initial=1)]
    for first, begin, end in stretches([kind == "same" for kind in kinds]):
        yield Hunk(numbers[first], lines[begin:end])


def stretches(is_same: list[bool]) -> Iterator[tuple[int, int, int]]:
    """Yield the first change of each hunk, and the start and end of the hunk."""
    changes = [at for at, same in enumerate(is_same) if not same]
    first = 0
    for at, change in enumerate(changes):
        is_last = at + 1 == len(changes)
        if is_last or changes[at + 1] > change + 2 * _CONTEXT + 1:
            begin = changes[first]
            yield begin, max(begin - _CONTEXT, 0), change + _CONTEXT + 1
            first = at + 1


def _spans(old: str, new: str) -> Iterator[Span]:
    """Yield two texts as one: the words that only either has, and those of both."""
    ones, others = split_words(old), split_words(new)
    at = to = 0
    for block in [*_same_words(ones, others), Block(len(ones), len(others), 0)]:
        only = ["".join(ones[at : block.old]), "".join(others[to : block.new])]
        same = "".join(ones[block.old : block.old_end])
        if any(only) and same:
            spaces = _spaces(same), _spaces(others[block.new])
            short, long = sorted(spaces, key=len)
            kept = short if long.endswith(short) else ""
            only = [
                text + space.removesuffix(kept)
                for text, space in zip(only, spaces, strict=True)
            ]
            same = kept + same.lstrip()
        kinds: tuple[Kind, ...] = ("removed", "added", "same")
        for kind, text in zip(kinds, [*only, same], strict=True):
            if text:
                yield Span(kind, text)
        at, to = block.old_end, block.new_end


def _same_words(ones: list[str], others: list[str]) -> Iterator[Block]:
    """Yield the words that both texts have.

    The white space before a word counts, except where the words before it differ.
    """
    at = to = 0
    bare, other_bare = ([word.strip() for word in side] for side in (ones, others))
    for block in align(bare, other_bare).blocks:
        begin = 0
        for place in range(block.length):
            one, other = ones[block.old + place], others[block.new + place]
            is_behind_a_change = place == 0 and (at, to) != (block.old, block.new)
            if one == other or (is_behind_a_change and one.strip()):
                continue
            if begin < place:
                yield Block(block.old + begin, block.new + begin, place - begin)
            begin = place + 1
        if begin < block.length:
            yield Block(block.old + begin, block.new + begin, block.length - begin)
        at, to = block.old_end, block.new_end


def _spaces(text: str) -> str:
    """Return the white space that a text begins with."""
    return text[: len(text) - len(text.lstrip())]


def split_words(text: str) -> list[str]:
    """Return the words of a text, each with the white space before it."""
    return re.findall(_WORD if may_have_cjk(text) else _SPACED_WORD, text)


# The text that was passed to an edit counts as its effect if the log has no other.
_KINDS: dict[str, Kind] = {"-": "removed", "+": "added", " ": "same"}
# A shorter command or path is shown whole next to the name of its tool.
_LONG = 80


class LoneArgument(Struct, frozen=True):
    """An argument of a call without a partner."""

    path: str
    """The name of the argument."""

    value: str
    """The text, or any other value as JSON."""


def contents_of(call: AlignedCall) -> list[LoneArgument | Contents]:
    """Return the arguments of a call that acts which its label does not show."""
    unshown = sorted(_unshown(call), key=lambda argument: argument[0] not in _REPLACED)
    return [_content(call, name, value) for name, value in unshown]


def has_contents(call: AlignedCall) -> bool:
    """Return True if `contents_of` a call returns anything; texts are not split."""
    return any(True for _ in _unshown(call))


def _unshown(call: AlignedCall) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of an acting call that its name and subject do not show."""
    if not call.recorded.acts or not call.keys.form.kept:
        return
    subject = tool_of(call.recorded.kind).subject
    named = {*subject.words, *subject.paths} if subject else set()
    for name, value in call.arguments.items():
        if name not in named or _is_long(value):
            yield name, value


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and (len(value) > _LONG or "\n" in value)


def _content(call: AlignedCall, name: str, value: Any) -> LoneArgument | Contents:
    """Return an argument as it is shown: a text by its lines, another value as JSON."""
    if call.recorded.kind in EDITS:
        if name == EFFECT:
            return Contents(name, effect_lines(value))
        requested = requested_replacements({name: value})
        if requested and (diff := requested_diff(requested)):
            # The effect of the edit is not recorded.
            return Contents("requested", effect_lines(diff))
    if isinstance(value, str) and ("\n" in value or name in CONTENTS):
        return text_contents(name, "removed" if name in _REPLACED else "added", value)
    return LoneArgument(name, value if isinstance(value, str) else as_json(value))


def text_contents(path: str, kind: Kind, text: str) -> Contents:
    """Return the lines of a text that only one side has."""
    lines = text.removesuffix("\n").split("\n")
    return Contents(path, [Span(kind, line) for line in lines])


def as_json(value: Any) -> str:
    """Return a value as JSON."""
    return _encode()(value)


@functools.cache
def _encode() -> Callable[[Any], str]:
    """Return one encoder for all values: `json.dumps` makes one for each."""
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def effect_lines(effect: str) -> list[Span]:
    """Return the lines of an effect without their marks."""
    return [
        Span(_KINDS[line[0]], line[1:]) if line[:1] in _KINDS else Span("same", line)
        for line in effect.split("\n")[:-1]
    ]
