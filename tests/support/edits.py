"""Runs that change files, and the logs that record them."""

from __future__ import annotations

import json
from typing import Any

from convert.model import OK, ToolCall

DIRECTORY = "/home/dev/shop"

Call = tuple[str, dict[str, Any], dict[str, Any]]


def edited(path: str, before: str | None, after: str) -> Call:
    """Return an edit; a file that was not there before is made."""
    result = {"path": path, "afterFullFileContent": after}
    if before is not None:
        result |= {"beforeFullFileContent": before, "diffString": f"--- a/{path}\n"}
    else:
        result |= {"diffString": f"--- /dev/null\n+++ b/{path}\n"}
    return "edit", {"path": path, "streamContent": after}, {"success": result}


def wrote(path: str, content: str) -> Call:
    arguments = {"path": path, "fileText": content}
    return "write", arguments, {"success": {"path": path, "linesCreated": 1}}


def deleted(path: str, content: str | None) -> Call:
    result = {"path": path} | ({} if content is None else {"prevContent": content})
    return "delete", {"path": path}, {"success": result}


def changed(path: str, before: str | None, after: str | None) -> Call:
    """Return the call that turns one content into another; None is no file."""
    return deleted(path, before) if after is None else edited(path, before, after)


def log_of(*calls: Call, directory: str = DIRECTORY, answer: str = "Done.") -> bytes:
    """Return the log of a run that makes these calls, one by one."""
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": directory, "model": "Auto"}
    ]
    for number, (kind, arguments, result) in enumerate(calls):
        body = {f"{kind}ToolCall": {"args": arguments, "result": result}}
        call = {"subtype": "completed", "call_id": f"c{number}", "tool_call": body}
        events.append({"type": "tool_call", **call})
    events.append({"type": "result", "subtype": "success", "result": answer})
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


def call_of(kind: str, arguments: dict[str, Any], **fields: Any) -> ToolCall:
    """Return a call that has ended well, as a reader makes it."""
    usual = {"run": 1, "line": 1, "number": 1, "id": "c", "outcome": OK}
    return ToolCall(kind=kind, arguments=arguments, **usual | fields)
