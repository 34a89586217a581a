"""Secrets in text, found by their shape and place and replaced by their name.

rule       a kind of secret; rules: the tables of them
values     which values are placeholders
finding    where the secrets of a text are
suspicion  which lines of JSON may hold one at all
tokens     those that show by their own shape what they are
places     those that what is around them gives away
leads      the secrets that a literal leads to
layouts    secrets in lines under their name
search     hundreds of literals that are looked for in a text at once
words      the same for words in texts with capitals; letters: small letters
known      secrets that were found, and are looked for wherever else they stand
forms      how they are written there: escaped, quoted or encoded
literals   many texts that are looked for at once
members    members of JSON whose names say that their values are secrets
rewriting  JSON without its secrets
ndjson     lines of JSON without theirs, also where a text is spread over many
events     events without theirs, for formats whose lines are not written again
cuts       secrets that break off where a text does
beneath    text without the sequences that colour it
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from convert.redact.beneath import find_beneath, plain
from convert.redact.finding import find, outermost
from convert.redact.known import Known
from convert.redact.rule import Secret
from convert.redact.suspicion import suspected
from convert.wording.sanitise import has_controls

__all__ = ["Redactor", "Secret"]

_MOST_NUMBERED = 100_000
# In characters: to look through longer texts together saves no time, and takes memory.
_LONG = 200_000
_PATTERN = "pattern"


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
        self._suspected = suspected if known is None else known.suspected(suspected)
        self.counts: Counter[str] = Counter()
        self._numbers: dict[tuple[str, int], int] = {}
        self._kinds: Counter[str] = Counter()

    def suspected(self, lines: list[bytes]) -> Sequence[int]:
        """Return for each line of JSON if a string of it may hold a secret."""
        if self._own:
            return b"\1" * len(lines)
        return self._suspected(lines)

    def suspected_texts(self, texts: list[str]) -> Sequence[int]:
        """Return the same for texts; long ones count as suspect without a look."""
        is_long = sum(map(len, texts)) > _LONG
        # Characters that a terminal does not show may be inside of a literal.
        if is_long or any(not it.isprintable() and has_controls(it) for it in texts):
            return b"\1" * len(texts)
        return self.suspected([text.encode(errors="surrogatepass") for text in texts])

    def learn(self, text: str) -> None:
        """Remember the secrets in a text, before any of it is replaced."""
        for begin, end, name in self.find(text):
            self.known.add(plain(text[begin:end]), name)

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
                # A pattern takes more than the secret, which stands alone elsewhere.
                self.known.add(plain(text[secret.begin : secret.end]), secret.name)
        return found

    def find_known(self, text: str) -> list[Secret]:
        """Return those that were found before, in a text that is not suspect."""
        return outermost(self.known.find(text))

    def find_issued(self, text: str) -> list[Secret]:
        """Return the secrets that no pattern of the user has to tell."""
        secrets = self._find_as_it_is(text)
        beneath = [*find_beneath(text, self._find_as_it_is)]
        return outermost([*secrets, *beneath]) if beneath else secrets

    def _find_as_it_is(self, text: str) -> list[Secret]:
        secrets = find(text)
        known = [*self.known.find(text)]
        return outermost([*secrets, *known]) if known else secrets

    def replace(self, text: str, secrets: Iterable[Secret]) -> str:
        """Replace the secrets that were found in a text, and count them."""
        kept = []
        at = 0
        for begin, end, found_as in secrets:
            secret = self.known.secret(plain(text[begin:end]))
            name = self.known.name(secret, found_as)
            self.counts[name] += 1
            self.known.add(secret, name)
            kept += [text[at:begin], self._label(name, secret)]
            at = end
        return "".join([*kept, text[at:]]) if at else text

    def _label(self, name: str, secret: str) -> str:
        """Return the text that replaces a secret.

        A second secret of the same kind has a number, so that calls and members that
        differ only by their secrets still differ.
        """
        key = name, hash(secret)
        number = self._numbers.get(key)
        if number is None:
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
                    yield Secret(begin, end, _PATTERN)
