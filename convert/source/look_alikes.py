"""Logs of other tools: by their records, and by the types of their events.

The keys that only one tool writes decide about a record; many tools share their types.
The types of events that a reader does not know are counted for a notice at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from convert.source.recognition import Record
from convert.wording.escapes import truncate


class LookAlike(Struct, frozen=True):
    """The logs of a tool that no format reads."""

    name: str
    """A log of it in words."""

    matches: Callable[[Record], bool]
    agent: str = ""
    """The agent that writes them; "" if many tools write them."""

    instead: str = ""
    """The logs of this agent that are read; "" if none are."""


def look_alike(records: Iterable[Record]) -> LookAlike | None:
    """Return whose records these may be; None if that is not known."""
    found = (row for record in records for row in _LOOK_ALIKES if row.matches(record))
    return next(found, None)


def _has(record: Record, *keys: str) -> bool:
    return all(key in record for key in keys)


def _has_any(record: Record, *keys: str) -> bool:
    return any(key in record for key in keys)


def _member(record: Record, key: str) -> Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _is_init(record: Record) -> bool:
    return record.get("type") == "system" and record.get("subtype") == "init"


def _has_block(record: Record, *types: str) -> bool:
    """Return True if the message of a record has a block of one of these types."""
    content = _member(record, "message").get("content")
    blocks = content if isinstance(content, list) else []
    return any(
        isinstance(block, dict) and block.get("type") in types for block in blocks
    )


def _is_type(record: Record, *types: str) -> bool:
    return record.get("type") in types


def _is_transcript(record: Record) -> bool:
    """Return True for a line of the transcripts that Cursor keeps for itself."""
    is_message = "role" in record and "type" not in record and "message" in record
    return is_message or _is_type(record, "turn_ended")


def _is_sdk(record: Record) -> bool:
    return _has(record, "agent_id", "run_id") or (
        _is_type(record, "sdk_message") and "runId" in record
    )


def _is_droid(record: Record) -> bool:
    return (
        (_is_type(record, "tool_call") and _has_any(record, "toolName", "toolId"))
        or (_is_type(record, "completion") and "finalText" in record)
        or (_is_type(record, "message") and _has(record, "role", "text"))
        or (_is_init(record) and "reasoning_effort" in record)
        or (_is_type(record, "session_start") and "cwd" in record)
    )


def _is_gemini(record: Record) -> bool:
    return (
        (_is_type(record, "init") and _has(record, "model", "session_id"))
        or ("tool_id" in record and "timestamp" in record)
        or _has(record, "response", "stats")
        or _has(record, "sessionId", "projectHash", "startTime")
        or "$set" in record
    )


def _is_old_codex(record: Record) -> bool:
    return _has(record, "id", "msg") and "type" in _member(record, "msg")


def _is_copilot(record: Record) -> bool:
    return ("." in str(record.get("type", "")) and "data" in record) or (
        _is_type(record, "result") and _has(record, "exitCode", "sessionId")
    )


def _is_goose(record: Record) -> bool:
    message = _member(record, "message")
    return _is_type(record, "message") and (
        "created" in message or _has_block(record, "toolRequest")
    )


def _is_antigravity(record: Record) -> bool:
    """Return True for an event that Antigravity prints, or a step of a transcript."""
    event = record.get("event")
    if event in ("init", "step_update", "result"):
        return bool(_member(record, event))
    return _has(record, "step_index", "source", "type")


def is_qwen_session(record: Record) -> bool:
    """Return True for a record of the session files of Qwen Code.

    They are much like those of Claude Code, with messages in the words of Gemini.
    """
    return "sessionId" in record and (
        isinstance(_member(record, "message").get("parts"), list)
        or _has_any(record, "systemPayload", "toolCallResult", "usageMetadata")
    )


def is_grok_init(record: Record) -> bool:
    """Return True for the first line of Grok Build in the shape of Claude Code.

    A log of Claude Code itself says its version there.
    """
    model = record.get("model")
    is_grok = isinstance(model, str) and model.startswith("grok")
    is_other = _has_any(record, "claude_code_version", "qwen_code_version")
    return _is_init(record) and is_grok and not is_other and "skills" in record


def _is_grok(record: Record) -> bool:
    """Return True for a record of Grok Build: printed, or in the files of a session."""
    update = _member(_member(record, "params"), "update")
    if "sessionUpdate" in update:
        return "jsonrpc" not in record
    return (
        is_grok_init(record)
        or (_is_type(record, "text", "thought") and isinstance(record.get("data"), str))
        or (_is_type(record, "end") and _has(record, "stopReason", "sessionId"))
        or _has(record, "text", "stopReason", "sessionId")
        or (_is_type(record, "tool_result") and _has(record, "tool_call_id", "content"))
        or (_is_type(record, "assistant") and _has(record, "content", "tool_calls"))
        or (_has(_member(record, "info"), "id", "cwd") and "current_model_id" in record)
    )


def _is_pi(record: Record) -> bool:
    """Return True for an entry of a session of Pi, or for an event that it prints."""
    message = _member(record, "message")
    entry = _is_type(record, "message") and _has(record, "parentId")
    printed = _is_type(record, "message_start", "message_update", "message_end")
    return (
        (_is_type(record, "session") and "cwd" in record)
        or ((entry or printed) and "role" in message)
        or (_is_type(record, "agent_end") and "messages" in record)
        or (
            _is_type(record, "tool_execution_start", "tool_execution_end")
            and _has(record, "toolCallId", "toolName")
        )
    )


def _is_inspect(record: Record) -> bool:
    """Return True for a log of Inspect as JSON; `.eval` is an archive of such."""
    return _has(record, "eval", "plan") and "version" in record


def _is_swe_agent(record: Record) -> bool:
    """Return True for a trajectory of SWE-agent, or a demonstration."""
    history = record.get("history")
    if not isinstance(history, list):
        return False
    return _has(record, "trajectory") or any(
        isinstance(turn, dict) and _has_any(turn, "agent", "message_type")
        for turn in history
    )


def _is_journal(record: Record) -> bool:
    return _is_type(record, "started", "result") and _has(record, "key", "agentId")


def _is_document(record: Record) -> bool:
    return _has_any(
        record, "resourceSpans", "trajectory_format", "conversations"
    ) or _has(record, "info", "messages")


def _is_chat(record: Record) -> bool:
    is_line = "role" in record and "type" not in record and "content" in record
    return is_line or isinstance(record.get("messages"), list)


# The narrower before the wider.
_LOOK_ALIKES = (
    LookAlike(
        "a transcript of Cursor's editor, without tool results",
        _is_transcript,
        "Cursor's editor",
    ),
    LookAlike("messages of the Cursor SDK", _is_sdk, "the Cursor SDK"),
    LookAlike(
        "a session file of Qwen Code",
        is_qwen_session,
        "Qwen Code's session files",
        "the log of qwen -o stream-json",
    ),
    LookAlike("a log of Antigravity", _is_antigravity, "Antigravity"),
    LookAlike("a log of Grok Build", _is_grok, "Grok Build"),
    LookAlike("a trajectory of SWE-agent", _is_swe_agent, "SWE-agent"),
    LookAlike("a log of Factory Droid", _is_droid, "Factory Droid"),
    LookAlike("a log of Codex in its older form", _is_old_codex, "older Codex"),
    LookAlike("a log of the Gemini CLI", _is_gemini, "Gemini CLI"),
    LookAlike("a log of GitHub Copilot", _is_copilot, "GitHub Copilot"),
    LookAlike("a log of Pi", _is_pi, "Pi"),
    LookAlike("a log of Inspect", _is_inspect, "Inspect"),
    LookAlike(
        "messages of the Agent Client Protocol",
        lambda record: "jsonrpc" in record,
        "Agent Client Protocol",
    ),
    LookAlike(
        "a log of Kimi",
        lambda record: _is_type(record, "metadata") and "protocol_version" in record,
        "Kimi",
    ),
    LookAlike(
        "a log of AG-UI events",
        lambda record: bool(re.fullmatch(r"[A-Z]+_[A-Z_]+", str(record.get("type")))),
        "AG-UI",
    ),
    LookAlike("the journal of a workflow of Claude Code", _is_journal),
    LookAlike("a log of Goose", _is_goose, "Goose"),
    LookAlike(
        "a log of Cline",
        lambda record: _is_type(record, "run_start", "agent_event", "run_result"),
        "Cline",
    ),
    LookAlike(
        "a payload of Cursor's hooks", lambda record: "hook_event_name" in record
    ),
    LookAlike("a trajectory or trace of another tool", _is_document),
    LookAlike("a chat", _is_chat),
)
# How many types are counted by name: memory must not grow with the log.
_MOST_TYPES = 1000
_LONGEST_NAME = 100
_OTHERS = "other types"

# Types that only the logs of one agent hold, of events or of blocks in a message. No
# reader of these logs counts them as unknown.
_AGENTS = {
    "Claude Code": (
        *("assistant/tool_use", "assistant/thinking", "assistant/redacted_thinking"),
        *("user/tool_result", "stream_event", "rate_limit_event", "tool_progress"),
        *("file-history-snapshot", "queue-operation"),
    ),
    "Codex": (
        *("thread.started", "turn.started", "turn.completed", "turn.failed"),
        *("item.started", "item.updated", "item.completed"),
        *("session_meta", "turn_context", "response_item", "event_msg"),
    ),
    "opencode": ("step_start", "step_finish"),
    "Cursor": ("tool_call", "interaction_query"),
    "Claude Code or Cursor": ("assistant", "user"),
}


def of_agents(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the types that are those of other agents, by the names of the agents.

    A log that holds them is several logs in one, and only one is read.
    """
    found = {
        agent: {name: counts[name] for name in names if name in counts}
        for agent, names in _AGENTS.items()
    }
    return {agent: names for agent, names in found.items() if names}


class UnknownTypes:
    """Counts events by their types."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._others = 0

    def add(self, name: str) -> None:
        """Count one event."""
        if len(name) > _LONGEST_NAME:
            name = truncate(name, _LONGEST_NAME)
        if name in self._counts or len(self._counts) < _MOST_TYPES:
            self._counts[name] += 1
        else:
            self._others += 1

    def update(self, names: Iterable[str]) -> None:
        """Count several events."""
        for name in names:
            self.add(name)

    @property
    def counts(self) -> dict[str, int]:
        """How many events there were of each type; those without a name come last."""
        others = {_OTHERS: self._others} if self._others else {}
        return {**self._counts, **others}
