"""The `tool_call` of a line: which tool, with which arguments, and how it ended."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from convert.display import mended
from convert.errors import Warn, ignore
from convert.formats.stream_json.careful import fit
from convert.formats.stream_json.wire import Arm, Arms, Body, Scalar, Wire
from convert.model import (
    OK,
    UNFINISHED,
    Event,
    Outcome,
    Segment,
    Thinking,
    ToolCall,
)

# Beside the key of the tool; of keys that no list knows, the first that is not here.
_SIBLINGS = {
    "hookAdditionalContexts",
    "toolCallId",
    "startedAtMs",
    "completedAtMs",
    "parentToolCallId",
    "description",
}
# Beside the arm of a result, and objects like an arm.
_BESIDE_ARM = {"sandboxPolicy"}
_GOOD_ARMS = {
    "success",
    "startSuccess",
    "saveSuccess",
    "discardSuccess",
    "complete",
    "stillRunning",
    "async",
    "registered",
    "needsConfirmation",
}
_REJECTED_ARMS = {
    "rejected",
    "denied",
    "permissionDenied",
    "readPermissionDenied",
    "writePermissionDenied",
}
_BAD_ARMS = _REJECTED_ARMS | {
    "error",
    "failure",
    "spawnError",
    "timeout",
    "fileNotFound",
    "notFile",
    "fileBusy",
    "notFound",
}
# Where the message of an arm stands, the plainest first.
_MESSAGES = (
    "error",
    "errorMessage",
    "clientVisibleError",
    "modelVisibleError",
    "reason",
    "message",
)
# Subagents in subagents that are read; further in, steps stay in the output.
_DEEPEST = 8
_STAMP = re.compile(r"[0-9]{1,19}")


class Frame(NamedTuple):
    """What one line says about a tool call; None and "" where it says nothing."""

    kind: str = ""
    name: str = ""
    arguments: dict[str, Any] | None = None
    outcome: Outcome | None = None
    arm: str = ""
    output: Any = None
    steps: list[Event] | None = None
    is_new_file: bool = False
    parent: str = ""
    duration_ms: int | None = None


def read_frame(
    tool_call: dict[str, Any], wire: Wire, number: int, warn: Warn, depth: int = 0
) -> Frame:
    """Read the `tool_call` of line `number`, wherever the tool stands in it.

    `depth` says in how many subagents the call was made.
    """
    key = _key(tool_call)
    body = tool_call.get(key)
    if not isinstance(body, wire.body):
        body = wire.body()
    if key == "tool" and body.case:
        # The bundle of 2025.09 wrote a protobuf oneof: its case beside its value.
        key, body = body.case, fit(body.value, wire.body, number, warn) or wire.body()
    kind = key.removesuffix("ToolCall")
    name, arguments = _name_and_arguments(kind, body)
    result: Any = body.result
    if result is not None and wire.has_whole_outputs:
        result = fit(result, Arms, number, warn)
    arms = _arms(result) if isinstance(result, dict) else {}
    arm = _deciding(arms)
    output: Any = None
    steps: list[Event] | None = None
    if wire.has_whole_outputs:
        output = _output(body.result, arm)
        if kind == "task" and depth < _DEEPEST and isinstance(output, dict):
            steps, output = _steps(output, wire, number, warn, depth)
    return Frame(
        kind,
        name,
        arguments,
        None if body.result is None else _outcome(arm, arms),
        arm,
        output,
        steps,
        kind == "edit" and "success" in arms and _is_new_file(arms["success"]),
        _string(tool_call.get("parentToolCallId")),
        _duration(tool_call) if wire.has_figures else None,
    )


def _key(tool_call: dict[str, Any]) -> str:
    """The member that is the tool."""
    for key in tool_call:
        if key.endswith("ToolCall"):
            return key
    for key in ("function", "tool"):
        if key in tool_call:
            return key
    return next((key for key in tool_call if key not in _SIBLINGS), "")


def _name_and_arguments(kind: str, body: Body) -> tuple[str, dict[str, Any] | None]:
    """The tool's own name, where it has one, and its own arguments."""
    if kind == "function":
        return body.name or "", _function_arguments(body.arguments)
    if kind != "mcp":
        return kind, body.args
    if body.args is None:
        return "", None
    said = body.args.get
    server = said("providerIdentifier") or said("serverIdentifier")
    tool = said("toolName") or said("name")
    inner = said("args")
    name = "/".join(part for part in (server, tool) if isinstance(part, str))
    return name, inner if isinstance(inner, dict) else {}


def _function_arguments(
    arguments: dict[str, Any] | str | None,
) -> dict[str, Any] | None:
    """Those of a `function`: an object, or JSON in a string, or just a string."""
    if not isinstance(arguments, str):
        return arguments
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        decoded = None
    return decoded if isinstance(decoded, dict) else {"arguments": arguments}


def _arms(result: dict[str, Any]) -> dict[str, Arm]:
    """The arms among the members of a result: one, in all that was seen."""
    match result:
        case {"case": str(name), "value": Arm() as arm}:
            return {name: arm}
        case {"result": Arm(case=str(name), value=value)}:
            arm = fit(value, Arm, 0, ignore)
            return {name: arm or Arm()}
    arms = {}
    for name, value in result.items():
        if isinstance(value, Arm):
            if name not in _BESIDE_ARM:
                arms[name] = value
        elif value and (name in _GOOD_ARMS or name in _BAD_ARMS):
            arms[name] = Arm(error=value if isinstance(value, str) else None)
    return arms


def _deciding(arms: dict[str, Arm]) -> str:
    """A failing arm counts before a good one, a good one before one nobody knows."""
    order = sorted(arms, key=lambda arm: (arm not in _BAD_ARMS, arm not in _GOOD_ARMS))
    return order[0] if order else ""


def _outcome(name: str, arms: dict[str, Arm]) -> Outcome:
    """The outcome that the deciding arm stands for; ok where there is none."""
    if not name:
        return OK
    arm = arms[name]
    if name in ("success", "failure") and arm.exitCode:
        # Older builds put a failing command under `success`.
        return Outcome("error", exit_code=arm.exitCode)
    if name in _GOOD_ARMS:
        return Outcome("error") if arm.isError and name == "success" else OK
    message = next(filter(None, (getattr(arm, field) for field in _MESSAGES)), "")
    if name in _REJECTED_ARMS:
        return Outcome("rejected", message=message)
    return Outcome("error", arm="" if name == "error" else name, message=message)


def _output(result: Any, arm: str) -> Any:
    """The members of the deciding arm, with those beside it; else the whole result."""
    match result:
        case {"case": str(), "value": value} | {
            "result": {"case": str(), "value": value}
        }:
            return value
        case dict() if isinstance(result.get(arm), dict):
            beside = {name: value for name, value in result.items() if name != arm}
            return beside | result[arm]
    return result


def _steps(
    output: dict[str, Any], wire: Wire, number: int, warn: Warn, depth: int
) -> tuple[list[Event] | None, dict[str, Any]]:
    """What a subagent did, and the output without it.

    A step that is none of the three known kinds stays in the output.
    """
    recorded = output.get("conversationSteps")
    if not isinstance(recorded, list):
        return None, output
    steps: list[Event] = []
    unread = []
    calls = 0
    for step in recorded:
        match step:
            case {"assistantMessage": {"text": str(text)}}:
                steps.append(Segment(run=0, line=number, text=mended(text)))
            case {"thinkingMessage": {"text": str(text)}}:
                steps.append(Thinking(run=0, line=number, text=mended(text)))
            case {"toolCall": {**tool_call}}:
                calls += 1
                steps.append(_step(tool_call, calls, wire, number, warn, depth + 1))
            case _:
                unread.append(step)
    rest = {k: v for k, v in output.items() if k != "conversationSteps"}
    return steps, rest | ({"conversationSteps": unread} if unread else {})


def _step(
    tool_call: dict[Any, Any],
    call_number: int,
    wire: Wire,
    number: int,
    warn: Warn,
    depth: int,
) -> ToolCall:
    """A call that a subagent made; without a result it never completed."""
    fitted = fit(tool_call, dict[str, wire.body | Scalar], number, warn)  # type: ignore[name-defined]
    frame = read_frame(fitted, wire, number, warn, depth)
    return ToolCall(
        run=0,
        line=number,
        number=call_number,
        id=_string(tool_call.get("toolCallId")),
        kind=frame.kind,
        name=frame.name,
        arguments=frame.arguments,
        outcome=frame.outcome or UNFINISHED,
        arm=frame.arm,
        output=frame.output,
        steps=frame.steps,
        is_new_file=frame.is_new_file,
        started_line=number,
        duration_ms=frame.duration_ms,
    )


def _is_new_file(success: Arm) -> bool:
    """Whether an edit made the file, by its diff, its message or what was there.

    Builds of early 2026 wrote diffs without headers and no earlier content: then a diff
    that takes away nothing but an empty line made the file.
    """
    diff = success.diffString or ""
    if diff.startswith("--- /dev/null") or success.beforeFullFileContent == "":
        return True
    if "Wrote contents" in (success.message or ""):
        return True
    if success.beforeFullFileContent is not None or diff.startswith("--- "):
        return False
    lines = [line for line in diff.split("\n") if not line.startswith("@@")]
    added = [line for line in lines if line.startswith("+")]
    return bool(added) and all(line in ("", "-") for line in lines if line not in added)


def _duration(tool_call: dict[str, Any]) -> int | None:
    """Milliseconds between the call's own stamps, which are strings in JSON."""
    match tool_call:
        case {"startedAtMs": str(started), "completedAtMs": str(completed)}:
            if _STAMP.fullmatch(started) and _STAMP.fullmatch(completed):
                took = int(completed) - int(started)
                return took if took >= 0 else None
    return None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
