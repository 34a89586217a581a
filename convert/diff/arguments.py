"""The arguments of a call as they are compared: without noise, in one spelling.

Values keep their meaning: `1` is `1.0`, but not `true` and not `"1"`; the order of
members is nothing, that of lists is something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convert.diff.normalise import CONTENTS, Normaliser
from convert.diff.outputs import DEEPEST, deep_digest
from convert.diff.settings import Argument, Settings, arguments_in

# Their arguments are not Cursor's: nothing of them is dropped or taken for a default.
FOREIGN = {"mcp", "function"}

_DROPPED = {
    *("toolCallId", "hookAdditionalContexts", "skipApproval", "smartModeApproval"),
    *("smartModeApprovalOnly", "hookApprovalRequirement", "conversationId"),
    *("requestId", "sandboxPolicy", "requestedSandboxPolicy"),
}
_DROPPED_OF = {
    "shell": {
        *("simpleCommands", "parsingResult", "executableCommands", "redirects"),
        *("hasInputRedirect", "hasOutputRedirect", "fileOutputThresholdBytes"),
        *("timeout", "timeoutBehavior", "hardTimeout", "description", "closeStdin"),
        *("classifierResult", "outputNotification", "adminCommandDenylist"),
    },
    "task": {"agentId", "model", "description", "machine", "respondingToMessageIds"},
    "semSearch": {"explanation"},
    "switchMode": {"explanation"},
    "startGrindPlanning": {"explanation"},
    "startGrindExecution": {"explanation"},
    "writeShellStdin": {"shellId"},
    "applyAgentDiff": {"agentId"},
    "await": {"taskId"},
    "askQuestion": {"asyncOriginalToolCallId"},
}
_DROPPED_OF_TODOS = {"createdAt", "updatedAt"}
_WITH_TODOS = {"updateTodos", "createPlan"}
_PATHS = {"path", "filePath", "targetDirectory", "workingDirectory", "downloadPath"}
_LISTS_OF_PATHS = {"paths", "targetDirectories", "filePaths"}


class ArgumentRules:
    """Which arguments of which tools are compared, and how they are spelled."""

    def __init__(self, settings: Settings, normaliser: Normaliser) -> None:
        self._ignored = arguments_in(settings.ignore_arg)
        self._kept = arguments_in(settings.keep_arg)
        self._is_raw = settings.raw
        self._normaliser = normaliser

    def normalised(
        self, kind: str, names: set[str], arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """The arguments of a call of a kind; `names` are those of its tool."""
        kept = {arg.path[0] for arg in self._kept if _names(arg, names)}
        whole = arguments
        for argument in self._ignored:
            if _names(argument, names):
                arguments = _without(arguments, argument.path)
        arguments = arguments | {name: whole[name] for name in kept if name in whole}
        if kind in FOREIGN:
            return self._members(arguments, is_content=False)
        return self._own(kind, arguments, kept)

    def _own(
        self, kind: str, arguments: dict[str, Any], kept: set[str]
    ) -> dict[str, Any]:
        """The arguments of one of Cursor's own tools."""
        dropped = (_DROPPED | _DROPPED_OF.get(kind, set())) - kept
        normalised = {}
        for name in sorted(arguments):
            value = arguments[name]
            if name in dropped:
                continue
            if name == "todos" and kind in _WITH_TODOS:
                value = _without_times(value, kept)
            value = self._argument(name, value)
            if self._is_raw or not _is_default(name, value):
                normalised[name] = value
        return normalised

    def _argument(self, name: str, value: Any) -> Any:
        match value:
            case str() if name in _PATHS:
                return self._normaliser.path(value)
            case list() if name in _LISTS_OF_PATHS:
                return [
                    self._normaliser.path(item)
                    if isinstance(item, str)
                    else self._value(item, is_content=False)
                    for item in value
                ]
        return self._value(value, is_content=name in CONTENTS)

    def _value(self, value: Any, is_content: bool, depth: int = 0) -> Any:
        match value:
            case str():
                if is_content:
                    return self._normaliser.content(value)
                return self._normaliser.text(value)
            case float() if value.is_integer():
                return int(value)
            case dict() | list() if depth == DEEPEST:
                return f"<nested: {deep_digest(value).hex()}>"
            case dict():
                return self._members(value, is_content, depth + 1)
            case list():
                return [self._value(item, is_content, depth + 1) for item in value]
        return value

    def _members(
        self, members: dict[str, Any], is_content: bool, depth: int = 0
    ) -> dict[str, Any]:
        return {
            name: self._value(members[name], is_content or name in CONTENTS, depth)
            for name in sorted(members)
        }


def _is_default(name: str, value: Any) -> bool:
    """Whether a member says no more than an absent one."""
    if name == "workingDirectory" and value == ".":
        return True
    return not value and name not in CONTENTS


def _without_times(todos: Any, kept: set[str]) -> Any:
    dropped = _DROPPED_OF_TODOS - kept
    if not isinstance(todos, list):
        return todos
    return [
        {name: value for name, value in todo.items() if name not in dropped}
        if isinstance(todo, dict)
        else todo
        for todo in todos
    ]


def _names(argument: Argument, tools: set[str]) -> bool:
    """Whether a setting means a tool, by one of its names up to the first dot."""
    return any(argument.tool.fullmatch(tool.partition(".")[0]) for tool in tools)


def _without(value: Any, path: tuple[str, ...]) -> Any:
    """A value without what a path leads to; `*` is any member or place in a list."""
    match value:
        case dict():
            return dict(_others(value.items(), path))
        case list():
            return [item for _, item in _others(enumerate(value), path)]
    return value


def _others(
    members: Iterable[tuple[Any, Any]], path: tuple[str, ...]
) -> Iterator[tuple[Any, Any]]:
    name, *rest = path
    for member, value in members:
        if name not in ("*", str(member)):
            yield member, value
        elif rest:
            yield member, _without(value, tuple(rest))
