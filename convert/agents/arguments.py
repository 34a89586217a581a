"""The arguments of each kind of tool, from the names of agents to those of the model.

The names of the model are those of Cursor's tools, which titles, transcripts and
comparisons know. An argument without a counterpart keeps its own name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from convert.agents.commands import unwrapped

Arguments = dict[str, Any]

_PATH = {
    "file_path": "path",
    "filePath": "path",
    "absolute_path": "path",
    "AbsolutePath": "path",
    "notebook_path": "path",
    "TargetFile": "path",
    "DirectoryPath": "path",
    "dir_path": "path",
}
_RENAMED: dict[str, dict[str, str]] = {
    "shell": {
        "cmd": "command",
        "CommandLine": "command",
        "workdir": "workingDirectory",
        "cwd": "workingDirectory",
        "Cwd": "workingDirectory",
        "timeout_ms": "timeout",
        "yield_time_ms": "timeout",
        "justification": "description",
    },
    "read": _PATH,
    "edit": {
        **_PATH,
        "content": "streamContent",
        "contents": "streamContent",
        "file_text": "streamContent",
    },
    "delete": _PATH,
    "ls": _PATH,
    "grep": {
        "dir_path": "path",
        "include": "glob",
        "output_mode": "outputMode",
        "-A": "contextAfter",
        "-B": "contextBefore",
        "-C": "context",
        "-i": "caseInsensitive",
        "head_limit": "headLimit",
    },
    "glob": {
        "pattern": "globPattern",
        "path": "targetDirectory",
        "dir_path": "targetDirectory",
    },
    "task": {"subagent_type": "subagentType"},
    "webSearch": {"query": "searchTerm"},
    "webFetch": {"Url": "url"},
    "await": {
        "bash_id": "taskId",
        "task_id": "taskId",
        "shell_id": "taskId",
        "cell_id": "taskId",
        "agentId": "taskId",
    },
    "writeShellStdin": {"session_id": "shellId"},
}
# They say how a call is shown or where it runs, and nothing about what it does.
_DROPPED = {
    "grep": {"-n"},
    "shell": {"env", "max_output_tokens"},
    "await": {"yield_time_ms", "max_output_tokens", "max_tokens"},
    "writeShellStdin": {"yield_time_ms", "max_output_tokens"},
}
# The texts of an edit, as the agents name them.
_OLD = ("old_string", "oldString", "old_str")
_NEW = ("new_string", "newString", "new_str")
_ALL = ("replace_all", "replaceAll")
_PATCH = ("patch", "patchText", "input")
_STATES = {
    "pending": "TODO_STATUS_PENDING",
    "in_progress": "TODO_STATUS_IN_PROGRESS",
    "completed": "TODO_STATUS_COMPLETED",
    "cancelled": "TODO_STATUS_CANCELLED",
}


def renamed(kind: str, arguments: Arguments) -> Arguments:
    """Return the arguments of a call by the model's names, in their order."""
    names = _RENAMED.get(kind, {})
    dropped = _DROPPED.get(kind, ())
    known: Arguments = {}
    for name, value in arguments.items():
        if name in dropped:
            continue
        # Two of the agent's names for one of ours do not hide each other.
        ours = names.get(name, name)
        known[
            name if ours in known or (ours in arguments and ours != name) else ours
        ] = value
    change = _CHANGES.get(kind)
    return change(known) if change else known


def _shell(arguments: Arguments) -> Arguments:
    command = arguments.get("command")
    is_list = isinstance(command, list) and all(isinstance(at, str) for at in command)
    if command and (is_list or isinstance(command, str)):
        return {**arguments, "command": unwrapped(command)}
    return arguments


def _read(arguments: Arguments) -> Arguments:
    match arguments.get("view_range"):
        case [int(first), int(last)] if last >= first:
            rest = _without(arguments, "view_range")
            return {**rest, "offset": first, "limit": last - first + 1}
    return arguments


def _edit(arguments: Arguments) -> Arguments:
    """Put what is replaced by what into one member, as Cursor's edits have it."""
    if isinstance(edits := arguments.get("edits"), list):
        pairs = [
            _replacement(edit) if isinstance(edit, dict) else edit for edit in edits
        ]
        return {**_without(arguments, "edits"), "multiStrReplace": {"edits": pairs}}
    if _first(arguments, _OLD) is not None and _first(arguments, _NEW) is not None:
        rest = _without(arguments, *_OLD, *_NEW, *_ALL)
        return {**rest, "strReplace": _replacement(arguments)}
    patch = _first(arguments, _PATCH)
    if isinstance(patch, str):
        rest = _without(arguments, *_PATCH)
        return {**rest, "applyPatch": {"patchContent": patch}}
    return arguments


def _replacement(edit: Arguments) -> Arguments:
    pair = {"oldText": _first(edit, _OLD), "newText": _first(edit, _NEW)}
    is_all = _first(edit, _ALL)
    return pair if is_all is None else {**pair, "replaceAll": is_all}


def _todos(arguments: Arguments) -> Arguments:
    """Return the items with Cursor's members, whichever tool wrote them."""
    match arguments:
        case {"todos": [*items]} | {"items": [*items]} | {"plan": [*items]}:
            rest = _without(arguments, "todos", "items", "plan")
            return {**rest, "todos": [_todo(item) for item in items]}
        case {"subject": str()} | {"taskId": _} | {"content": str()}:
            return {"todos": [_todo(arguments)]}
    return arguments


def _todo(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    content = _first(item, ("content", "text", "step", "subject", "description"))
    state = item.get("status")
    if state is None and isinstance(done := item.get("completed"), bool):
        state = "completed" if done else "pending"
    id = _first(item, ("id", "taskId"))
    todo = {"id": id, "content": content, "status": _state(state)}
    return {name: value for name, value in todo.items() if value is not None}


def _state(state: Any) -> Any:
    return _STATES.get(state, state) if isinstance(state, str) else state


def _question(arguments: Arguments) -> Arguments:
    questions = arguments.get("questions")
    if not isinstance(questions, list):
        return arguments
    asked = [
        _asked(str(number), each) if isinstance(each, dict) else each
        for number, each in enumerate(questions)
    ]
    return {**arguments, "questions": asked}


def _asked(id: str, question: Arguments) -> Arguments:
    options = question.get("options")
    asked = {"id": question.get("id", id), "prompt": question.get("question")}
    if isinstance(options, list):
        asked["options"] = [
            {"id": option.get("label"), "label": option.get("label")}
            for option in options
            if isinstance(option, dict)
        ]
    return asked


def _first(arguments: Arguments, names: tuple[str, ...]) -> Any:
    """Return the first of these members that there is; None without any."""
    found = (arguments[name] for name in names if name in arguments)
    return next(found, None)


def _without(arguments: Arguments, *names: str) -> Arguments:
    return {name: value for name, value in arguments.items() if name not in names}


_CHANGES: dict[str, Callable[[Arguments], Arguments]] = {
    "shell": _shell,
    "read": _read,
    "edit": _edit,
    "updateTodos": _todos,
    "askQuestion": _question,
}
