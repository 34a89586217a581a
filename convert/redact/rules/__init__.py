r"""The rules: tables in this folder, which are read before the first text is searched.

tokens.ini     keys and tokens that show by their own shape who issued them, a line each
keys.ini       private keys, and keys next to the id of their account
addresses.ini  passwords, tokens and signatures in addresses, and headers of requests
names.ini      values after the name of a secret, in environments and code
commands.ini   options, arguments and settings of programs
documents.ini  documents, forms, sessions of programs and servers, and settings
prose.ini      sentences, prompts and the addresses of people

A section is a rule: its heading is the kind of secret, and its cells are the fields
of `Rule`. A word with a blank inside has a ␣ there; `{_,-}{pass,pw}` spells four words.
A pattern may have several lines. `accepts` names a function of `values`, without
`is_`; without this cell, each value is a secret unless it is a placeholder. `reach` is
200 for a rule with `starts` or `after`.

[parts] are pieces of patterns, which all that is below them may use: {QUOTED}. [words]
are lists of words, for patterns and for the cells with words.

Every pattern takes time in proportion to the text: a repetition is of one class of
characters, and bounded or possessive.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from msgspec import structs

from convert.redact import values as judges
from convert.redact.rule import Rule
from convert.redact.values import is_no_placeholder
from convert.wording.sections import Cells, read_sections, unmarked, words_of

# The kind whose matches give way to those of other kinds.
MAIL = "e-mail address"
# A token is found among the words of a text that are as long as this, if it begins with
# one. The others are found by their literals.
LONG_WORD = 16
_FOLDER = os.path.dirname(__file__)


class Rules(NamedTuple):
    """All rules, by how a text is searched for them."""

    tokens: tuple[Rule, ...]
    """Those that are found among the long words of a text."""

    places: tuple[Rule, ...]
    """The others. The first of several rules for one place names the secret."""


@functools.cache
def read_rules(folder: str = _FOLDER) -> Rules:
    """Read the tables, in the order in which their rules are tried."""
    tables = _Tables(folder)
    for name in _NAMES:
        tables.read(name)
    return Rules(tuple(tables.tokens), tuple(tables.places))


def every_rule() -> tuple[Rule, ...]:
    """Return the rules of tokens and of places."""
    return read_rules().tokens + read_rules().places


_NAMES = "tokens", "keys", "addresses", "names", "commands", "documents", "prose"
_CELLS = {
    *("begins", "starts", "after", "head", "pattern", "example", "accepts", "reach"),
    *("least", "before", "follows", "then", "is word"),
}
# How far before an option its program may be named.
_REACH = "200"
_PART = re.compile(r"\{([A-Z_]{3,})\}")
_SPELLINGS = re.compile(r"\{([A-Z_]{3,}|[^{}]*,[^{}]*)\}")


class _Tables:
    """The rules that have been read, and the parts that the next ones may use."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.tokens: list[Rule] = []
        self.places: list[Rule] = []
        self._parts: dict[str, str] = {}
        self._words: dict[str, list[str]] = {}

    def read(self, name: str) -> None:
        """Read the table of a name."""
        found = self.tokens if name == "tokens" else self.places
        for heading, cells in read_sections(self._folder, f"{name}.ini"):
            if "begins" in cells:
                found += _by_name(self._rule(name, heading, cells))
                continue
            accepts = cells.pop("accepts", [""])[0]
            for cell, lines in cells.items():
                self._add(heading, cell, lines, accepts)

    def _add(self, heading: str, cell: str, lines: list[str], accepts: str) -> None:
        """Add the parts, the words or the rules of one name in a section."""
        match heading:
            case "parts":
                self._parts[cell] = self._filled(lines)
            case "words" | "words in any case":
                self._words[cell] = words = self._spelled(lines)
                join = "|".join if heading == "words" else either
                self._parts[cell] = join(words)
            case "options" | "joined options":
                for options in lines:
                    self.places.append(self._option(heading, cell, options))
            case "last words":
                self.places += [self._last_word(cell, line) for line in lines]
            case _:
                for line in lines:
                    self._add_token(cell, line, accepts)

    def _rule(self, table: str, kind: str, cells: Cells) -> Rule:
        if unknown := cells.keys() - _CELLS:
            raise LookupError(f"{table}.ini: [{kind}] has no cell {min(unknown)}")
        [example] = cells["example"]
        starts, after = words_of(cells, "starts"), words_of(cells, "after")
        reach = _REACH if starts or after else "0"
        accepts = _judge(cells.get("accepts", ["no placeholder"])[0])
        return Rule(
            name=kind,
            begins=tuple(self._spelled(cells["begins"])),
            written=partial(self._filled, cells["pattern"]),
            example=unmarked(example),
            accepts=accepts,
            reach=int(cells.get("reach", [reach])[0]),
            least=int(cells.get("least", "0")[0]),
            follows=cells.get("follows", [""])[0],
            then=cells.get("then", [""])[0],
            is_word="is word" in cells,
            before=self._filled(cells.get("before", ())),
            head=self._filled(cells.get("head", ())),
            starts=starts,
            after=after,
            is_weak=accepts in _AMONG_WORDS,
        )

    def _filled(self, lines: Iterable[str]) -> str:
        """Return the pattern in some lines, with the parts that it names."""
        return _PART.sub(lambda part: self._parts[part[1]], unmarked("".join(lines)))

    def _spelled(self, lines: Iterable[str]) -> list[str]:
        """Return the words in some lines, in each of their spellings."""
        found: list[str] = []
        for word in " ".join(lines).split():
            if "{" not in word:
                found.append(unmarked(word))
            elif (name := word[1:-1]) in self._words:
                found += self._words[name]
            else:
                # Every other piece is the inside of braces.
                pieces = _SPELLINGS.split(unmarked(word))
                choices = [
                    [it] if number % 2 == 0 else self._choices(it)
                    for number, it in enumerate(pieces)
                ]
                found += map("".join, itertools.product(*choices))
        return found

    def _choices(self, inside: str) -> list[str]:
        return inside.split(",") if "," in inside else self._words[inside]

    def _option(self, heading: str, programs: str, options: str) -> Rule:
        """Return the rule of programs; the value follows a blank, or the option."""
        words, flags = programs.split(), options.split()
        has_blank = heading == "options"
        blank = r"(?:\s{1,2}|=)" if has_blank else ""
        pattern = f" (?:{'|'.join(map(re.escape, flags))}){blank}{{VALUE}}"
        return Rule(
            name=_PASSWORD,
            begins=tuple(sorted({f" {flag.lower()}" for flag in flags})),
            written=partial(self._filled, [pattern]),
            example=f"{words[0]} x {flags[0]}{' ' * has_blank}«hunter2zz9» y",
            accepts=is_no_placeholder,
            reach=int(_REACH),
            after=tuple(words),
        )

    def _last_word(self, command: str, line: str) -> Rule:
        """Return the rule of a command that ends in a secret."""
        ends, _, pattern = line.partition(" | ")
        begins = tuple(self._spelled([ends]))
        is_at_start = command.startswith(begins)
        after = r"[ =](?!-|/)(?:\w{1,40}=)?{VALUE}"
        return Rule(
            name=_PASSWORD,
            begins=begins,
            written=partial(self._filled, [f"(?:{pattern or command}){after}"]),
            example=f"{command} «hunter2zz9»",
            accepts=is_no_placeholder,
            reach=0 if is_at_start else int(_REACH),
            starts=() if is_at_start else (command.split()[0],),
        )

    def _add_token(self, kind: str, line: str, accepts: str) -> None:
        """Add the rule of a line, which has the beginnings of a token and its rest."""
        beginnings, bar, rest = line.partition("| ")
        if not bar:
            raise LookupError(
                f"neither a rule nor the line of a token: {kind} = {line}"
            )
        rule = _token(kind, tuple(beginnings.split()), self._filled([rest]), accepts)
        example = rule.example.strip("«»")
        is_whole = _ONE_WORD.fullmatch(example)
        (self.tokens if is_whole else self.places).append(rule)
        if is_whole and _CUT_SHORT.match(example):
            self.places.append(rule)


# Those who judge values in places that words have as well.
_AMONG_WORDS = {
    *(judges.is_no_word, judges.is_long, judges.is_mixed, judges.is_quoted_in_prose),
    *(judges.is_default, judges.is_foreign, judges.is_argument, judges.is_cased),
}
# People choose passwords; programs make tokens and keys, so that words are none.
_OF_CHOSEN = _AMONG_WORDS - {judges.is_default} | {judges.is_typed}
_MADE = "token", "key", "secret", "credential"


def _by_name(rule: Rule) -> list[Rule]:
    """Return a rule, which is two if it judges tokens in another way than passwords."""
    made = tuple(begin for begin in rule.begins if begin.endswith(_MADE))
    if rule.accepts not in _OF_CHOSEN or not made:
        return [rule]
    typed = tuple(begin for begin in rule.begins if begin not in made)
    both = [structs.replace(rule, begins=typed)] if typed else []
    accepts = partial(_is_no_words, rule.accepts)
    return [*both, structs.replace(rule, begins=made, accepts=accepts)]


def _is_no_words(accepts: Callable[[str], bool], value: str) -> bool:
    is_text = " " in value and not any(map(str.isdigit, value))
    return accepts(value) and not is_text and not judges.is_words(value)


_PASSWORD = "password"


def _judge(name: str) -> Callable[[str], bool]:
    """Return the function that distinguishes a secret from a placeholder."""
    function: Callable[[str], bool] = getattr(judges, f"is_{name.replace(' ', '_')}")
    return function


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


# The classes of characters that the line of a token names.
_CLASSES = {
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
# These begin names as well, so that letters after them may be words.
_OF_NAMES = {
    *("sk-", "sk_", "sk-api-", "key_", "secret_", "secret-", "api-", "test_", "live_"),
    *("pat_", "pat", "re_", "fw_", "m0-", "md-", "sl.", "cio", "expo_", "al-"),
}
# All characters of such a token are those of words.
_OF_WORDS = re.compile(r"(?:[A-Za-z0-9_.-]|\{[adhHltuw]\d[^}]*\})+")
# Such a token is in one long word, or begins with one.
_ONE_WORD = re.compile(
    r"(?:[A-Za-z0-9_.-]|\{[adhHltuwx]\d+[^}]*\})+=?|[A-Za-z0-9_.-]{7,}\{b.*"
)
# A slash may end its word before that is long, so that its literal is looked for too.
_CUT_SHORT = re.compile(rf"[A-Za-z0-9_.-]{{1,{LONG_WORD - 1}}}\{{b")
# A word begins here, or a sequence of the terminal or an escape ends.
_ENDS = (
    *(r"\\[nrtbf]", r"\\x[0-9A-Fa-f]{2}", r"\\u00[0-9A-Fa-f]{2}"),
    *(r"%[0-9A-Fa-f]{2}", r"=3[Dd]", r"[0-9;\[]m", r"\[K", r"\[[0-2]K", r"\(B", "/bot"),
)
_WORD = rf"(?:(?<![A-Za-z0-9])|{'|'.join(f'(?<={end})' for end in _ENDS)})"
# A beginning of up to so many characters says little of its own.
_SHORT = 2
_LONGEST_PART = 512
# So many characters after a literal distinguish a token from a word.
_FOLLOWING = 8
_END = "(?![A-Za-z0-9])"


def _token(kind: str, words: tuple[str, ...], rest: str, accepts: str) -> Rule:
    """Return the rule of the line of a token.

    Without a literal at the beginning, the longest one in the middle leads to it.
    """
    begins, reach, least, follows = words, 0, 0, ""
    if words:
        follows = _beginning(rest[: rest.find("}") + 1])
    else:
        middle = max(_FIELD.split(rest)[::4], key=len)
        begins = (middle,)
        before = rest[: rest.index(middle)]
        least = reach = len(_FIELD.sub("", before))
        for field in _FIELD.finditer(before):
            least += int(field["least"])
            reach += int((field["most"] or field["least"]).removeprefix("-"))
    return Rule(
        name=kind,
        begins=begins,
        written=partial(_token_pattern, words, rest),
        example=f"«{words[0] if words else ''}{rest}»",
        accepts=_judge(accepts) if accepts else _judge_of_token(words, rest),
        reach=reach,
        least=least,
        follows=follows,
        is_word=bool(_OF_WORDS.fullmatch("".join(words) + rest)),
    )


def _judge_of_token(words: tuple[str, ...], rest: str) -> Callable[[str], bool]:
    """Return a judge, which asks more the less the literal says."""
    if not words:
        return judges.is_random
    if rest.startswith("{u") and len(words[0]) > _SHORT:
        return judges.is_varied
    if len(min(words, key=len)) <= _SHORT:
        return judges.is_very_random
    is_of_names = not _OF_NAMES.isdisjoint(words)
    return judges.is_random if is_of_names else partial(judges.is_issued, words)


def _token_pattern(words: tuple[str, ...], rest: str) -> str:
    pattern = f"(?:{'|'.join(map(re.escape, words))}){as_pattern(rest)}"
    if not words or rest.startswith("{b"):
        return f"{_WORD}{pattern}"
    # The end of a number, or of a part of a word, is no beginning.
    return f"(?<![-.]){pattern}" if words[0].isdigit() else pattern


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


def _repeated(field: re.Match[str], is_last: bool) -> str:
    kind, least, most = field.group("kind", "least", "most")
    if most == "+":
        # The next part may be missing, so that the rest of a long word is not tried.
        return f"{_CLASSES[kind]}{{{least},{'' if is_last else _LONGEST_PART}}}+"
    return f"{_CLASSES[kind]}{{{least}{(most or '').replace('-', ',')}}}"


# A few fields begin most tokens.
@functools.cache
def _beginning(first: str) -> str:
    """Return the pattern of the first characters of a token after its literal.

    A word ends at a slash, so those of base64 after it cannot be seen.
    """
    field = _FIELD.fullmatch(first)
    if field is None or field["kind"] == "b":
        return ""
    return f"{_CLASSES[field['kind']]}{{{min(int(field['least']), _FOLLOWING)}}}"
