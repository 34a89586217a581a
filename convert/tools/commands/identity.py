"""The program and subcommand of a command, by which two commands are compared."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from convert.tools.commands.naming import (
    ALIASES,
    INTERPRETERS,
    NAMES,
    PREPARATION,
    RUN_IS_IMPLIED,
    RUNNERS,
    SCRIPTS_WITH_SUBCOMMANDS,
    SUBCOMMANDS,
    Interpreter,
    Runner,
    Subcommands,
)
from convert.tools.commands.rules import read
from convert.tools.commands.syntax import MOST_BYTES, parse
from convert.tools.commands.words import UNKNOWN
from convert.tools.commands.wrappers import SHELLS, WRAPPERS, unwrapped

# Folders whose programs are meant by their names alone.
_INSTALLED = re.compile(
    r"(?:.*/)?(?:s?bin|\.bin|Scripts)/(?=[^/]+$)|.*/(?=[^/]+\.(?i:exe)$)", re.DOTALL
)
_SUFFIX = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)
_VERSION = re.compile(r"(python|pypy|pip|node|ruby|php)[0-9][0-9.]*")
_WRAPPED = re.compile(r"(?:.*/)?(gradlew|mvnw)$", re.DOTALL)
# In such a command a backslash is no escape.
_WINDOWS = re.compile(r"\\Scripts\\|\w\\[^\s\\]+\.(?:exe|cmd|bat)\b|\b[A-Za-z]:\\\w")


@functools.lru_cache(maxsize=1024)
def identity_of(command: str) -> str:
    """Return what a command runs: `pytest`, `git push`, `python scripts/deploy.py`.

    `cd`, `export` and other preparation is passed over, and so are `sudo`, `uv run` and
    whatever else runs another program. A command that cannot be parsed is known by its
    first line, and that by its first word.
    """
    head = command[:MOST_BYTES]
    if _WINDOWS.search(head):
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
    """Return what a simple command runs."""
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
    installed = _INSTALLED.match(word)
    word = _SUFFIX.sub("", word)
    if installed:
        word = word[installed.end() :]
    elif wrapped := _WRAPPED.match(word):
        word = wrapped[1]
    elif word.count("/") > 1:
        word = word.removeprefix("./")
    if versioned := _VERSION.fullmatch(word):
        word = versioned[1]
    return NAMES.get(word, word)


def _inner(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that another one runs; none if it runs none."""
    name, *rest = words
    if name in WRAPPERS:
        return unwrapped(words) or ()
    if name in RUNNERS:
        return _run(RUNNERS[name], rest)
    if name == "python":
        found = read(rest, INTERPRETERS[name].values, until_operand=True)
        return found.operands if "-m" in found.options else ()
    return ["python", *words] if name.endswith(".py") else ()


def _run(runner: Runner, words: Sequence[str]) -> Sequence[str]:
    operands = read(words, runner.values, until_operand=True).operands
    if runner.subcommands:
        if operands[:1] == [] or operands[0] not in runner.subcommands:
            return ()
        operands = operands[1:]
    if runner.interpreter:
        return [*runner.interpreter, *operands]
    return read(operands, runner.values, until_operand=True).operands


def _script_of(words: Sequence[str]) -> str:
    """Return the script in `bash -c SCRIPT`; empty if none is known."""
    found = read(words, INTERPRETERS["bash"].values, until_operand=True)
    script = found.operands[0] if "-c" in found.options and found.operands else ""
    return "" if UNKNOWN in script else script


def _interpreted(interpreter: Interpreter, words: Sequence[str]) -> list[str]:
    """Return the script that an interpreter runs, or the option before its code."""
    found = read(words, interpreter.values, until_operand=True)
    for option in found.options:
        if option in interpreter.code:
            return [option]
    script, *rest = [*found.operands, ""]
    parts = [script.removeprefix("./")]
    if script.rpartition("/")[2] in SCRIPTS_WITH_SUBCOMMANDS:
        parts += rest[:1]
    return [part for part in parts if part]


def _subcommands(known: Subcommands, name: str, words: Sequence[str]) -> list[str]:
    """Return the subcommand that words name, with the one below it if there is one."""
    operands = read(words, known.values, until_operand=True).operands
    # `make A=b test` and `make -j 4 test` make `test`.
    while operands and (operands[0].isdecimal() or "=" in operands[0]):
        operands = read(operands[1:], known.values, until_operand=True).operands
    if name in RUN_IS_IMPLIED and operands[:1] == ["run"]:
        operands = operands[1:]
    if not operands:
        return []
    first, *rest = operands
    if known.is_deep or first in known.deeper:
        return [first, *read(rest, known.values, until_operand=True).operands[:1]]
    return [first]
