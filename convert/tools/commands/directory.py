"""A command without the `cd` into the directory in which it runs anyway.

Only text is looked at, since this is done for every command of a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from convert.wording.compiled import compiled

# Pieces of one word, quoted or not, without anything that the shell replaces.
_WORD = r"(?>(?:'[^']*+'|\"[^\"`$\\!]*+\"|\\.|[^\s\\;&|<>()\"'`$*?\[{#!])+)"
_WINDOWS_WORD = r"(?>(?:'[^']*+'|\"[^\"`$%]*+\"|[^\s;&|<>()\"'`$%*?\[{#^])+)"
# A `cd`, what ends it, and a command behind it.
_CD = (
    r"\s*+cd[ \t]++(?>(?:(?:--|-P|/[dD])[ \t]++)?)(?P<place>WORD)[ \t]*+"
    r"(?:&&|;(?!;)|\r?\n)(?>(?:\s|\\\r?\n)*)(?=[^\s;&|)#])"
)
_DRIVE = r"(?:/([A-Za-z])|([A-Za-z]):)(?=/|$)"
_PRIVATE = r"/private(?=/(?:tmp|var)(?:/|$))"


class _System(Struct, frozen=True):
    """How commands and paths are written on a system."""

    change: str
    piece: str
    plain: Callable[[str], str]


def without_directory(command: str, directory: str) -> str:
    """Return a command without a leading `cd` into `directory`, where it runs.

    Other commands are returned unchanged.
    """
    if not command.lstrip().startswith("cd"):
        return command
    system = _WINDOWS if directory[1:2] == ":" else _UNIX
    match = compiled(system.change).match(command)
    if match is None:
        return command
    place = compiled(system.piece).sub(_unquoted, match["place"])
    is_there = directory and system.plain(place) == system.plain(directory)
    if is_there or system.plain(place) == ".":
        return command[match.end() :]
    return command


def led_by_directory(command: str) -> tuple[str, str]:
    """Return the folder of a leading `cd`, as written, and the command behind it.

    The folder is empty if none leads the command, or if only a shell knows which it is.
    """
    match = compiled(_UNIX.change).match(command)
    if match is None:
        return "", command
    place = compiled(_UNIX.piece).sub(_unquoted, match["place"])
    return ("", command) if place == "-" else (place, command[match.end() :])


def _unquoted(piece: re.Match[str]) -> str:
    return piece[piece.lastindex or 0]


def _plain(path: str) -> str:
    """Return a path in one spelling; `/private/tmp` is where `/tmp` leads on macOS."""
    return compiled(_PRIVATE).sub("", path, count=1).rstrip("/")


def _plain_windows(path: str) -> str:
    """Return a path of Windows in one spelling: `c:/app` for `C:\\app` and `/c/app`."""
    path = path.replace("\\", "/").rstrip("/")
    if drive := compiled(_DRIVE).match(path):
        return f"{(drive[1] or drive[2]).lower()}:{path[drive.end() :]}"
    return path


_UNIX = _System(
    "(?s)" + _CD.replace("WORD", _WORD),
    r"(?s)'([^']*)'|\"([^\"]*)\"|\\(.)",
    _plain,
)
_WINDOWS = _System(
    _CD.replace("WORD", _WINDOWS_WORD),
    r"'([^']*)'|\"([^\"]*)\"",
    _plain_windows,
)
