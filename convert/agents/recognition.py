"""Recognise the formats of other agents by the first records of a log."""

from __future__ import annotations

from convert.source.look_alikes import is_grok_init, is_qwen_session
from convert.source.recognition import Certainty, Record

# Keys decide, since Cursor's stream has the same types. Session files have another name
# for the session.
_CLAUDE_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def recognise_claude_stream(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are of the stream that Claude Code prints."""
    ours = [record for record in records if not in_prose or "session_id" in record]
    inits = (record for record in ours if record.get("subtype") == "init")
    # Grok Build prints the same stream.
    if not any(map(_is_of_claude_stream, ours)) or any(map(is_grok_init, inits)):
        return Certainty.NONE
    return Certainty.CERTAIN


def _is_of_claude_stream(record: Record) -> bool:
    """Return True if only these agents write such a record."""
    match record:
        case {"sessionId": _} | {"agent_id": _, "run_id": _}:
            return False
        case {"type": "system", "subtype": "init", "session_id": str(session)} if (
            session.startswith("T-")
        ):
            return "tools" in record or _is_claude_system(record)
        case {"type": type, "parent_tool_use_id": _}:
            return isinstance(type, str)
        case {"type": "system"}:
            return _is_claude_system(record)
        case {"type": "assistant" | "user", "message": dict(message)}:
            return message.get("type") == "message" or _has_claude_block(message)
        case {"type": "result"}:
            return any(name in record for name in ("num_turns", "total_cost_usd"))
        case {"type": "stream_event" | "rate_limit_event" | "tool_progress", "uuid": _}:
            return True
    return False


def _is_claude_system(record: Record) -> bool:
    if not record.keys().isdisjoint(("claude_code_version", "qwen_code_version")):
        return True
    if record.get("subtype") == "init":
        return ("uuid" in record and "tools" in record) or "permission_mode" in record
    return "uuid" in record and isinstance(record.get("subtype"), str)


def _has_claude_block(message: Record) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") in _CLAUDE_BLOCKS
        for block in content
    )


# Many of these lines may precede the first message, so they count as well.
_CLAUDE_SESSION_TYPES = frozenset(
    {
        *("attachment", "progress", "permission-mode", "mode", "last-prompt"),
        *("ai-title", "custom-title", "agent-name", "queue-operation", "system"),
    }
)


def recognise_claude_session(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are of a session file of Claude Code."""
    ours = [record for record in records if not in_prose or "sessionId" in record]
    if not any(map(_is_of_claude_session, ours)) or any(map(is_qwen_session, ours)):
        return Certainty.NONE
    return Certainty.CERTAIN


def _is_of_claude_session(record: Record) -> bool:
    match record:
        case {"sessionId": _, "message": _}:
            return "uuid" in record or "parentUuid" in record
        case {"type": str(type), "sessionId": _}:
            return type in _CLAUDE_SESSION_TYPES
        case {"type": "summary", "leafUuid": _} | {
            "type": "file-history-snapshot",
            "messageId": _,
        }:
            return True
    return False


def recognise_codex_exec(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are of `codex exec`.

    In prose, an event alone may be an example.
    """
    is_ours = _begins_codex_thread if in_prose else _is_of_codex_exec
    return Certainty.CERTAIN if any(map(is_ours, records)) else Certainty.NONE


def _begins_codex_thread(record: Record) -> bool:
    is_begin = record.get("type") == "thread.started"
    return is_begin and isinstance(record.get("thread_id"), str)


def _is_of_codex_exec(record: Record) -> bool:
    match record:
        case {
            "type": "item.started" | "item.updated" | "item.completed",
            "item": dict(),
        } | {"type": "turn.started" | "turn.completed" | "turn.failed"}:
            return True
    return _begins_codex_thread(record)


_CODEX_TYPES = (
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
)


def recognise_codex_rollout(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are of a session file of Codex.

    In prose, an event alone may be an example.
    """
    is_ours = _begins_codex_session if in_prose else _is_of_codex_rollout
    return Certainty.CERTAIN if any(map(is_ours, records)) else Certainty.NONE


def _begins_codex_session(record: Record) -> bool:
    match record:
        case {"type": "session_meta", "timestamp": _, "payload": {"id": str()}}:
            return True
    return False


def _is_of_codex_rollout(record: Record) -> bool:
    return record.get("type") in _CODEX_TYPES and isinstance(
        record.get("payload"), dict
    )


def recognise_opencode(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are of opencode."""
    return Certainty.CERTAIN if any(map(_is_of_opencode, records)) else Certainty.NONE


def _is_of_opencode(record: Record) -> bool:
    match record:
        case (
            {"sessionID": str(), "part": dict()}
            | {"sessionID": str(), "type": "error", "error": _}
            | {"sessionID": str(), "type": "done", "reason": _}
        ):
            return True
    return False


def recognise_atif(records: list[Record], in_prose: bool) -> int:
    """Return how surely records are documents of ATIF."""
    versions = (str(record.get("schema_version")) for record in records)
    is_ours = any(version.startswith("ATIF-") for version in versions)
    return Certainty.CERTAIN if is_ours else Certainty.NONE
