"""The parts of messages, and the items of turns as the events that were before them."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.formats.codex_rollout.wire import Block, Payload
from convert.model.events import Image

# The events that said the same before the summer of 2026. Other items have lines of
# their own besides.
_EVENTS = {
    "UserMessage": "user_message",
    "AgentMessage": "agent_message",
    "Reasoning": "agent_reasoning",
    "CommandExecution": "exec_command_end",
    "FileChange": "patch_apply_end",
    "McpToolCall": "mcp_tool_call_end",
}
_BASE64 = ";base64,"


def as_event(item: Any) -> Payload | None:
    """Return the event that an item of a turn stands for; None for other items."""
    match item:
        case {"type": str(kind), **members} if kind in _EVENTS:
            pass
        case _:
            return None
    try:
        event = msgspec.convert(members, Payload, strict=False)
    except msgspec.ValidationError:
        return None
    event.type = _EVENTS[kind]
    event.call_id = event.id
    match members:
        case {"summary_text": [*parts]}:
            event.text = "\n\n".join(part for part in parts if isinstance(part, str))
        case {"server": str(), "tool": str()}:
            _as_tool_of_server(event, item)
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
    """Return the pictures beside a request, by their addresses or their data."""
    found = urls if isinstance(urls, list) else []
    return [_image(url) for url in found if isinstance(url, str)]


def _as_tool_of_server(event: Payload, members: dict[str, Any]) -> None:
    """Put the members of a server's tool where the event has them."""
    names = ("server", "tool", "arguments")
    event.invocation = {name: members[name] for name in names if name in members}
    match members.get("error"):
        case {"message": str(message)}:
            event.result = {"Err": message}
        case _ if event.result is not None:
            event.result = {"Ok": event.result}


def _image(url: str) -> Image:
    head, data, body = url.partition(_BASE64)
    if not (data and head.startswith("data:")):
        return Image("", None)
    return Image(head[len("data:") :], len(body.rstrip("=")) * 3 // 4)
