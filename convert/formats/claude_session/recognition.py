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
    return Certainty.CERTAIN if any(map(_is_decisive, ours)) else Certainty.NONE


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
