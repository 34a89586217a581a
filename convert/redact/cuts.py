"""Secrets that break off where a text does, and go on in the next one.

Between two parts of a token may be a call, another run or any number of lines. The
first part is shown before the second is known, so it is a secret if it looks like the
beginning of one. The second is one if both together are.
"""

from __future__ import annotations

from convert.redact.finding import find
from convert.redact.places import gates_in
from convert.redact.rule import Secret
from convert.redact.tokens import OF_WORDS, find_tokens, token_starts
from convert.redact.values import is_random

# So much of the end of a text is remembered, and of the start of the next looked at.
_END = 256
_START = 512
_MOST = 1000
# No literal with blanks, nor a token of two words, has more characters.
_NEAR = 80
# So many characters after its first ones tell a token from a word.
_TELLING = 8


class Cuts:
    """The ends of the last text of each voice."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[str, bool]] = {}

    def find(self, voice: str, text: str, is_suspect: bool = True) -> list[Secret]:
        """Return the parts of secrets at the start and the end of a text.

        If neither this text nor the one before is suspect, only what their joint makes
        can be the sign of one.
        """
        before, was_suspect = self._ends.pop(voice, ("", False))
        self._ends[voice] = text[-_END:], is_suspect
        if len(self._ends) > _MOST:
            del self._ends[next(iter(self._ends))]
        if before and not is_suspect and not was_suspect:
            before = before if _is_sign(_joint(before, text)) else ""
        return [*_continued(before, text), *_broken_off(text)]


def _joint(before: str, text: str) -> str:
    """Return the end of a text and the start of the next, with whole words."""
    last, first = before.rsplit(maxsplit=1)[-1:], text[:_START].split(maxsplit=1)[:1]
    ends = [word for word in last if before.endswith(word)]
    starts = [word for word in first if text.startswith(word)]
    end = max([before[-_NEAR:], *ends], key=len)
    return end + max([text[:_NEAR], *starts], key=len)


def _is_sign(text: str) -> bool:
    """Return True for a text with a part that may lead to a secret, or a token."""
    return bool(gates_in(text)) or any(True for _ in find_tokens(text))


def _continued(before: str, text: str) -> list[Secret]:
    """Return the rest of a secret that begins in the text before."""
    at = len(before)
    return [
        Secret(0, end - at, name)
        for begin, end, name in (find(before + text[:_START]) if before else ())
        if begin < at < end
    ]


def _broken_off(text: str) -> list[Secret]:
    """Return the beginning of a token at the end of a text."""
    last = max(len(text) - _END, 0)
    word = last + len(text[last:].rstrip(OF_WORDS))
    for begin, literal, name in token_starts(text, word, len(text)):
        body = text[begin + len(literal) :]
        if len(literal) > 2 and len(body) >= _TELLING and is_random(body):
            return [Secret(begin, len(text), name)]
    return []
