"""Which records are of Cursor's agent.

Many agents write JSON lines with the types `system`, `user`, `assistant` and `result`.
So keys decide and not types: those that only this agent writes settle it, others count
unless something speaks for another tool.
"""

from __future__ import annotations

from convert.source.recognition import Certainty, Record


def recognise(records: list[Record], in_prose: bool) -> int:
    """Tell how surely the first records of a log are of its stream."""
    ours = _with_session(records) if in_prose else records
    if any(map(_is_decisive, ours)):
        return Certainty.CERTAIN
    if not _is_summary(records) and any(map(_may_be_ours, ours)):
        return Certainty.LIKELY
    return Certainty.NONE


def recognise_summary(records: list[Record], in_prose: bool) -> int:
    """Tell how surely the first records of a log are results and nothing else."""
    ours = _with_session(records) if in_prose else records
    is_ours = _is_summary(records) and any(map(_may_be_ours, ours))
    return Certainty.LIKELY if is_ours else Certainty.NONE


def _with_session(records: list[Record]) -> list[Record]:
    """Return the records that have a session; in prose, others are examples."""
    return [record for record in records if "session_id" in record]


def _is_summary(records: list[Record]) -> bool:
    return all(record.get("type", "result") == "result" for record in records)


def _is_decisive(record: Record) -> bool:
    """Return True if only this agent writes such a record."""
    match record:
        case {"agent_id": _, "run_id": _}:
            return False
        case {"type": "tool_call", "tool_call": dict()}:
            return True
        case {"type": "thinking", "subtype": "delta" | "completed"}:
            return True
        case {"type": "interaction_query"} | {"type": "assistant", "model_call_id": _}:
            return True
        case {
            "type": "system",
            "subtype": "init",
            "apiKeySource": _,
            "cwd": _,
            "model": _,
            "permissionMode": _,
        }:
            return not (record.get("tools") or _is_init_of_claude(record))
    return False


def _may_be_ours(record: Record) -> bool:
    """Return True if this agent writes such a record, and perhaps others do."""
    match record:
        case {"type": "result", "subtype": _, "duration_ms": _}:
            return True
        case {"type": "result", "subtype": _, "session_id": _}:
            return True
        case {"type": "result", "result": str()}:
            return True
        case {"type": "result", "subtype": _, "error": str()}:
            return True
        case {"type": "connection" | "retry", "session_id": _}:
            return True
        case {"type": "system", "subtype": "init", "session_id": _}:
            return not (record.get("tools") or _is_init_of_claude(record))
        case {"type": "assistant" | "user", "message": str() | {"content": str()}}:
            return True
        case {"type": "assistant" | "user", "message": {"content": [*blocks]}}:
            return all(
                isinstance(block, dict) and block.get("type") in ("text", "image")
                for block in blocks
            )
    return False


def _is_init_of_claude(record: Record) -> bool:
    return "uuid" in record or any(key.endswith("_version") for key in record)
