"""The calls and texts of logs of other agents, counted from their JSON alone.

As in `raw_log`, nothing here comes from the package. Each agent has a function that
takes the objects of a log in their order and returns what they hold.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
# A file that moves is deleted at its old place.
_FILES = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): ", re.MULTILINE)
_CLAUDE_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_CODEX_CALLS = {
    *("command_execution", "mcp_tool_call", "web_search", "todo_list"),
    "collab_tool_call",
}
_CODEX_ITEMS = ("local_shell_call", "web_search_call", "tool_search_call")
_CODEX_ENDS = (
    *("exec_command_end", "mcp_tool_call_end", "patch_apply_end", "web_search_end"),
    *("CommandExecution", "McpToolCall", "FileChange"),
)
Records = list[dict[str, Any]]


@dataclass
class Held:
    """The content of a log."""

    agent: str
    calls: int = 0
    steps: int = 0
    """The calls of subagents that are recorded inside of a call."""
    results: list[str] = field(default_factory=list)
    """The final texts that the log records apart from the messages."""
    texts: list[str] = field(default_factory=list)
    """The last text before each of them, as the messages have it."""


def read(log: bytes) -> Held | None:
    """Count what the log of another agent holds; None for any other log."""
    records = list(objects(log))
    for is_one, count in _AGENTS:
        if any(map(is_one, records)):
            return count(records)
    return None


def objects(log: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a log, whether in lines, an array or spread out."""
    text = log.decode(errors="replace")
    at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if isinstance(value, dict):
            yield value


def _blocks(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            yield block


def _claude_stream(records: Records) -> Held:
    held = Held("Claude Code")
    known: set[Any] = set()
    # By session, since those of two processes may take turns.
    runs: Counter[Any] = Counter()
    texts: dict[Any, str] = {}
    messages: dict[Any, Any] = {}
    for record in records:
        session = record.get("session_id")
        if record.get("type") == "result":
            runs[session] += 1
            text = texts.pop(session, "")
            if isinstance(record.get("result"), str) and not record.get("is_error"):
                held.results.append(record["result"])
                held.texts.append(text)
        if record.get("type") != "assistant":
            continue
        is_inner = bool(record.get("parent_tool_use_id"))
        message = record.get("message")
        id = message.get("id") if isinstance(message, dict) else None
        if not is_inner and id != messages.get(session):
            messages[session] = id
            texts[session] = ""
        for block in _blocks(record):
            if block.get("type") in _CLAUDE_CALLS:
                key = session, runs[session], block.get("id"), str(block.get("input"))
                held.calls += key not in known
                known.add(key)
                if not is_inner:
                    texts[session] = ""
            elif block.get("type") == "text" and not is_inner:
                texts[session] = texts.get(session, "") + block.get("text", "")
    return held


def _claude_session(records: Records) -> Held:
    held = Held("Claude Code")
    seen: set[Any] = set()
    known: set[Any] = set()
    lines = [record for record in records if "message" in record]
    is_subagent = bool(lines) and all(line.get("isSidechain") for line in lines)
    for record in lines:
        if record.get("uuid") in seen or record.get("type") != "assistant":
            continue
        seen.add(record.get("uuid"))
        if record.get("isSidechain") and not is_subagent:
            continue
        for block in _blocks(record):
            if block.get("type") in _CLAUDE_CALLS:
                key = block.get("id"), str(block.get("input"))
                held.calls += key not in known
                known.add(key)
    return held


def _codex_exec(records: Records) -> Held:
    held = Held("Codex")
    known: set[Any] = set()
    process = 0
    for record in records:
        process += record.get("type") == "thread.started"
        item = record.get("item")
        if not isinstance(item, dict):
            continue
        kind = item.get("type", item.get("item_type"))
        # A model behind a proxy may number each of its calls 0.
        given = item.get("command"), item.get("changes")
        key = process, item.get("id"), str(given)
        if kind == "file_change":
            held.calls += len(item.get("changes") or [0]) if key not in known else 0
        elif kind in _CODEX_CALLS:
            held.calls += key not in known
        known.add(key)
    return held


def _codex_rollout(records: Records) -> Held:
    """Count items, and the events of calls that no item makes, once each."""
    held = Held("Codex")
    known: set[Any] = set()
    for record in records:
        payload = record.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        made = payload.get("item", payload)
        if not isinstance(made, dict) or not _makes_calls(made):
            continue
        # A search has no id in its item, and another one in its event.
        id = made.get("call_id") or made.get("id")
        key = str(made["action"]) if "action" in made else id
        # Calls with one id differ in their arguments, which no event repeats.
        given = made.get("arguments", made.get("input"))
        if key and (key if given is None else (key, str(given))) in known:
            continue
        known |= {key, (key, str(given))}
        # A script may hold a patch as well.
        given = "" if made.get("name") == "exec" else str(made)
        given = given.replace("\\n", "\n")
        files = _FILES.findall(given)
        held.calls += len(files or made.get("changes") or [0])
    return held


def _makes_calls(made: dict[str, Any]) -> bool:
    kind = str(made.get("type"))
    is_item = kind in ("function_call", "custom_tool_call", *_CODEX_ITEMS)
    return is_item or kind in _CODEX_ENDS


def _opencode(records: Records) -> Held:
    held = Held("opencode")
    known: set[Any] = set()
    for record in records:
        part = record.get("part")
        if record.get("type") != "tool_use" or not isinstance(part, dict):
            continue
        # A part comes again when its output is pruned.
        key = record.get("sessionID"), part.get("id")
        if part.get("id") and key in known:
            continue
        known.add(key)
        given = part.get("state", {}).get("input", {})
        held.calls += max(len(_FILES.findall(str(given.get("patchText")))), 1)
    return held


def _atif(records: Records) -> Held:
    held = Held("ATIF")
    for record in records:
        held.calls += _calls_in(record)
        held.steps += sum(map(_calls_in, record.get("subagent_trajectories") or ()))
    return held


def _calls_in(trajectory: dict[str, Any]) -> int:
    steps = trajectory.get("steps") or ()
    own = [step for step in steps if not step.get("is_copied_context")]
    return sum(len(step.get("tool_calls") or ()) for step in own)


def _is_atif(record: dict[str, Any]) -> bool:
    return str(record.get("schema_version", "")).startswith("ATIF-")


def _is_rollout(record: dict[str, Any]) -> bool:
    kinds = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
    return "payload" in record and record.get("type") in kinds


def _is_exec(record: dict[str, Any]) -> bool:
    kind = str(record.get("type"))
    return kind == "thread.started" or (kind.startswith("item.") and "item" in record)


def _is_opencode(record: dict[str, Any]) -> bool:
    return "sessionID" in record and ("part" in record or "error" in record)


def _is_session(record: dict[str, Any]) -> bool:
    return "sessionId" in record and "message" in record and "uuid" in record


def _is_stream(record: dict[str, Any]) -> bool:
    is_result = record.get("type") == "result" and "num_turns" in record
    return (
        is_result
        or "parent_tool_use_id" in record
        or "claude_code_version" in record
        or "qwen_code_version" in record
        or str(record.get("session_id", "")).startswith("T-")
    )


_AGENTS: tuple[
    tuple[Callable[[dict[str, Any]], bool], Callable[[Records], Held]], ...
] = (
    (_is_atif, _atif),
    (_is_rollout, _codex_rollout),
    (_is_exec, _codex_exec),
    (_is_opencode, _opencode),
    (_is_session, _claude_session),
    (_is_stream, _claude_stream),
)
