"""The subject of a tool call: the words and paths that it is about.

`diff` knows a call by its subject. People read its target, which also has arguments of
kinds without a subject. Both are without the directory in which a command runs anyway.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from convert.model.events import ToolCall
from convert.tools.table import SubjectArguments, tool_of, tools
from convert.wording import compiled
from convert.wording.escapes import one_line
from convert.wording.paths import place_of, readable_path


class Subject(Struct, frozen=True):
    """The subject of a call; both lists are empty if the log does not record it."""

    words: list[str]
    """A command, a pattern, a query and the like, as recorded."""

    paths: list[str]
    """Files and directories, relative to the directory of the run if inside it."""

    @property
    def line(self) -> str:
        """The words, then the paths, on one line."""
        return one_line(self._text)

    @property
    def line_with_feeds(self) -> str:
        """The same with `⏎` for each line feed, which has a meaning in a command."""
        return one_line(self._text.strip().replace("\n", " ⏎ "))

    @property
    def _text(self) -> str:
        return " ".join(self.words + self.paths)


_NOTHING = Subject([], [])


def subject_of(kind: str, arguments: dict[str, Any], directory: str = "") -> Subject:
    """Return the subject of a call of a kind.

    Paths inside `directory` become relative to it; without one they stay as recorded.
    """
    return subject_by(tool_of(kind).subject, arguments, directory)


def subject_by(
    names: SubjectArguments | None, arguments: dict[str, Any], directory: str = ""
) -> Subject:
    """Return the subject that some arguments name."""
    if names is None:
        return _NOTHING
    # Most kinds have only words or only paths.
    words = _values(arguments, names.words) if names.words else []
    paths = _values(arguments, names.paths) if names.paths else []
    if directory and paths:
        paths = [readable_path(path, directory) for path in paths]
    return Subject(words, paths)


def _values(arguments: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """Return the strings in the named arguments; empty ones are skipped."""
    values: list[str] = []
    for name in names:
        value = arguments.get(name)
        if value is None and "." in name:
            value = _member(arguments, name)
        if isinstance(value, str):
            if value:
                values.append(value)
        elif value is not None:
            values += _strings_in(value)
    return values


def _member(arguments: dict[str, Any], name: str) -> Any:
    """Return an argument; a dot in its name leads into an object."""
    if name in arguments or "." not in name:
        return arguments.get(name)
    outer, inner = name.split(".", 1)
    value = arguments.get(outer)
    return _member(value, inner) if isinstance(value, dict) else None


def _strings_in(value: Any) -> list[str]:
    """Return the strings of a list, or the chosen arm of a oneof (`subagentType`)."""
    match value:
        case [*items]:
            return [item for item in items if isinstance(item, str)]
        case {"custom": {"name": str(name)}}:
            return [name]
        case {**arms}:
            return [str(arm) for arm in arms if arm != "unspecified"]
    return []


# Kinds whose words are prose, not code.
PROSE = {"askQuestion", "communicateUpdate", "prManagement", "reportBug", "sendMessage"}
# Searches, whose target reads `pattern in folder`.
SEARCHES = {"grep", "glob", "semSearch"}


def target_names(kind: str) -> set[str]:
    """Return the names of the arguments that the target of a kind is made of."""
    names = _names(kind)
    words, paths = (names.words, names.paths) if names else ((), ())
    return {name.partition(".")[0] for name in words + paths}


def target_of(kind: str, arguments: dict[str, Any], directory: str = "") -> Subject:
    """Return the target of a call of a kind; both lists are empty if there is none."""
    if kind == "task":
        title = arguments.get("description")
        if isinstance(title, str) and title.strip():
            return Subject([title], [])
    return readable_subject(
        kind, subject_by(_names(kind), arguments, directory), directory
    )


def readable_subject(kind: str, subject: Subject, directory: str) -> Subject:
    """Return a subject as people read it in the directory of the run.

    A command loses that directory, which its call shows.
    """
    if kind != "shell":
        return subject
    words = [without_directory(command, directory) for command in subject.words]
    return Subject(words, subject.paths)


def _names(kind: str) -> SubjectArguments | None:
    """Return the arguments that name the target of a kind."""
    tool = tool_of(kind)
    return tool.subject or tool.target


def target_line(call: ToolCall, directory: str) -> str:
    """Return the target of a call on one line; empty if the log records none.

    Paths are shown as people read them in the directory of the run.
    """
    if call.kind == "mcp" and call.name:
        return one_line(call.name)
    if call.arguments is None:
        about = Subject([call.about] if call.about else [], [])
        return readable_subject(call.kind, about, directory).line
    if call.kind not in tools():
        return one_line(_first_of(call.arguments, directory))
    target = target_of(call.kind, call.arguments, directory)
    if call.kind in SEARCHES and target.words and target.paths:
        return one_line(" ".join([*target.words, "in", *target.paths]))
    return target.line


def _first_of(arguments: dict[str, Any], directory: str) -> str:
    """Return the first argument of a tool that is not known, as a text."""
    value = next(iter(arguments.values()), "")
    if isinstance(value, str):
        is_path = directory and value.startswith(directory)
        return readable_path(value, directory) if is_path else value
    # Most tools take a text first.
    import json

    return json.dumps(value, ensure_ascii=False)


# Only patterns are used, not the parser, since every command of a log comes here.
# Pieces of one word, quoted or not, without anything that the shell replaces.
_WORD = r"(?>(?:'[^']*+'|\"[^\"`$\\!]*+\"|\\.|[^\s\\;&|<>()\"'`$*?\[{#!])+)"
_WINDOWS_WORD = r"(?>(?:'[^']*+'|\"[^\"`$%]*+\"|[^\s;&|<>()\"'`$%*?\[{#^])+)"
# A `cd`, the end of its command, and a command after it.
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
    if "cd" not in command:
        return "", command
    if (match := compiled(_UNIX.change).match(command)) is None:
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
