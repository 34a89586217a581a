"""A command without the directory in which it runs anyway.

Only patterns are used, not the parser, since every command of a log comes here.
"""

from __future__ import annotations

import re

from msgspec import Struct

from convert.wording import compiled
from convert.wording.paths import place_of

# Only patterns are used, not the parser, since every command of a log comes here.
# Pieces of one word, quoted or not, without anything that the shell replaces.
_WORD = r"(?>(?:'[^']*+'|\"[^\"`$\\!]*+\"|\\.|[^\s\\;&|<>()\"'`$*?\[{#!])+)"
_WINDOWS_WORD = r"(?>(?:'[^']*+'|\"[^\"`$%]*+\"|[^\s;&|<>()\"'`$%*?\[{#^])+)"
# A `cd`, what ends it, and a command after it.
_CD = (
    r"\s*+cd[ \t]++(?>(?:(?:--|-P|/[dD])[ \t]++)?)(?P<place>WORD)[ \t]*+"
    r"(?:&&|;(?!;)|\r?\n)(?>(?:\s|\\\r?\n)*)(?=[^\s;&|)#])"
)
# `git -C` where a command may begin.
_GIT = r"(?P<git>(?:^|[;&|\n(])[ \t]*+git)[ \t]++-C[ \t]++(?P<place>WORD)(?=[ \t])"
_ELSEWHERE = r"\b(?:cd|pushd|popd)\b"


class _System(Struct, frozen=True):
    """The patterns of commands and paths on a system."""

    change: str
    git: str
    piece: str


def without_directory(command: str, directory: str) -> str:
    """Return a command without the `directory` in which it runs anyway.

    That is a leading `cd` into it, and `git -C` where the command stays in it. Other
    commands are returned unchanged.
    """
    leads = command.lstrip().startswith("cd")
    if not leads and " -C " not in command:
        return command
    system = _WINDOWS if directory[1:2] == ":" else _UNIX
    if leads and (match := compiled(system.change).match(command)) is not None:
        if not _is_there(match["place"], directory, system):
            return command
        command = command[match.end() :]
    if " -C " in command and not compiled(_ELSEWHERE).search(command):
        return compiled(system.git).sub(
            lambda match: (
                match["git"]
                if _is_there(match["place"], directory, system)
                else match[0]
            ),
            command,
        )
    return command


def _is_there(place: str, directory: str, system: _System) -> bool:
    """Return True if a word of a command names the directory."""
    place = compiled(system.piece).sub(_unquoted, place)
    keys = {place_of(path, directory).key for path in (place, directory)}
    return place != "" and len(keys) == 1


def led_by_directory(command: str) -> tuple[str, str]:
    """Return the folder of a leading `cd`, as written, and the command after it.

    The folder is empty if none leads the command, or if only a shell knows which it is.
    """
    match = compiled(_UNIX.change).match(command)
    if match is None:
        return "", command
    place = compiled(_UNIX.piece).sub(_unquoted, match["place"])
    return ("", command) if place == "-" else (place, command[match.end() :])


def _unquoted(piece: re.Match[str]) -> str:
    return piece[piece.lastindex or 0]


_UNIX = _System(
    "(?s)" + _CD.replace("WORD", _WORD),
    "(?s)" + _GIT.replace("WORD", _WORD),
    r"(?s)'([^']*)'|\"([^\"]*)\"|\\(.)",
)
_WINDOWS = _System(
    _CD.replace("WORD", _WINDOWS_WORD),
    _GIT.replace("WORD", _WINDOWS_WORD),
    r"'([^']*)'|\"([^\"]*)\"",
)
