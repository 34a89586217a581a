"""Secrets that the text around them reveals, such as a name or a heading."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import NamedTuple

from convert.redact.literals import Words, gate_of, lowered
from convert.redact.rule import Rule, Secret
from convert.redact.rules import read_rules
from convert.redact.values import is_made, is_mixed, is_no_word
from convert.wording import compiled


def find_placed(text: str) -> Iterator[Secret]:
    """Yield the secrets that the text around them reveals."""
    # The heads of lists and tables hold such literals, too.
    if found := _literals().possible(text):
        low = lowered(text)
        for number in sorted(found):
            yield from find_with(literal_rules()[number], text, low)
        yield from find_below(text, low)


@functools.cache
def _literals() -> Words:
    return Words([each.literal for each in literal_rules()])


@functools.cache
def literal_rules() -> list[LiteralRules]:
    """Return the literals of places with their rules, grouped by the gate in each.

    The first of several rules for one place names the secret.
    """
    gated: dict[str, list[LiteralRules]] = defaultdict(list)
    for literal, rules in _rules_by_literal(read_rules().places).items():
        gated[gate_of(literal)].append(_of_literal(literal, rules))
    gates = sorted(gated.items(), key=lambda each: not each[0].isascii())
    return [each for _, group in gates for each in group]


# A literal may be at every third character of a text, and have 20 rules. They have in
# common the beginning of a pattern (`Rule.head`) and the words before it.
Match = Callable[[str, int], "re.Match[str] | None"]
# So many characters are no placeholder with another name after it.
_LONG = 64
# How far before a literal a word may be.
_REACH = 200
# The end of a command, and an escape, whose last letter is no part of a word.
_ENDS_COMMAND = "[\\n|;&]"
_ESCAPE = re.compile(r"(?:\\[nrt]|\\u00[0-9A-Fa-f]{2}|\[[\d;]{0,6}[mK])\Z")


class RulesByHead:
    """Rules whose patterns go on after the same one."""

    def __init__(self, head: str) -> None:
        self.rules: list[tuple[int, Rule]] = []
        self._head = head

    @cached_property
    def head(self) -> Match:
        """Match the common beginning of their patterns."""
        return compiled(self._head).match

    @cached_property
    def matches(self) -> list[tuple[int, Rule, Match | None]]:
        """Return the rules with their patterns, of those that begin right there."""
        return [
            (number, rule, None if rule.reach else rule.compiled.match)
            for number, rule in self.rules
        ]


class LiteralRules(NamedTuple):
    """A literal and its rules."""

    literal: str
    """The literal, in small letters."""

    groups: list[RulesByHead]
    """The rules whose match begins there, numbered."""

    words: dict[str, list[tuple[int, Rule]]]
    """The rules that need a word before it, by the word."""

    parts: str
    """The pattern of those words, and of the ends of commands."""


def _rules_by_literal(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Return the rules by literal; one that begins with another one adds nothing."""
    by_literal: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        shortest = "\0"
        for literal in sorted(map(str.lower, rule.begins)):
            if not literal.startswith(shortest):
                shortest = literal
                by_literal[literal].append(rule)
    return by_literal


def _of_literal(literal: str, rules: Iterable[Rule]) -> LiteralRules:
    """Return a literal with its rules in the order in which they are tried."""
    groups: dict[str, RulesByHead] = {}
    words: dict[str, list[tuple[int, Rule]]] = defaultdict(list)
    for numbered in enumerate(rules):
        needed = numbered[1].starts + numbered[1].after
        for word in needed:
            words[word].append(numbered)
        if not needed:
            head = numbered[1].head
            groups.setdefault(head, RulesByHead(head)).rules.append(numbered)
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    parts = rf"(?:{either})(?![\w-]|\.(?!exe|cmd))|{_ENDS_COMMAND}"
    return LiteralRules(literal, [*groups.values()], dict(words), parts)


def find_with(rules: LiteralRules, text: str, low: str) -> Iterator[Secret]:
    """Yield the secrets of a text that the rules of a literal find."""
    passed: dict[int, int] = {}
    before = WordsBefore(text, rules)
    at = low.find(rules.literal)
    while at >= 0:
        for number, rule, found in _found(rules, text, at, before, passed):
            begin, end, last = found
            if begin < end:
                yield Secret(begin, end, rule.name, rule.is_weak)
            if begin < end or last - at > _LONG:
                # Long values are not tried again from each literal inside them.
                passed[number] = last
        at = low.find(rules.literal, at + 1)


def _found(
    rules: LiteralRules,
    text: str,
    at: int,
    before: WordsBefore,
    passed: dict[int, int],
) -> Iterator[tuple[int, Rule, tuple[int, int, int]]]:
    """Yield the finds of the rules at a literal, of those that are not past it."""
    for group in rules.groups:
        if (head := group.head(text, at)) is None:
            continue
        end = head.end()
        for number, rule, match in group.matches:
            if passed and passed.get(number, 0) > at:
                continue
            if match is None:
                if found := rule.find_at(text, at):
                    yield number, rule, found
            elif matched := match(text, end):
                yield number, rule, rule.span_of_secret(matched)
    for number, rule, start in before.tries(at) if rules.words else ():
        if passed.get(number, 0) <= at and (found := rule.find_at(text, start)):
            yield number, rule, found


class WordsBefore:
    """The words before an offset of a text, which is read once."""

    def __init__(self, text: str, rules: LiteralRules) -> None:
        self._text = text
        self._rules = rules
        self._read = 0
        self._last: dict[str, int] = {}
        self._command = 0

    def tries(self, at: int) -> Iterator[tuple[int, Rule, int]]:
        """Yield the rules of the words before an offset, and where each begins."""
        self._read_to(at)
        for word, start in reversed(self._last.items()):
            for number, rule in self._rules.words[word]:
                if start >= at - rule.reach:
                    if rule.starts:
                        yield number, rule, start
                    elif start >= self._command:
                        yield number, rule, at

    def _read_to(self, at: int) -> None:
        """Read on to an offset, and forget words that are too far before it."""
        parts = compiled(self._rules.parts)
        for part in parts.finditer(self._text, max(self._read, at - _REACH), at):
            if part[0] in "\n|;&":
                self._command = part.end()
                continue
            at_word = part.start()
            around = self._text[max(at_word - 8, 0) : at_word]
            # In the middle of a word it is none, except after an escape.
            if not around[-1:].isalnum() or _ESCAPE.search(around):
                # The last word is the last of the dictionary, too.
                self._last.pop(part[0], None)
                self._last[part[0]] = at_word
        self._read = at
        if self._last:
            first = at - _REACH
            for word in [word for word, start in self._last.items() if start < first]:
                del self._last[word]


# A rule finds one value next to a name; here one name is the head of the values of many
# lines. Each line is read once, as a head or below one.
# One of these is in each head, in small letters.
_LITERALS = ("passw", "passphrase", "pwd", "secret", "token", "key")
_WORD = (
    r"(?:(?P<password>pass(?:words?|wd|phrases?)|pwd)|secrets?|tokens?"
    r"|(?:api|access|secret|auth|private|client)[ _-]?(?:keys?|secrets?|tokens?))"
)
_NAME = re.compile(rf"(?i)(?:\w{{1,24}}[ _.-])?{_WORD}")
_LIST = re.compile(rf"(?i)\s{{0,40}}(?:[\w.-]{{1,24}}[_.-])?{_WORD}:\s{{0,4}}")
_ITEM = re.compile(r"\s{0,40}- (\"[^\"]*\"|'[^']*'|[^\s\"'#{}:]*)\s{0,4}")
# A head has only short names without digits, and the marks between them.
_HEAD = re.compile(r"(?:[^\W\d]|[ .#\"*`/|\t,;\r-]){5,500}")
# The line before a head, if there is one: a row in the middle of others is no head.
_BEFORE = re.compile(r"\W*|\s*(?:[$#>%]|\S*[$#]) .*|.*:\s*|\s*```\w*\s*")
_SEPARATOR = re.compile(r"[-+|=: \r]+")
_CELLS = {
    mark: re.compile(rf"(?:\A|[{mark}])(\s*\"(?>(?:[^\"]|\"\")*)\"\s*|[^{mark}]*+)")
    for mark in "|\t;,"
}
_ALIGNED = re.compile(r"(?<!\S)(?<!\S )\S+(?: \S+)*")
_WORD_AT = re.compile(r"(?<!\S)\S+")
_AROUND = " \t\"'`*\r"
_SHORTEST = 6
# No name in a head is longer, no head begins further before its word, and no line below
# one is longer.
_LONGEST = 32
_LONGEST_HEAD = 500
_LONGEST_LINE = 4096

Span = tuple[int, int]
"""The beginning and the end of a cell in its line."""

Below = Callable[[str], "Span | None"]
"""Returns where the cell of a line is; None for a line that is not below the head."""


def find_below(text: str, low: str) -> Iterator[Secret]:
    """Yield the secrets below a head; `low` is the text in small letters."""
    passed = 0
    for at in _heads(low) if "\n" in text else ():
        if at < passed or (line := _line_around(text, at)) is None:
            continue
        begin, passed = line
        below, accepts = _below(text[begin:passed], _line_before(text, begin))
        while below and passed < len(text):
            begin = passed + 1
            end = text.find("\n", begin, begin + _LONGEST_LINE)
            passed = min(len(text), begin + _LONGEST_LINE) if end < 0 else end
            if (cell := below(text[begin:passed])) is None:
                # The line may be the head of another table.
                passed = begin - 1
                break
            value = text[begin + cell[0] : begin + cell[1]].strip(_AROUND)
            if len(value) >= _SHORTEST and accepts(value):
                first = text.index(value, begin + cell[0])
                yield Secret(first, first + len(value), "password", is_weak=True)


def _heads(low: str) -> list[int]:
    """Return where the words of heads are, from left to right."""
    found = []
    for literal in _LITERALS:
        at = low.find(literal)
        while at >= 0:
            found.append(at)
            at = low.find(literal, at + len(literal))
    return sorted(found)


def _line_around(text: str, at: int) -> Span | None:
    """Return where the line around an offset is, unless it is too long for a head."""
    begin = text.rfind("\n", max(at - _LONGEST_HEAD, 0), at) + 1
    end = text.find("\n", at, at + _LONGEST_HEAD)
    if end < 0 or (begin == 0 and at > _LONGEST_HEAD):
        return None
    return begin, end


def _line_before(text: str, begin: int) -> str:
    """Return the line before the one that begins at an offset, or its end."""
    last = max(begin - 1, 0)
    return text[text.rfind("\n", max(last - _LONGEST_HEAD, 0), last) + 1 : last]


def _below(head: str, before: str) -> tuple[Below | None, Callable[[str], bool]]:
    """Return a function that finds the cells below a line, and one that judges them."""
    if (name := _LIST.fullmatch(head)) is not None:
        return _item, _judge(name)
    if not _HEAD.fullmatch(head) or not _BEFORE.fullmatch(before):
        return None, is_mixed
    for mark, cells in _CELLS.items():
        if mark in head:
            names = [match[1].strip(_AROUND) for match in cells.finditer(head)]
            is_head = mark == "|" or all(0 < len(name) <= _LONGEST for name in names)
            for number, name in enumerate(map(_NAME.fullmatch, names)):
                if name is not None and is_head:
                    return partial(_part, cells, len(names), number), _judge(name)
            return None, is_mixed
    return _aligned(head)


def _aligned(head: str) -> tuple[Below | None, Callable[[str], bool]]:
    """Return the same for a head whose names are parted by two blanks or more."""
    names = [*_ALIGNED.finditer(head)]
    for found in names if len(names) > 1 else ():
        if (name := _NAME.fullmatch(found[0])) is not None:
            return partial(_word, found.start()), _judge(name)
    return None, is_mixed


def _judge(name: re.Match[str]) -> Callable[[str], bool]:
    """Return the judge of values: the name of a token is that of other things, too."""
    return is_no_word if name["password"] else is_made


def _item(line: str) -> Span | None:
    item = _ITEM.fullmatch(line)
    return None if item is None else item.span(1)


def _part(cells: re.Pattern[str], count: int, number: int, line: str) -> Span | None:
    """Return the cell with a number, in a line with as many cells as the head."""
    if _SEPARATOR.fullmatch(line):
        return 0, 0
    spans = [match.span(1) for match in cells.finditer(line)]
    return spans[number] if len(spans) == count else None


def _word(begin: int, line: str) -> Span | None:
    """Return the word that begins at an offset, in a line that is aligned so."""
    if not line.strip():
        return None
    word = _WORD_AT.match(line, begin)
    return (0, 0) if word is None else word.span()
