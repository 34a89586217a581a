"""The exit code of a command, as its log records it."""

from __future__ import annotations

from convert.model.events import ToolCall

_MEMBER = "exitCode"


def exit_code_of(call: ToolCall) -> int | None:
    """Return the exit code of a call; None for any other call, or if none is recorded.

    An outcome names a code other than 0, and a 0 stands in the output alone.
    """
    if call.outcome is not None and call.outcome.exit_code is not None:
        return call.outcome.exit_code
    code = call.output.get(_MEMBER) if isinstance(call.output, dict) else None
    return code if type(code) is int else None
