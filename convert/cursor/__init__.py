"""The formats of Cursor's agent, and how its logs are recognised.

blocks -> stream_json -> run_reader -> events -> stream_json_writer, result_json, text

wire         the structs of a line; only the members that a target needs are decoded
stream_json  from blocks of lines to events
run_reader   how each line changes its run, by its type
runs         the run that a line belongs to, its open parts, when it began and ended
messages     the parts of messages, and the segments of the assistant's text
call_reader  how each line changes a call, queries before calls included
open_calls   the calls that are open, and which of them a line belongs to
tool_calls   the `tool_call` of a line: tool, arguments, outcome, output
text         action lines, and only the final message

Loaded when a log or a target needs them:

incidents    lost connections, retries, errors, messages on standard error
doubled_log  a log that holds each line twice
redaction    which lines hold parts of one text, for redaction
stream_json_writer  lines of the events of any log
result_json  the `result` object of a run
text_reader  the events of a text, and the line that says how a run ended

Logs are recognised here, by their first records. Many agents write JSON lines with the
types `system`, `user`, `assistant` and `result`. So keys decide and not types: those
that only this agent writes settle it, others count unless something shows another tool.
"""

from __future__ import annotations

from convert.registry import exports
from convert.source.recognition import Certainty, Record

AGENT = "Cursor"
"""Its name, for titles."""
# The subtype of the last line that a writer makes for a run whose end is not recorded:
# without it, the run would read as cut off.
END_NOT_RECORDED = "end_not_recorded"

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "incidents": "LONGEST is_failure_message message_among_events",
        "messages": "OpenSegment is_delta is_recap significant",
        "stream_json_writer": "write",
        "text_reader": "read_run_end run_end_line",
        "wire": "Arm Arms Body Usage WireEvent",
    },
)


def recognise(records: list[Record], in_prose: bool) -> int:
    """Return how certain it is that the first records of a log are of its stream.

    In prose, those without a session are examples.
    """
    ours = [each for each in records if not in_prose or "session_id" in each]
    if any(map(_is_decisive, ours)):
        return Certainty.CERTAIN
    if not _is_summary(records) and any(map(_may_be_ours, ours)):
        return Certainty.LIKELY
    return Certainty.NONE


def recognise_summary(records: list[Record], in_prose: bool) -> int:
    """Return how certain it is that the first records are results and nothing else."""
    ours = [each for each in records if not in_prose or "session_id" in each]
    is_ours = _is_summary(records) and any(map(_may_be_ours, ours))
    return Certainty.LIKELY if is_ours else Certainty.NONE


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
