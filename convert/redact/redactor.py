"""Replaces the secrets of one log, also where they appear again in another form."""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from convert.redact.finding import (
    find,
    find_without_colours,
    outermost,
    without_colours,
)
from convert.redact.literals import Literals
from convert.redact.rule import Secret
from convert.redact.suspicion import is_escaped, suspected
from convert.redact.values import is_words
from convert.wording.escapes import has_controls

__all__ = ["Redactor", "Secret"]

_MOST_NUMBERED = 100_000
# In characters: to search longer texts together saves no time, and takes memory.
_LONG = 200_000


class Redactor:
    """Replaces the secrets of one log and counts them by kind.

    `patterns` are regular expressions of the user: each match is a secret, or its first
    group. `known` are the secrets that an earlier reading of the log has found.
    """

    def __init__(
        self, patterns: Iterable[str] = (), known: Known | None = None
    ) -> None:
        self._own = [re.compile(pattern) for pattern in patterns]
        self.known = Known() if known is None else known
        self._suspected = suspected if known is None else known.suspected
        self.counts: Counter[str] = Counter()
        self._numbers: dict[tuple[str, int], int] = {}
        self._kinds: Counter[str] = Counter()

    def suspected(self, lines: list[bytes]) -> Sequence[int]:
        """Return for each line of JSON if a string of it may hold a secret."""
        return b"\1" * len(lines) if self._own else self._suspected(lines)

    def suspected_texts(self, texts: list[str]) -> Sequence[int]:
        """Return the same for texts; long ones count as suspect without a search."""
        is_long = sum(map(len, texts)) > _LONG
        # Characters that a terminal does not show may be inside a literal.
        if is_long or any(not it.isprintable() and has_controls(it) for it in texts):
            return b"\1" * len(texts)
        return self.suspected([text.encode(errors="surrogatepass") for text in texts])

    def learn(self, text: str) -> None:
        """Remember the secrets in a text, before any of it is replaced."""
        for secret in self.find(text):
            self._remember(text, secret)

    def _remember(self, text: str, secret: Secret) -> None:
        value = without_colours(text[secret.begin : secret.end])
        if not secret.is_weak or not is_words(value):
            self.known.add(value, secret.name)

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        return self.replace(text, self.find(text))

    def find(self, text: str) -> list[Secret]:
        """Return the secrets in a text from left to right; none overlaps another."""
        secrets = self.find_issued(text)
        if not self._own:
            return secrets
        found = outermost([*secrets, *self._find_own(text)])
        whole = set(found)
        for secret in secrets:
            if secret not in whole:
                # A pattern takes more than the secret, which may occur without that.
                self._remember(text, secret)
        return found

    def find_issued(self, text: str) -> list[Secret]:
        """Return the secrets that are found without the patterns of the user."""
        secrets = self._find_in(text)
        beneath = [*find_without_colours(text, self._find_in)]
        return outermost([*secrets, *beneath]) if beneath else secrets

    def _find_in(self, text: str) -> list[Secret]:
        secrets = find(text)
        known = [*self.known.find(text)]
        return outermost([*secrets, *known]) if known else secrets

    def replace(self, text: str, secrets: Iterable[Secret]) -> str:
        """Replace the secrets that were found in a text, and count them."""
        kept = []
        at = 0
        for found in secrets:
            begin, end = found.begin, found.end
            secret = self.known.secret(without_colours(text[begin:end]))
            name = self.known.name(secret, found.name)
            self.counts[name] += 1
            self._remember(text, found._replace(name=name))
            kept += [text[at:begin], self._label(name, secret)]
            at = end
        return "".join([*kept, text[at:]]) if at else text

    def _label(self, name: str, secret: str) -> str:
        """Return the text that replaces a secret.

        A second secret of the same kind has a number, so that calls and members that
        differ only by their secrets still differ.
        """
        key = name, hash(secret)
        if (number := self._numbers.get(key)) is None:
            number = self._kinds[name] = self._kinds[name] + 1
            if len(self._numbers) < _MOST_NUMBERED:
                self._numbers[key] = number
        return f"[redacted {name}]" if number == 1 else f"[redacted {name} {number}]"

    def _find_own(self, text: str) -> Iterator[Secret]:
        for pattern in self._own:
            for match in pattern.finditer(text):
                # A group that took no part in the match has no span.
                group = 1 if pattern.groups and match[1] is not None else 0
                begin, end = match.span(group)
                if begin < end:
                    yield Secret(begin, end, "pattern")


# A password in a command appears in its output as well, also encoded or escaped, where
# nothing around it reveals it. The search is only for values that mean nothing else:
# `root` or `true` may be a password, but most times it is none.
# How many secrets are remembered, and of how many characters.
_MOST = 1000
_LONGEST = 4096
# How many blocks of lines, and lines, are remembered with the result of their search.
_MOST_SEARCHED = 20_000
# From this length on, a secret is found inside words as well.
_SAFE = 16
_SHORTEST = 6
_WORD = re.compile("[A-Za-z0-9_.-]+")
# An escape before a word is no part of it, nor is an option.
_EDGE = re.compile(
    r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{3}|.)|%[0-9A-Fa-f]{2}|=3[Dd]|-p)\Z"
)
_COMMON = re.compile(
    r"[\d.,:_-]+|(?i:[a-z]{1,12}|(?:python|node|ruby|java|go|php|utf|sha|md|base|ipv|int"
    r"|float|http|oauth|postgres|mysql|redis|ubuntu|debian|test|user|admin|version|v"
    r"|release|build|step|local|dev|prod|example)[-_.]?\d{1,4}(?:[._-]\d+)*)"
)


class Known:
    """The secrets of a log, which are searched for literally."""

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

    def suspected(self, lines: list[bytes]) -> bytes:
        """Return for each line of JSON if it may hold a secret, searched only once.

        A log that is read twice takes a quarter less time with it.
        """
        key = hash(tuple(lines))
        if key not in self._suspected and len(self._suspected) < _MOST_SEARCHED:
            self._suspected[key] = suspected(lines)
        return self._suspected.get(key) or suspected(lines)

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
            self._names[secret] = name
            self._search_for(secret, secret)
            for form in written(secret):
                self._search_for(form, secret)
            for form in encoded(secret):
                self._edgeless.add(form)
                self._search_for(form, secret)

    def _search_for(self, form: str, secret: str) -> None:
        if self._secrets.setdefault(form, secret) == secret:
            self._forms.add(form)
            word = max(_WORD.findall(form), key=len, default="")
            if word:
                self._words.add(word)
            else:
                self._is_anywhere = True

    def secret(self, form: str) -> str:
        """Return the secret whose form a text is, else the text."""
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
        if len(self._clean) < _MOST_SEARCHED:
            self._clean[hash(line)] = len(self._secrets)

    def is_clean(self, line: bytes) -> bool:
        """Return True for a line that was searched before and holds no secret.

        The suspect lines of a log that is read twice are searched only once.
        """
        known_then = self._clean.get(hash(line))
        if known_then is None or known_then == len(self._secrets):
            return known_then is not None
        # A secret that was found since may be there, or hidden by an escape.
        return not self.is_in(line) and not is_escaped(line.decode("latin-1"))

    def find(self, text: str) -> Iterator[Secret]:
        """Yield the secrets in a text, wherever they are."""
        if len(text) < _SHORTEST:
            # Most strings of a log are shorter than any secret.
            return
        for at, form in self._forms.find(text):
            end = at + len(form)
            is_safe = len(form) >= _SAFE or form in self._edgeless
            if is_safe or _is_alone(text, at, end):
                yield Secret(at, end, self._names[self._secrets[form]])


def is_telling(secret: str) -> bool:
    """Return True for a secret that means nothing else where it occurs again."""
    is_short = len(secret) < _SHORTEST or len(set(secret)) < 4
    return not (is_short or secret.isdecimal() or _COMMON.fullmatch(secret))


def _is_alone(text: str, begin: int, end: int) -> bool:
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


# The forms of shorter secrets may be anything else; those of longer ones take memory.
_SHORTEST_WITH_FORMS = 8
_LONGEST_WITH_FORMS = 512


def written(secret: str) -> set[str]:
    """Return a secret as addresses, pages, JSON and shells write it, if they differ."""
    if not _SHORTEST_WITH_FORMS <= len(secret) <= _LONGEST_WITH_FORMS:
        return set()
    import html
    import json
    from urllib.parse import quote, quote_plus

    raw = secret.encode(errors="surrogatepass")
    # JavaScript keeps `!'()*` as they are in an address.
    addresses = [quote(raw, safe) for safe in ("", "/", "!'()*")] + [quote_plus(raw)]
    pages = [html.escape(secret, quote=False), html.escape(secret)]
    pages.append(pages[1].replace("&#x27;", "&#39;"))
    strings = [json.dumps(secret, ensure_ascii=it)[1:-1] for it in (False, True)]
    # A shell joins quotes inside of quotes.
    joined = secret.replace("'\\''", "'").replace("'\"'\"'", "'")
    shells = [joined, secret.replace("'", "'\\''")]
    return {*addresses, *pages, *strings, *shells} - {secret}


def encoded(secret: str) -> set[str]:
    """Return a secret in base64, without the characters that depend on its neighbours.

    Three bytes make four characters, so that there are three forms.
    """
    if not _SHORTEST_WITH_FORMS <= len(secret) <= _LONGEST_WITH_FORMS:
        return set()
    raw = secret.encode(errors="surrogatepass")
    forms = {_aligned(raw, before) for before in range(3)}
    return forms | {form.replace("+", "-").replace("/", "_") for form in forms}


def _aligned(raw: bytes, before: int) -> str:
    """Return bytes in base64, after so many others."""
    text = b2a_base64(bytes(before) + raw, newline=False).decode()
    return text[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
