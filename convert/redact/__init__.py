"""Secrets in text, found by their shape and replaced by their name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from convert.redact.rules import MAIL, RULES, Rule

# How many secrets of a log are looked for again in its result.
_MOST_KNOWN = 1000
_SHORTEST_KNOWN = 12
_MOST_NUMBERED = 100_000
_PATTERN = "pattern"
# Each literal with the place of its rule: looking for them costs most of the time.
_LITERALS = [(literal, at) for at, rule in enumerate(RULES) for literal in rule.begins]


class Secret(NamedTuple):
    """A secret in a text."""

    begin: int
    """The offset of its first character."""

    end: int
    """The offset after its last character."""

    name: str
    """Its kind, as the output names it."""


class Redactor:
    """Replaces the secrets of one log and counts them by kind.

    `patterns` are regular expressions of the user: each match is a secret, or its first
    group. Raises UsageError for one that is none.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._own = [
            Rule(_PATTERN, ("",), pattern, is_anchored=False) for pattern in patterns
        ]
        self.counts: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._kinds: Counter[str] = Counter()

    @property
    def rules(self) -> list[Rule]:
        """All rules, the patterns of the user last."""
        return [*RULES, *self._own]

    def suspected(self, text: str) -> list[Rule]:
        """Return the rules that may find a secret in a text; the user's always may."""
        places = {place for literal, place in _LITERALS if literal in text}
        return [*map(RULES.__getitem__, sorted(places)), *self._own]

    @staticmethod
    def issued(rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules that are not patterns of the user."""
        return [rule for rule in rules if rule.name != _PATTERN]

    def text(self, text: str, rules: Iterable[Rule], is_repeated: bool = False) -> str:
        """Return a text without the secrets that some rules find in it.

        The result of a run repeats earlier texts without the text around them. With
        `is_repeated`, secrets that were found before are also looked for literally.
        """
        secrets = self.find(text, rules)
        if is_repeated:
            secrets = _outermost([*secrets, *self._find_known(text)])
        return self.replace(text, secrets)

    def find(self, text: str, rules: Iterable[Rule]) -> list[Secret]:
        """Return the secrets in a text from left to right; none overlaps another."""
        return _outermost(
            secret
            for rule in rules
            if any(begin in text for begin in rule.begins)
            for secret in _found_by(rule, text)
        )

    def replace(self, text: str, secrets: Iterable[Secret]) -> str:
        """Replace the secrets that were found in a text, and count them."""
        kept = []
        at = 0
        for begin, end, name in secrets:
            self.counts[name] += 1
            if end - begin >= _SHORTEST_KNOWN and len(self._known) < _MOST_KNOWN:
                self._known.setdefault(text[begin:end], name)
            kept += [text[at:begin], self._label(name, text[begin:end])]
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

    def _find_known(self, text: str) -> Iterator[Secret]:
        for secret, name in self._known.items():
            begin = text.find(secret)
            while begin >= 0:
                yield Secret(begin, begin + len(secret), name)
                begin = text.find(secret, begin + len(secret))


def _found_by(rule: Rule, text: str) -> Iterator[Secret]:
    """Yield the secrets that a rule finds in a text with one of its literals."""
    if rule.is_anchored:
        matches = _anchored(rule, text)
    else:
        matches = rule.compiled.finditer(text)
    group: str | int = 0
    if "secret" in rule.compiled.groupindex and rule.name != _PATTERN:
        group = "secret"
    elif rule.name == _PATTERN and rule.compiled.groups:
        group = 1
    for match in matches:
        # A group that took no part in the match has no span.
        begin, end = match.span(group) if match[group] is not None else match.span()
        if begin < end:
            yield Secret(begin, end, rule.name)


def _anchored(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that begin with a literal; searching takes 50 times longer."""
    for literal in rule.begins:
        at = text.find(literal)
        while at >= 0:
            match = rule.compiled.match(text, at)
            if match:
                yield match
            at = text.find(literal, match.end() if match else at + 1)


def _outermost(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort secrets and merge those that overlap into one, named as the first."""
    kept: list[Secret] = []
    ordered = sorted(secrets, key=lambda secret: (secret.begin, _is_mail(secret)))
    for secret in ordered:
        if kept and secret.begin < kept[-1].end:
            if _is_mail(secret):
                # In https://bot:password@host, the part around @ is no address.
                continue
            end = max(kept[-1].end, secret.end)
            kept[-1] = kept[-1]._replace(end=end)
        else:
            kept.append(secret)
    return kept


def _is_mail(secret: Secret) -> bool:
    return secret.name == MAIL
