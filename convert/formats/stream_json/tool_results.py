"""The result of a tool call: how it ended, and its output."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.errors import Warn, ignore
from convert.formats.stream_json.wire import Arm, Arms
from convert.model.events import OK, Outcome
from convert.source.ndjson import REFUSED

# Beside the arm of a result, and objects like an arm.
_BESIDE_ARM = {"sandboxPolicy"}
GOOD_ARMS = {
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
# A person or a policy refused the call.
_REJECTED_ARMS = {"rejected", "denied"}
# The system or a policy did; in tools for files it is the system, unless the message
# names a policy.
FORBIDDEN_ARMS = {
    "permissionDenied",
    "readPermissionDenied",
    "writePermissionDenied",
}
_BAD_ARMS = {
    *_REJECTED_ARMS,
    *FORBIDDEN_ARMS,
    "error",
    "failure",
    "spawnError",
    "timeout",
    "fileNotFound",
    "notFile",
    "fileBusy",
    "notFound",
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
# The members of an arm that may tell more than that a call succeeded. Two of them tell
# by their values, and the steps of a subagent are read from the result.
_TELLING = {"conversationSteps", *Arm.__struct_fields__} - {"exitCode", "signal"}


def is_plain_success(result: Any) -> bool:
    """Return True if a result is a success and says nothing more about the outcome.

    This takes a tenth of the time of converting it to an `Arm`.
    """
    if type(result) is not dict or len(result) != 1:
        return False
    success = result.get("success")
    if type(success) is not dict or not _TELLING.isdisjoint(success):
        return False
    if success.get("signal"):
        return False
    code = success.get("exitCode")
    return code is None or (type(code) is int and code == 0)


def decides(result: dict[str, Any]) -> bool:
    """Return True if a result has an arm that is known."""
    return not (GOOD_ARMS | _BAD_ARMS).isdisjoint(result)


def deciding_arm(result: dict[str, Any]) -> tuple[str, Arm]:
    """Return the arm of a result that decides; in all known logs there is only one.

    A failing arm counts before a good one, and a good one before an unknown one.
    """
    if len(result) == 1:
        for name, arm in result.items():
            if isinstance(arm, Arm) and arm.case is None and name not in _BESIDE_ARM:
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
            if name not in _BESIDE_ARM:
                arms[name] = value
        elif value and (name in GOOD_ARMS or name in _BAD_ARMS):
            arms[name] = Arm(error=value if isinstance(value, str) else None)
    return arms


def outcome_of(kind: str, name: str, arm: Arm) -> Outcome:
    """Return the outcome that an arm of a tool of some kind means; ok if none is."""
    if not name:
        return OK
    if name in ("success", "failure") and (arm.exitCode or arm.signal):
        # Older builds put a failing command under `success`.
        return Outcome("error", exit_code=arm.exitCode or None, signal=arm.signal or "")
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
    value, and short runs do without the import.
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
    """Return the members of the deciding arm and those beside it, else the result."""
    match result:
        case {"case": str(), "value": value} | {
            "result": {"case": str(), "value": value}
        }:
            return value
        case dict() if isinstance(result.get(arm), dict):
            beside = {name: value for name, value in result.items() if name != arm}
            return beside | result[arm]
    return result


def is_new_file(success: Arm) -> bool:
    """Return True if an edit created its file, by the diff, message or old content.

    Builds of early 2026 wrote diffs without headers and no old content. There, a diff
    that removes nothing but an empty line created the file.
    """
    diff = success.diffString or ""
    before = success.beforeFullFileContent
    if diff[:13] == "--- /dev/null" or before in _EMPTY:
        return True
    if "Wrote contents" in (success.message or ""):
        return True
    if before not in _NOTHING or diff[:4] == "--- ":
        return False
    lines = [line for line in diff.split("\n") if not line.startswith("@@")]
    added = [line for line in lines if line.startswith("+")]
    return bool(added) and all(line in ("", "-") for line in lines if line not in added)


def coerce(value: Any, kind: Any, number: int, warn: Warn) -> Any:
    """Convert a value to a type; imported when used, because few calls need it."""
    from convert.source import coercion

    return coercion.coerce(value, kind, number, warn)
