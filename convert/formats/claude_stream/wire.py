"""The lines of Claude Code's stream.

A struct declares only the members that are read; msgspec checks the rest of a line and
makes no values of it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from convert.agents.claude.tokens import Usage
from convert.agents.claude.wire import Message, Scalar, details_for, message_for
from convert.model.needs import CallDetail, Needs
from convert.source.narrow import narrow
from convert.source.ndjson import Decoding

# Lines that say nothing of what the agent does: hooks, limits, progress, questions of
# a program that drives it.
KNOWN = frozenset(
    {
        *("rate_limit_event", "tool_progress", "tool_use_summary", "auth_status"),
        *("control_request", "control_response", "control_cancel_request"),
        *("keep_alive", "prompt_suggestion"),
    }
)
KNOWN_SYSTEM = frozenset(
    {
        *("thinking_tokens", "hook_started", "hook_progress", "hook_response"),
        *("status", "compact_boundary", "session_state_changed"),
        *("task_started", "task_progress", "task_updated", "task_notification"),
        *("files_persisted", "local_command_output", "elicitation_complete"),
    }
)
PARTIAL = "stream_event"


class Delta(Struct, gc=False):
    """A piece of a text or of a thought."""

    text: str | None = ""
    thinking: str | None = ""


class Piece(Struct, gc=False):
    """An event of the model's interface."""

    type: str | None = ""
    delta: Delta | Scalar = None


class ModelUsage(Struct, gc=False):
    """The cost of one model since the process began."""

    costUSD: int | float | None = None


class Line(Struct, gc=False):
    """One line, with every member that some target reads.

    Those of most lines come first, in the order of the agent: msgspec looks for each
    behind the one before it.
    """

    type: str
    subtype: str | None = ""
    message: Message | str | None = None
    event: Piece | Scalar = None
    parent_tool_use_id: str | None = None
    session_id: str | None = ""
    uuid: str | None = ""
    timestamp: str | int | float | None = None
    tool_use_result: Any = None
    isSynthetic: bool | None = None
    isMeta: bool | None = None
    cwd: str | None = ""
    model: str | None = ""
    permissionMode: str | None = ""
    permission_mode: str | None = ""
    claude_code_version: str | None = ""
    qwen_code_version: str | None = ""
    is_error: bool | int | str | None = None
    duration_ms: int | float | None = None
    result: Any = None
    num_turns: int | float | None = None
    total_cost_usd: int | float | None = None
    usage: Usage | Scalar = None
    modelUsage: dict[str, ModelUsage | Scalar] | Scalar = None
    permission_denials: Any = None
    errors: Any = None
    api_error_status: Any = None
    terminal_reason: Any = None
    attempt: Any = None
    max_retries: Any = None
    retry_delay_ms: Any = None
    error_status: Any = None
    error: Any = None


def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for what a target needs of them."""
    line = _line(needs)
    return Decoding(
        line,
        msgspec.json.Decoder(line),
        _significant_with_pieces if _has_pieces(needs) else _significant,
        own_member="session_id",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def _has_pieces(needs: Needs) -> bool:
    return needs.text or needs.thinking


@functools.cache
def _line(needs: Needs) -> Any:
    unread = set()
    if not _has_pieces(needs):
        unread.add("event")
    if not needs.figures:
        unread |= {"usage", "duration_ms"}
        unread |= {"num_turns", "total_cost_usd", "modelUsage"}
    if not (needs.text or needs.figures or needs.calls == CallDetail.EVERYTHING):
        unread.add("timestamp")
    if not (needs.text or needs.calls):
        unread.add("tool_use_result")
    types = {
        "message": message_for(needs) | str | None,
        "tool_use_result": details_for(needs),
    }
    return narrow(Line, unread, types)


def _significant(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type != PARTIAL
        and line.type not in KNOWN
        and line.subtype not in KNOWN_SYSTEM
    ]


def _significant_with_pieces(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type not in KNOWN and line.subtype not in KNOWN_SYSTEM
    ]
