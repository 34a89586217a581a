"""Styled text, measured in the cells of a terminal."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from msgspec import Struct

from convert.wording import compiled
from convert.wording.escapes import escape_controls, repair_surrogates
from convert.wording.styles_and_columns import CODES, NARROW, columns, placed

INDENT = "      "
"""The indent of lines below a call, as wide as its number."""

# Where a style begins and ends, and its words: `bold cyan`.
Part = tuple[int, int, str]


class Text(Struct, frozen=True):
    """Text with styles, on a line or on several."""

    plain: str = ""
    """The text without its styles."""

    parts: Sequence[Part] = ()
    """The parts that have a style, in their order; none is empty."""

    def __bool__(self) -> bool:
        return bool(self.plain)

    def __add__(self, other: Text) -> Text:
        return joined((self, other)) if self else other

    @property
    def cells(self) -> int:
        """The number of cells that it takes."""
        return columns(self.plain)

    def stripped(self) -> Text:
        """Return it without white space at its end."""
        return self.shortened_to(self.plain.rstrip())

    def parts_of(self, start: int, end: int) -> list[Part]:
        """Return the styles between two places, as those of a text of its own."""
        if not self.parts or start == end:
            return []
        found = []
        passed = bisect.bisect_right(self.parts, start, key=itemgetter(1))
        for place in range(passed, len(self.parts)):
            at, to, style = self.parts[place]
            if at >= end:
                break
            found.append((max(at, start) - start, min(to, end) - start, style))
        return found

    def shortened_to(self, plain: str) -> Text:
        """Return a text that is no longer, with the styles of this one."""
        return Text(plain, self.parts_of(0, len(plain)))


def joined(texts: Iterable[Text], sign: str = "") -> Text:
    """Return texts that follow one another, with a sign between them."""
    plain = ""
    parts: list[Part] = []
    for place, text in enumerate(texts):
        if place:
            plain += sign
        if text.parts:
            begin = len(plain)
            parts += [(begin + at, begin + to, name) for at, to, name in text.parts]
        plain += text.plain
    return Text(plain, parts)


def styled(text: str, style: str) -> Text:
    """Return text of ours."""
    return Text(text, [(0, len(text), style)]) if text and style else Text(text)


def visible(text: str, style: str = "") -> Text:
    """Return text of a log; signs that would control or hide it become visible."""
    text = escape_controls(repair_surrogates(text))
    return styled(text.expandtabs(4) if "\t" in text else text, style)


def _is_narrow(text: str) -> bool:
    """Return True if each character takes a cell, and only blanks are white space."""
    if text.isascii():
        return "\n" not in text
    return compiled(NARROW).fullmatch(text) is not None


def _first_cells(text: str, cells: int) -> str:
    """Return the beginning of a text that takes more than so many cells."""
    if _is_narrow(text):
        return text[:cells]
    used = 0
    for at, width in placed(text):
        used += width
        if used > cells:
            return text[:at]
    return text


def cut(line: Text, cells: int) -> Text:
    """Return a line, cut with `…` at its end if it takes more cells."""
    if line.cells <= cells:
        return line
    return line.shortened_to(_first_cells(line.plain, max(cells, 0) - 1) + "…")


def wrapped(
    text: Text, cells: int, first: Text | None = None, others: Text | None = None
) -> list[Text]:
    """Return text as lines of at most so many cells.

    The first line begins with `first`, and the others with `others`.
    """
    before = first or Text()
    others = others or Text(" " * before.cells)
    room = max(cells - before.cells, 1)
    lines: list[Text] = []
    begin = 0
    for line in text.plain.split("\n"):
        for start, row in _rows(line, room):
            words = Text(row, text.parts_of(begin + start, begin + start + len(row)))
            lines.append(before + words if row else before.stripped())
            before = others
        begin += len(line) + 1
    return lines


def _rows(line: str, room: int) -> Iterator[tuple[int, str]]:
    """Yield the rows of a line, without white space at their ends, and their starts."""
    starts = _starts(line, room)
    for start, end in itertools.pairwise([*starts, len(line)]):
        row = line[start:end].rstrip()
        # A wide character may have no room on any row.
        if columns(row) > room:
            row = _first_cells(row, room).rstrip()
        yield start, row


def _starts(line: str, room: int) -> list[int]:
    """Return where the rows of a line start; a row breaks between words if it can.

    The blanks after a word belong to its row, though they may have no room there.
    """
    if not _is_narrow(line) or line[:1] == " " or line[-1:] == " ":
        return _starts_of_words(line, room)
    starts = [0]
    at = 0
    while len(line) - at > room:
        word = line.rfind(" ", at, at + room + 1) + 1
        if word > at:
            at = _after_blanks(line, word)
            starts.append(at)
            continue
        # A word without room on any row goes on in the next ones.
        blank = line.find(" ", at + room)
        end = len(line) if blank < 0 else _after_blanks(line, blank)
        while end - at > room:
            at += room
            starts.append(at)
    return starts


def _after_blanks(line: str, at: int) -> int:
    while line[at] == " ":
        at += 1
    return at


def _starts_of_words(line: str, room: int) -> list[int]:
    """Return the same for any line, of which each word is measured."""
    starts = [0]
    used = 0
    for match in compiled(r"\s*\S+\s*").finditer(line):
        word, start = match[0], match.start()
        needed = columns(word.rstrip())
        if needed > room:
            if start:
                starts.append(start)
            used = 0
            for at, width in placed(word):
                if at and used + width > room:
                    starts.append(start + at)
                    used = 0
                used += width
        elif used + needed <= room:
            used += columns(word)
        elif used and start:
            starts.append(start)
            used = columns(word)
    return starts


def at_both_ends(left: Text, right: Text, cells: int) -> Text:
    """Return a line with a text at its start, which may be cut, and one at its end."""
    right = cut(right, cells - 2)
    room = cells - right.cells - (1 if right else 0)
    left = cut(left, room)
    if not right:
        return left
    gap = Text(" " * (cells - left.cells - right.cells))
    return joined((left, gap, right))


def painted(line: Text) -> str:
    """Return a line with the escape sequences of its colours."""
    written: list[str] = []
    at = 0
    for start, end, style in line.parts:
        written += line.plain[at:start], _sequence(style), line.plain[start:end], _END
        at = end
    return "".join([*written, line.plain[at:]])


_END = "\x1b[0m"


@functools.cache
def _sequence(style: str) -> str:
    """Return the escape sequence that begins a style."""
    codes = sorted({CODES[word] for word in style.split()})
    return f"\x1b[{';'.join(map(str, codes))}m"
