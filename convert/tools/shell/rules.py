"""When one invocation of a program, or of its subcommand, changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from convert.tools.shell.syntax import UNKNOWN
from convert.wording import compiled


class Rule(Struct, frozen=True, kw_only=True):
    """When an invocation changes nothing; a rule without conditions says: always.

    Options are `-o` or `--output`. A long one also stands for its abbreviations, and
    one like `-delete` is compared as a whole.
    """

    acts_with: tuple[str, ...] = ()
    """Options with which it may change something."""

    only_with: tuple[str, ...] | None = None
    """The only options that are known to change nothing; None if most of them are."""

    needs: tuple[str, ...] = ()
    """Options of which one has to be there."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    operands: int | None = None
    """The most operands with which it changes nothing; None if any number does."""

    check: Callable[[Sequence[str]], bool] | None = None
    """A condition on all words behind the program, besides the others."""

    subcommands: dict[str, tuple[Rule, ...]] = {}
    """The rules of each subcommand that can look; `""` stands for none given.

    With them, the other conditions are for the options before the subcommand.
    """

    looks: tuple[str, ...] = ()
    """Examples that change nothing, for the tests."""

    acts: tuple[str, ...] = ()
    """Examples that may change something, for the tests."""


class Invocation(Struct, frozen=True):
    """The words behind a program, sorted."""

    options: list[str]
    """Each option for itself, without its value; `-la` is `-la`, `-l` and `-a`."""

    operands: list[str]
    """The other words; behind a subcommand, all words."""

    is_known: bool
    """No word could be an option that only the shell knows."""

    @property
    def single_options(self) -> list[str]:
        """The options without the words that join several, such as `-la`."""
        return [name for name in self.options if len(name) == 2 or name[:2] == "--"]


def permits(rule: Rule, words: Sequence[str]) -> bool:
    """Return True if a rule says that an invocation changes nothing.

    `words` are those behind the program or subcommand that the rule is for.
    """
    found = read(words, rule.values, until_operand=bool(rule.subcommands))
    if not _permits_options(rule, found) or (rule.check and not rule.check(words)):
        return False
    if rule.subcommands:
        name, *rest = found.operands or [""]
        return any(permits(row, rest) for row in rule.subcommands.get(name, ()))
    return rule.operands is None or len(_several(found.operands)) <= rule.operands


def _permits_options(rule: Rule, found: Invocation) -> bool:
    has_conditions = rule.acts_with or rule.only_with is not None
    if not found.is_known and (has_conditions or rule.operands is not None):
        return False
    if any(_is_among(option, rule.acts_with) for option in found.options):
        return False
    if rule.only_with is not None and not {*found.single_options} <= {*rule.only_with}:
        return False
    return not rule.needs or not {*rule.needs}.isdisjoint(found.options)


def _is_among(option: str, options: Sequence[str]) -> bool:
    if option.startswith("--"):
        return any(other.startswith(option) for other in options)
    return option in options


def _several(operands: Sequence[str]) -> list[str]:
    """Return the operands, those with a pattern twice: they can become several."""
    return [
        operand
        for word in operands
        for operand in ([word, word] if set(word) & set("*?[") else [word])
    ]


def read(
    words: Sequence[str], values: Sequence[str], *, until_operand: bool = False
) -> Invocation:
    """Tell the options among words from the operands.

    `values` are options whose value is the next word. Words like `+%s` are options.
    """
    options: list[str] = []
    operands: list[str] = []
    is_known = True
    rest = iter(words)
    for word in rest:
        if word == "--" or (until_operand and not _is_option(word)):
            operands += [word] if word != "--" else []
            operands += rest
        elif not _is_option(word):
            operands.append(word)
            is_known = is_known and not word.startswith(UNKNOWN)
        else:
            found, has_value = _options_of(word, values)
            options += found
            is_known = is_known and UNKNOWN not in "".join(found)
            if has_value:
                next(rest, None)
    return Invocation(options, operands, is_known)


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] in "-+"


def _options_of(word: str, values: Sequence[str]) -> tuple[list[str], bool]:
    """Return the options in a word, and True if the next word is a value of them."""
    if word.startswith("+"):
        return [], False
    if word.startswith("--") or word in values:
        name, is_joined, _ = word.partition("=")
        return [name], not is_joined and name in values
    options = [word]
    for place, letter in enumerate(word[1:], 2):
        options.append(f"-{letter}")
        if f"-{letter}" in values:
            return options, place == len(word)
    return options, False


# A regular expression between delimiters, which sets of characters may not hold: some
# versions of sed end it there.
_PATTERN = r"(?>(?:\\.|\[\^?\]?[^\]{0}\\\n]*+\]|[^\\\n\[{0}])*)"
_REGEX = "/" + _PATTERN.format("/") + "/"
_ADDRESS = rf"(?:[0-9]+(?:~[0-9]+)?|\$|{_REGEX}I?)"
_ADDRESSES = rf"(?:{_ADDRESS}(?:\s*+,\s*+(?:[+~]?[0-9]+|{_ADDRESS}))?\s*+!?\s*+)?"
_SUBSTITUTE = "|".join(
    f"s{mark}{_PATTERN.format(mark)}{mark}(?:{replaced}){mark}[gpiI0-9]*"
    for mark, replaced in (
        (re.escape(mark), rf"(?>(?:\\.|[^\\\n{re.escape(mark)}])*)")
        for mark in "/|#,@:!%"
    )
)
# Neither `w`, `W` and `e`, which write and run, nor what takes the rest of a line.
_COMMAND = rf"(?:[pPdDgGhHxnNlz=]|[qQ][0-9]*|{_SUBSTITUTE})"
_SED = rf"(?>(?:\s|;|\{{|\}}|{_ADDRESSES}(?:{_COMMAND}\s*+(?=[;}}\n]|$)|\{{))*)"

_SED_OPTIONS = {
    *("-n", "-E", "-r", "-u", "-nE", "-nr", "-En", "-rn", "-z", "--quiet", "--silent"),
    *("--regexp-extended", "--unbuffered", "--null-data", "--posix", "--debug"),
}
_SED_SCRIPTS = {"-e", "-ne", "-Ee", "-re", "-nEe", "-nre", "--expression"}
_AWK_OPTIONS = r"-[Fv]."


def sed_only_prints(words: Sequence[str]) -> bool:
    """Return True if `sed` with these words writes to nothing but its output."""
    scripts: list[str] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _SED_SCRIPTS:
            scripts.append(next(rest, UNKNOWN))
        elif word in _SED_OPTIONS:
            continue
        elif word.startswith(("-", UNKNOWN)):
            return False
        else:
            operands.append(word)
    scripts = scripts or operands[:1]
    return scripts != [] and all(map(compiled(_SED).fullmatch, scripts))


def awk_only_prints(words: Sequence[str]) -> bool:
    """Return True if `awk` with these words writes to nothing but its output."""
    rest = iter(words)
    for word in rest:
        if word in ("-F", "-v"):
            next(rest, None)
        elif word == "--":
            return _awk_script_only_prints(next(rest, UNKNOWN))
        elif not compiled(_AWK_OPTIONS).match(word):
            return _awk_script_only_prints(word)
    return False


def _awk_script_only_prints(script: str) -> bool:
    """Return True if an awk script neither redirects nor runs a command."""
    # `>` redirects only behind `print`; elsewhere it compares.
    _, _, printed = script.partition("print")
    runs = "|" in script.replace("||", "") or "system" in script or "@" in script
    is_known = UNKNOWN not in script and not script.startswith("-")
    return is_known and not runs and ">" not in printed
