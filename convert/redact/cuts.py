"""Secrets that break off where a text does, and go on in the next one.

Between two parts of a token may be a call, another run or any number of lines. The
first part is shown before the second is known, so it is a secret if it looks like the
beginning of one. The second is one if both together are.
"""

from __future__ import annotations

from convert.redact.finding import find
from convert.redact.rule import Secret
from convert.redact.tokens import OF_WORDS, token_starts
from convert.redact.values import is_random

# So much of the end of a text is remembered, and of the start of the next looked at.
_END = 256
_START = 512
_MOST = 1000
# So many characters after its first ones tell a token from a word.
_TELLING = 8


class Cuts:
    """The ends of the last text of each voice."""

    def __init__(self) -> None:
        self._ends: dict[str, str] = {}

    def find(self, voice: str, text: str) -> list[Secret]:
        """Return the parts of secrets at the start and the end of a text."""
        return [*continued(self.turn(voice, text), text), *broken_off(text)]

    def turn(self, voice: str, text: str) -> str:
        """Remember the end of a text, and return that of the one before."""
        before = self._ends.pop(voice, "")
        self._ends[voice] = text[-_END:]
        if len(self._ends) > _MOST:
            del self._ends[next(iter(self._ends))]
        return before


def continued(before: str, text: str) -> list[Secret]:
    """Return the rest of a secret that begins in the text before."""
    at = len(before)
    return [
        Secret(0, end - at, name)
        for begin, end, name in (find(before + text[:_START]) if before else ())
        if begin < at < end
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
