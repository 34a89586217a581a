"""The subject of a tool call: the words and paths that say what it is about."""

from __future__ import annotations

from typing import Any

from convert.model import ToolCall
from convert.tools.table import TOOLS
from convert.wording.sanitise import one_line


def target(call: ToolCall, directory: str) -> str:
    """What a call is about, on one line; empty where nothing is recorded.

    `directory` is the directory of the run: paths inside it are shown relative to it.
    """
    if call.kind == "mcp" and call.name:
        return one_line(call.name)
    if call.arguments is None:
        return one_line(call.about)
    words, paths = subject(call, directory)
    return one_line(" ".join(words + paths))


def subject(call: ToolCall, directory: str) -> tuple[list[str], list[str]]:
    """The words and the paths among the arguments that say what a call is about."""
    words, paths = subject_in(call.kind, call.arguments or {})
    return words, [relative(path, directory) for path in paths]


def subject_in(kind: str, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The words and the paths that say what a call of a kind is about, as recorded."""
    tool = TOOLS.get(kind)
    if tool is None:
        return [], []
    return _subject(arguments, tool.words), _subject(arguments, tool.paths)


def _subject(arguments: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """The named arguments as words; a oneof such as `subagentType` by its arm."""
    said: list[str] = []
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            if value:
                said.append(value)
        elif value is not None:
            said += _words_in(value)
    return said


def _words_in(value: Any) -> list[str]:
    """The words of an argument that is no text."""
    match value:
        case [*words]:
            return [word for word in words if isinstance(word, str)]
        case {"custom": {"name": str(word)}}:
            return [word]
        case {**arms}:
            return [str(arm) for arm in arms if arm != "unspecified"]
    return []


def relative(path: str, directory: str) -> str:
    """A path as seen from a directory, when it is inside.

    On Windows, which a drive letter tells, `\\` is `/` and case does not count.
    """
    base = directory.rstrip("/\\")
    if base[1:2] == ":":
        is_inside = _folded(path).startswith(_folded(base))
        separators = "/\\"
    else:
        is_inside = base != "" and path.startswith(base)
        separators = "/"
    if not is_inside:
        return path
    rest = path[len(base) :]
    below = rest.lstrip(separators)
    if not below:
        return "."
    return below if len(below) < len(rest) else path


def _folded(path: str) -> str:
    # Not casefold: what is cut off is counted in characters of the path itself.
    return path.replace("\\", "/").lower()
