"""The program and subcommand of a command, by which two commands are compared.

A program that only runs another one, as in `timeout 5 make` or `uv run pytest`, does
not count. The names and these programs are in names.ini.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence

from msgspec import Struct

from convert.tools.shell.syntax import (
    MOST_BYTES,
    UNKNOWN,
    invocation_of,
    parse,
    steers,
)
from convert.wording import compiled
from convert.wording.sections import Cells, read_sections, words_of

# Folders whose programs go by their names only.
_INSTALLED = r"(?s)(?:.*/)?(?:s?bin|\.bin|Scripts)/(?=[^/]+$)|.*/(?=[^/]+\.(?i:exe)$)"
_SUFFIX = r"(?i)\.(?:exe|cmd|bat)$"
_VERSION = r"(python|pypy|pip|node|ruby|php)[0-9][0-9.]*"
_WRAPPED = r"(?s)(?:.*/)?(gradlew|mvnw)$"
# In such a command a backslash is no escape.
_WINDOWS = r"\\Scripts\\|\w\\[^\s\\]+\.(?:exe|cmd|bat)\b|\b[A-Za-z]:\\\w"


@functools.lru_cache(maxsize=1024)
def identity_of(command: str) -> str:
    """Return the program of a command: `pytest`, `git push`, `python x/deploy.py`.

    Preparation such as `cd` and `export` does not count, nor do programs that run
    another one, such as `sudo` and `uv run`. A command that cannot be parsed goes by
    its first line, and that by its first word.
    """
    head = command[:MOST_BYTES]
    if "\\" in head and compiled(_WINDOWS).search(head):
        command = head = command.replace("\\", "/")
    syntax = parse(command) or parse(head.lstrip().partition("\n")[0])
    names = [
        _identity(simple.words)
        for simple in (syntax.commands if syntax else ())
        if not simple.is_substituted
    ]
    names = names or [name_of(word) for word in command.split(None, 1)[:1]] or [""]
    return next((name for name in names if name not in PREPARATION), names[-1])


def innermost(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that a simple command runs in the end.

    It goes by its usual name: `pytest` in `uv run python3 -m pytest`.
    """
    words = [name_of(words[0]), *words[1:]]
    while inner := _inner(words):
        words = [name_of(inner[0]), *inner[1:]]
    return words


def script_of(words: Sequence[str]) -> str:
    """Return the script that a simple command hands to a shell; empty if it does not.

    A script that is not known is empty, too.
    """
    name, *rest = innermost(words)
    return _script_of(rest) if name in SHELLS else ""


def _identity(words: Sequence[str]) -> str:
    """Return the program that a simple command runs, with its subcommand or script."""
    words = innermost(words)
    name, *rest = words
    if name in SHELLS and (script := _script_of(rest)):
        return identity_of(script)
    if name in INTERPRETERS:
        parts = _interpreted(INTERPRETERS[name], rest)
    elif name in SUBCOMMANDS:
        parts = _subcommands(SUBCOMMANDS[name], name, rest)
    else:
        parts = []
    found = " ".join([name, *parts]).replace(UNKNOWN, "$")
    return ALIASES.get(found, found)


def name_of(word: str) -> str:
    """Return the name of a program; a path to it only where it is not installed."""
    if word.isalpha():
        # Nearly all are one word, and no pattern matches those.
        return _NAMES.get(word, word)
    installed = compiled(_INSTALLED).match(word)
    word = compiled(_SUFFIX).sub("", word)
    if installed:
        word = word[installed.end() :]
    elif wrapped := compiled(_WRAPPED).match(word):
        word = wrapped[1]
    elif word.count("/") > 1:
        word = word.removeprefix("./")
    if versioned := compiled(_VERSION).fullmatch(word):
        word = versioned[1]
    return _NAMES.get(word, word)


def _inner(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that another one runs; none if it runs none."""
    name, *rest = words
    if name in WRAPPERS:
        return unwrapped(words) or ()
    if name in RUNNERS:
        return _run(RUNNERS[name], rest)
    if name == "python":
        if rest and rest[0].startswith("-m") and len(rest[0]) > 2:
            return [rest[0][2:], *rest[1:]]
        found = invocation_of(rest, INTERPRETERS[name].values, until_operand=True)
        return found.operands if "-m" in found.options else ()
    return ["python", *words] if name.endswith(".py") else ()


def _run(runner: Runner, words: Sequence[str]) -> Sequence[str]:
    operands = invocation_of(words, runner.values, until_operand=True).operands
    if runner.subcommands:
        if operands[:1] == [] or operands[0] not in runner.subcommands:
            return ()
        operands = operands[1:]
    if runner.interpreter:
        return [*runner.interpreter, *operands]
    return invocation_of(operands, runner.values, until_operand=True).operands


def _script_of(words: Sequence[str]) -> str:
    """Return the script in `bash -c SCRIPT`; empty if none is known."""
    found = invocation_of(words, INTERPRETERS["bash"].values, until_operand=True)
    script = found.operands[0] if "-c" in found.options and found.operands else ""
    return "" if UNKNOWN in script else script


def _interpreted(interpreter: Interpreter, words: Sequence[str]) -> list[str]:
    """Return the script that an interpreter runs, or the option before its code."""
    found = invocation_of(words, interpreter.values, until_operand=True)
    for option in found.options:
        if option in interpreter.code:
            return [option]
    script, *rest = [*found.operands, ""]
    parts = [script.removeprefix("./")]
    if script.rpartition("/")[2] in _SCRIPTS_WITH_SUBCOMMANDS:
        parts += rest[:1]
    return [part for part in parts if part]


def _subcommands(known: Subcommands, name: str, words: Sequence[str]) -> list[str]:
    """Return the subcommand that words name, with the one below it if there is one."""
    operands = invocation_of(words, known.values, until_operand=True).operands
    # `make A=b test`, `make -j 4 test` and `make clean test` make `test`.
    while operands:
        others = invocation_of(operands[1:], known.values, until_operand=True).operands
        is_first = bool(others) and name in SEVERAL_TARGETS and operands[0] == "clean"
        if not (is_first or operands[0].isdecimal() or "=" in operands[0]):
            break
        operands = others
    if name in RUN_IS_IMPLIED and operands[:1] == ["run"]:
        operands = operands[1:]
    if not operands:
        return []
    first, *rest = operands
    if known.is_deep or first in known.deeper:
        return [
            first,
            *invocation_of(rest, known.values, until_operand=True).operands[:1],
        ]
    return [first]


_ASSIGNMENT = r"[A-Za-z_]\w*="


class Wrapper(Struct, frozen=True, kw_only=True):
    """The words of a program before those of the program that it runs."""

    flags: tuple[str, ...] = ()
    """Options without a value, with which it does nothing but run the other."""

    values: tuple[str, ...] = ()
    """Such options whose value is the next word."""

    operands: int = 0
    """The number of operands before the other program."""

    has_assignments: bool = False
    """Assignments may come before the other program."""

    adds_words: bool = False
    """It adds words that are read from somewhere."""

    alone: tuple[str, ...] = ()
    """The program that it runs if none is named."""

    looks: tuple[str, ...] = ()
    """Examples that change nothing, for the tests."""

    acts: tuple[str, ...] = ()
    """Examples that may change something, for the tests."""


def unwrapped(words: Sequence[str]) -> Sequence[str] | None:
    """Return the words of the program that a wrapper runs; None if it does more."""
    wrapper = WRAPPERS[words[0]]
    found = invocation_of(words[1:], wrapper.values, until_operand=True)
    if not {*found.single_options} <= {*wrapper.flags, *wrapper.values}:
        return None
    inner = found.operands[wrapper.operands :]
    while wrapper.has_assignments and inner and compiled(_ASSIGNMENT).match(inner[0]):
        assignment, *inner = inner
        if steers(assignment):
            return None
    inner = inner or [*wrapper.alone]
    return _with_added(words, inner) if wrapper.adds_words else inner


def _with_added(words: Sequence[str], inner: Sequence[str]) -> Sequence[str] | None:
    """Return the words of a program with those that `xargs` adds to them."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-I"):
            mark = word[2:] or after
            return [UNKNOWN if mark in each else each for each in inner]
    return [*inner, UNKNOWN]


class Runner(Struct, frozen=True):
    """A program that runs another one in an environment."""

    subcommands: tuple[str, ...] = ()
    """The subcommands that do so; the program itself does without any."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    interpreter: tuple[str, ...] = ()
    """The program whose words it takes."""


class Interpreter(Struct, frozen=True):
    """A program that runs a script."""

    values: tuple[str, ...] = ()
    """Options whose value is the next word."""

    code: tuple[str, ...] = ()
    """Options after which the code of a script follows."""


class Subcommands(Struct, frozen=True):
    """A program whose first word is a subcommand."""

    values: tuple[str, ...] = ()
    """Options before that word whose value is the next word."""

    deeper: tuple[str, ...] = ()
    """Subcommands whose first word says more."""

    is_deep: bool = False
    """All subcommands are of that kind."""


_CELLS = frozenset(
    {
        *("program", "command", "programs", "subcommands", "values", "interpreter"),
        *("code", "deeper", "deep", "flags", "operands", "has assignments"),
        *("adds words", "alone", "looks", "acts"),
    }
)


def _wrapper(cells: Cells) -> Wrapper:
    return Wrapper(
        flags=words_of(cells, "flags"),
        values=words_of(cells, "values"),
        operands=int(cells.get("operands", ["0"])[0]),
        has_assignments="has assignments" in cells,
        adds_words="adds words" in cells,
        alone=words_of(cells, "alone"),
        looks=tuple(cells.get("looks", ())),
        acts=tuple(cells.get("acts", ())),
    )


def _read_names() -> dict[str, dict[str, Cells]]:
    """Return the sections of names.ini by kind, and by the names they are for."""
    kinds: dict[str, dict[str, Cells]] = {}
    for heading, cells in read_sections(os.path.dirname(__file__), "names.ini", _CELLS):
        kind, _, names = heading.partition(": ")
        kinds.setdefault(kind, {}).update(dict.fromkeys(names.split(", "), cells))
    return kinds


_KINDS = _read_names()


def _pairs(cell: str) -> dict[str, str]:
    """Return each name on the left of an equals sign with that on the right."""
    return dict(value.split(" = ") for value in _KINDS["same"][""][cell])


def _programs(kind: str) -> frozenset[str]:
    return frozenset(words_of(_KINDS[kind][""], "programs"))


SHELLS = {"bash", "sh", "zsh", "dash"}
_NAMES = _pairs("program")
ALIASES = _pairs("command")
PREPARATION = _programs("preparation")
RUN_IS_IMPLIED = _programs("run is implied")
SEVERAL_TARGETS = _programs("several targets")
_SCRIPTS_WITH_SUBCOMMANDS = _programs("scripts with subcommands")
RUNNERS = {
    name: Runner(
        words_of(cells, "subcommands"),
        words_of(cells, "values"),
        words_of(cells, "interpreter"),
    )
    for name, cells in _KINDS["runs"].items()
}
INTERPRETERS = {
    name: Interpreter(words_of(cells, "values"), words_of(cells, "code"))
    for name, cells in _KINDS["interpreter"].items()
}
SUBCOMMANDS = {
    name: Subcommands(
        words_of(cells, "values"), words_of(cells, "deeper"), "deep" in cells
    )
    for name, cells in _KINDS["subcommands"].items()
}
WRAPPERS = {name: _wrapper(cells) for name, cells in _KINDS["wrapper"].items()}
