"""Excerpts of the output of a call that failed: the reason before the beginning.

Lines that name an error come first, with some lines around them, and the end of the
output; the beginning has the room that is left.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from msgspec import Struct

from convert.transcript.clips import Clip, clip, is_small, omission
from convert.wording.compiled import compiled
from convert.wording.numbers import byte_count

# A line with the reason of a failure, but not `0 errors` or `no failures`.
_REASON = (
    r"(?i)(?<!\b0 )(?<!\bno )(?:\b(?:fail|assert|traceback|panic|fatal|undefined\b)"
    r"|error|exception)"
)
# Lines shown before and after one with a reason.
_BEFORE, _AFTER = 2, 3


class Excerpt(Struct, frozen=True):
    """Consecutive lines of a text."""

    text: str
    """The lines, with their line feeds."""

    omitted_lines: int
    """How many lines are left out before them."""

    omitted_bytes: int
    """How many bytes these take."""


class Excerpts(Struct, frozen=True):
    """A text of which only some lines are shown."""

    excerpts: list[Excerpt]
    """The lines that are shown; the last one may be empty, after what is left out."""

    lines: int
    """How many lines are shown."""

    bytes: int
    """How many bytes these take."""

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield what is shown, each with a note on what is left out before it."""
        for excerpt in self.excerpts:
            note = omission(excerpt.omitted_lines, excerpt.omitted_bytes)
            yield note, excerpt.text


def excerpts(
    text: Clip | Excerpts, most_lines: int, most_bytes: int
) -> Clip | Excerpts:
    """Keep of the output of a failed call what tells most about the failure."""
    if isinstance(text, Clip):
        has_room = text.lines <= most_lines and text.bytes <= most_bytes
        texts = [] if text.omitted_bytes or has_room else _split(text.head)
        if not texts or max(map(len, texts)) > most_bytes // 4:
            return clip(text, most_lines, most_bytes)
    lines = lines_of(text)
    kept = _kept([line.text for line in lines], most_lines, most_bytes)
    return joined(lines, kept)


def lines_of(text: Clip | Excerpts) -> list[Excerpt]:
    """Return the lines that are shown, each with what is left out before it."""
    if isinstance(text, Clip):
        return [Excerpt(line, 0, 0) for line in _split(text.head)]
    return [*_lines_of_excerpts(text)]


def _lines_of_excerpts(text: Excerpts) -> Iterator[Excerpt]:
    for excerpt in text.excerpts:
        first, *others = _split(excerpt.text) or [""]
        yield Excerpt(first, excerpt.omitted_lines, excerpt.omitted_bytes)
        for line in others:
            yield Excerpt(line, 0, 0)


def _split(text: str) -> list[str]:
    """Split a text at line feeds alone, which stay."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _kept(lines: list[str], most_lines: int, most_bytes: int) -> set[int]:
    """Return the places of the lines that are kept."""
    kept: set[int] = set()
    for place in _preferred(lines, most_lines):
        if len(kept) == most_lines:
            break
        length = byte_count(lines[place])
        if place not in kept and 0 < length <= most_bytes:
            most_bytes -= length
            kept.add(place)
    return kept


def _preferred(lines: list[str], most_lines: int) -> Iterator[int]:
    """Yield places of lines, what tells most about a failure first."""
    last = len(lines)
    yield from range(last - 1, max(last - 1 - most_lines // 4, -1), -1)
    reason = compiled(_REASON)
    reasons = (place for place, line in enumerate(lines) if reason.search(line))
    for place in itertools.islice(reasons, most_lines):
        yield place
        yield from range(max(place - _BEFORE, 0), min(place + _AFTER + 1, last))
    yield from range(last - 1, max(last - 1 - most_lines // 2, -1), -1)
    yield from range(min(most_lines, last))


def joined(lines: list[Excerpt], kept: set[int]) -> Excerpts:
    """Join the lines that are kept, with those of gaps too small for a note."""
    kept = kept | _in_small_gaps(lines, kept)
    joined: list[Excerpt] = []
    run: list[str] = []
    gap_lines = gap_bytes = 0
    shown_bytes = 0
    before = 0, 0
    for place, line in enumerate(lines):
        gap_lines += line.omitted_lines
        gap_bytes += line.omitted_bytes
        if place not in kept:
            gap_lines += line.text != ""
            gap_bytes += byte_count(line.text)
            continue
        if gap_bytes and run:
            joined.append(Excerpt("".join(run), *before))
            run = []
        if not run:
            before = gap_lines, gap_bytes
        gap_lines = gap_bytes = 0
        run.append(line.text)
        shown_bytes += byte_count(line.text)
    if run:
        joined.append(Excerpt("".join(run), *before))
    if gap_bytes:
        joined.append(Excerpt("", gap_lines, gap_bytes))
    return Excerpts(joined, len(kept), shown_bytes)


def _in_small_gaps(lines: list[Excerpt], kept: set[int]) -> set[int]:
    """Return the places in gaps that hold next to nothing."""
    small: set[int] = set()
    for is_kept, group in itertools.groupby(range(len(lines)), kept.__contains__):
        gap = [*group]
        # Text that is gone already gets a note anyway.
        is_open = any(line.omitted_bytes for line in lines[gap[0] : gap[-1] + 2])
        length = sum(byte_count(lines[at].text) for at in gap)
        if not (is_kept or is_open) and is_small(len(gap), length):
            small.update(gap)
    return small
