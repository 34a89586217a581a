"""Small letters, in which literals are looked for."""

from __future__ import annotations

import itertools
import re

_EMOJI = re.compile("[\U00010000-\U0010ffff]")
_PIECE = 1 << 18
# The letters beyond ASCII whose small letters are in it.
_BEYOND_ASCII = (("\u212a".encode(), b"k"), ("\u0130".encode(), b"i"))
# The capitals of a letter that `str.upper` does not know.
_OTHER_CAPITALS = {"ω": "\u2126"}
# So many letters beyond ASCII tell a word from most others.
_TELLING = 2


def lowered(text: str) -> str:
    """Return a text in small letters, as long as it was, and without emoji.

    With them, Python needs 16 bytes for each character, and three times as long.
    """
    if text.isascii():
        return text.lower()
    return "".join(
        _EMOJI.sub("?", text[at : at + _PIECE]).replace("\u0130", "I").lower()
        for at in range(0, len(text), _PIECE)
    )


def folded(text: bytes) -> bytes:
    """Return UTF-8 with its letters of ASCII in small letters.

    That takes a tenth of the time of `lowered` if there are others. Where that finds a
    literal, one of its `spellings` is in these bytes.
    """
    low = text.lower()
    for letter, small in _BEYOND_ASCII:
        # A byte is found ten times as fast as three, and not there in most texts.
        if letter[-1:] in low:
            low = low.replace(letter, small)
    return low


def spellings(literal: str) -> set[bytes]:
    """Return bytes, some of which are in a folded text that holds a literal.

    Others may hold them as well if the literal is not in ASCII or begins with a `?`,
    which may be an emoji.
    """
    literal = literal.removeprefix("?")
    others = [at for at, letter in enumerate(literal) if not letter.isascii()]
    beginning = (
        literal[: others[_TELLING - 1] + 1] if len(others) >= _TELLING else literal
    )
    cases = [
        {letter, letter.upper(), *_OTHER_CAPITALS.get(letter, "")}
        if not letter.isascii()
        else {letter}
        for letter in beginning
    ]
    return {"".join(letters).encode() for letters in itertools.product(*cases)}
