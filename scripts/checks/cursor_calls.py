"""How calls of Cursor ended, only by the members of their results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from checks.raw_calls import ABSENT, Call, members, text

# The arms of a result for a call that succeeded.
GOOD = {
    *("success", "complete", "stillRunning", "startSuccess", "saveSuccess"),
    *("discardSuccess", "async", "registered", "needsConfirmation"),
}
_BAD = {
    *("error", "failure", "rejected", "denied", "spawnError", "timeout", "fileBusy"),
    *("permissionDenied", "readPermissionDenied", "writePermissionDenied"),
    *("fileNotFound", "notFile", "notFound"),
}
# Where an arm says why, the plainest first.
_REASONS = (
    *("error", "errorMessage", "clientVisibleError", "modelVisibleError", "reason"),
    "message",
)
_OF_SYSTEM = ("EACCES", "EPERM", "EROFS", "EBUSY", "EISDIR", "ENOENT", "ENOTDIR")
_FILE_TOOLS = {f"{tool}ToolCall" for tool in ("read", "edit", "write", "delete", "ls")}


def as_ended(tool_call: dict[str, Any], arguments: str = "") -> Call:
    """Return the outcome of a call, by its result and its arguments."""
    tool, body = body_of(tool_call)
    result = members(body.get("result"))
    given = members(body.get("args")) or (json.loads(arguments) if arguments else {})
    arms = _arms(result)
    ranks = sorted(arms, key=lambda arm: (arm not in _BAD, arm not in GOOD))
    name = ranks[0] if ranks else ""
    arm = members(arms.get(name))
    call = Call("ok" if result else "unfinished")
    if "result" not in body:
        return call
    call.status = _status(tool, name, arm)
    code = arm.get("exitCode")
    call.exit_code = int(code) if str(code).lstrip("-").isdigit() else None
    if tool == "shellToolCall":
        call.command = text(members(given).get("command"))
        call.errors = arm.get("stderr") if isinstance(arm.get("stderr"), str) else None
        both = text(arm.get("interleavedOutput"))
        call.has_output = isinstance(arm.get("interleavedOutput"), str)
        call.printed = both or text(arm.get("stdout")) + text(arm.get("stderr"))
    call.changes = [*_changes(tool, members(given), arm)]
    return call


def _arms(result: dict[str, Any]) -> dict[str, Any]:
    """Return the arms of a result by their names, also from the oneof of 2025."""
    inner = members(result.get("result"))
    for oneof in (result, inner):
        if isinstance(oneof.get("case"), str):
            return {oneof["case"]: oneof.get("value")}
    return {
        name: arm
        for name, arm in result.items()
        if (isinstance(arm, dict) and name != "sandboxPolicy") or (arm and name in _BAD)
    }


def _status(tool: str, name: str, arm: dict[str, Any]) -> str:
    if name in GOOD or not name:
        is_bad = str(arm.get("exitCode") or 0) != "0" or bool(arm.get("signal"))
        return "error" if name == "success" and (is_bad or arm.get("isError")) else "ok"
    words = next((arm[it] for it in _REASONS if text(arm.get(it))), "")
    if any(code in words for code in _OF_SYSTEM):
        return "error"
    if name in ("rejected", "denied"):
        return "rejected"
    if name.endswith("ermissionDenied"):
        is_policy = any(it in words for it in ("permissions configuration", "polic"))
        is_of_system = tool in _FILE_TOOLS and not (is_policy or "blocked by" in words)
        return "error" if is_of_system else "rejected"
    return "error"


def _changes(
    tool: str, given: dict[str, Any], arm: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the files that a call changes if it ends well, with their contents."""
    path = next(
        (text(it) for it in (given.get("path"), given.get("filePath")) if it), ""
    )
    path = path or text(arm.get("path"))
    if tool == "applyAgentDiffToolCall":
        yield from changes_in(arm)
    elif not path:
        return
    elif tool == "deleteToolCall":
        yield path, arm.get("prevContent"), ABSENT
    elif tool == "writeToolCall":
        names = ("fileText", "file_text", "contents", "content")
        yield path, ABSENT, next((given[it] for it in names if it in given), None)
    elif tool == "editToolCall":
        old, new = arm.get("beforeFullFileContent"), arm.get("afterFullFileContent")
        says_made = text(arm.get("diffString")).startswith("--- /dev/null")
        if says_made or "Wrote contents" in text(arm.get("message")) or old == "":
            old, new = ABSENT, given.get("streamContent") if new is None else new
        yield path, old, new


def changes_in(arm: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the files that another agent changed, with their contents."""
    for change in arm.get("appliedChanges") or ():
        if not change.get("error"):
            contents = change.get("beforeContent"), change.get("afterContent")
            yield text(change.get("path")), *contents


def body_of(tool_call: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool of a call and its members, also from the oneof of 2025."""
    for name, body in tool_call.items():
        if not isinstance(body, dict):
            continue
        if name == "tool" and isinstance(body.get("value"), dict):
            return str(body.get("case")), body["value"]
        if name.endswith("ToolCall") or name in ("function", "tool"):
            return name, body
    return next(
        ((name, it) for name, it in tool_call.items() if isinstance(it, dict)), ("", {})
    )
