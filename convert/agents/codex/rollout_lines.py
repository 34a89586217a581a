"""The lines of a session file of Codex as structs; lines that repeat others."""

from __future__ import annotations

import functools
from typing import Any, Literal

import msgspec

from convert.agents.codex.outputs import Usage
from convert.model.events import CallDetail, Image, Needs
from convert.source.ndjson import Decoding
from convert.wording.digests import blake2b

# Members of the same name hold other values in other types of payloads.
Scalar = str | int | float | bool | list[Any] | None


class Block(msgspec.Struct, gc=False):
    """One part of a message."""

    text: str | None = ""


class Info(msgspec.Struct, gc=False):
    """The tokens of a session so far."""

    total_token_usage: Usage | None = None


class Payload(msgspec.Struct, gc=False):
    """The content of a line: the members of all types that are read."""

    type: str | None = ""
    # Messages and reasoning.
    role: Any = ""
    content: list[Block] | dict[str, Any] | str | None = None
    summary: list[Block] | dict[str, Any] | str | None = None
    message: Any = None
    text: Any = None
    kind: Any = None
    images: Any = None
    # Calls.
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    action: Any = None
    output: Any = None
    tools: Any = None
    # How calls ended, in events next to their items.
    item: Any = None
    command: Any = None
    cwd: Any = None
    aggregated_output: Any = None
    stdout: Any = None
    stderr: Any = None
    exit_code: Any = None
    duration: Any = None
    status: Any = None
    changes: Any = None
    success: Any = None
    invocation: Any = None
    result: Any = None
    query: Any = None
    revised_prompt: Any = None
    # The session, its turns and its tokens.
    id: Any = None
    cli_version: Any = None
    model: Any = None
    info: Info | Scalar = None
    last_agent_message: Any = None
    duration_ms: Any = None
    reason: Any = None
    codex_error_info: Any = None


class Line(msgspec.Struct, gc=False):
    """One line."""

    type: str
    timestamp: str | int | float | None = None
    payload: Payload | Scalar = None


@functools.cache
def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for the needs of a target."""
    return Decoding(
        Line,
        msgspec.json.Decoder(Line),
        own_member="payload",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def text(value: Any) -> str:
    """Return a value that is a text; "" for any other."""
    return value if isinstance(value, str) else ""


# The types of items that are calls, and those that are their outputs.
CALLS = frozenset(
    {
        *("function_call", "custom_tool_call", "local_shell_call", "web_search_call"),
        *("tool_search_call", "image_generation_call"),
    }
)
OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")

# Approvals, progress and hooks belong to calls that have lines of their own. The events
# of subagents are about other threads.
OTHER_ITEMS = frozenset(
    {
        *("ghost_snapshot", "compaction", "compaction_trigger", "context_compaction"),
        *("compaction_summary", "additional_tools", "other", "agent_message"),
    }
)
OTHER_EVENTS = frozenset(
    {
        *("agent_reasoning_raw_content", "agent_reasoning_section_break"),
        *("context_compacted", "thread_rolled_back", "thread_name_updated"),
        *("thread_goal_updated", "undo_completed", "thread_settings_applied"),
        *("entered_review_mode", "exited_review_mode", "turn_diff"),
        *("session_configured", "plan_update", "background_event", "shutdown_complete"),
        *("item_started", "view_image_tool_call", "image_generation_end"),
        *("sub_agent_activity", "raw_response_item", "mcp_startup_update"),
        *("mcp_startup_complete", "guardian_assessment", "model_reroute"),
        *("deprecation_notice", "hook_started", "hook_completed"),
        *("dynamic_tool_call_request", "dynamic_tool_call_response"),
        *("collab_agent_spawn_end", "collab_agent_interaction_end"),
        *("collab_waiting_end", "collab_close_end", "collab_resume_end"),
        *("terminal_interaction", "exec_approval_request"),
        *("apply_patch_approval_request", "request_permissions", "request_user_input"),
        *("elicitation_request", "model_response_completed", "safety_buffering"),
        *("turn_moderation_metadata", "model_verification"),
    }
)
OTHER_LINES = frozenset(
    {
        *("session_meta", "turn_context", "compacted", "world_state"),
        *("token_usage_record", "inter_agent_communication"),
    }
)
# The ends of the names of events that a later, whole event repeats.
PIECES = ("_begin", "_delta")
# The events with the same facts before the summer of 2026. Other items have lines of
# their own as well.
_EVENTS_BY_ITEM = {
    "UserMessage": "user_message",
    "AgentMessage": "agent_message",
    "Reasoning": "agent_reasoning",
    "CommandExecution": "exec_command_end",
    "FileChange": "patch_apply_end",
    "McpToolCall": "mcp_tool_call_end",
}


def as_event(item: Any) -> Payload | None:
    """Return an item of a turn as an event; None for other items."""
    match item:
        case {"type": str(kind), **members} if kind in _EVENTS_BY_ITEM:
            pass
        case _:
            return None
    try:
        event = msgspec.convert(members, Payload, strict=False)
    except msgspec.ValidationError:
        return None
    event.type = _EVENTS_BY_ITEM[kind]
    event.call_id = event.id
    match members:
        case {"summary_text": [*parts]}:
            event.text = "\n\n".join(part for part in parts if isinstance(part, str))
        case {"server": str(), "tool": str()}:
            # They go where the event of a server's tool has them.
            names = members.keys() & {"server", "tool", "arguments"}
            event.invocation = {name: members[name] for name in names}
            match members.get("error"):
                case {"message": str(message)}:
                    event.result = {"Err": message}
                case _ if event.result is not None:
                    event.result = {"Ok": event.result}
        case {"content": [*parts]}:
            event.message = text_in(parts)
            urls = [part.get("image_url") for part in parts if isinstance(part, dict)]
            event.images = [url for url in urls if isinstance(url, str)]
    if "changes" in members:
        event.success = event.status not in ("failed", "declined")
    return event


def text_in(content: Any) -> str:
    """Return the texts of the parts of a message, joined."""
    if isinstance(content, str):
        return content
    found = []
    for part in content if isinstance(content, list) else ():
        match part:
            case Block(text=str(text)) | {"text": str(text)}:
                found.append(text)
    return "".join(found)


def images_in(urls: Any) -> list[Image]:
    """Return the pictures of a request, by their addresses or their data."""
    found = urls if isinstance(urls, list) else []
    return [_image(url) for url in found if isinstance(url, str)]


def _image(url: str) -> Image:
    head, data, body = url.partition(";base64,")
    if not (data and head.startswith("data:")):
        return Image("", None)
    return Image(head[len("data:") :], len(body.rstrip("=")) * 3 // 4)


# A text is an item and an event, in any order; a file may break off between them.
Source = Literal["item", "event", "turn item"]
# The copy of a text comes soon after it.
_MOST_TEXTS = 32


class Doubles:
    """Remembers the last texts, and from which kinds of lines they came."""

    def __init__(self) -> None:
        self._last: list[bytes] = []
        self._sources: list[set[Source]] = []

    def is_repeated(self, source: Source, text: str) -> bool:
        """Return True if a line of another kind had this text; remember it if not."""
        key = blake2b(text.strip().encode(errors="replace")).digest()
        last, sources = self._last, self._sources
        # Most texts are new.
        for at in reversed(range(len(last))) if key in last else ():
            if last[at] == key and source not in sources[at]:
                sources[at].add(source)
                return True
        last.append(key)
        sources.append({source})
        if len(last) > _MOST_TEXTS:
            del last[0], sources[0]
        return False


def without_citation(text: str) -> str:
    """Return a text as people see it."""
    # An item may end with the sources of its text, which Codex shows to nobody.
    plain, found, _ = text.partition("<oai-mem-citation")
    return plain.rstrip() if found else text
