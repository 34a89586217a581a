"""Run the command lines of golden cases: plain ones in this process, others by `sh`.

A line is plain if it runs `runconv` once, last, with nothing for a shell to expand:
`[OTHER COMMANDS |] [NAME=VALUE] runconv ARGUMENT ... [< log] [> file] [2> file]`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support.in_process import Done, Redirection, run

SCRIPTS = sysconfig.get_path("scripts")
# Nothing of the environment of the tests, and no locale.
ENVIRONMENT = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "LC_ALL": "C"}

# Words and what is between them; a quoted part belongs to its word.
_PART = re.compile(r"""(?:[^\s|;&()'"]|'[^']*'|"[^"]*"|(?<=>)&\d)+|\s+|[|;&()]""")
_REDIRECTION = re.compile(r"([012]?)(>>|>&|>|<)(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Z_]+=\w*")
# Outside single quotes, a shell expands words with these.
_EXPANDED = re.compile(r"[$`\\*?\[\]{}~#!]")


class Plain(NamedTuple):
    """A plain command line."""

    feeding: str
    """The commands whose output is standard input; empty if there are none."""
    environment: dict[str, str]
    arguments: list[str]
    redirections: list[Redirection]


def run_line(line: str, folder: Path) -> Done:
    """Run a command line as a shell would."""
    plain = parse(line)
    if plain is None:
        return run_by_shell(line, folder)
    return run(
        plain.arguments,
        folder,
        ENVIRONMENT | plain.environment,
        plain.redirections,
        plain.feeding,
    )


def run_by_shell(line: str, folder: Path) -> Done:
    """Run a command line by `sh`, with the installed `runconv`."""
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def parse(line: str) -> Plain | None:
    """Take a plain command line apart; return None if it is not plain."""
    feeding, words = _split(line)
    environment = {}
    while words and _ASSIGNMENT.fullmatch(words[0]):
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if not words or words.pop(0) != "runconv":
        return None
    arguments, redirections = [], []
    rest = iter(words)
    for word in rest:
        if _EXPANDED.search(re.sub(r"'[^']*'", "", word)):
            return None
        if match := _REDIRECTION.fullmatch(word):
            redirections.append(_redirection(match, rest))
        else:
            arguments += shlex.split(word)
    return Plain(feeding, environment, arguments, redirections)


def _split(line: str) -> tuple[str, list[str]]:
    """Return what feeds the last command of a pipeline, and that command's words.

    A line of several pipelines has no words.
    """
    feeding, words, depth = "", [], 0
    for match in _PART.finditer(line):
        part = match[0]
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            feeding, words = line[: match.start()].strip(), []
        elif part in (";", "&") and not depth:
            return "", []
        elif not part.isspace():
            words.append(part)
    return feeding, words


def _redirection(match: re.Match[str], rest: Iterator[str]) -> Redirection:
    """Return what a word like `2>` says; its target may be the next word."""
    stream, operator, target = match.groups()
    [target] = shlex.split(target or next(rest))
    return Redirection(int(stream or operator != "<"), operator, target)
