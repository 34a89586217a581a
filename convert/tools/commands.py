"""The program that a shell command runs, and whether it only looks."""

from __future__ import annotations

import re

# What may precede the program of a command: `cd DIR &&`, then `A=b` and `sudo`.
_FOLDER = re.compile(
    r"\s*cd\s+(?:\"(?:[^\"`$]|\$(?!\())*\"|'[^']*'|(?:\\.|\$(?!\()|[^\s\\;&|<>\"'`$])+)\s*&&\s*"
)
_BEFORE_PROGRAM = re.compile(
    r"\s*(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|[^\s\"']++|[\"'])*+|sudo)\s+"
)
_COMPOUND = re.compile(r"[;&|<>`\n]|\$\(")
# Elsewhere a program may have the name of one that only looks.
_SYSTEM = re.compile(r"^(?:/usr)?/bin/(?=[^/]+$)")
_LOOKING = {
    *("ls", "cat", "head", "tail", "wc", "pwd", "file", "stat", "du", "df", "which"),
    *("whoami", "hostname", "uname", "date", "printenv", "echo", "printf", "true"),
    *("grep", "egrep", "fgrep", "rg", "diff", "cmp", "uniq", "cut", "basename"),
    *("dirname", "realpath", "readlink", "id", "ps", "tree"),
}
_LOOKING_GIT = {
    *("status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "grep"),
    "describe",
}


def program(command: str) -> str:
    """Return the name of the program that a command runs, without its folder."""
    word = _words(command)[:1]
    return re.split(r"[/\\]", word[0])[-1] if word else ""


def only_looks(command: str) -> bool:
    """Return True if a command is known to change nothing.

    A pipeline, a redirection or a list of commands is not examined and returns False.
    """
    command = _without_folder(command)
    if _COMPOUND.search(command):
        return False
    match _words(command):
        case [word, *words]:
            name = _SYSTEM.sub("", word)
            if name == "git":
                return words[:1] != [] and words[0] in _LOOKING_GIT
            return name in _LOOKING
    return False


def _words(command: str) -> list[str]:
    """Split a command into words, from its program on."""
    command = _without_folder(command)
    begin = 0
    while match := _BEFORE_PROGRAM.match(command, begin):
        begin = match.end()
    return command[begin:].split()


def _without_folder(command: str) -> str:
    match = _FOLDER.match(command)
    return command[match.end() :] if match else command
