"""The result of a call as Claude Code records it: its outcome and its output.

A log has the text that the model was given (`content`) and, beside it, an object of the
tool (`tool_use_result`, `toolUseResult` in session files), which only some builds and
agents write: the calls of subagents, Amp and Qwen Code have none.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.agents.claude.content import blocks_of_content, text_of_content
from convert.agents.claude.outcomes import (
    exit_code_of,
    outcome_of_details,
    outcome_of_text,
)
from convert.agents.tools import NativeCall
from convert.model.events import OK, Outcome

_NEW_FILE = ("File created successfully at", "Successfully created and wrote to new")
# A background task goes on while it is in one of these states.
_RUNNING = ("running", "pending", "not_ready", "timeout")


class CallResult(Struct, frozen=True):
    """The end of a call."""

    outcome: Outcome
    """How it ended."""

    output: Any = None
    """The members of what it returned; None if nothing is recorded."""

    arm: str = ""
    """The state of a task in the background; "" for any other call."""

    is_new_file: bool = False
    """True if an edit created its file."""

    duration_ms: int | None = None
    """How long the tool says that it took."""


def result_of(
    call: NativeCall,
    content: Any,
    is_error: bool,
    details: Any = None,
    directory: str = "",
) -> CallResult:
    """Return how a call ended and what it returned.

    `content` is a text or a list of blocks, `details` the object of the tool, and
    `directory` that of the run, if it is known.
    """
    text = text_of_content(content)
    outcome = outcome_of_text(call.kind, text, is_error)
    details = details if isinstance(details, dict) else {}
    # A command that was stopped, or failed in the background, has printed all the same.
    has_output = outcome == OK
    if has_output:
        said = (details.get(name) for name in ("interrupted", "exitCode", "status"))
        outcome = outcome_of_details(call.kind, *said)
    if has_output:
        output = _output(call, content, text, details, directory)
    else:
        output = _failed(call, text)
    return CallResult(
        outcome,
        output,
        arm=_arm(call.kind, details),
        is_new_file=is_new_file(call.kind, text, details.get("type"), is_error),
        duration_ms=duration_of(details),
    )


def is_new_file(kind: str, text: str, change: Any, is_error: bool) -> bool:
    """Return True if an edit created its file, by its text or its type of change."""
    if kind != "edit" or is_error:
        return False
    return change == "create" or text.startswith(_NEW_FILE)


def duration_of(details: dict[str, Any]) -> int | None:
    """Return how many milliseconds a tool says that it took."""
    for name, unit in (
        ("durationMs", 1),
        ("totalDurationMs", 1),
        ("durationSeconds", 1000),
    ):
        value = details.get(name)
        if isinstance(value, int | float) and 0 <= value < 1e12:
            return round(value * unit)
    return None


def _output(
    call: NativeCall, content: Any, text: str, details: dict[str, Any], directory: str
) -> Any:
    # The outputs are asked for by some targets only.
    from convert.agents.claude.outputs import output_of
    from convert.agents.outputs import output_of_text, written_whole

    if call.kind == "mcp":
        return {"content": blocks_of_content(content)}
    found = output_of(call, text, details, directory) if details else None
    if found is not None:
        return found
    if call.kind == "edit":
        # The text says only that the file was changed, which the outcome does as well.
        return None if details else written_whole(call)
    if call.kind == "read":
        from convert.agents.numbered_lines import content_of

        return content_of(text)
    return output_of_text(call.kind, text)


def _failed(call: NativeCall, text: str) -> dict[str, Any] | None:
    """Return what a command printed that failed; of any other call, nothing more."""
    if call.kind == "shell" and (found := exit_code_of(text)):
        return {"interleavedOutput": found[1], "exitCode": found[0]}
    return None


def _arm(kind: str, details: dict[str, Any]) -> str:
    if kind != "await":
        return ""
    task = details.get("task")
    state = (task if isinstance(task, dict) else details).get("status")
    if not isinstance(state, str):
        return ""
    return "stillRunning" if state in _RUNNING else "complete"
