"""The arguments of a call as they are compared; for an edit, its effect on the file."""

from __future__ import annotations

import functools
import marshal
import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from convert.diff.calls.outputs import (
    MOST_NESTED_VALUES,
    deep_digest,
    digest,
    without,
)
from convert.diff.noise import Normaliser
from convert.facts.edits import FileEdit, effect_of
from convert.options.settings import Settings
from convert.tools.subjects import without_directory
from convert.tools.table import CONTENTS, FOREIGN, LISTS_OF_PATHS, NOISE, PATHS, tool_of
from convert.wording import compiled


class Argument(Struct, frozen=True):
    """An argument that a setting names: its tools, and the path to it."""

    name: str
    """The text of the setting."""

    tool: re.Pattern[str]
    """Matches the names of the tools."""

    path: tuple[str, ...]
    """The names of the members that lead to the argument."""


def arguments_in(names: Iterable[str]) -> list[Argument]:
    """Return the arguments that are named as `TOOL.PATH`."""
    arguments = []
    for name in names:
        tool, _, path = name.partition(".")
        arguments.append(Argument(name, tool_pattern(tool), tuple(path.split("."))))
    return arguments


def tool_pattern(name: str) -> re.Pattern[str]:
    """A pattern for the names of tools, in which `*` and `?` are wildcards."""
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in name)
    return re.compile("".join(parts), re.DOTALL)


# An effect is among the arguments of a call as a text, so that rules, run-made
# values, settings and reports treat it like any other argument.
EFFECT = "effect"
# Tools that change one file in one way; versions of the agent differ in which they use.
EDITS = ("edit", "write")

# Lines of an effect with one mark.
_BLOCK = "(?m)" + "|".join(rf"(?:^[{mark}][^\n]*\n)+" for mark in ("+", "-", " "))


def effect_arguments(kind: str, edits: list[FileEdit]) -> dict[str, Any] | None:
    """Return the path and the effect of an edit, as arguments; None if not recorded.

    `edits` are the changes of a call of a kind.
    """
    for edit in edits if kind in EDITS else ():
        effect = effect_of(edit)
        if effect is not None:
            return {"path": edit.path, EFFECT: effect}
    return None


def respelled(effect: str, spelling: Callable[[str], str]) -> str:
    """Return an effect whose lines are in another spelling, after the same marks."""

    def respell(match: re.Match[str]) -> str:
        mark = match[0][0]
        text = spelling(match[0][1:].replace(f"\n{mark}", "\n")).removesuffix("\n")
        return "".join(f"{mark}{line}\n" for line in text.split("\n"))

    return compiled(_BLOCK).sub(respell, effect)


class ArgumentRules:
    """The rules that select the arguments to compare, and give them one spelling.

    `found` holds the settings that name an argument of some call.
    """

    def __init__(self, settings: Settings, normaliser: Normaliser) -> None:
        self._ignored = arguments_in(settings.ignore_arg)
        self._kept = arguments_in(settings.keep_arg)
        self._is_raw = settings.raw
        self.normaliser = normaliser
        self.found: set[str] = set()

    def compared(
        self, kind: str, names: set[str], arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments of a call of a kind that are compared.

        A setting that names one of `names` means the tool of the call.
        """
        if self._ignored or self._kept:
            arguments = self._as_set(names, arguments)
        if kind in FOREIGN:
            return arguments
        return _without_noise(kind, arguments, self._kept_names(names))

    def _as_set(self, names: set[str], arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments without those that a setting ignores and none keeps."""
        restored = self.kept(names, arguments)
        for argument in (*self._ignored, *self._kept):
            if argument.path[0] in arguments and _names(argument, names):
                self.found.add(argument.name)
        for argument in self._ignored:
            if _names(argument, names):
                arguments = without(arguments, argument.path)
        return arguments | restored

    def kept(self, names: set[str], arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments that a setting keeps, whatever else drops them."""
        kept = self._kept_names(names)
        return {name: arguments[name] for name in kept if name in arguments}

    def normalised(self, kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments in one spelling."""
        if kind in FOREIGN:
            return self._members(arguments, is_content=False)
        own = self._own(kind, arguments)
        return self._in_directory(own) if kind == "shell" else own

    def _in_directory(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a command without a `cd` to where it runs anyway."""
        command = arguments.get("command")
        # Elsewhere `cd .` was a `cd` to the directory of the run.
        if not isinstance(command, str) or "workingDirectory" in arguments:
            return arguments
        shorter = command if self._is_raw else without_directory(command, "")
        if shorter == command:
            return arguments
        self.normaliser.hits["cd"] += 1
        return arguments | {"command": shorter}

    def steering(
        self, kind: str, names: set[str], arguments: dict[str, Any]
    ) -> list[tuple[str, Any]]:
        """Return the arguments that steer or explain a tool, and are not compared.

        Ids are the run's own, and lists repeat the command.
        """
        _, _, steering = _noise(kind)
        if steering.isdisjoint(arguments):
            return []
        uncompared = steering - self._kept_names(names)
        return [
            (name, value)
            for name, value in arguments.items()
            if name in uncompared and isinstance(value, str | int | float)
        ]

    def _kept_names(self, names: set[str]) -> set[str]:
        return {arg.path[0] for arg in self._kept if _names(arg, names)}

    def _own(self, kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Normalise the arguments of one of Cursor's own tools."""
        normalised = {}
        for name in sorted(arguments):
            value = self._argument(kind, name, arguments[name])
            is_default = (not value and name not in CONTENTS) or (
                name == "workingDirectory" and value == "."
            )
            if is_default and not self._is_raw:
                self.normaliser.hits["default"] += 1
            else:
                normalised[name] = value
        return normalised

    def _argument(self, kind: str, name: str, value: Any) -> Any:
        match value:
            case str() if name in PATHS:
                return self.normaliser.path(value)
            case list() if name in LISTS_OF_PATHS:
                return [
                    self.normaliser.path(item)
                    if isinstance(item, str)
                    else self._value(item, is_content=False)
                    for item in value
                ]
            case str() if name == EFFECT and kind in EDITS:
                if self.normaliser.leaves(value):
                    return value
                return respelled(value, self.normaliser.content)
        return self._value(value, is_content=name in CONTENTS)

    def _value(self, value: Any, is_content: bool, depth: int = 0) -> Any:
        match value:
            case str():
                rules = self.normaliser
                return rules.content(value) if is_content else rules.text(value)
            case float() if value.is_integer():
                return int(value)
            case dict() | list() if depth == MOST_NESTED_VALUES:
                return f"<nested: {deep_digest(value).hex()}>"
            case dict():
                return self._members(value, is_content, depth + 1)
            case list():
                return [self._value(item, is_content, depth + 1) for item in value]
        return value

    def _members(
        self, members: dict[str, Any], is_content: bool, depth: int = 0
    ) -> dict[str, Any]:
        values = {
            name: self._value(members[name], is_content or name in CONTENTS, depth)
            for name in sorted(members)
        }
        return self.normaliser.members(values)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value of JSON as the rules would if they changed no string."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict() | list() if depth > MOST_NESTED_VALUES:
            return f"<nested: {deep_digest(value).hex()}>"
        case dict():
            return {name: plain(value[name], depth + 1) for name in sorted(value)}
        case list():
            return [plain(item, depth + 1) for item in value]
    return value


def _without_noise(
    kind: str, arguments: dict[str, Any], kept: set[str]
) -> dict[str, Any]:
    """Return arguments without those that the table of tools calls noise.

    A setting keeps a member by its name, wherever it is.
    """
    names, paths, _ = _noise(kind)
    if not names.isdisjoint(arguments):
        arguments = {
            name: value
            for name, value in arguments.items()
            if name not in names or name in kept
        }
    for path in paths:
        if path[0] in arguments and path[-1] not in kept:
            arguments = without(arguments, path)
    return arguments


@functools.lru_cache(maxsize=256)
def _noise(
    kind: str,
) -> tuple[frozenset[str], list[tuple[str, ...]], frozenset[str]]:
    """Return the noise of a kind: names of arguments, and paths into arguments.

    The last are the names of the arguments that steer or explain a tool of the kind.
    """
    own = tool_of(kind).noise.arguments
    paths = [tuple(member.split(".")) for member in NOISE.arguments + own]
    names = frozenset(path[0] for path in paths if len(path) == 1)
    steering = frozenset(name for name in own if not name.endswith("Id"))
    return names, [path for path in paths if len(path) > 1], steering


def _names(argument: Argument, tools: set[str]) -> bool:
    """Return True if a setting names a tool, by a name of it up to the first dot."""
    return any(argument.tool.fullmatch(tool.partition(".")[0]) for tool in tools)


# An edit has two forms: the arguments passed to the tool, and its effect on a file.
class Form(Struct, frozen=True):
    """The normalised arguments of a call."""

    kept: bytes
    """The marshalled arguments."""

    key: bytes
    """Equal in two calls whose tools and arguments are equal."""

    hits: dict[str, int]
    """How often each rule changed something."""

    recorded_key: bytes
    """Equal in two calls whose arguments are recorded alike.

    Empty without hits, unless two events record arguments.
    """

    @property
    def as_written(self) -> bytes:
        """Equal in two calls whose arguments are recorded alike."""
        return self.recorded_key or digest(marshal.loads(self.kept))
