"""Shell commands that are known to change nothing.

The programs and subcommands that look, and with which words, are in harmless.ini.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from convert.tools.shell.identity import SHELLS, SUBCOMMANDS, WRAPPERS, unwrapped
from convert.tools.shell.syntax import UNKNOWN, Invocation, invocation_of, parse
from convert.wording import compiled
from convert.wording.sections import Cells, read_sections, words_of

# Elsewhere a program may have the name of one that only looks.
_SYSTEM = r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/(?=[^/]+$)"
_PYTHON = r"python[0-9.]*$"
_SHELL_OPTIONS = {"-c", "-l", "-e", "-u", "-x", "-o"}


@functools.lru_cache(maxsize=1024)
def changes_nothing(command: str) -> bool:
    """Return True if a command is known to change nothing.

    This holds if each command in a list, loop or substitution only looks, and if no
    redirection goes to a file. Nothing is known of an empty command and of one that
    cannot be parsed.
    """
    syntax = parse(command)
    if syntax is None or not command.strip() or not syntax.is_harmless:
        return False
    return all(program_changes_nothing(found.words) for found in syntax.commands)


def program_changes_nothing(words: Sequence[str]) -> bool:
    """Return True if a program with these words is known to change nothing."""
    while words:
        name, *rest = words
        if "/" in name:
            name = compiled(_SYSTEM).sub("", name)
        words = [name, *rest]
        is_question = len(rest) == 1 and rest[0] in _QUESTIONS
        if is_question and (name in PROGRAMS or name in ASKED):
            return True
        if name in PROGRAMS and _permits(PROGRAMS[name], rest):
            return True
        if name in SHELLS:
            return _script_looks(words)
        words = _program_run_by(words)
    return False


def _program_run_by(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that another one runs; none if it runs none."""
    match words:
        case [name, "-m", "pip" | "json.tool", *_] if compiled(_PYTHON).match(name):
            return words[2:]
        case [name, *_] if name in WRAPPERS:
            return unwrapped(words) or ()
    return ()


def _script_looks(words: Sequence[str]) -> bool:
    """Return True if the script in `bash -c SCRIPT` is known to change nothing."""
    found = invocation_of(words[1:], ("-o",), until_operand=True)
    script = found.operands[0] if found.operands else UNKNOWN
    are_known = "-c" in found.options and {*found.single_options} <= _SHELL_OPTIONS
    return are_known and changes_nothing(script)


class Rule(Struct, frozen=True, kw_only=True):
    """The conditions under which a program changes nothing; without any, it never does.

    Options are `-o` or `--output`. A long one also means its abbreviations, and
    one like `-delete` is compared as a whole.
    """

    acts_with: tuple[str, ...] = ()
    """Options with which it may change something."""

    only_with: tuple[str, ...] | None = None
    """The only options that are known to change nothing; None if most of them are."""

    needs: tuple[str, ...] = ()
    """Options, one of which must be there."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    operands: int | None = None
    """The most operands with which it changes nothing; None if any number does."""

    only_words: tuple[str, ...] | None = None
    """The only options, each a word of its own; None if options may be joined."""

    check: Callable[[Sequence[str]], bool] | None = None
    """A condition on all words after the program, besides the others."""

    subcommands: dict[str, tuple[Rule, ...]] = {}
    """The rules of each subcommand that can look: one of them has to hold.

    With them, the other conditions are for the options before the subcommand.
    """

    looks: tuple[str, ...] = ()
    """Examples that change nothing, for the tests."""

    acts: tuple[str, ...] = ()
    """Examples that may change something, for the tests."""


def _permits(rule: Rule, words: Sequence[str]) -> bool:
    """Return True if a rule says that an invocation changes nothing.

    `words` are those after the program or subcommand that the rule is for.
    """
    found = invocation_of(words, rule.values, until_operand=bool(rule.subcommands))
    if not _permits_options(rule, found) or (rule.check and not rule.check(words)):
        return False
    if rule.only_words is not None and not all(
        word in rule.only_words or not word.startswith(("-", UNKNOWN)) for word in words
    ):
        return False
    if rule.subcommands:
        name, *rest = found.operands or [""]
        return any(_permits(row, rest) for row in rule.subcommands.get(name, ()))
    # An operand with a pattern counts twice: it can become several.
    count = sum(1 + bool({*word} & {*"*?["}) for word in found.operands)
    return rule.operands is None or count <= rule.operands


def _permits_options(rule: Rule, found: Invocation) -> bool:
    only, needed = rule.only_with, rule.needs
    is_open = not rule.acts_with and only is None and rule.operands is None
    return (
        (found.is_known or is_open)
        and not any(_is_among(option, rule.acts_with) for option in found.options)
        and (only is None or {*found.single_options} <= {*only})
        and (not needed or not {*needed}.isdisjoint(found.options))
    )


def _is_among(option: str, options: Sequence[str]) -> bool:
    if option.startswith("--"):
        return any(other.startswith(option) for other in options)
    return option in options


# A regular expression between delimiters, which sets of characters may not hold: some
# versions of sed end it there.
_PATTERN = r"(?>(?:\\.|\[\^?\]?[^\]{0}\\\n]*+\]|[^\\\n\[{0}])*)"
_ADDRESS = rf"(?:[0-9]+(?:~[0-9]+)?|\$|/{_PATTERN.format('/')}/I?)"
_ADDRESSES = rf"(?:{_ADDRESS}(?:\s*+,\s*+(?:[+~]?[0-9]+|{_ADDRESS}))?\s*+!?\s*+)?"
_SUBSTITUTE = "|".join(
    f"s{mark}{_PATTERN.format(mark)}{mark}(?:{replaced}){mark}[gpiI0-9]*"
    for mark, replaced in (
        (re.escape(mark), rf"(?>(?:\\.|[^\\\n{re.escape(mark)}])*)")
        for mark in "/|#,@:!%"
    )
)
# Neither `w`, `W` and `e`, which write and run, nor commands that take a whole line.
_COMMAND = rf"(?:[pPdDgGhHxnNlz=]|[qQ][0-9]*|{_SUBSTITUTE})"
_SED = rf"(?>(?:\s|;|\{{|\}}|{_ADDRESSES}(?:{_COMMAND}\s*+(?=[;}}\n]|$)|\{{))*)"

_SED_OPTIONS = {
    *("-n", "-E", "-r", "-u", "-nE", "-nr", "-En", "-rn", "-z", "--quiet", "--silent"),
    *("--regexp-extended", "--unbuffered", "--null-data", "--posix", "--debug"),
}
_SED_SCRIPTS = {"-e", "-ne", "-Ee", "-re", "-nEe", "-nre", "--expression"}


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
        elif not (len(word) > 2 and word.startswith(("-F", "-v"))):
            return _awk_script_only_prints(word)
    return False


def _awk_script_only_prints(script: str) -> bool:
    """Return True if an awk script neither redirects nor runs a command."""
    # `>` redirects only after `print`; elsewhere it compares.
    _, _, printed = script.partition("print")
    runs = "|" in script.replace("||", "") or "system" in script or "@" in script
    is_known = UNKNOWN not in script and not script.startswith("-")
    return is_known and not runs and ">" not in printed


# Settings that only change the look of the output. Others name programs to run.
_HARMLESS_SETTING = (
    r"(?i)(?:color\.[\w.]+|core\.quote[pP]ath|core\.abbrev|core\.autocrlf|log\.\w+"
    r"|diff\.(?:renames|noprefix|context|algorithm)|advice\.\w+|safe\.directory)=[^\0]*"
    r"|(?:core\.pager|pager\.\w+)=(?:cat|false|)"
)


def _has_harmless_settings(words: Sequence[str]) -> bool:
    """Return True if no `-c` before a subcommand of git names a program to run."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return True
        value = next(rest, UNKNOWN) if word in SUBCOMMANDS["git"].values else ""
        if word == "-c" and not compiled(_HARMLESS_SETTING).fullmatch(value):
            return False
    return True


_QUESTIONS = {"--version", "--help", "-V"}

_CHECKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "awk": awk_only_prints,
    "harmless settings": _has_harmless_settings,
    # An index could be a command.
    "no index": lambda words: not any("[" in word for word in words),
    "no variable": lambda words: words[:1] != ["-v"],
    "sed": sed_only_prints,
}
_CELLS = frozenset(
    {
        *("programs", "acts with", "only with", "only words", "needs", "values"),
        *("operands", "check", "looks", "acts"),
    }
)


def _read_programs() -> tuple[dict[str, Rule], frozenset[str]]:
    """Return the rule of each program, and programs that may be asked for help."""
    rules: dict[str, Rule] = {}
    asked: tuple[str, ...] = ()
    for heading, cells in read_sections(
        os.path.dirname(__file__), "harmless.ini", _CELLS
    ):
        if heading == "any words":
            rules |= {name: Rule() for name in words_of(cells, "programs")}
        elif heading == "version and help":
            asked = words_of(cells, "programs")
        else:
            above, _, names = heading.rpartition(": ")
            rule = _rule(cells)
            for name in names.split(", "):
                _add(rules, f"{above} {name}".lstrip(), rule)
    programs = {path: rule for path, rule in rules.items() if " " not in path}
    return programs, frozenset(asked)


def _add(rules: dict[str, Rule], path: str, rule: Rule) -> None:
    """Add the rule of `git`, `git stash` or `git stash list` to those of all paths."""
    above, _, name = path.rpartition(" ")
    if above:
        if above not in rules:
            _add(rules, above, Rule())
        below = rules[above].subcommands
        below[name] = (*below.get(name, ()), rule)
    rules[path] = rule


def _rule(cells: Cells) -> Rule:
    given: dict[str, Any] = {}
    for cell, values in cells.items():
        match cell:
            case "operands":
                given[cell] = int(values[0])
            case "check":
                given[cell] = _CHECKS[values[0]]
            case "looks" | "acts":
                given[cell] = tuple(values)
            case _:
                given[cell.replace(" ", "_")] = words_of(cells, cell)
    return Rule(**given)


PROGRAMS, ASKED = _read_programs()
"""The rule of each program; and others, whose version and help change nothing."""
