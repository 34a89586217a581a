"""Which records are of a session file of Claude Code.

Its messages may stand behind many lines that are none, so those count as well.
"""

from __future__ import annotations

from convert.source.sniff import Certainty, Record

_BESIDE = frozenset(
    {
        *("attachment", "progress", "permission-mode", "mode", "last-prompt"),
        *("ai-title", "custom-title", "agent-name", "queue-operation", "system"),
    }
)


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are of such a file."""
    ours = [record for record in records if not in_prose or "sessionId" in record]
    if not any(map(_is_decisive, ours)) or any(map(_is_of_qwen_code, ours)):
        return Certainty.NONE
    return Certainty.CERTAIN


def _is_of_qwen_code(record: Record) -> bool:
    # Few logs have session files at all.
    from convert.source.look_alikes import is_qwen_session

    return is_qwen_session(record)


def _is_decisive(record: Record) -> bool:
    match record:
        case {"sessionId": _, "message": _}:
            return "uuid" in record or "parentUuid" in record
        case {"type": str(type), "sessionId": _}:
            return type in _BESIDE
        case {"type": "summary", "leafUuid": _}:
            return True
        case {"type": "file-history-snapshot", "messageId": _}:
            return True
    return False
