"""The lines of a session file of Claude Code."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from convert.agents.claude.wire import Message, Scalar, details_for, message_for
from convert.model.needs import CallDetail, Needs
from convert.source.narrow import narrow
from convert.source.ndjson import Decoding

# Lines that say nothing of what the agent does: its titles, its modes, what it keeps
# to undo edits, and what it adds for the model.
KNOWN = frozenset(
    {
        *("file-history-snapshot", "file-history-delta", "queue-operation"),
        *("last-prompt", "summary", "mode", "permission-mode"),
        *("ai-title", "custom-title", "tag", "agent-name", "agent-color"),
        *("agent-setting", "pr-link", "frame-link", "progress", "relocated"),
        *("worktree-state", "bridge-session", "atis-latch"),
        # Steps of a workflow.
        *("started", "result"),
    }
)
ATTACHMENT = "attachment"
KNOWN_SYSTEM = frozenset(
    {
        *("session_start", "stop_hook_summary", "turn_duration", "local_command"),
        *("compact_boundary", "microcompact_boundary", "informational"),
        *("api_refusal", "model_refusal_fallback", "away_summary", "memory_saved"),
        *("bridge_status", "scheduled_task_fire", "permission_retry"),
    }
)


class Attachment(Struct, gc=False):
    """An addition for the model, such as a prompt while the agent was at work."""

    type: str | None = ""
    prompt: Any = None
    commandMode: str | None = ""


class Line(Struct, gc=False):
    """One line, with every member that some target reads."""

    type: str
    subtype: str | None = ""
    parentUuid: str | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    cwd: str | None = ""
    sessionId: str | None = ""
    version: str | None = ""
    message: Message | str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    isApiErrorMessage: bool | None = None
    toolUseResult: Any = None
    toolDenialKind: str | None = None
    permissionMode: str | None = ""
    attachment: Attachment | Scalar = None
    uuid: str | None = ""
    timestamp: str | int | float | None = None
    error: Any = None
    retryAttempt: Any = None
    maxRetries: Any = None
    retryInMs: Any = None


def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for what a target needs of them."""
    line = _line(needs)
    return Decoding(
        line,
        msgspec.json.Decoder(line),
        _significant,
        own_member="sessionId",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


@functools.cache
def _line(needs: Needs) -> Any:
    unread = set()
    if not (needs.text or needs.figures or needs.calls == CallDetail.EVERYTHING):
        unread.add("timestamp")
    if not (needs.text or needs.calls):
        unread.add("toolUseResult")
    types = {
        # The text of a prompt tells a rewound session.
        "message": message_for(replace(needs, text=True), has_usage=needs.figures)
        | str
        | None,
        "toolUseResult": details_for(needs),
    }
    return narrow(Line, unread, types)


def _significant(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type not in KNOWN
        and (line.type != ATTACHMENT or queued_prompt(line) is not None)
    ]


def queued_prompt(line: Line) -> Any:
    """Return what the user asked while the agent was at work; None if nothing."""
    match line.attachment:
        case Attachment("queued_command", prompt, "prompt"):
            return prompt
    return None
