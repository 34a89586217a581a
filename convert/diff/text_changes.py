"""The changes inside a text: by words in prose, by lines elsewhere."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from convert.diff.texts import CJK
from convert.wording.differences import Block, align, hunks

# A word as a reader sees it, with the white space before it.
_WORD = rf"\s*(?:[{CJK}]|[^\s{CJK}]+)|\s+$"
_CONTEXT = 3
_MOST_LINES = 20
# The number of equal words shown on either side of a change.
_AROUND = 6
_NOT_ENDED = " (no line feed at the end)"

Kind = Literal["same", "removed", "added"]


class Span(NamedTuple):
    """A part of a text that both sides have or only one; or a line without its end."""

    kind: Kind
    """The sides that have it: both, the old one or the new one."""

    text: str
    """The text; a line has no line feed."""


class Hunk(NamedTuple):
    """Changed lines with those around them."""

    line: int
    """The number of the first changed line, from 1."""

    lines: list[Span]
    """The lines without their ends."""


class WordChange(NamedTuple):
    """Two wordings of a text."""

    path: str
    """The path of the text in the arguments or the output."""

    spans: list[Span]
    """Both texts as one, with long equal parts shortened."""


class LineChange(NamedTuple):
    """Two texts that differ in some lines."""

    path: str
    """The path of the text in the arguments or the output."""

    changed: int
    """The number of lines that differ."""

    total: int
    """The number of lines of the longer text."""

    hunks: list[Hunk]
    """The first changes."""

    omitted: int
    """The number of changed lines that are in no hunk."""


def words_changed(path: str, old: str, new: str) -> WordChange:
    """Compare two texts by words."""
    spans = _spans(re.findall(_WORD, old), re.findall(_WORD, new))
    return WordChange(path, list(_elided(spans)))


def text_lines_changed(path: str, old: str, new: str) -> LineChange:
    """Compare two texts by lines."""
    is_ended = old.endswith("\n") or new.endswith("\n")
    return lines_changed(path, *(_lines(text, is_ended) for text in (old, new)))


def _lines(text: str, is_ended: bool) -> list[str]:
    """Return the lines of a text; `is_ended` marks a last one without a line feed."""
    *lines, last = text.split("\n")
    if last and is_ended:
        last += _NOT_ENDED
    return [*lines, last] if last or not is_ended else lines


def lines_changed(path: str, old: list[str], new: list[str]) -> LineChange:
    """Compare two lists of lines, and keep the first changes with their context."""
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
    kinds = [line.kind for hunk in shown for line in hunk.lines]
    omitted = len(old) + len(new) - 2 * equal
    omitted -= sum(kind != "same" for kind in kinds)
    return LineChange(path, changed, max(len(old), len(new)), shown, omitted)


def _hunk_lines(hunk: list[Block], old: list[str], new: list[str]) -> Iterator[Span]:
    first = hunk[0]
    yield from (Span("same", line) for line in new[first.new : first.new_end])
    for block, follower in itertools.pairwise(hunk):
        yield from (Span("removed", line) for line in old[block.old_end : follower.old])
        yield from (Span("added", line) for line in new[block.new_end : follower.new])
        equal = new[follower.new : follower.new_end]
        yield from (Span("same", line) for line in equal)


def _spans(old: list[str], new: list[str]) -> Iterator[Span]:
    """Yield two lists of words as one: what is only in either, and what is in both."""
    at = to = 0
    for block in [*align(old, new).blocks, Block(len(old), len(new), 0)]:
        if at < block.old:
            yield Span("removed", "".join(old[at : block.old]))
        if to < block.new:
            yield Span("added", "".join(new[to : block.new]))
        if block.length:
            yield Span("same", "".join(old[block.old : block.old_end]))
        at, to = block.old_end, block.new_end


def _elided(spans: Iterator[Span]) -> Iterator[Span]:
    """Yield spans, of long equal ones only the words next to a change."""
    listed = list(spans)
    for place, span in enumerate(listed):
        words = re.findall(_WORD, span.text) if span.kind == "same" else []
        before = 0 if place == 0 else _AROUND
        after = 0 if place == len(listed) - 1 else _AROUND
        if len(words) <= before + after + 1:
            yield span
            continue
        first = "".join(words[:before])
        last = "".join(words[len(words) - after :])
        yield Span("same", f"{first} …{last}")
