"""JSON inside other text: whole, after a prefix, or in the object of a recorder."""

from __future__ import annotations

import re
from typing import Any

# The start of an event, perhaps after the prefix of a runner.
# Some agents put the time in front of the type, and the place in the log behind it.
_BEGIN = (
    r'\{\s*(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?)?'
    r'"type"\s*:'
)
EVENT = re.compile(_BEGIN)
EVENT_BYTES = re.compile(_BEGIN.encode())


def wrapped_event(value: dict[str, Any]) -> str | None:
    """Return the text of an event that a recorder put into an object of its own.

    A harness writes `{"t_ms": 17, "line": "{...}"}`, Docker `{"log": "{...}\\n", ...}`.
    """
    if isinstance(value.get("type"), str):
        return None
    texts = (text for text in value.values() if isinstance(text, str))
    return next(filter(EVENT.match, texts), None)
