"""A kind of secret: where it begins, how it goes on, and the values that can be one.

Placeholders and references to variables are no secrets.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from convert.wording import compiled

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


# These replace a secret that someone has yet to fill in.
_PLACEHOLDERS = (
    r"[*•.]{3}|[xX]{3}|<|\[|redacted"
    # One of these words by itself, or before a blank or a dot.
    r"|(?:true|false|none|null|nil|undefined|unset|empty|example|dummy|fake|todo"
    r"|replace|insert|enter|masked|hidden|omitted|sensitive|required|optional|string"
    r"|import|function|lambda|new|await|async|return|change[-_ ]?(?:me|this|it))"
    r"(?![A-Za-z0-9-])"
    r"|(?:replace|insert|enter|change)[-_ ](?:me|this|with|your|it\Z)"
    r"|your(?![A-Za-z]*\d)|placeholder"
    r"|my[-_](?:secret|password|token|key|api)[-_a-z]*\Z|not[-_ ]set"
    r"|(?:(?:super)?secret|password|passwd|token|key|pass)\Z"
)
# A variable, a member, a file or an entry of a store that holds the secret.
_REFERENCES = (
    r"\$[A-Za-z_{(]|\{|%[A-Za-z({%]|@[{(]|(?:op|vault|ssm|arn|file|env|secret):|projects/"
    r"|(?:\.{1,2}|~)?/[a-z]|/[A-Za-z]+/|https?://[^@]*\Z|getenv|require\(|process\.env"
    r"|os\.(?:environ|getenv)|(?:env|self|this|var|local|data)\."
    r"|(?:config|settings|secrets|params|args|options|request)[.\[]"
)
# A role of reStructuredText, and a package under another name.
_ROLES = r":{0,2}(?:py|c|cpp|js|rst):[a-z]+:?\Z|:{1,2}[A-Za-z]+:?\Z|npm:[a-z@]"
# A time, and a name with its file; expressions, patterns, colours, tags and aliases
# of YAML.
_TIMES_AND_FILES = r"\d{4}-\d\d-\d\dT\d|[\w.-]{1,64}:/[a-z]+/|data\+omitted"
_EXPRESSIONS = r"\(\?|#[0-9a-f]{3,8}\Z|!{1,2}[a-z_.]+\Z|\*[a-z_]+\Z|[=?&]"
# The larger ones are compiled when a value is judged, which most logs have few of.
_NO_SECRET = (
    f"(?i:{_PLACEHOLDERS}|{_REFERENCES}|{_ROLES}|{_TIMES_AND_FILES}|{_EXPRESSIONS})"
)
_EXAMPLE = (
    r"(?i:example|your(?![A-Za-z]*\d)|xxxx|placeholder|redacted|change_?me|dummy"
    r"|<(?:paste|insert|enter|the|my|jwt|token)|\.\.\.)|\*\*\*|…"
)
# An identifier, a member, a call or a path of code.
_CODE = (
    r"(?s)[A-Za-z_$]+\d{0,2}(?:(?:\?|!)?(?:\.|->|::)[A-Za-z_$]+\d{0,2})+[;,)]*"
    r"|[A-Za-z_$][\w$.]*[(\[].*|_{0,2}[a-z]+(?:_[a-z0-9]+)*_?\d{0,2}[;,)]*"
    r"|[A-Z]+(?:_[A-Z0-9]+)*|[A-Za-z]+(?:-[A-Za-z]+)*|[A-Za-z_$]+\d?[;,)]*|#?[a-z-]+"
)
# A type, or a constant, that a name in capitals is given.
_TYPE = (
    r"[A-Z][A-Za-z]*(?:[<\[].*)?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\W+"
    r"|(?=(?:.*[A-Z][a-z]{2,}){2})(?:[A-Z][a-z]*\d?){2,}(?<!\d)(?:<.*)?"
    r"|(?:symbol|number|object|any|bool|bytes|int|str)\b.*"
    r"|[A-Za-z_$]+\d{0,2}(?:\??\.[A-Za-z_$]+\d{0,2})+(?![A-Za-z0-9]|\.\d).*"
)
# A name of a secret: `x-auth-token`, `use-credentials`.
_NAME = (
    r"(?i)[a-z][\w.:-]*[_.:-](?:token|secret|password|credentials?|api[-_]?key|auth\w*)[a-z_]{0,4}"
    r"|(?:token|secret|password|credentials?|api[-_]?key|auth\w*|use)[_.:-][a-z_.:-]*"
)
_VERSION = (
    r"[\^~<>=v]{0,2}\d{1,4}(?:\.[\dx*]{1,6}){1,3}[\w.+-]{0,32}"
    r"|[\d.,:%_-]*(?:ms|s|m|h|d|kB|MB|GB)?"
)
# Words of sentences, which no passphrase has.
_SENTENCE = (
    r"(?i)\b(?:a|an|and|are|at|be|can|cannot|could|do|does|enter|failed|for|from|has|have"
    r"|if|in|incorrect|invalid|is|it|least|length|missing|must|no|not|of|on|or|password"
    r"|please|required|secret|should|that|the|this|to|token|use|using|was|when|will|with"
    r"|wrong|you|your)\b"
)
_PIECES = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_WORDS = re.compile(r"(?:[A-Za-z][a-z]*|[A-Z]+|[\W_])+")
# The same values come again and again, since a log is read twice.
_remembered = functools.lru_cache(maxsize=1000)
_CASED = re.compile(
    r"(?=[A-Za-z]*\d)(?=[A-Za-z0-9]*[a-z][A-Z])[A-Za-z0-9]{6,64}|[a-z]+(?:[A-Z][a-z]+)+\d"
)
_KEY = re.compile("[A-Za-z0-9+/]{16}")
# Cookies that name a session, and those that say nothing of the user.
_SESSION = re.compile(
    "(?i)sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|user"
)
_PREFERENCE = (
    "(?i)path|domain|expires|max-age|samesite|priority|theme|lang(?:uage)?|locale|tz"
    "|timezone|currency|consent|_ga[_a-z0-9]*|_gid|_gat|_fbp|__utm[a-z]|httponly|secure"
)
_LETTER = re.compile("[A-Za-z]")
_DIGIT = re.compile(r"\d")


def is_anything(value: str) -> bool:
    """Return True: each match is a secret."""
    return True


def is_varied(body: str) -> bool:
    """Return True for a body of a token that is no placeholder."""
    return len(set(body)) >= 5 and not compiled(_EXAMPLE).search(body)


def is_scrambled(body: str) -> bool:
    """Return True for large and small letters that form no words."""
    longest = 4 if len(body) >= 30 else 3
    return len(body) >= 20 and len(_PIECES.findall(body)) * longest > len(body)


def is_random(body: str) -> bool:
    """Return True for a body of a token that chance made, and that are no words."""
    is_no_text = any(map(str.isdigit, body)) or not _WORDS.fullmatch(body)
    return is_varied(body) and (is_no_text or is_scrambled(body))


def is_shuffled(body: str) -> bool:
    """Return True for a random body with several letters of both sizes and digits."""
    kinds = str.isupper, str.islower, str.isdigit
    return is_random(body) and all(sum(map(kind, body)) > 1 for kind in kinds)


def is_very_random(body: str) -> bool:
    """Return True for a random body with several digits and letters."""
    return is_random(body) and len(_DIGIT.findall(body)) > 1 < len(
        _LETTER.findall(body)
    )


@_remembered
def is_no_placeholder(value: str) -> bool:
    """Return True for a value of an option or variable that only a secret can have."""
    is_placeholder = compiled(_NO_SECRET).match(value) or compiled(_EXAMPLE).search(
        value
    )
    return not is_placeholder and len(set(value)) > 1


def is_block(value: str) -> bool:
    """Return True for a value in lines of its own, which are no sentences."""
    lines = [*filter(None, map(str.strip, value.splitlines()))]
    if len(lines) == 1 and " " in lines[0]:
        return (
            is_no_placeholder(lines[0])
            and is_phrase(lines[0])
            and not lines[0].islower()
        )
    return not any(" " in line for line in lines) and is_no_word(lines[0])


@_remembered
def is_no_word(value: str) -> bool:
    """Return True for a value in code or prose that no word or name can be."""
    if not is_no_placeholder(value) or compiled(_VERSION).fullmatch(value):
        return False
    if value.isascii() and value.isalnum() and is_scrambled(value):
        return True
    if any(compiled(each).fullmatch(value) for each in (_CODE, _TYPE)) or "?." in value:
        return False
    if " " in value:
        return is_phrase(value)
    kinds = (str.islower, str.isupper, str.isdigit, lambda one: not one.isalnum())
    return sum(any(map(kind, value)) for kind in kinds) > 1


def is_cased(value: str) -> bool:
    """Return True for a written value, or letters with a capital inside and a digit."""
    return is_no_word(value) or (
        is_no_placeholder(value) and bool(_CASED.fullmatch(value))
    )


def is_default(value: str) -> bool:
    """Return True for the default of a missing secret, which may be four words."""
    return is_quoted_in_prose(value) or is_cased(value)


def is_phrase(value: str) -> bool:
    """Return True for words that make no sentence, such as a passphrase."""
    words = value.split(" ")
    return 1 < len(words) <= 12 and all(words) and not compiled(_SENTENCE).search(value)


def is_foreign(value: str) -> bool:
    """Return True for a value in a sentence whose words are not known."""
    if " " in value:
        return (
            is_no_placeholder(value) and bool(_DIGIT.search(value)) and len(value) >= 8
        )
    return is_long(value)


def is_quoted_in_prose(value: str) -> bool:
    """Return True for a written value, or for many words with hyphens."""
    words = value.split("-")
    are_many = len(words) > 3 and all(map(str.isalpha, words))
    return is_no_word(value) or (are_many and not compiled(_SENTENCE).search(value))


def is_long(value: str) -> bool:
    """Return True for a written value of 8 characters or more."""
    return len(value) >= 8 and is_no_word(value)


def is_credential(value: str) -> bool:
    """Return True for a value that a program sends to prove who it is."""
    return is_no_placeholder(value) and len(value) >= 8 and is_random(value)


def is_typed(value: str) -> bool:
    """Return True for a value typed as a password, which is no word of a sentence."""
    return is_no_placeholder(value) and not re.fullmatch(
        "[a-z]{1,10}|[A-Z]?[a-z]{1,5}", value
    )


def is_filled(value: str) -> bool:
    """Return True for a value typed into a field, which is no sentence."""
    return is_typed(value) and (" " not in value or is_phrase(value))


def is_argument(value: str) -> bool:
    """Return True for the last argument of a call that logs in."""
    return is_phrase(value) if " " in value else is_long(value)


def is_cookie(value: str) -> bool:
    """Return True for cookies, one of which identifies its sender."""
    return any(
        is_no_placeholder(body)
        and (_SESSION.search(name) or (len(body) >= 16 and is_random(body)))
        for name, _, body in (part.strip().partition("=") for part in value.split(";"))
        if body and not compiled(_PREFERENCE).fullmatch(name)
    )


def is_key(value: str) -> bool:
    """Return True for the body of a private key, which is more than dots."""
    return bool(_KEY.search(value))


def is_no_type(value: str) -> bool:
    """Return True for a value of a variable in capitals, which is no name of a type."""
    is_name = compiled(_TYPE).fullmatch(value) or compiled(_NAME).fullmatch(value)
    return is_no_placeholder(value) and not is_name


def is_mixed(value: str) -> bool:
    """Return True for a long value with letters and digits, which is no name."""
    has_both = len(_DIGIT.findall(value)) > 1 and bool(_LETTER.search(value))
    return has_both and is_long(value)
