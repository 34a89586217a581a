"""Tool calls as the `tool_call` of a line, so that they read back as they are.

{"shellToolCall":{"args":{"command":"ls"},"result":{"success":{"stdout":"a.py\n"}}}}
"""

from __future__ import annotations

from typing import Any

from convert.formats.json_lines import json_text
from convert.formats.stream_json.tool_results import (
    GOOD_ARMS,
    MESSAGES,
    is_new_file,
    is_refused,
)
from convert.formats.stream_json.wire import Arm
from convert.model.events import UNFINISHED, Event, Outcome, Segment, Thinking, ToolCall


def tool_call_of(call: ToolCall, *, has_result: bool) -> dict[str, Any]:
    """Return the member that is the tool, and the call that made this one."""
    body = _body(call)
    if has_result:
        body["result"] = _result(call)
    key = call.kind if call.kind == "function" else f"{call.kind}ToolCall"
    parent = {"parentToolCallId": call.parent} if call.parent else {}
    return {key: body, **parent}


def _body(call: ToolCall) -> dict[str, Any]:
    """Return the tool's name and its arguments."""
    arguments = call.arguments
    if call.kind == "function":
        return {"name": call.name, "arguments": json_text(arguments or {})}
    if call.kind == "mcp":
        server, _, tool = call.name.rpartition("/")
        names = {"providerIdentifier": server, "toolName": tool}
        args: dict[str, Any] = {name: value for name, value in names.items() if value}
        if arguments is not None:
            args["args"] = arguments
        return {"args": args} if args else {}
    return {} if arguments is None else {"args": arguments}


def _result(call: ToolCall) -> dict[str, Any]:
    """Return the result of a call, with the arm that reads back as its outcome."""
    outcome = call.outcome or UNFINISHED
    output = call.output
    members: dict[str, Any] = dict(output) if isinstance(output, dict) else {}
    if output is not None and not isinstance(output, dict):
        members = {"content": output}
    if call.kind == "task" and call.steps is not None:
        unread = members.get("conversationSteps") or []
        members["conversationSteps"] = [*map(_step, call.steps), *unread]
    if outcome.status == "ok":
        return _success(call, members)
    if outcome.signal or outcome.exit_code is not None:
        ended = {"exitCode": outcome.exit_code, "signal": outcome.signal}
        return {"failure": members | {name: v for name, v in ended.items() if v}}
    if outcome.status == "rejected":
        return {"rejected": _saying(outcome.message, "reason", members)}
    return _error(call.kind, outcome, members)


def _success(call: ToolCall, members: dict[str, Any]) -> dict[str, Any]:
    if call.is_new_file and not _tells_new_file(members):
        made = f"Wrote contents to {(call.arguments or {}).get('path', 'a new file')}"
        said = members.get("message")
        members["message"] = f"{made}\n{said}" if said else made
    arm = call.arm if call.arm in GOOD_ARMS else "success"
    has_failed = members.get("exitCode") or members.get("signal")
    if arm == "success" and (has_failed or members.get("isError")):
        # The agent took for a success what `success` would tell as a failure.
        arm = "complete"
    return {arm: members}


def _tells_new_file(members: dict[str, Any]) -> bool:
    """Return True if it is read from an edit's output that it made its file."""
    names = ("diffString", "message", "beforeFullFileContent")
    texts = {name: members[name] for name in names if name in members}
    if not all(isinstance(text, str | None) for text in texts.values()):
        return False
    return is_new_file(Arm(**texts))


def _error(kind: str, outcome: Outcome, members: dict[str, Any]) -> dict[str, Any]:
    message = outcome.message
    arm = outcome.arm or "error"
    if is_refused(kind, arm, message):
        # The same arm means that the call was rejected.
        from convert.tools.reasons import reason_of

        arm, message = "error", reason_of(outcome)
    return {arm: _saying(message, "error", members)}


def _saying(message: str, name: str, members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of an arm from which this message is read."""
    said = next(filter(None, (members.get(each) for each in MESSAGES)), "")
    if said == message:
        return members
    return members | {"error" if said else name: message}


def _step(event: Event) -> dict[str, Any]:
    """Return a step of a subagent."""
    match event:
        case Segment():
            return {"assistantMessage": {"text": event.text}}
        case Thinking():
            return {"thinkingMessage": {"text": event.text}}
        case ToolCall():
            has_result = event.outcome not in (None, UNFINISHED)
            call = tool_call_of(event, has_result=has_result)
            ids = {"toolCallId": event.id} if event.id else {}
            return {"toolCall": call | ids}
    raise TypeError(f"{type(event).__name__} is no step of a subagent")
