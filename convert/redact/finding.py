"""Where the secrets of a text are, by all rules.

A rule is tried only where one of its literals is, since a pattern takes 50 times longer
to search than a literal.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from convert.redact.places import find_placed
from convert.redact.rule import Secret
from convert.redact.rules import MAIL
from convert.redact.rules.issuers import LONG_WORD
from convert.redact.rules.prose import OTHER_LANGUAGES
from convert.redact.tokens import find_tokens

# Most of the strings of a log are short, and are there many times.
_SHORT = 40


def find(text: str) -> list[Secret]:
    """Return the secrets in a text from left to right; none overlaps another."""
    return [*(_find_again(text) if len(text) <= _SHORT else _find(text))]


def _find(text: str) -> list[Secret]:
    if len(text) < LONG_WORD and text.isascii() and text.isidentifier():
        # Most names and keywords. No token is so short, and a place has blanks or signs
        # in it; to compile the patterns of `key` takes longer than to read a small log.
        low = text.lower()
        if not any(word in low for word in OTHER_LANGUAGES):
            return []
    return outermost([*find_tokens(text), *find_placed(text)])


_find_again = functools.lru_cache(maxsize=2000)(_find)


def outermost(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort secrets and merge those that overlap into one, named as the first."""
    kept: list[Secret] = []
    ordered = sorted(secrets, key=lambda secret: (secret.begin, secret.name == MAIL))
    for secret in ordered:
        if kept and secret.begin < kept[-1].end:
            if secret.name == MAIL:
                # In https://bot:password@host, the part around @ is no address.
                continue
            end = max(kept[-1].end, secret.end)
            kept[-1] = kept[-1]._replace(end=end)
        else:
            kept.append(secret)
    return kept
