"""A kind of secret: where it begins, how it goes on, and which matches are none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from convert.wording import compiled

# The classes of characters that a template names.
CLASSES = {
    "a": "[A-Za-z0-9]",
    "b": "[A-Za-z0-9+/]",
    "d": "[0-9]",
    "h": "[0-9a-f]",
    "H": "[0-9A-Fa-f]",
    "l": "[a-z0-9]",
    "t": "[A-Za-z0-9_-]",
    "u": "[A-Z0-9]",
    "w": "[A-Za-z0-9_]",
    "x": "[A-Za-z0-9_=-]",
}
_FIELD = re.compile(r"\{(?P<kind>[a-zA-Z])(?P<least>\d+)(?P<most>-\d+|\+)?\}")
# So long is an escape that ends in letters, which may stand in front.
_SKIPPED = 6
_LONGEST_PART = 512
# So many characters after a literal tell a token from a word.
_LOOKED_AT = 8
_END = "(?![A-Za-z0-9])"


def any_value(secret: str) -> bool:
    """Return True: each match is a secret."""
    return True


class Secret(NamedTuple):
    """A secret in a text."""

    begin: int
    """The offset of its first character."""

    end: int
    """The offset after its last character."""

    name: str
    """Its kind, as the output names it."""


class Rule(NamedTuple):
    """A kind of secret."""

    name: str
    """The kind, as the output names it."""

    begins: tuple[str, ...]
    """Literals, one of which begins each match. Those of places are in small letters
    and stand for capitals as well."""

    pattern: str
    """A regular expression. The secret is its group `secret`, else the whole match."""

    example: str
    """A text with a secret of this kind between « and », with fields such as {h32}.

    The fields are filled in by who uses it, so that no scanner takes this for a leak.
    """

    accepts: Callable[[str], bool] = any_value
    """Returns False for a secret that is a placeholder."""

    reach: int = 0
    """How far before its literal a match may begin; 0 if it begins with the literal."""

    least: int = 0
    """How far before its literal a match begins at least, if that is known."""

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

    Rules have it in common, so that it is looked at once for all of them. If a match
    may begin before the literal, it tells only if one is worth looking for.
    """

    starts: tuple[str, ...] = ()
    """Words, one of which begins the match, up to `reach` before the literal."""

    after: tuple[str, ...] = ()
    """Words, one of which is in front of the literal in the same command."""

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when a text first needs it."""
        return compiled(self.pattern)

    def match(self, text: str, at: int) -> tuple[int, int, int] | None:
        """Return where the secret that a literal at an offset leads to begins and ends.

        The third number is the end of what was looked at. A placeholder has no length.
        """
        match = self._match(text, at)
        return None if match is None else self.judged(match)

    def judged(self, match: re.Match[str]) -> tuple[int, int, int]:
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


# A pattern names the parts that may be the secret; of several, one takes part.
_GROUPS = "secret", "other", "bare"


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match is; a full stop ends a sentence."""
    for group in _GROUPS:
        if group in match.re.groupindex and match[group] is not None:
            begin, end = match.span(group)
            if group == "bare" and match.string[end - 1] in ".,:":
                end -= 1
            return begin, end
    return match.span()


def either(words: Iterable[str]) -> str:
    """Return a pattern of words in capitals or not, which may be patterns.

    Python tries each word of `(?i:a|b)`, but passes by those after another `[aA]`.
    """
    by_letter: dict[str, list[str]] = defaultdict(list)
    for word in words:
        by_letter[word[0]].append(word[1:])
    return "|".join(
        f"[{letter.upper()}{letter}](?i:{'|'.join(rest)})"
        for letter, rest in by_letter.items()
    )


def as_pattern(template: str) -> str:
    """Return the pattern of a template: `{h24}-{a8+}` is 24 hexadecimal digits, etc.

    {a8}     8 characters of the class, and no letter or digit after the last one
    {a8-20}  8 to 20, likewise
    {a8+}    8 or more
    """
    pattern = ""
    at = 0
    for field in _FIELD.finditer(template):
        pattern += re.escape(template[at : field.start()])
        pattern += _repeated(field, field.end() == len(template))
        at = field.end()
    pattern += re.escape(template[at:])
    return pattern if template.endswith(("+}", "=")) else pattern + _END


def beginning(template: str) -> str:
    """Return the pattern of the first characters of a template that begins with any.

    A word ends at a slash, behind which those of base64 cannot be looked at.
    """
    field = _FIELD.match(template)
    if field is None or field["kind"] == "b":
        return ""
    return f"{CLASSES[field['kind']]}{{{min(int(field['least']), _LOOKED_AT)}}}"


def _repeated(field: re.Match[str], is_last: bool) -> str:
    kind, least, most = field.group("kind", "least", "most")
    if most == "+":
        # The next part may be missing, so that the rest of a long word is not tried.
        return f"{CLASSES[kind]}{{{least},{'' if is_last else _LONGEST_PART}}}+"
    return f"{CLASSES[kind]}{{{least}{(most or '').replace('-', ',')}}}"
