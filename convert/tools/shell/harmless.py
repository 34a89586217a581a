"""Whether a shell command is known to change nothing."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from convert.tools.shell.identity import SHELLS, WRAPPERS, unwrapped
from convert.tools.shell.programs import ASKED, PROGRAMS, QUESTIONS
from convert.tools.shell.rules import permits, read
from convert.tools.shell.syntax import UNKNOWN, parse
from convert.wording import compiled

# Elsewhere a program may have the name of one that only looks.
_SYSTEM = r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/(?=[^/]+$)"
_PYTHON = r"python[0-9.]*$"
_MODULES = {"pip", "json.tool"}
_SHELL_OPTIONS = {"-c", "-l", "-e", "-u", "-x", "-o"}


@functools.lru_cache(maxsize=1024)
def changes_nothing(command: str) -> bool:
    """Return True if a command is known to change nothing.

    Each command in a list, loop or substitution has to look, and no redirection may go
    to a file. A command that cannot be parsed, and an empty one, are not known.
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
        if _is_question(words) or _is_permitted(words):
            return True
        if name in SHELLS:
            return _script_looks(words)
        words = _inner(words)
    return False


def _inner(words: Sequence[str]) -> Sequence[str]:
    """Return the words of the program that another one runs; none if it runs none."""
    match words:
        case [name, "-m", module, *_] if module in _MODULES and compiled(_PYTHON).match(
            name
        ):
            return words[2:]
        case [name, *_] if name in WRAPPERS:
            return unwrapped(words) or ()
    return ()


def _is_permitted(words: Sequence[str]) -> bool:
    name, *rest = words
    return name in PROGRAMS and permits(PROGRAMS[name], rest)


def _is_question(words: Sequence[str]) -> bool:
    name, *rest = words
    return len(rest) == 1 and rest[0] in QUESTIONS and name in PROGRAMS.keys() | ASKED


def _script_looks(words: Sequence[str]) -> bool:
    """Return True if the script in `bash -c SCRIPT` is known to change nothing."""
    found = read(words[1:], ("-o",), until_operand=True)
    script = found.operands[0] if found.operands else UNKNOWN
    if "-c" not in found.options or not {*found.single_options} <= _SHELL_OPTIONS:
        return False
    return changes_nothing(script)
