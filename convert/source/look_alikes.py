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

    agent: str = ""
    """The agent that writes them; "" if many tools write them."""

    shapes: tuple[str, ...] = ()
    """The records that only such logs hold: the type, and members of that type.

    `*` is for any type, `system/init` is a type and a subtype, and `-type` is a member
    that is missing.
    """

    matches: Callable[[Record], bool] = lambda record: False
    """Recognises other records of such logs."""

    instead: str = ""
    """The logs of this agent that are read; "" if none are."""


def look_alike(records: Iterable[Record]) -> LookAlike | None:
    """Return the tool whose records these may be; None if that is not known."""
    for record in records:
        for row in _LOOK_ALIKES:
            if row.matches(record) or any(_has(record, each) for each in row.shapes):
                return row
    return None


def _has(record: Record, shape: str) -> bool:
    """Return True if a record has the shape of a row."""
    kind, *names = shape.split()
    kind, _, subtype = kind.partition("/")
    return (
        kind in ("*", record.get("type"))
        and subtype in ("", record.get("subtype"))
        and all((name.strip("-") in record) != name.startswith("-") for name in names)
    )


def _member(record: Record, key: str) -> Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def is_qwen_session(record: Record) -> bool:
    """Return True for a record of the session files of Qwen Code.

    They are much like those of Claude Code, with messages in the words of Gemini.
    """
    own = {"systemPayload", "toolCallResult", "usageMetadata"}
    return "sessionId" in record and (
        isinstance(_member(record, "message").get("parts"), list)
        or not own.isdisjoint(record)
    )


def is_grok_init(record: Record) -> bool:
    """Return True for the first line of Grok Build in the shape of Claude Code.

    A log of Claude Code itself says its version there.
    """
    shape = "system/init skills -claude_code_version -qwen_code_version"
    return _has(record, shape) and str(record.get("model")).startswith("grok")


def _is_antigravity(record: Record) -> bool:
    """Return True for an event that Antigravity prints, or a step of a transcript."""
    event = record.get("event")
    if event in ("init", "step_update", "result"):
        return bool(_member(record, event))
    return _has(record, "* step_index source type")


def _is_grok(record: Record) -> bool:
    """Return True for a record of Grok Build: printed, or in the files of a session."""
    if "sessionUpdate" in _member(_member(record, "params"), "update"):
        return "jsonrpc" not in record
    is_said = record.get("type") in ("text", "thought")
    return (
        is_grok_init(record)
        or (is_said and isinstance(record.get("data"), str))
        or (_has(_member(record, "info"), "* id cwd") and "current_model_id" in record)
    )


def _is_pi(record: Record) -> bool:
    """Return True for a message of a session of Pi, or in an event that it prints."""
    kind = record.get("type")
    is_entry = kind == "message" and "parentId" in record
    is_printed = kind in ("message_start", "message_update", "message_end")
    return (is_entry or is_printed) and "role" in _member(record, "message")


def _is_swe_agent(record: Record) -> bool:
    """Return True for a trajectory of SWE-agent, or a demonstration."""
    history = record.get("history")
    turns = history if isinstance(history, list) else []
    return isinstance(history, list) and (
        "trajectory" in record
        or any(
            isinstance(turn, dict) and not {"agent", "message_type"}.isdisjoint(turn)
            for turn in turns
        )
    )


def _is_goose(record: Record) -> bool:
    message = _member(record, "message")
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return record.get("type") == "message" and (
        "created" in message
        or any(
            isinstance(block, dict) and block.get("type") == "toolRequest"
            for block in blocks
        )
    )


# The narrower before the wider.
_LOOK_ALIKES = (
    LookAlike(
        "a transcript of Cursor's editor, without tool results",
        "Cursor's editor",
        ("* role message -type", "turn_ended"),
    ),
    LookAlike(
        "messages of the Cursor SDK",
        "the Cursor SDK",
        ("* agent_id run_id", "sdk_message runId"),
    ),
    LookAlike(
        "a session file of Qwen Code",
        "Qwen Code's session files",
        matches=is_qwen_session,
        instead="the log of qwen -o stream-json",
    ),
    LookAlike("a log of Antigravity", "Antigravity", matches=_is_antigravity),
    LookAlike(
        "a log of Grok Build",
        "Grok Build",
        (
            "end stopReason sessionId",
            "* text stopReason sessionId",
            "tool_result tool_call_id content",
            "assistant content tool_calls",
        ),
        _is_grok,
    ),
    LookAlike("a trajectory of SWE-agent", "SWE-agent", matches=_is_swe_agent),
    LookAlike(
        "a log of Factory Droid",
        "Factory Droid",
        (
            "tool_call toolName",
            "tool_call toolId",
            "completion finalText",
            "message role text",
            "system/init reasoning_effort",
            "session_start cwd",
        ),
    ),
    LookAlike(
        "a log of Codex in its older form",
        "older Codex",
        matches=lambda record: "id" in record and "type" in _member(record, "msg"),
    ),
    LookAlike(
        "a log of the Gemini CLI",
        "Gemini CLI",
        (
            "init model session_id",
            "* tool_id timestamp",
            "* response stats",
            "* sessionId projectHash startTime",
            "* $set",
        ),
    ),
    LookAlike(
        "a log of GitHub Copilot",
        "GitHub Copilot",
        ("result exitCode sessionId",),
        lambda record: "." in str(record.get("type", "")) and "data" in record,
    ),
    LookAlike(
        "a log of Pi",
        "Pi",
        (
            "session cwd",
            "agent_end messages",
            "tool_execution_start toolCallId toolName",
            "tool_execution_end toolCallId toolName",
        ),
        _is_pi,
    ),
    # A log of Inspect as JSON; `.eval` is an archive of such.
    LookAlike("a log of Inspect", "Inspect", ("* eval plan version",)),
    LookAlike(
        "messages of the Agent Client Protocol", "Agent Client Protocol", ("* jsonrpc",)
    ),
    LookAlike("a log of Kimi", "Kimi", ("metadata protocol_version",)),
    LookAlike(
        "a log of AG-UI events",
        "AG-UI",
        matches=lambda record: bool(
            re.fullmatch(r"[A-Z]+_[A-Z_]+", str(record.get("type")))
        ),
    ),
    LookAlike(
        "the journal of a workflow of Claude Code",
        shapes=("started key agentId", "result key agentId"),
    ),
    LookAlike("a log of Goose", "Goose", matches=_is_goose),
    LookAlike("a log of Cline", "Cline", ("run_start", "agent_event", "run_result")),
    LookAlike("a payload of Cursor's hooks", shapes=("* hook_event_name",)),
    LookAlike(
        "a trajectory or trace of another tool",
        shapes=(
            "* resourceSpans",
            "* trajectory_format",
            "* conversations",
            "* info messages",
        ),
    ),
    LookAlike(
        "a chat",
        shapes=("* role content -type",),
        matches=lambda record: isinstance(record.get("messages"), list),
    ),
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
    """Return the types of other agents, by the names of the agents.

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
        self.build: tuple[str, str, str] | None = None
        """The format, the agent and its version, if the log names a version."""

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
        """The number of events of each type; those without a name come last."""
        others = {_OTHERS: self._others} if self._others else {}
        return {**self._counts, **others}
