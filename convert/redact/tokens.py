"""Tokens that show by their own shape what they are, among the long words of a text."""

from __future__ import annotations

import functools
import re
import string
from collections import defaultdict
from collections.abc import Iterator

from convert.redact.rule import Rule, Secret
from convert.redact.rules import TOKENS
from convert.redact.rules.issuers import LONG_WORD

# The characters of words.
OF_WORDS = f"{string.ascii_letters}{string.digits}_.-"
# With it, each character of a word becomes an `a`, and each other one a blank, so that
# a long word is found as fast as a literal.
_PLAIN = bytes(ord("a" if chr(code) in OF_WORDS else " ") for code in range(256))
_LONG = b"a" * LONG_WORD
# Longer words are hardly ever there again.
_LONGEST = 100
# In bytes: a longer text is looked through in pieces.
_PIECE = 1 << 18
# The end of an escape, or of a sequence of the terminal, in front of a word.
_ESCAPE = re.compile(
    r"(?<=\\)(?:[nrtbf]|x[0-9A-Fa-f]{2}|u00[0-9A-Fa-f]{2})|(?<=%)[0-9A-Fa-f]{2}"
    r"|(?<==)3[Dd]|(?<=[\[;])\d{0,3}[mK]|(?<=\()B"
)


def find_tokens(text: str) -> Iterator[Secret]:
    """Yield the tokens among the long words of a text."""
    for begin, starts in words_with_starts(text.encode("ascii", "replace")):
        passed = begin
        for start in starts:
            if begin + start >= passed:
                found, passed = _token_at(text, begin + start)
                if found:
                    yield found


def words_with_starts(text: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield where the words are in which tokens may begin, and where in each of them.

    Bytes beyond ASCII are no part of a word.
    """
    for first, piece in _pieces(text):
        find = piece.translate(_PLAIN).find
        begin = find(_LONG)
        while begin >= 0:
            end = find(b" ", begin)
            look = _starts_again if end - begin <= _LONGEST else _starts_in
            if starts := look(piece[begin - 1 : end + 1]):
                yield first + begin - 1, starts
            begin = find(_LONG, end)


def _pieces(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of a text, each with its place and the bytes around it.

    No word is in two of them. A text may have some MB, and each is copied twice.
    """
    first = end = 0
    while end < len(text):
        end = text.find(b" ", first + _PIECE) if len(text) > first + _PIECE else -1
        end = end if end >= 0 else len(text)
        # The ends of a text are like those of a line.
        before, after = text[first - 1 : first] or b"\n", text[end : end + 1] or b"\n"
        yield first, b"%b%b%b" % (before, text[first:end], after)
        first = end


def _starts_in(around: bytes) -> tuple[int, ...]:
    """Return where tokens may begin in a word between two characters."""
    text = around[:-1].decode("latin-1")
    starts = [start.start() - 1 for start in _starts().finditer(text, 1)]
    if escape := _ESCAPE.match(text, 1):
        first = escape.end() - 1
        starts = [first, *(at for at in starts if at >= first)]
    return tuple(starts)


# Most long words of a log are names of members and ids, and are there many times.
@functools.lru_cache(maxsize=1000)
def _starts_again(around: bytes) -> tuple[int, ...]:
    """Return the same, from the first start on that looks like one of a token."""
    text = around.decode("latin-1")
    starts = _starts_in(around)
    for number, at in enumerate(starts):
        if _may_begin(text, at + 1):
            # Those behind it may be a part of that token.
            return starts[number:]
    return ()


def _may_begin(text: str, at: int) -> bool:
    """Return True if a token may begin at an offset of a word and what is around it."""
    for literal, rule in _led_to(text, at):
        if text.startswith(literal, at):
            if not rule.is_word:
                if rule.then in ("", text[-1]):
                    return True
            elif rule.match(text, at):
                return True
    return False


def _token_at(text: str, at: int) -> tuple[Secret | None, int]:
    """Return the longest token at an offset, and the end of what was looked at."""
    longest = None
    passed = at
    for literal, rule in _led_to(text, at):
        if text.startswith(literal, at) and (match := rule.match(text, at)):
            begin, end, last = match
            passed = max(passed, last)
            if begin < end and (longest is None or end > longest.end):
                longest = Secret(begin, end, rule.name)
    return longest, passed


def token_starts(text: str, begin: int, end: int) -> Iterator[tuple[int, str, str]]:
    """Yield where tokens may begin in a part of a text, with literal and name."""
    for start in _starts().finditer(text, begin, end):
        for literal, rule in _led_to(text, start.start()):
            if text.startswith(literal, start.start()):
                yield start.start(), literal, rule.name


def _led_to(text: str, at: int) -> list[tuple[str, Rule]]:
    """Return the literals, with their rules, that begin as a part of a text does."""
    return _by_letter()[text[at : at + 1]]


@functools.cache
def _by_letter() -> dict[str, list[tuple[str, Rule]]]:
    letters: dict[str, list[tuple[str, Rule]]] = defaultdict(list)
    for rule in TOKENS:
        for literal in rule.begins:
            letters[literal[0]].append((literal, rule))
    return letters


@functools.cache
def _starts() -> re.Pattern[str]:
    """The literals of tokens, grouped by their first letters."""
    rests: dict[str, set[str]] = defaultdict(set)
    for rule in TOKENS:
        for literal in rule.begins if not rule.reach else ():
            rests[literal].add(rule.follows)
    heads: dict[str, list[str]] = defaultdict(list)
    for literal, follows in sorted(rests.items()):
        rest = f"(?={'|'.join(sorted(follows))})" if "" not in follows else ""
        heads[literal[0]].append(re.escape(literal[1:]) + rest)
    either = "|".join(
        f"{letter}(?:{'|'.join(literals)})" for letter, literals in heads.items()
    )
    inside = "|".join(
        re.escape(literal) for rule in TOKENS if rule.reach for literal in rule.begins
    )
    return re.compile(f"(?<![A-Za-z0-9_])(?:{either})|{inside}")
