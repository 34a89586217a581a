"""Secrets in lines under their name: the items of a list, the column of a table.

A rule finds one value beside a name; here a name stands once for the values of many
lines. Each line is read once, as a head or below one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from convert.redact.rule import Secret
from convert.redact.values import is_mixed, is_written

# One of these is in each head, in small letters.
_LITERALS = ("passw", "passphrase", "pwd", "secret", "token", "key")
_WORD = (
    r"(?:(?P<password>pass(?:words?|wd|phrases?)|pwd)|secrets?|tokens?"
    r"|(?:api|access|secret|auth|private|client)[ _-]?(?:keys?|secrets?|tokens?))"
)
_NAME = re.compile(rf"(?i)(?:\w{{1,24}}[ _.-])?{_WORD}")
_LIST = re.compile(rf"(?i)\s{{0,40}}(?:[\w.-]{{1,24}}[_.-])?{_WORD}:\s{{0,4}}")
_ITEM = re.compile(r"\s{0,40}- (\"[^\"]*\"|'[^']*'|[^\s\"'#{}:]*)\s{0,4}")
# A head has short names alone, and the marks that part them.
_HEAD = re.compile(r"[\w .#\"*`/|\t,;\r-]{5,500}")
_SEPARATOR = re.compile(r"[-+|=: \r]+")
_CELLS = {
    mark: re.compile(rf"(?:\A|[{mark}])(\s*\"(?>(?:[^\"]|\"\")*)\"\s*|[^{mark}]*+)")
    for mark in "|\t;,"
}
_ALIGNED = re.compile(r"(?<!\S)(?<!\S )\S+(?: \S+)*")
_WORD_AT = re.compile(r"(?<!\S)\S+")
_AROUND = " \t\"'`*\r"
_SHORTEST = 6
# No name in a head is longer, no head begins further before its word, and no line below
# one is longer.
_LONGEST = 32
_LONGEST_HEAD = 500
_LONGEST_LINE = 4096

Span = tuple[int, int]
"""Where a cell begins and ends in its line."""

Below = Callable[[str], "Span | None"]
"""Tells where the cell of a line is; None for a line that is not below the head."""


def find_below(text: str, low: str) -> Iterator[Secret]:
    """Yield the secrets below a head; `low` is the text in small letters."""
    passed = 0
    for at in _heads(low) if "\n" in text else ():
        if at < passed or (line := _line_around(text, at)) is None:
            continue
        begin, passed = line
        below, accepts = _below(text[begin:passed])
        while below and passed < len(text):
            begin, passed = passed + 1, _end_of_line(text, passed + 1)
            cell = below(text[begin:passed])
            if cell is None:
                # The line may be the head of another table.
                passed = begin - 1
                break
            first, last = _stripped(text, begin + cell[0], begin + cell[1])
            if last - first >= _SHORTEST and accepts(text[first:last]):
                yield Secret(first, last, "password")


def _heads(low: str) -> list[int]:
    """Return where the words of heads are, from left to right."""
    found = []
    for literal in _LITERALS:
        at = low.find(literal)
        while at >= 0:
            found.append(at)
            at = low.find(literal, at + len(literal))
    return sorted(found)


def _line_around(text: str, at: int) -> Span | None:
    """Return where the line around an offset is, unless it is too long for a head."""
    begin = text.rfind("\n", max(at - _LONGEST_HEAD, 0), at) + 1
    end = text.find("\n", at, at + _LONGEST_HEAD)
    if end < 0 or (begin == 0 and at > _LONGEST_HEAD):
        return None
    return begin, end


def _end_of_line(text: str, begin: int) -> int:
    end = text.find("\n", begin, begin + _LONGEST_LINE)
    return min(len(text), begin + _LONGEST_LINE) if end < 0 else end


def _below(head: str) -> tuple[Below | None, Callable[[str], bool]]:
    """Return what finds the cells below a line, and what tells which are secrets."""
    if (name := _LIST.fullmatch(head)) is not None:
        return _item, _judge(name)
    if not _HEAD.fullmatch(head):
        return None, is_mixed
    for mark, cells in _CELLS.items():
        if mark in head:
            names = [match[1].strip(_AROUND) for match in cells.finditer(head)]
            is_head = mark == "|" or all(0 < len(name) <= _LONGEST for name in names)
            for number, name in enumerate(map(_NAME.fullmatch, names)):
                if name is not None and is_head:
                    below = partial(_part, cells, len(names), number)
                    return below, _judge(name)
            return None, is_mixed
    return _aligned(head)


def _aligned(head: str) -> tuple[Below | None, Callable[[str], bool]]:
    """Return the same for a head whose names are parted by two blanks or more."""
    names = [*_ALIGNED.finditer(head)]
    for found in names if len(names) > 1 else ():
        if (name := _NAME.fullmatch(found[0])) is not None:
            return partial(_word, found.start()), _judge(name)
    return None, is_mixed


def _judge(name: re.Match[str]) -> Callable[[str], bool]:
    """Return what tells a secret: the name of a token is that of other things, too."""
    return is_written if name["password"] else is_mixed


def _item(line: str) -> Span | None:
    item = _ITEM.fullmatch(line)
    return None if item is None else item.span(1)


def _part(cells: re.Pattern[str], count: int, number: int, line: str) -> Span | None:
    """Return the cell with a number, in a line with as many cells as the head."""
    if _SEPARATOR.fullmatch(line):
        return 0, 0
    spans = [match.span(1) for match in cells.finditer(line)]
    return spans[number] if len(spans) == count else None


def _word(begin: int, line: str) -> Span | None:
    """Return the word that begins at an offset, in a line that is aligned so."""
    if not line.strip():
        return None
    word = _WORD_AT.match(line, begin)
    return (0, 0) if word is None else word.span()


def _stripped(text: str, begin: int, end: int) -> Span:
    """Return where a cell is without the quotes and blanks around it."""
    cell = text[begin:end]
    begin += len(cell) - len(cell.lstrip(_AROUND))
    return begin, begin + len(cell.strip(_AROUND))
