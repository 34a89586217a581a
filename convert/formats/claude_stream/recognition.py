"""Which records are of Claude Code's stream, or of an agent that prints the same.

Keys decide: the types are those of Cursor's stream, and its session files have other
names for the session.
"""

from __future__ import annotations

from convert.source.sniff import Certainty, Record

_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")
_PIECES = ("stream_event", "rate_limit_event", "tool_progress")
_VERSIONS = ("claude_code_version", "qwen_code_version")


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are of such a stream."""
    ours = [record for record in records if not in_prose or "session_id" in record]
    if not any(map(_is_decisive, ours)) or any(map(_is_of_grok, ours)):
        return Certainty.NONE
    return Certainty.CERTAIN


def _is_of_grok(record: Record) -> bool:
    """Return True for the first line of Grok Build, which prints such a stream too."""
    if record.get("subtype") != "init":
        return False
    from convert.source.look_alikes import is_grok_init

    return is_grok_init(record)


def _is_decisive(record: Record) -> bool:
    """Return True if only these agents write such a record."""
    match record:
        case {"sessionId": _} | {"agent_id": _, "run_id": _}:
            return False
        case {"type": "system", "subtype": "init", "session_id": str(session)} if (
            session.startswith("T-")
        ):
            return "tools" in record or _is_system(record)
        case {"type": type, "parent_tool_use_id": _}:
            return isinstance(type, str)
        case {"type": "system"}:
            return _is_system(record)
        case {"type": "assistant" | "user", "message": dict(message)}:
            return message.get("type") == "message" or _has_block(message)
        case {"type": "result"}:
            return any(name in record for name in ("num_turns", "total_cost_usd"))
        case {"type": type, "uuid": _}:
            return type in _PIECES
    return False


def _is_system(record: Record) -> bool:
    if any(name in record for name in _VERSIONS):
        return True
    if record.get("subtype") == "init":
        return ("uuid" in record and "tools" in record) or "permission_mode" in record
    return "uuid" in record and isinstance(record.get("subtype"), str)


def _has_block(message: Record) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") in _BLOCKS for block in content
    )
