"""A kind of secret: where it begins, how it goes on, and who judges its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

# The longest escape that ends in letters, which may be before a match.
_SKIPPED = 6
# A pattern names the parts that may be the secret; of several, one takes part.
_GROUPS = "secret", "other", "bare"


class Secret(NamedTuple):
    """A secret in a text."""

    begin: int
    """The offset of its first character."""

    end: int
    """The offset after its last character."""

    name: str
    """Its kind, as the output names it."""

    is_weak: bool = False
    """True if words have such a place as well: elsewhere, a word is no secret."""


class Rule(Struct, frozen=True, dict=True, kw_only=True):
    """A kind of secret."""

    name: str
    """The kind, as the output names it."""

    begins: tuple[str, ...]
    """Each match begins with one of these literals.

    Those of places are in small letters, and match capitals as well.
    """

    written: Callable[[], str]
    """Writes the pattern, which is only needed once a text holds a literal."""

    example: str
    """A text with a secret of this kind between « and », with fields such as {h32}.

    The fields are filled in by who uses it, so that no scanner takes this for a leak.
    """

    accepts: Callable[[str], bool]
    """Returns False for a secret that is a placeholder."""

    reach: int = 0
    """The most characters of a match before its literal; 0 if that begins it."""

    least: int = 0
    """The fewest characters of a match before its literal, if that is known."""

    follows: str = ""
    """The least that follows the literal, as a pattern of one class of characters."""

    then: str = ""
    """The character after the first long word of each match, if all have the same."""

    is_word: bool = False
    """True if a match is in one long word, next to which only one character counts."""

    before: str = ""
    """The characters between the beginning of a match and its literal."""

    head: str = ""
    """A pattern that begins with the literal, and after which `pattern` goes on.

    Rules have it in common, so that it is matched once for all of them. If a match may
    begin before the literal, it shows only if one is worth looking for.
    """

    starts: tuple[str, ...] = ()
    """The match begins with one of these words, up to `reach` before the literal."""

    after: tuple[str, ...] = ()
    """One of these words is before the literal in the same command."""

    is_weak: bool = False
    """True if words have such a place as well."""

    @cached_property
    def pattern(self) -> str:
        """A regular expression; the secret is its group `secret`, else all of it."""
        return self.written()

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when a text first needs it."""
        return re.compile(self.pattern)

    def find_at(self, text: str, at: int) -> tuple[int, int, int] | None:
        """Return where the secret that a literal at an offset leads to begins and ends.

        The third number is the end of the match. A placeholder has no length.
        """
        match = self._match(text, at)
        return None if match is None else self.span_of_secret(match)

    def span_of_secret(self, match: re.Match[str]) -> tuple[int, int, int]:
        """Return the same for a match of the pattern."""
        text = match.string
        begin, end = _span(match)
        if not self.accepts(text[begin:end]):
            begin = end
        return begin, end, match.end()

    def _match(self, text: str, at: int) -> re.Match[str] | None:
        if self.before:
            window = text[max(at - self.reach, 0) : at]
            first = at - len(window) + len(window.rstrip(self.before))
            if first > at - self.least:
                return None
            return self._first(text, range(first, min(first + _SKIPPED, at + 1)))
        if self.least:
            starts = range(max(at - self.reach, 0), at - self.least + 1)
            return self._first(text, starts)
        return self.compiled.match(text, at)

    def _first(self, text: str, starts: Iterable[int]) -> re.Match[str] | None:
        matches = (self.compiled.match(text, start) for start in starts)
        return next(filter(None, matches), None)


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match is; a full stop ends a sentence."""
    for group in _GROUPS:
        if group in match.re.groupindex and match[group] is not None:
            begin, end = match.span(group)
            if group == "bare" and match.string[end - 1] in ".,:":
                end -= 1
            return begin, end
    return match.span()
