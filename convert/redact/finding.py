"""All secrets of a text, by all rules."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from convert.redact.places import find_placed
from convert.redact.rule import Rule, Secret
from convert.redact.rules import LONG_WORD, MAIL, read_rules
from convert.redact.values import is_foreign, is_random
from convert.wording.escapes import has_controls, spans_without_controls

# Most of the strings of a log are short, and occur many times.
_SHORT = 40


def find(text: str) -> list[Secret]:
    """Return the secrets in a text from left to right; none overlaps another."""
    return [*(_find_again(text) if len(text) <= _SHORT else _find(text))]


def _find(text: str) -> list[Secret]:
    if len(text) < LONG_WORD and text.isascii() and text.isidentifier():
        # Most names and keywords. No token is so short, and a place has blanks or signs
        # in it; to compile the patterns of `key` takes longer than to read a small log.
        low = text.lower()
        if not any(word in low for word in words_of_other_languages()):
            return []
    return outermost([*find_tokens(text), *find_placed(text)])


@functools.cache
def words_of_other_languages() -> tuple[str, ...]:
    """Return the words that a value may follow without anything in between."""
    places = read_rules().places
    return next(rule.begins for rule in places if rule.accepts is is_foreign)


def outermost(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort secrets and merge those that overlap into one, named as the first."""
    kept: list[Secret] = []
    ordered = sorted(secrets, key=lambda secret: (secret.begin, secret.name == MAIL))
    for secret in ordered:
        if kept and secret.begin < kept[-1].end:
            if secret.name == MAIL:
                # In https://bot:password@host, the part around @ is no address.
                continue
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, secret.end))
        else:
            kept.append(secret)
    return kept


# The characters of words.
OF_WORDS = f"{string.ascii_letters}{string.digits}_.-"
# With it, each character of a word becomes an `a`, and each other one a blank, so that
# a long word is found as fast as a literal.
_PLAIN = bytes(ord("a" if chr(code) in OF_WORDS else " ") for code in range(256))
_LONG = b"a" * LONG_WORD
# Longer words hardly ever occur again.
_LONGEST = 100
# In bytes: a longer text is searched in pieces.
_PIECE = 1 << 18
# The end of an escape, or of a sequence of the terminal, before a word.
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


# Most long words of a log are names of members and ids, and occur many times.
@functools.lru_cache(maxsize=1000)
def _starts_again(around: bytes) -> tuple[int, ...]:
    """Return the same, from the first start on that looks like one of a token."""
    text = around.decode("latin-1")
    starts = _starts_in(around)
    for number, at in enumerate(starts):
        if _may_begin(text, at + 1):
            # Those after it may be a part of that token.
            return starts[number:]
    return ()


def _may_begin(text: str, at: int) -> bool:
    """Return True if a token may begin at an offset of a word with its neighbours."""
    for literal, rule in _led_to(text, at):
        if text.startswith(literal, at):
            if not rule.is_word:
                if rule.then in ("", text[-1]):
                    return True
            elif rule.find_at(text, at):
                return True
    return False


def _token_at(text: str, at: int) -> tuple[Secret | None, int]:
    """Return the longest token at an offset, and the end of the last match."""
    longest = None
    passed = at
    for literal, rule in _led_to(text, at):
        if text.startswith(literal, at) and (match := rule.find_at(text, at)):
            begin, end, last = match
            passed = max(passed, last)
            if begin < end and (longest is None or end > longest.end):
                longest = Secret(begin, end, rule.name)
    return longest, passed


def _led_to(text: str, at: int) -> list[tuple[str, Rule]]:
    """Return the literals that begin with the letter at an offset, with their rules."""
    return _by_letter()[text[at : at + 1]]


@functools.cache
def _by_letter() -> dict[str, list[tuple[str, Rule]]]:
    letters: dict[str, list[tuple[str, Rule]]] = defaultdict(list)
    for rule in read_rules().tokens:
        for literal in rule.begins:
            letters[literal[0]].append((literal, rule))
    return letters


@functools.cache
def _starts() -> re.Pattern[str]:
    """The literals of tokens, grouped by their first letters."""
    rests: dict[str, set[str]] = defaultdict(set)
    for rule in read_rules().tokens:
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
        re.escape(literal)
        for rule in read_rules().tokens
        if rule.reach
        for literal in rule.begins
    )
    return re.compile(f"(?<![A-Za-z0-9_])(?:{either})|{inside}")


_find_again = functools.lru_cache(maxsize=2000)(_find)


def token_starts(text: str, begin: int, end: int) -> Iterator[tuple[int, str, str]]:
    """Yield where tokens may begin in a part of a text, with literal and name."""
    for start in _starts().finditer(text, begin, end):
        for literal, rule in _led_to(text, start.start()):
            if text.startswith(literal, start.start()):
                yield start.start(), literal, rule.name


# A program that colours its output puts sequences between a name and its value, or into
# a token. Reports and transcripts drop them, so that the secret would be whole again.
def find_without_colours(
    text: str, find: Callable[[str], Iterable[Secret]]
) -> Iterator[Secret]:
    """Find secrets in a text without its sequences; the offsets are those in the text.

    A secret includes the sequences inside it. Yields nothing for a text without any.
    """
    if text.isprintable() or not has_controls(text):
        return
    spans = [*spans_without_controls(text)]
    if spans == [(0, len(text))]:
        return
    # Where the spans begin in the text without sequences.
    begins = [0, *itertools.accumulate(end - begin for begin, end in spans)]

    def place(offset: int) -> int:
        span = bisect.bisect_right(begins, offset) - 1
        return spans[span][0] + offset - begins[span]

    for secret in find("".join(text[a:b] for a, b in spans)):
        end = place(secret.end - 1) + 1
        yield secret._replace(begin=place(secret.begin), end=end)


def without_colours(text: str) -> str:
    """Return a text without its sequences."""
    if text.isprintable() or not has_controls(text):
        return text
    return "".join(text[begin:end] for begin, end in spans_without_controls(text))


# Between two parts of a token may be a call, another run or any number of lines. The
# first part is shown before the second is known, so it is a secret if it looks like the
# beginning of one. The second is one if both together are.
# So much of the end of a text is remembered, and of the start of the next searched.
_END = 256
_START = 512
_MOST = 1000
# So many characters after its first ones distinguish a token from a word.
_TELLING = 8


class Cuts:
    """The ends of the last text of each speaker."""

    def __init__(self) -> None:
        self._ends: dict[str, str] = {}

    def find(self, speaker: str, text: str) -> list[Secret]:
        """Return the parts of secrets at the start and the end of a text."""
        return [*continued(self.turn(speaker, text), text), *broken_off(text)]

    def turn(self, speaker: str, text: str) -> str:
        """Remember the end of a text, and return that of the one before."""
        before = self._ends.pop(speaker, "")
        self._ends[speaker] = text[-_END:]
        if len(self._ends) > _MOST:
            del self._ends[next(iter(self._ends))]
        return before


def continued(before: str, text: str) -> list[Secret]:
    """Return the rest of a secret that begins in the text before."""
    at = len(before)
    return [
        secret._replace(begin=0, end=secret.end - at)
        for secret in (find(before + text[:_START]) if before else ())
        if secret.begin < at < secret.end
    ]


def broken_off(text: str) -> list[Secret]:
    """Return the beginning of a token at the end of a text."""
    last = max(len(text) - _END, 0)
    word = last + len(text[last:].rstrip(OF_WORDS))
    for begin, literal, name in token_starts(text, word, len(text)):
        body = text[begin + len(literal) :]
        if len(literal) > 2 and len(body) >= _TELLING and is_random(body):
            return [Secret(begin, len(text), name)]
    return []
