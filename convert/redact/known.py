"""Secrets that were found, which are secrets wherever else they stand.

A password that a command gives away stands in its output as well, without anything
around it that tells. Only values that mean nothing else are looked for: `root` or
`true` may be a password, but most times it is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from convert.redact.rule import Secret

# How many secrets are remembered, and of how many characters.
_MOST = 1000
_LONGEST = 4096
# How many blocks of lines are remembered by what they may hold.
_MOST_BLOCKS = 20_000
# From this length on, a secret is looked for inside of words as well.
_SAFE = 16
_SHORTEST = 6
_WORD = re.compile("[A-Za-z0-9_.-]+")
_COMMON = re.compile(
    r"[\d.,:_-]+|(?i:[a-z]{1,12}|(?:python|node|ruby|java|go|php|utf|sha|md|base|ipv|int"
    r"|float|http|oauth|postgres|mysql|redis|ubuntu|debian|test|user|admin|version|v"
    r"|release|build|step|local|dev|prod|example)[-_.]?\d{1,4}(?:[._-]\d+)*)"
)


class Known:
    """The secrets of a log that are looked for literally."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        # The longest word of each, which is written in JSON as it is.
        self._words: set[bytes] = set()
        self._suspected: dict[int, bytes] = {}

    def suspected(
        self, of: Callable[[list[bytes]], bytes]
    ) -> Callable[[list[bytes]], bytes]:
        """Return a function that asks another one about the same lines only once.

        A log that is read twice takes a quarter less time with it.
        """

        def ask(lines: list[bytes]) -> bytes:
            key = hash(tuple(lines))
            if key not in self._suspected and len(self._suspected) < _MOST_BLOCKS:
                self._suspected[key] = of(lines)
            return self._suspected.get(key) or of(lines)

        return ask

    def add(self, secret: str, name: str) -> None:
        """Remember a secret; the lines of a private key count each."""
        if name == "private key":
            for line in re.findall(r"[A-Za-z0-9+/=]{32,}", secret):
                self._add(line, name)
        elif is_telling(secret):
            self._add(secret, name)

    def _add(self, secret: str, name: str) -> None:
        if len(self._names) < _MOST and len(secret) <= _LONGEST:
            self._names.setdefault(secret, name)
            self._words.add(max(_WORD.findall(secret), key=len, default="").encode())

    def name(self, secret: str, name: str) -> str:
        """Return the kind by which a secret was found first, else `name`."""
        return self._names.get(secret, name)

    def is_in(self, line: bytes) -> bool:
        """Return True if a line of JSON may hold one of the secrets."""
        return any(word in line for word in self._words)

    def find(self, text: str) -> Iterator[Secret]:
        """Yield the secrets in a text, wherever they stand."""
        # Most strings of a log are shorter than any secret.
        for secret, name in self._names.items() if len(text) >= _SHORTEST else ():
            at = text.find(secret)
            while at >= 0:
                end = at + len(secret)
                if len(secret) >= _SAFE or _stands_alone(text, at, end):
                    yield Secret(at, end, name)
                at = text.find(secret, end)


def is_telling(secret: str) -> bool:
    """Return True for a secret that is nothing else where it occurs again."""
    if len(secret) < _SHORTEST or _COMMON.fullmatch(secret):
        return False
    return len(set(secret)) >= 4 and not secret.isdecimal()


def _stands_alone(text: str, begin: int, end: int) -> bool:
    """Return True if no letter or digit goes on before or after a part of a text.

    The n of a line feed that is written as an escape is no letter, nor are the signs of
    languages without spaces between words.
    """
    before = text[begin - 1 : begin]
    if before == "p" and text[begin - 2 : begin] == "-p":
        before = ""
    is_escape = text[begin - 2 : begin - 1] == "\\"
    return (is_escape or not _goes_on(before)) and not _goes_on(text[end : end + 1])


def _goes_on(character: str) -> bool:
    """Return True for a character that continues a word; from U+2E80 on, none does."""
    return character.isalnum() and character < "\u2e80"
