"""Texts of a document, each a string or a list of parts."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from convert.formats.atif.facts import value_of
from convert.model.events import Image
from convert.wording.sanitise import repair_surrogates


def text_of(content: Raw) -> str:
    """Return the text of a content; its other parts are named in it by their types."""
    return text_of_value(value_of(content))


def text_of_value(value: Any) -> str:
    """Return the text of a content that has been decoded."""
    match value:
        case str():
            return repair_surrogates(value)
        case [*parts]:
            return repair_surrogates("\n".join(filter(None, map(_part, parts))))
    return ""


def prompt_of(content: Raw) -> tuple[str, list[Image]]:
    """Return the text of a request, and the pictures beside it."""
    value = value_of(content)
    if not isinstance(value, list):
        return text_of_value(value), []
    images = [
        Image(media_type, None)
        for part in value
        if (media_type := _picture(part)) is not None
    ]
    return text_of_value([part for part in value if _picture(part) is None]), images


def _picture(part: Any) -> str | None:
    """Return the type of a picture; None for any other part."""
    match part:
        case {"type": "image", "source": {"media_type": str(media_type)}}:
            return media_type
        case {"type": "image"}:
            return ""
    return None


def _part(part: Any) -> str:
    match part:
        case {"text": str(text)} | str(text):
            return text
        case {"type": str(kind)}:
            return f"[{kind}]"
    return ""
