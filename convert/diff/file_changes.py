"""How the contents differ in which two runs leave a file, where both are known.

Lines that only a rule for noise makes equal count as equal, in the spelling of the
baseline. A change is hard to see if it is in white space, in characters without width,
in a letter that looks like another one, or a single character.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from unicodedata import category, normalize

from msgspec.structs import replace

from convert.diff.comparison import RunComparison
from convert.diff.files import FileComparison
from convert.diff.text_changes import (
    FileChange,
    Hunk,
    LineChange,
    Pairs,
    SubtleChange,
    alike_between,
    line_change,
    lines_of,
)
from convert.facts.changed_files import NetChange
from convert.facts.edits import ABSENT, Content, text_of
from convert.wording.alignment import Block, align, common_length
from convert.wording.diffs import common_prefix, common_suffix

# Longer parts of two lines are not compared character by character.
_MOST_PAIRS = 1_000_000


def has_known_contents(file: FileComparison) -> bool:
    """Return True if a file differs, and the logs record both contents."""
    return _contents(file) is not None


def file_change(file: FileComparison, run: RunComparison) -> FileChange | None:
    """Return how a file differs in the end; None if the logs do not record it."""
    if file.path not in run.file_changes:
        run.file_changes[file.path] = _compared(file, run)
    return run.file_changes[file.path]


def _contents(file: FileComparison) -> tuple[Content, Content] | None:
    """Return both contents of a file; None if it is the same or one is not known.

    A run that leaves a file alone leaves it as the other run found it.
    """
    is_known = file.status.startswith(("differs", "only", "deleted"))
    sides = [each for each in (file.a, file.b) if isinstance(each, NetChange)]
    if not is_known or not sides or len(sides) < sum(map(bool, (file.a, file.b))):
        return None
    old = sides[0].after if file.a else sides[0].before
    new = sides[-1].after if file.b else sides[0].before
    if old == new or None in (text_of(old), text_of(new)):
        return None
    return old, new


def _compared(file: FileComparison, run: RunComparison) -> FileChange | None:
    if (contents := _contents(file)) is None:
        return None
    recorded = [text_of(content) or "" for content in contents]
    shown, keys = _after_rules(file, run, recorded)
    is_ended = any(text.endswith("\n") for text in shown)
    old, new = (lines_of(text, is_ended) for text in shown)
    one, other = (lines_of(text, is_ended) for text in keys)
    equal = [*align(one, other).pairs(range(len(one)), range(len(other)))]
    change = line_change("content", old, _spelled_alike(old, new, equal), equal)
    if [text.count("\n") for text in recorded] == [text.count("\n") for text in shown]:
        a, b = (text.split("\n") for text in recorded)
        recorded[1] = "\n".join(_spelled_alike(a, b, equal))
    old_text, new_text = (
        None if content is ABSENT else text
        for content, text in zip(contents, recorded, strict=True)
    )
    return FileChange(old_text, new_text, _with_subtle(change, old, new, equal))


def _after_rules(
    file: FileComparison, run: RunComparison, texts: list[str]
) -> tuple[list[str], list[str]]:
    """Return two contents as they are shown and as they are compared.

    If only one run changed the file, the other content is from its log as well.
    """
    a, b = run.sides
    if a is None or b is None or file.a is None or file.b is None:
        return texts, texts
    old, new = a.rules.content(texts[0]), b.rules.content(texts[1])
    if (pairs := run.value_pairs) is None:
        return [old, new], [old, new]
    return [old, new], [pairs.named(old, True), pairs.named(new, False)]


def _spelled_alike(old: list[str], new: list[str], equal: Pairs) -> list[str]:
    """Return the new lines, those that are equal in the spelling of the old ones."""
    spelled = [*new]
    for at, to in equal:
        spelled[to] = old[at]
    return spelled


def _with_subtle(
    change: LineChange, old: list[str], new: list[str], equal: Pairs
) -> LineChange:
    """Return a change with the parts of it that are hard to see."""
    found = [*_subtle_changes(old, new, equal)]
    hunks: list[Hunk] = []
    for hunk, follower in itertools.zip_longest(change.hunks, change.hunks[1:]):
        end = follower.line if follower else len(new) + 1
        within = tuple(each for each in found if hunk.line <= each.line < end)
        hunks.append(hunk._replace(subtle=within))
    return replace(change, hunks=hunks)


def _subtle_changes(
    old: list[str], new: list[str], equal: Pairs
) -> Iterator[SubtleChange]:
    """Yield the changes between lines that are alike, if they are hard to see."""

    def size(ones: range, others: range) -> int:
        return sum(len(old[at]) for at in ones) + sum(len(new[to]) for to in others)

    def likeness(at: int, to: int) -> float:
        return _likeness(old[at], new[to])

    at = to = 0
    for one, other in [*equal, (len(old), len(new))]:
        gap = range(at, one), range(to, other)
        alike = [*alike_between(*gap, size, likeness)]
        if not alike and min(map(len, gap)) > 1:
            # Many lines may differ in their white space alone.
            bare = [_bare(old[n]) for n in gap[0]], [_bare(new[n]) for n in gap[1]]
            alike = [*align(*bare).pairs(*gap)]
        for before, after in alike:
            yield from _places(after + 1, old[before], new[after])
        at, to = one + 1, other + 1


def _bare(line: str) -> str:
    """Return the characters of a line that everybody sees."""
    return "".join(filter(str.isprintable, "".join(line.split())))


def _likeness(old: str, new: str) -> float:
    """Return the share of characters that two lines have in common."""
    if old.split() == new.split():
        return 1.0
    _, one, other = _without_ends(old, new)
    if len(one) * len(other) > _MOST_PAIRS:
        return 0.0
    longer = max(len(old), len(new))
    return (longer - max(len(one), len(other)) + common_length(one, other)) / longer


def _without_ends(old: str, new: str) -> tuple[int, str, str]:
    """Return where two lines begin to differ, and the parts without common ends."""
    begin = common_prefix(old, new)
    one, other = old[begin:], new[begin:]
    end = common_suffix(one, other)
    return begin, one[: len(one) - end], other[: len(other) - end]


def _places(line: int, old: str, new: str) -> list[SubtleChange]:
    """Return the places in which a line changed, if all of them are hard to see."""
    begin, one, other = _without_ends(old, new)
    if len(one) * len(other) > _MOST_PAIRS:
        return []
    places = []
    at = to = 0
    for block in [*align(one, other).blocks, Block(len(one), len(other), 0)]:
        was, now = one[at : block.old], other[to : block.new]
        if was or now:
            is_last = begin + block.new == len(new) and begin + block.old == len(old)
            column = begin + to + 1
            places.append(SubtleChange(line, 0 if is_last else column, was, now))
        at, to = block.old_end, block.new_end
    if all(map(_is_hard_to_see, places)):
        return places
    is_single = len(places) == 1 and max(len(places[0].old), len(places[0].new)) == 1
    return [places[0]._replace(column=begin + 1)] if is_single else []


def _is_hard_to_see(place: SubtleChange) -> bool:
    """Return True if nobody sees a change, or if one letter looks like another."""
    old, new = place.old, place.new
    if all(char.isspace() or category(char)[0] in "CM" for char in old + new):
        return True
    if len(old) == len(new) == 1 and old.isascii() != new.isascii():
        return True
    return normalize("NFKC", old) == normalize("NFKC", new)
