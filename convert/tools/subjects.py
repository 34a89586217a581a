"""The subject of a tool call: the words and paths that say what it is about."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.model import ToolCall
from convert.tools.table import tool_of
from convert.wording.paths import shown_path
from convert.wording.sanitise import one_line


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
        """The same with `⏎` for each line feed, which means something in a command."""
        return one_line(self._text.strip().replace("\n", " ⏎ "))

    @property
    def _text(self) -> str:
        return " ".join(self.words + self.paths)


_NOTHING = Subject([], [])


def subject_of(kind: str, arguments: dict[str, Any], directory: str = "") -> Subject:
    """Return the subject of a call of a kind.

    Paths inside `directory` become relative to it; without one they stay as recorded.
    """
    names = tool_of(kind).subject
    if names is None:
        return _NOTHING
    paths = _values(arguments, names.paths)
    if directory:
        paths = [shown_path(path, directory) for path in paths]
    return Subject(_values(arguments, names.words), paths)


def subject_line(call: ToolCall, directory: str) -> str:
    """Return what a call is about, on one line; empty where nothing is recorded.

    Paths inside `directory`, the directory of the run, become relative to it.
    """
    if call.kind == "mcp" and call.name:
        return one_line(call.name)
    if call.arguments is None:
        return one_line(call.about)
    return subject_of(call.kind, call.arguments, directory).line


def _values(arguments: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """Return the strings in the named arguments; empty ones are skipped."""
    values: list[str] = []
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            values += [value] if value else []
        elif value is not None:
            values += _strings_in(value)
    return values


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
