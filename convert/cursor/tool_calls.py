"""The `tool_call` of a line: its tool, its arguments, how it ended, and its output."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
from msgspec import Struct

from convert.cursor.wire import Arm, Arms, Body, Scalar, Wire
from convert.errors import Warn, ignore
from convert.model.events import (
    OK,
    UNFINISHED,
    Event,
    Outcome,
    Segment,
    Thinking,
    ToolCall,
)
from convert.source.lines import REFUSED
from convert.source.ndjson import coerce
from convert.wording.escapes import repair_surrogates

_PARENT = "parentToolCallId"
# Members next to the tool; an unknown tool is the first member that is not here.
_NO_TOOLS = {
    "hookAdditionalContexts",
    "toolCallId",
    "startedAtMs",
    "completedAtMs",
    _PARENT,
    "description",
}
# Longer names are not cached: memory must not grow with the names in a log.
_LONGEST_NAME = 100
# Longer strings of digits are no timestamps.
_LONGEST_STAMP = 20
# Kinds of tools that have names.
_NAMED = {"function", "mcp"}
# Subagents in subagents that are read; further in, steps stay in the output.
_DEEPEST = 8


class Frame(Struct):
    """One line of a tool call; a field is None or "" if the line does not have it."""

    kind: str = ""
    """The kind of the tool, such as `read`."""

    name: str = ""
    """The tool's own name if its kind has several tools, else the kind."""

    arguments: dict[str, Any] | None = None
    """The arguments of the call."""

    outcome: Outcome | None = None
    """How the call ended; None unless the line has a result."""

    arm: str = ""
    """The arm of the result, such as `success`."""

    output: Any = None
    """The members of the arm, and those next to it."""

    steps: list[Event] | None = None
    """The steps of a subagent."""

    is_new_file: bool = False
    """True if an edit created its file."""

    parent: str = ""
    """The id of the call that made this one."""

    duration_ms: int | None = None
    """The time between the call's own timestamps, in milliseconds."""


def read_frame(
    tool_call: dict[str, Any], wire: Wire, number: int, warn: Warn, depth: int = 0
) -> Frame:
    """Read the `tool_call` of a line; `number` is that of the line.

    `depth` is the number of subagents that the call is nested in.
    """
    # Usually the first member is the tool, and the call succeeded.
    key = next(iter(tool_call), "")
    body = tool_call.get(key)
    if type(body) is wire.body and key[-8:] == "ToolCall":
        if (
            wire.plain
            and body.result in wire.plain
            and len(key) < _LONGEST_NAME
            and _PARENT not in tool_call
        ):
            return _plain(key)
        kind = repair_surrogates(key[:-8])
    else:
        kind, body = tool_of(tool_call, wire, number, warn)
    frame = Frame(kind, kind, body.args if wire.has_arguments else None)
    if kind in _NAMED:
        frame.name, frame.arguments = _name_and_arguments(kind, body, wire)
    if _PARENT in tool_call:
        frame.parent = _string(tool_call[_PARENT])
    if wire.has_arguments and "completedAtMs" in tool_call:
        frame.duration_ms = _duration(tool_call)
    if body.result is not None:
        _add_result(frame, body.result, wire, number, warn, depth)
    return frame


def tool_of(
    tool_call: dict[str, Any], wire: Wire, number: int = 0, warn: Warn = ignore
) -> tuple[str, Body]:
    """Return the kind of the tool, and the body with its arguments and its result."""
    key = _key(tool_call)
    body = tool_call.get(key)
    if not isinstance(body, wire.body):
        body = wire.body()
    if key == "tool" and body.case:
        # The bundle of 2025.09 wrote a protobuf oneof: its case next to its value.
        key = body.case
        body = coerce(body.value, wire.body, number, warn) or wire.body()
    return repair_surrogates(key.removesuffix("ToolCall")), body


@functools.lru_cache
def _plain(key: str) -> Frame:
    """Return the frame of a call that succeeded, if no details are needed.

    The calls of a tool share it, so nothing may change it.
    """
    kind = repair_surrogates(key.removesuffix("ToolCall"))
    return Frame(kind, "" if kind in _NAMED else kind, outcome=OK, arm="success")


def _add_result(
    frame: Frame, result: Any, wire: Wire, number: int, warn: Warn, depth: int
) -> None:
    """Add the outcome and the output of a call to a frame."""
    if wire.has_outputs:
        if is_plain_success(result):
            frame.outcome = OK
            frame.arm = "success"
            frame.output = result["success"]
            return
        coerced = arms_in(result, number, warn)
    else:
        coerced = result
    name, arm = deciding_arm(coerced) if isinstance(coerced, dict) else ("", NO_ARM)
    frame.outcome = outcome_of(frame.kind, name, arm)
    frame.arm = name
    if frame.kind == "edit" and name == "success":
        frame.is_new_file = is_new_file(arm)
    if wire.has_outputs:
        output = output_of(result, name)
        if frame.kind == "task" and depth < _DEEPEST and isinstance(output, dict):
            frame.steps, output = _steps(output, wire, number, warn, depth)
        frame.output = output


def _key(tool_call: dict[str, Any]) -> str:
    """Return the name of the member that is the tool."""
    for key in tool_call:
        # Usually the first. A slice is faster than `endswith`.
        if key[-8:] == "ToolCall":
            return key
    for key in ("function", "tool"):
        if key in tool_call:
            return key
    return next((key for key in tool_call if key not in _NO_TOOLS), "")


def _name_and_arguments(
    kind: str, body: Body, wire: Wire
) -> tuple[str, dict[str, Any] | None]:
    """Return the name and the arguments of a tool of many names."""
    if kind == "function":
        arguments = body.arguments if wire.has_arguments else None
        return repair_surrogates(body.name or ""), _function_arguments(arguments)
    if body.args is None or not wire.has_arguments:
        return "", None
    get = body.args.get
    server = get("providerIdentifier") or get("serverIdentifier")
    tool = get("toolName") or get("name")
    inner = get("args")
    name = "/".join(part for part in (server, tool) if isinstance(part, str))
    return repair_surrogates(name), inner if isinstance(inner, dict) else {}


def _function_arguments(
    arguments: dict[str, Any] | str | None,
) -> dict[str, Any] | None:
    """Return the arguments of a `function`: an object, or a string, perhaps of JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        decoded = msgspec.json.decode(arguments)
    except REFUSED:
        decoded = None
    return decoded if isinstance(decoded, dict) else {"arguments": arguments}


def _steps(
    output: dict[str, Any], wire: Wire, number: int, warn: Warn, depth: int
) -> tuple[list[Event] | None, dict[str, Any]]:
    """Return the steps of a subagent, and the output without them.

    A step of an unknown kind stays in the output.
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
                steps.append(Segment(run=0, line=number, text=repair_surrogates(text)))
            case {"thinkingMessage": {"text": str(text)}}:
                steps.append(Thinking(run=0, line=number, text=repair_surrogates(text)))
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
    """Return a call of a subagent; without a result it never completed."""
    coerced = coerce(tool_call, dict[str, wire.body | Scalar], number, warn)  # type: ignore[name-defined]
    frame = read_frame(coerced, wire, number, warn, depth)
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


def _duration(tool_call: dict[str, Any]) -> int | None:
    """Return the milliseconds between the call's own timestamps, strings in JSON."""
    started, completed = tool_call.get("startedAtMs"), tool_call["completedAtMs"]
    if not (isinstance(started, str) and isinstance(completed, str)):
        return None
    if not (0 < len(started) < _LONGEST_STAMP > len(completed) > 0):
        return None
    digits = started + completed
    if not (digits.isascii() and digits.isdigit()):
        return None
    took = int(completed) - int(started)
    return took if took >= 0 else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


# Members next to the arm of a result that are objects like an arm.
_NO_ARMS = {"sandboxPolicy"}
GOOD_ARMS = {
    *("success", "startSuccess", "saveSuccess", "discardSuccess", "complete"),
    *("stillRunning", "async", "registered", "needsConfirmation"),
}
# A person or a policy refused the call.
_REJECTED_ARMS = {"rejected", "denied"}
# The system or a policy did; in tools for files it is the system, unless the message
# names a policy.
FORBIDDEN_ARMS = {"permissionDenied", "readPermissionDenied", "writePermissionDenied"}
_BAD_ARMS = {
    *_REJECTED_ARMS,
    *FORBIDDEN_ARMS,
    *("error", "failure", "spawnError", "timeout"),
    *("fileNotFound", "notFile", "fileBusy", "notFound"),
}
_FILE_KINDS = {"read", "edit", "write", "delete", "ls"}
# Codes in the messages of the system.
_SYSTEM_ERRORS = ("EACCES", "EPERM", "EROFS", "EBUSY", "EISDIR", "ENOENT", "ENOTDIR")
_POLICIES = ("permissions configuration", "policy", "policies", "blocked by")
# The members of an arm that may hold its message, the plainest first.
MESSAGES = (
    "error",
    "errorMessage",
    "clientVisibleError",
    "modelVisibleError",
    "reason",
    "message",
)
# A text without content, and none at all; as in `Arm` and as in `ShortArm`.
_EMPTY = ("", msgspec.Raw(b'""'))
_NOTHING = (None, msgspec.Raw(b"null"))
NO_ARM = Arm()
# The members of an arm that may record more than success. Two of them count
# by their values, and the steps of a subagent are read from the result.
_MORE_THAN_SUCCESS = {"conversationSteps", *Arm.__struct_fields__} - {
    "exitCode",
    "signal",
}


def is_plain_success(result: Any) -> bool:
    """Return True if a result is a success with no other fact about the outcome.

    This takes a tenth of the time of converting it to an `Arm`.
    """
    if type(result) is not dict or len(result) != 1:
        return False
    success = result.get("success")
    if type(success) is not dict or not _MORE_THAN_SUCCESS.isdisjoint(success):
        return False
    code = success.get("exitCode")
    has_code = code is not None and (type(code) is not int or code != 0)
    return not (has_code or success.get("signal"))


def decides(result: dict[str, Any]) -> bool:
    """Return True if a result has an arm that is known."""
    return not (GOOD_ARMS | _BAD_ARMS).isdisjoint(result)


def deciding_arm(result: dict[str, Any]) -> tuple[str, Arm]:
    """Return the arm of a result that decides; in all known logs there is only one.

    A failing arm counts before a good one, and a good one before an unknown one.
    """
    if len(result) == 1:
        for name, arm in result.items():
            if isinstance(arm, Arm) and arm.case is None and name not in _NO_ARMS:
                return name, arm
    arms = _arms(result)
    names = sorted(arms, key=lambda arm: (arm not in _BAD_ARMS, arm not in GOOD_ARMS))
    return (names[0], arms[names[0]]) if names else ("", NO_ARM)


def _arms(result: dict[str, Any]) -> dict[str, Arm]:
    """Return the arms among the members of a result."""
    match result:
        case {"case": str(name), "value": Arm() as arm}:
            return {name: arm}
        case {"result": Arm(case=str(name), value=value)}:
            arm = coerce(value, Arm, 0, ignore)
            return {name: arm or Arm()}
    arms = {}
    for name, value in result.items():
        if isinstance(value, Arm):
            if name not in _NO_ARMS:
                arms[name] = value
        elif value and (name in GOOD_ARMS or name in _BAD_ARMS):
            arms[name] = Arm(error=value if isinstance(value, str) else None)
    return arms


def outcome_of(kind: str, name: str, arm: Arm) -> Outcome:
    """Return the outcome of an arm of a kind of tool; ok without an arm."""
    if not name:
        return OK
    if name in ("success", "failure") and (arm.exitCode or arm.signal):
        # Older builds put a failing command under `success`.
        signal = repair_surrogates(arm.signal or "")
        return Outcome("error", exit_code=arm.exitCode or None, signal=signal)
    if name in GOOD_ARMS:
        return Outcome("error") if arm.isError and name == "success" else OK
    message = next(filter(None, (getattr(arm, field) for field in MESSAGES)), "")
    if is_refused(kind, name, message):
        return Outcome("rejected", message=message)
    is_plain = name == "error" or name in _REJECTED_ARMS
    return Outcome("error", arm="" if is_plain else name, message=message)


def is_refused(kind: str, name: str, message: str) -> bool:
    """Return True if a person or a policy refused a call, and not the system."""
    if any(code in message for code in _SYSTEM_ERRORS):
        return False
    if name not in FORBIDDEN_ARMS:
        return name in _REJECTED_ARMS
    return kind not in _FILE_KINDS or any(word in message for word in _POLICIES)


def arms_in(result: Any, number: int, warn: Warn) -> Any:
    """Return a result whose arms are structs.

    Usually there is one, with members of the expected types. To convert that takes a
    tenth of the time, since msgspec looks through any type but a struct anew for each
    value.
    """
    if type(result) is dict and len(result) == 1:
        [(name, value)] = result.items()
        if type(value) is dict:
            try:
                return {name: msgspec.convert(value, Arm)}
            except REFUSED:
                pass
    return coerce(result, Arms, number, warn)


def output_of(result: Any, arm: str) -> Any:
    """Return the members of the deciding arm and those next to it, else the result."""
    match result:
        case {"case": str(), "value": value} | {
            "result": {"case": str(), "value": value}
        }:
            return value
        case dict() if isinstance(result.get(arm), dict):
            others = {name: value for name, value in result.items() if name != arm}
            return others | result[arm]
    return result


def is_new_file(success: Arm) -> bool:
    """Return True if an edit created its file, by the diff, message or old content.

    Builds of early 2026 wrote diffs without headers and no old content. There, a diff
    that removes nothing but an empty line created the file.
    """
    diff = success.diffString or ""
    before = success.beforeFullFileContent
    says_so = "Wrote contents" in (success.message or "")
    if says_so or diff[:13] == "--- /dev/null" or before in _EMPTY:
        return True
    if before not in _NOTHING or diff[:4] == "--- ":
        return False
    lines = [line for line in diff.split("\n") if not line.startswith("@@")]
    added = [line for line in lines if line.startswith("+")]
    return bool(added) and all(line in ("", "-") for line in lines if line not in added)
