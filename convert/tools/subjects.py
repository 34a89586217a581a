"""The subject of a tool call: the words and paths that say what it is about."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.tools.row import SubjectArguments
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
        paths = [shown_path(path, directory) for path in paths]
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
