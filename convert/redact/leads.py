"""The secrets that a literal leads to, and what many rules need there, looked at once.

A literal may stand at every third character of a text, and lead to 20 rules. They have
in common the beginning of a pattern (`Rule.head`) and the words before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from convert.redact.rule import Rule, Secret
from convert.wording.compiled import compiled

Match = Callable[[str, int], "re.Match[str] | None"]
# So many characters are no placeholder with another name behind it.
_LONG = 64
# How far before a literal words are looked for.
_REACH = 200
# The end of a command, and an escape, whose last letter is no part of a word.
_ENDS_COMMAND = "[\\n|;&]"
_ESCAPE = re.compile(r"(?:\\[nrt]|\\u00[0-9A-Fa-f]{2}|\[[\d;]{0,6}[mK])\Z")


class Group:
    """Rules whose patterns go on after the same one."""

    def __init__(self, head: str) -> None:
        self.rules: list[tuple[int, Rule]] = []
        self._head = head

    @cached_property
    def head(self) -> Match:
        """Match what their patterns have in common."""
        return compiled(self._head).match

    @cached_property
    def matches(self) -> list[tuple[int, Rule, Match | None]]:
        """Return the rules with their patterns, of those that begin right there."""
        return [
            (number, rule, None if rule.reach else rule.compiled.match)
            for number, rule in self.rules
        ]


class Lead(NamedTuple):
    """A literal and its rules."""

    literal: str
    """The literal, in small letters."""

    groups: list[Group]
    """The rules whose match begins there, numbered."""

    words: dict[str, list[tuple[int, Rule]]]
    """The rules that need a word before it, by the word."""

    parts: str
    """The pattern of those words, and of the ends of commands."""


def leads(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Return the rules by literal; one that begins with another one adds nothing."""
    by_literal: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        shortest = "\0"
        for literal in sorted(map(str.lower, rule.begins)):
            if not literal.startswith(shortest):
                shortest = literal
                by_literal[literal].append(rule)
    return by_literal


def lead_to(literal: str, rules: Iterable[Rule]) -> Lead:
    """Return a literal with its rules in the order in which they are tried."""
    groups: dict[str, Group] = {}
    words: dict[str, list[tuple[int, Rule]]] = defaultdict(list)
    for numbered in enumerate(rules):
        needed = numbered[1].starts + numbered[1].after
        for word in needed:
            words[word].append(numbered)
        if not needed:
            head = numbered[1].head
            groups.setdefault(head, Group(head)).rules.append(numbered)
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    parts = rf"(?:{either})(?![\w-]|\.(?!exe|cmd))|{_ENDS_COMMAND}"
    return Lead(literal, [*groups.values()], dict(words), parts)


def follow(lead: Lead, text: str, low: str) -> Iterator[Secret]:
    """Yield the secrets of a text to which a literal leads."""
    passed: dict[int, int] = {}
    before = Before(text, lead)
    at = low.find(lead.literal)
    while at >= 0:
        for number, name, found in _found(lead, text, at, before, passed):
            begin, end, last = found
            if begin < end:
                yield Secret(begin, end, name)
            if begin < end or last - at > _LONG:
                # Long values are not tried again from each literal inside of them.
                passed[number] = last
        at = low.find(lead.literal, at + 1)


def _found(
    lead: Lead, text: str, at: int, before: Before, passed: dict[int, int]
) -> Iterator[tuple[int, str, tuple[int, int, int]]]:
    """Yield what the rules find at a literal, if they are not past it."""
    for group in lead.groups:
        head = group.head(text, at)
        if head is None:
            continue
        end = head.end()
        for number, rule, match in group.matches:
            if passed and passed.get(number, 0) > at:
                continue
            if match is None:
                if found := rule.match(text, at):
                    yield number, rule.name, found
            elif matched := match(text, end):
                yield number, rule.name, rule.judged(matched)
    for number, rule, start in before.tries(at) if lead.words else ():
        if passed.get(number, 0) <= at and (found := rule.match(text, start)):
            yield number, rule.name, found


class Before:
    """The words before an offset of a text, each part of which is read once."""

    def __init__(self, text: str, lead: Lead) -> None:
        self._text = text
        self._lead = lead
        self._read = 0
        self._last: dict[str, int] = {}
        self._command = 0

    def tries(self, at: int) -> Iterator[tuple[int, Rule, int]]:
        """Yield the rules of the words before an offset, and where each begins."""
        self._read_to(at)
        for word, start in reversed(self._last.items()):
            for number, rule in self._lead.words[word]:
                if start >= at - rule.reach:
                    if rule.starts:
                        yield number, rule, start
                    elif start >= self._command:
                        yield number, rule, at

    def _read_to(self, at: int) -> None:
        """Read on to an offset, and forget what is too far before it."""
        parts = compiled(self._lead.parts)
        for part in parts.finditer(self._text, max(self._read, at - _REACH), at):
            if part[0] in "\n|;&":
                self._command = part.end()
            elif not self._is_inside(part.start()):
                # The last word is the last of the dictionary, too.
                self._last.pop(part[0], None)
                self._last[part[0]] = part.start()
        self._read = at
        if self._last:
            first = at - _REACH
            for word in [word for word, start in self._last.items() if start < first]:
                del self._last[word]

    def _is_inside(self, at: int) -> bool:
        """Return True in the middle of a word, unless it is the end of an escape."""
        return self._text[at - 1 : at].isalnum() and not _ESCAPE.search(
            self._text[max(at - 8, 0) : at]
        )
