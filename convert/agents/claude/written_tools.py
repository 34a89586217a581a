"""Tools and arguments by the names of Claude Code, from those of the model."""

from __future__ import annotations

import re
from typing import Any

from convert.agents.tools import call_of
from convert.facts.edits import ABSENT, FileEdit, edits_of
from convert.model.events import ToolCall
from convert.wording.diffs import hunks_of, without_headers

# This is `tools` and `arguments` backwards. A kind for which Claude Code has no tool
# gets a name with a capital, and an argument that no tool of it has keeps its own.
Members = dict[str, Any]

_NAMES = {
    "shell": "Bash",
    "read": "Read",
    "edit": "Edit",
    "write": "Write",
    "delete": "Delete",
    "grep": "Grep",
    "glob": "Glob",
    "ls": "LS",
    "task": "Agent",
    "webFetch": "WebFetch",
    "webSearch": "WebSearch",
    "updateTodos": "TodoWrite",
    "readTodos": "TodoRead",
    "await": "TaskOutput",
    "askQuestion": "AskUserQuestion",
    "createPlan": "ExitPlanMode",
    "switchMode": "EnterPlanMode",
    "listMcpResources": "ListMcpResourcesTool",
    "readMcpResource": "ReadMcpResourceTool",
}
# Further tools of kinds for which Claude Code has several.
_OTHERS = (
    *("PowerShell", "NotebookRead", "NotebookEdit", "MultiEdit", "Task", "TaskCreate"),
    *("TaskUpdate", "TaskList", "TaskGet", "BashOutput", "AgentOutputTool"),
)
_EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
# The arguments with the old and the new text of an edit.
_PASSED = ("strReplace", "multiStrReplace", "applyPatch")
# Those of Claude Code that do, and a patch as other agents pass it.
_CHANGES = frozenset({"content", "edits", "new_source", "new_string", "patch"})
_OWN = frozenset({*_NAMES.values(), *_OTHERS})
_RENAMED: dict[str, dict[str, str]] = {
    "read": {"path": "file_path"},
    "edit": {"path": "file_path", "streamContent": "content"},
    "write": {"path": "file_path", "fileText": "content", "contents": "content"},
    "delete": {"path": "file_path"},
    "grep": {
        "outputMode": "output_mode",
        "contextAfter": "-A",
        "contextBefore": "-B",
        "context": "-C",
        "caseInsensitive": "-i",
        "headLimit": "head_limit",
    },
    "glob": {"globPattern": "pattern", "targetDirectory": "path"},
    "task": {"subagentType": "subagent_type"},
    "webSearch": {"searchTerm": "query"},
    "await": {"taskId": "task_id"},
}
_STATES = {
    "TODO_STATUS_PENDING": "pending",
    "TODO_STATUS_IN_PROGRESS": "in_progress",
    "TODO_STATUS_COMPLETED": "completed",
    "TODO_STATUS_CANCELLED": "cancelled",
}


def claude_call(call: ToolCall) -> tuple[str, Members]:
    """Return the name that Claude Code has for the tool of a call, and its input."""
    arguments = call.arguments or {}
    if call.kind == "function":
        return call.name, arguments
    if call.kind == "mcp":
        return f"mcp__{call.name.replace('/', '__', 1)}", arguments
    name = _NAMES.get(call.kind) or call.kind[:1].upper() + call.kind[1:]
    if call.native in _OWN and call_of(call.native).kind == call.kind:
        name = call.native
    names = _RENAMED.get(call.kind, {})
    renamed: Members = {}
    for ours, value in arguments.items():
        theirs = names.get(ours, ours)
        # Two of our names for one of theirs do not hide each other.
        is_free = theirs not in renamed and theirs not in arguments
        renamed[theirs if is_free else ours] = value
    match call.kind:
        case "edit":
            return _edit(name, renamed)
        case "webFetch":
            return name, {"prompt": "", **renamed}
        case "updateTodos":
            return name, _todos(renamed)
        case "askQuestion":
            return name, _questions(renamed)
        case "task":
            return name, _task(renamed)
    return name, renamed


def is_passed_in_part(call: ToolCall) -> bool:
    """Return True for a call whose arguments are known only when it has ended.

    That is an edit that does not say where it goes, and a search whose terms follow.
    """
    arguments = call.arguments or {}
    if call.kind == "edit":
        return _is_fragment(call)
    return bool(arguments) and all(value == "" for value in arguments.values())


def input_as_made(call: ToolCall) -> tuple[str, Members]:
    """Return the tool and the input of a call that has ended."""
    is_fragment = call.kind == "edit" and _is_fragment(call)
    return _edit_as_made(call) if is_fragment else claude_call(call)


def _is_fragment(call: ToolCall) -> bool:
    arguments = call.arguments or {}
    return not (call.native in _EDITS or any(name in arguments for name in _PASSED))


def has_fragment(call: ToolCall, input: Members) -> bool:
    """Return True unless the input of an edit lacks the fragment that was passed."""
    fragment = (call.arguments or {}).get("streamContent")
    return call.kind != "edit" or fragment in (
        None,
        input.get("content"),
        input.get("new_string"),
    )


def says_what_changed(call: ToolCall, input: Members) -> bool:
    """Return True if the input of an edit has its changes, in some form."""
    return call.kind != "edit" or not _CHANGES.isdisjoint(input)


def _edit_as_made(call: ToolCall) -> tuple[str, Members]:
    """Return the tool and the input of an edit that was passed as a fragment.

    Its place is known only from its effect: a fragment is the whole of a new file, and
    a part of any other.
    """
    arguments = call.arguments or {}
    fragment = arguments.get("streamContent")
    names = {"path": "file_path", "streamContent": "new_string"}
    asked = {names.get(name, name): value for name, value in arguments.items()}
    rest = {name: value for name, value in asked.items() if name != "new_string"}
    for edit in edits_of(call):
        if call.is_new_file or edit.before is ABSENT:
            content = edit.after if isinstance(edit.after, str) else fragment
            known = {} if content is None else {"content": content}
            return "Write", rest | known
        pairs = [_pair(hunk["lines"]) for hunk in hunks_of_edit(edit)]
        if len(pairs) == 1:
            return "Edit", {**rest, **pairs[0]}
        if pairs:
            return "MultiEdit", {**rest, "edits": pairs}
    return "Edit", asked


def _pair(lines: list[str]) -> Members:
    """Return the old and the new text of a hunk."""
    return {"old_string": _side(lines, " -"), "new_string": _side(lines, " +")}


def _side(lines: list[str], marks: str) -> str:
    kept: list[str] = []
    is_of_side = False
    for line in lines:
        if line.startswith("\\") and is_of_side:
            # The line above is the last one and has no line feed.
            kept[-1] = kept[-1].removesuffix("\n")
        is_of_side = line[:1] in marks
        if is_of_side:
            kept.append(f"{line[1:]}\n")
    return "".join(kept)


def _edit(name: str, arguments: Members) -> tuple[str, Members]:
    """Return the tool that passes an edit in the way in which it was passed."""
    rest = {n: v for n, v in arguments.items() if n not in _PASSED}
    match arguments:
        case {"strReplace": {"oldText": old, "newText": new, **more}}:
            is_all = {"replace_all": more["replaceAll"]} if "replaceAll" in more else {}
            return "Edit", {**rest, "old_string": old, "new_string": new, **is_all}
        case {"multiStrReplace": {"edits": [*edits]}}:
            return "MultiEdit", {
                **rest,
                "edits": [_replacement(each) for each in edits],
            }
        case {"applyPatch": {"patchContent": str(patch)}}:
            return _patched(patch, rest) or ("Edit", {**rest, "patch": patch})
        case {"content": str()} if name != "NotebookEdit":
            return "Write", arguments
    return name, arguments


def _patched(patch: str, rest: Members) -> tuple[str, Members] | None:
    """Return the tool and the input that make the change of a patch of one file.

    None for a patch that is damaged, moves a file, or does not say where lines go.
    """
    # Only logs of Codex and opencode have patches.
    from convert.agents.codex.apply_patch import changes_of

    match changes_of(patch):
        case [change] if change.kind == "add":
            return "Write", {**rest, "content": change.content}
        case [change] if change.kind == "update":
            pairs = [_pair(hunk) for hunk in change.hunks]
            if not all(pair["old_string"] for pair in pairs):
                return None
            if len(pairs) == 1:
                return "Edit", {**rest, **pairs[0]}
            return ("MultiEdit", {**rest, "edits": pairs}) if pairs else None
    return None


def _replacement(edit: Any) -> Any:
    match edit:
        case {"oldText": old, "newText": new, **more}:
            is_all = {"replace_all": more["replaceAll"]} if "replaceAll" in more else {}
            return {"old_string": old, "new_string": new, **is_all}
    return edit


def _todos(arguments: Members) -> Members:
    items = arguments.get("todos")
    if not isinstance(items, list):
        return arguments
    return {**arguments, "todos": [_todo(item) for item in items]}


def _todo(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    state = item.get("status")
    state = _STATES.get(state, state) if isinstance(state, str) else state
    return {**item, "status": state, "activeForm": item.get("content", "")}


def _questions(arguments: Members) -> Members:
    questions = arguments.get("questions")
    if not isinstance(questions, list):
        return arguments
    return {**arguments, "questions": [_question(each) for each in questions]}


def _question(question: Any) -> Any:
    match question:
        case {"prompt": prompt, **more}:
            return {"question": prompt, **more}
    return question


def _task(arguments: Members) -> Members:
    """Return the arguments with the type of the subagent as a word."""
    match arguments.get("subagent_type"):
        case {"custom": {"name": str(kind)}}:
            return {**arguments, "subagent_type": kind}
        case {**kinds} if len(kinds) == 1:
            return {**arguments, "subagent_type": str(next(iter(kinds)))}
    return arguments


_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def hunks_of_edit(edit: FileEdit) -> list[Members]:
    """Return the hunks of an edit, as `structuredPatch` has them."""
    if isinstance(edit.before, str) and isinstance(edit.after, str):
        diff = "".join(map(str, hunks_of(edit.before, edit.after)))
    else:
        diff = without_headers(edit.diff)
    hunks: list[Members] = []
    for line in diff.rstrip("\n").split("\n"):
        if found := _HUNK.match(line):
            numbers = [
                1 if number is None else int(number) for number in found.groups()
            ]
            places = ("oldStart", "oldLines", "newStart", "newLines")
            hunks.append({**dict(zip(places, numbers, strict=True)), "lines": []})
        elif hunks:
            # Some builds cut the blank that marks an empty line.
            hunks[-1]["lines"].append(line or " ")
    return hunks
