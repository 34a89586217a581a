"""Files that one agent reads with a tool of its own, and another with a command.

A command such as `cat FILE` shows one file and does nothing else. It is the same as a
read of that file by the other run, unless both runs gave the command.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from convert.diff.compared_call import ComparedCall
from convert.tools.commands import only_looks

_READ = "read"
# The options of each program that take a value.
_PROGRAMS: dict[str, tuple[str, ...]] = {
    "cat": (),
    "head": ("-n", "-c"),
    "nl": ("-b",),
    "sed": (),
    "tail": ("-n", "-c"),
}


def know_files_shown(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Let commands that show a file be reads where the other run has such a read."""
    ones, others = [*a], [*b]
    _know(ones, others)
    _know(others, ones)


def _know(own: list[ComparedCall], other: list[ComparedCall]) -> None:
    read = {path for call in other if call.kind == _READ for path in _paths(call)}
    given = {command for call in other for command in _command(call)} if read else {}
    for call in own:
        path = ""
        if call.kind == "shell" and read:
            command = next(_command(call), "")
            path = "" if command in given else file_shown(command)
        call.read_file(path if path in read else "")


def _paths(call: ComparedCall) -> Iterator[str]:
    match call.arguments:
        case {"path": str(path)}:
            yield path


def _command(call: ComparedCall) -> Iterator[str]:
    if call.kind != "shell":
        return
    match call.arguments:
        # In another folder, the path would be another file.
        case {"command": str(command), **others} if "workingDirectory" not in others:
            yield command


def file_shown(command: str) -> str:
    """Return the one file that a command shows, doing nothing else; "" if none."""
    if command.partition(" ")[0] not in _PROGRAMS:
        return ""
    # The parser takes time to import, and few commands need it.
    from convert.tools.commands.syntax import parse

    if not only_looks(command):
        return ""
    syntax = parse(command)
    if syntax is None or len(syntax.commands) != 1:
        return ""
    program, *words = syntax.commands[0].words
    files = [*_operands(words, _PROGRAMS.get(program, ()))]
    if program == "sed":
        files = files[1:] if "-n" in words else []
    is_one = len(files) == 1 and files[0] not in ("", "-") and "\0" not in files[0]
    return posixpath.normpath(files[0]) if is_one else ""


def _operands(words: list[str], valued: tuple[str, ...]) -> Iterator[str]:
    """Yield the words that are neither options nor their values."""
    rest = iter(words)
    for word in rest:
        if word in valued:
            next(rest, None)
        elif not word.startswith("-") or word == "-":
            yield word
