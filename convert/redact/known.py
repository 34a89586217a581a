"""Secrets that were found, which are secrets wherever else they stand.

A password that a command gives away stands in its output as well, without anything
around it that tells, also encoded or escaped. Only values that mean nothing else are
looked for: `root` or `true` may be a password, but most times it is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from convert.redact.literals import Literals
from convert.redact.rule import Secret
from convert.redact.suspicion import is_escaped

# How many secrets are remembered, and of how many characters.
_MOST = 1000
_LONGEST = 4096
# How many blocks of lines, and lines, are remembered by what they may hold.
_MOST_BLOCKS = 20_000
_MOST_LINES = 20_000
# From this length on, a secret is looked for inside of words as well.
_SAFE = 16
_SHORTEST = 6
_WORD = re.compile("[A-Za-z0-9_.-]+")
# An escape in front is no part of a word, nor is an option.
_EDGE = re.compile(
    r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{3}|.)|%[0-9A-Fa-f]{2}|=3[Dd]|-p)\Z"
)
_COMMON = re.compile(
    r"[\d.,:_-]+|(?i:[a-z]{1,12}|(?:python|node|ruby|java|go|php|utf|sha|md|base|ipv|int"
    r"|float|http|oauth|postgres|mysql|redis|ubuntu|debian|test|user|admin|version|v"
    r"|release|build|step|local|dev|prod|example)[-_.]?\d{1,4}(?:[._-]\d+)*)"
)


class Known:
    """The secrets of a log that are looked for literally."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        # Each secret in each of its forms, and those that have no edges of their own.
        self._secrets: dict[str, str] = {}
        self._edgeless: set[str] = set()
        self._forms = Literals()
        # The longest word of each form, which is written in JSON as it is.
        self._words = Literals()
        self._is_anywhere = False
        self._suspected: dict[int, bytes] = {}
        self._clean: dict[int, int] = {}

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
        if secret in self._secrets or len(self._names) >= _MOST:
            return
        if len(secret) <= _LONGEST:
            from convert.redact.forms import encoded, written

            self._names[secret] = name
            self._look_for(secret, secret)
            for form in written(secret):
                self._look_for(form, secret)
            for form in encoded(secret):
                self._edgeless.add(form)
                self._look_for(form, secret)

    def _look_for(self, form: str, secret: str) -> None:
        if self._secrets.setdefault(form, secret) == secret:
            self._forms.add(form)
            word = max(_WORD.findall(form), key=len, default="")
            if word:
                self._words.add(word)
            else:
                self._is_anywhere = True

    def secret(self, form: str) -> str:
        """Return the secret that something found is a form of, else the same."""
        return self._secrets.get(form, form)

    def name(self, secret: str, name: str) -> str:
        """Return the kind by which a secret was found first, else `name`."""
        return self._names.get(secret, name)

    @property
    def is_empty(self) -> bool:
        """True if there are none."""
        return not self._names

    def is_in(self, line: bytes) -> bool:
        """Return True if a line of JSON may hold one of the secrets."""
        if self.is_empty:
            return False
        return self._is_anywhere or self._words.is_in(line.decode("latin-1"))

    def add_clean(self, line: bytes) -> None:
        """Remember a line of JSON whose strings hold no secret, also none of these."""
        if len(self._clean) < _MOST_LINES:
            self._clean[hash(line)] = len(self._secrets)

    def is_clean(self, line: bytes) -> bool:
        """Return True for a line that was looked through before and holds no secret.

        A log that is read twice has its suspect lines looked through only once.
        """
        known_then = self._clean.get(hash(line))
        if known_then is None or known_then == len(self._secrets):
            return known_then is not None
        # One that has been found since may be there, or hidden by an escape.
        return not self.is_in(line) and not is_escaped(line.decode("latin-1"))

    def find(self, text: str) -> Iterator[Secret]:
        """Yield the secrets in a text, wherever they stand."""
        if len(text) < _SHORTEST:
            # Most strings of a log are shorter than any secret.
            return
        for at, form in self._forms.find(text):
            end = at + len(form)
            is_safe = len(form) >= _SAFE or form in self._edgeless
            if is_safe or _stands_alone(text, at, end):
                yield Secret(at, end, self._names[self._secrets[form]])


def is_telling(secret: str) -> bool:
    """Return True for a secret that is nothing else where it occurs again."""
    if len(secret) < _SHORTEST or _COMMON.fullmatch(secret):
        return False
    return len(set(secret)) >= 4 and not secret.isdecimal()


def _stands_alone(text: str, begin: int, end: int) -> bool:
    """Return True if no letter or digit goes on before or after a part of a text."""
    if _goes_on(text[end : end + 1]):
        return False
    is_joined = _goes_on(text[max(begin - 1, 0) : begin])
    return not is_joined or bool(_EDGE.search(text[max(begin - 7, 0) : begin]))


def _goes_on(character: str) -> bool:
    """Return True for a character that continues a word.

    Languages without blanks between words have theirs from U+2E80 on.
    """
    return character.isalnum() and character < "\u2e80"
