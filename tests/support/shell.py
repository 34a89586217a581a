"""Run the command lines of golden cases as a shell does, with `runconv` in-process.

`sh` runs the other commands: those in a pipeline with `runconv`, and those before
and after `;`. It runs a whole line that needs more of a shell, such as `&&` or `$?`.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from support.in_process import Done, Redirection, run
from support.systems import need_system

SCRIPTS = sysconfig.get_path("scripts")
# Independent of the environment and the locale of the tests.
_PATH = os.pathsep.join([SCRIPTS, "/usr/bin", "/bin"])
# Without these, no program of Windows starts.
OF_SYSTEM = {
    name: os.environ[name]
    for name in ("SYSTEMROOT", "TEMP")
    if os.name == "nt" and name in os.environ
}
ENVIRONMENT = {**OF_SYSTEM, "PATH": _PATH, "LC_ALL": "C"}

_OURS = re.compile(r"(?:[A-Z_]+=\w* )*runconv( |$)")
# Words and the separators between them; a quoted part belongs to its word.
_PART = re.compile(r"""(?:[^\s|;&()'"]|'[^']*'|"[^"]*"|(?<=>)&\d)+|\s+|[|;&()]""")
_REDIRECTION = re.compile(r"([012]?)(>>|>&|>|<)(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"(?P<name>[A-Z_]+)=(?P<value>\w*)")
# Commands that end in another folder, one of ours there, and where its output goes.
_GROUP = re.compile(r"\(([^()]*) && (runconv [^()]*)\)((?: 2?> [\w.-]+)?)")
_WILDCARD = re.compile(r"(?<= )(?:\w+/)?\*\.\w+(?= |$)")
# Outside single quotes, a shell expands words with these.
_EXPANDED = re.compile(r"[$`\\*?\[\]{}~#!]")


class Pipeline(NamedTuple):
    """A pipeline that `runconv` is in, once or more."""

    before: str | Pipeline
    """The commands whose output `runconv` reads; empty if there are none."""
    environment: dict[str, str]
    """The variables that are set for `runconv`."""
    arguments: list[str]
    redirections: list[Redirection]
    after: str
    """The commands that read the output of `runconv`; empty if there are none."""


class UnsupportedError(Exception):
    """A command line that needs a real shell."""


def run_line(
    line: str, folder: Path, environment: Mapping[str, str] = ENVIRONMENT
) -> Done:
    """Run a command line."""
    if match := _GROUP.fullmatch(line):
        return _run_group(*match.groups(), folder, environment)
    line = _WILDCARD.sub(lambda match: _paths(match[0], folder), line)
    try:
        parts = [_parse(part) for part in _split(line, ";")]
    except UnsupportedError:
        return run_by_shell(line, folder, environment)
    done = [_run_part(part, folder, environment) for part in parts]
    printed = zip(*((one.stdout, one.stderr) for one in done), strict=True)
    return Done(done[-1].status, *map(b"".join, printed))


def _run_group(
    before: str, ours: str, output: str, folder: Path, environment: Mapping[str, str]
) -> Done:
    """Run a command of ours in the folder that the commands before it change to."""
    done = run_by_shell(f"{before} && pwd", folder, environment)
    if done.status:
        return done
    place = Path(os.fsdecode(done.stdout.removesuffix(b"\n")))
    return run_line(ours + output.replace("> ", f"> {folder}/"), place, environment)


def _paths(wildcard: str, folder: Path) -> str:
    """Return the paths that match a wildcard in a folder."""
    return shlex.join(sorted(glob.glob(wildcard, root_dir=folder)))


def run_by_shell(
    line: str, folder: Path, environment: Mapping[str, str] = ENVIRONMENT
) -> Done:
    """Run a command line by `sh`, with the installed `runconv`."""
    need_system("a shell")
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _run_part(
    part: Pipeline | str, folder: Path, environment: Mapping[str, str]
) -> Done:
    if isinstance(part, str):
        return run_by_shell(part, folder, environment)
    environment = {**environment, **part.environment}
    words, redirections = part.arguments, part.redirections
    if isinstance(part.before, str):
        return run(words, folder, environment, redirections, part.before, part.after)
    # A file in place of a pipe between two of ours.
    first = _run_part(part.before, folder, environment)
    with tempfile.NamedTemporaryFile() as piped:
        piped.write(first.stdout)
        piped.flush()
        from_first = Redirection(0, "<", piped.name)
        done = run(
            words, folder, environment, [from_first, *redirections], "", part.after
        )
    return done._replace(stderr=first.stderr + done.stderr)


def _parse(line: str) -> Pipeline | str:
    """Take a pipeline apart; return it as it is if `runconv` is not in it."""
    commands = _split(line, "|")
    ours = [place for place, text in enumerate(commands) if _OURS.match(text)]
    if not ours:
        if "runconv" in line:
            raise UnsupportedError
        return line
    if "" in commands:
        raise UnsupportedError
    *earlier, place = ours
    before = "|".join(commands[:place])
    return Pipeline(
        _parse(before) if earlier else before,
        *_words(commands[place]),
        "|".join(commands[place + 1 :]),
    )


def _words(
    command: str,
) -> tuple[dict[str, str], list[str], list[Redirection]]:
    """Return the variables, arguments and redirections of one command."""
    words = [match[0] for match in _PART.finditer(command) if not match[0].isspace()]
    environment = {}
    while match := _ASSIGNMENT.fullmatch(words[0]):
        environment[match["name"]] = match["value"]
        words.pop(0)
    arguments, redirections = [], []
    rest = iter(words[1:])
    for word in rest:
        if match := _REDIRECTION.fullmatch(word):
            stream, operator, target = match.groups()
            [target] = shlex.split(target or next(rest))
            stream = stream or ("0" if operator == "<" else "1")
            redirections.append(Redirection(int(stream), operator, target))
        else:
            arguments += shlex.split(word)
    return environment, arguments, redirections


def _split(line: str, separator: str) -> list[str]:
    """Split a line where a separator is neither quoted nor in parentheses."""
    parts, depth = [""], 0
    for match in _PART.finditer(line):
        part = match[0]
        if part == "&" or _EXPANDED.search(re.sub(r"'[^']*'", "", part)):
            raise UnsupportedError
        depth += (part == "(") - (part == ")")
        if part == separator and not depth:
            parts.append("")
        else:
            parts[-1] += part
    return [part.strip() for part in parts]
