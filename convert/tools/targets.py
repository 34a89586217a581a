"""The target of a call, for people: its subject, or another argument that names it.

`diff` knows a call by its subject alone (`tools.subjects`); a target is only shown.
"""

from __future__ import annotations

import functools
from typing import Any

from convert.model.events import ToolCall
from convert.tools.row import SubjectArguments
from convert.tools.subjects import Subject, subject_by
from convert.tools.table import TOOLS, tool_of
from convert.wording.paths import shown_path
from convert.wording.sanitise import one_line

# The arguments that name the target of a kind without a subject; of several, each that
# is recorded. A dot leads into an object.
_TARGETS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "aiAttribution": ((), ("filePaths",)),
    "readLints": ((), ("paths",)),
    "await": (("taskId",), ()),
    "writeShellStdin": (("chars",), ()),
    "setupVmEnvironment": (("installCommand",), ()),
    "createPlan": (("name",), ()),
    "askQuestion": (("title",), ()),
    "switchMode": (("targetModeId",), ()),
    "getMcpTools": (("server", "toolName", "pattern"), ()),
    "listMcpResources": (("server",), ()),
    "mcpAuth": (("serverIdentifier",), ()),
    "communicateUpdate": (("currentStep",), ()),
    "sendMessage": (("text.content",), ()),
    "generateImage": ((), ("filePath",)),
    "recordScreen": ((), ("saveAsFilename",)),
    "prManagement": (("createPr.title", "updatePr.title"), ()),
    "setActiveBranch": (("branchName",), ()),
    "editPrLabels": (("prUrl",), ()),
    "reportBug": (("title",), ()),
    "fetchCloudAgentData": (("bcIds",), ()),
}
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
    return shown_in(kind, subject_by(_names(kind), arguments, directory), directory)


def shown_in(kind: str, subject: Subject, directory: str) -> Subject:
    """Return a subject as people read it in the directory of the run.

    A command does without that directory, which its call shows.
    """
    if kind != "shell":
        return subject
    for command in subject.words:
        if command.lstrip()[:2] == "cd" or " -C " in command:
            break
    else:
        # Most commands name no directory, and are shown without the module.
        return subject
    from convert.tools.commands import without_directory

    words = [without_directory(command, directory) for command in subject.words]
    return subject if words == subject.words else Subject(words, subject.paths)


@functools.lru_cache(maxsize=256)
def _names(kind: str) -> SubjectArguments | None:
    """Return the arguments that name the target of a kind."""
    names = tool_of(kind).subject
    if names is None and kind in _TARGETS:
        words, paths = _TARGETS[kind]
        names = SubjectArguments(verb="", words=words, paths=paths)
    return names


def target_line(call: ToolCall, directory: str) -> str:
    """Return what a call is about, on one line; empty where nothing is recorded.

    Paths are shown as people read them in the directory of the run.
    """
    if call.kind == "mcp" and call.name:
        return one_line(call.name)
    if call.arguments is None:
        return shown_in(call.kind, _about(call), directory).line
    if call.kind not in TOOLS:
        return one_line(_first_of(call.arguments, directory))
    target = target_of(call.kind, call.arguments, directory)
    if call.kind in SEARCHES and target.words and target.paths:
        return one_line(" ".join([*target.words, "in", *target.paths]))
    return target.line


def _about(call: ToolCall) -> Subject:
    """Return what a log says of a call whose arguments it does not record."""
    return Subject([call.about] if call.about else [], [])


def _first_of(arguments: dict[str, Any], directory: str) -> str:
    """Return the first argument of a tool that is not known, as a text."""
    value = next(iter(arguments.values()), "")
    if isinstance(value, str):
        is_path = directory and value.startswith(directory)
        return shown_path(value, directory) if is_path else value
    # Most tools take a text first.
    import json

    return json.dumps(value, ensure_ascii=False)
