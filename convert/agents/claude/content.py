"""The result of a tool in Claude Code: a text, or a list of blocks."""

from __future__ import annotations

from typing import Any

from convert.model.events import Image
from convert.wording.numbers import size

Block = dict[str, Any]


def text_of_content(content: Any) -> str:
    """Return the texts of a result, joined; pictures and files by type and size."""
    match content:
        case str():
            return content
        case [*blocks]:
            shown = (_shown(block) for block in blocks if isinstance(block, dict))
            return "\n".join(filter(None, shown))
    return ""


def blocks_of_content(content: Any) -> str | list[Block]:
    """Return the result of a server's tool as such a server returns it."""
    match content:
        case [*blocks]:
            return [_for_mcp(block) for block in blocks if isinstance(block, dict)]
    return text_of_content(content)


def image_of(block: Block) -> Image:
    """Return the type and the size of a picture or a document."""
    media_type, data = _source(block)
    return Image(media_type, _length(data) if data else None)


def _shown(block: Block) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "tool_reference", "tool_name": str(name)}:
            return name
        case {"type": "image" | "document"}:
            picture = image_of(block)
            what = picture.media_type or str(block["type"])
            return f"({what}, {size(picture.size)})" if picture.size else f"({what})"
    return ""


def _for_mcp(block: Block) -> Block:
    match block:
        case {"type": "image" | "document" as kind}:
            media_type, data = _source(block)
            return {"type": kind, "data": data, "mimeType": media_type}
    return block


def _source(block: Block) -> tuple[str, str]:
    """Return the type and the data of a picture; "" for what is not recorded."""
    source = block.get("source")
    places = [block, source if isinstance(source, dict) else {}]
    found = ["", ""]
    for place in places:
        kind = place.get("media_type") or place.get("mimeType")
        for at, value in enumerate((kind, place.get("data"))):
            if isinstance(value, str):
                found[at] = found[at] or value
    return found[0], found[1]


def _length(data: str) -> int:
    """Return how many bytes base64 stands for."""
    return len(data.rstrip("=")) * 3 // 4
