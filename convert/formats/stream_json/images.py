"""The pictures in a prompt, as far as a log records them."""

from __future__ import annotations

from typing import Any

from convert.model.events import Image
from convert.source.members import members_of


def images_in(line: bytes) -> list[Image]:
    """Return the pictures in the message of a line of the log."""
    match members_of(line):
        case {"message": {"content": [*parts]}}:
            return [_image(part) for part in parts if _is_image(part)]
    return []


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and (part.get("type") == "image" or "image" in part)


def _image(part: dict[str, Any]) -> Image:
    """Read a picture; agents put its data beside the type, or one level deeper."""
    places = [part, part.get("image"), part.get("source")]
    media_type = data = ""
    for place in places:
        if isinstance(place, dict):
            kind = place.get("mimeType") or place.get("media_type")
            media_type = media_type or (kind if isinstance(kind, str) else "")
            found = place.get("data")
            data = data or (found if isinstance(found, str) else "")
    return Image(media_type, len(data.rstrip("=")) * 3 // 4 if data else None)
