"""JSON inside other text: whole, after a prefix, or in the object of a recorder."""

from __future__ import annotations

import re
from typing import Any

from convert.source.members import members_of

# The start of an event, perhaps after the prefix of a runner.
# Some agents put the time in front of the type, and the place in the log behind it.
_BEGIN = (
    r'\{\s*(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?)?'
    r'"type"\s*:'
)
EVENT = re.compile(_BEGIN)
EVENT_BYTES = re.compile(_BEGIN.encode())
# A terminal's colours, and a disk's zeros, may stand after an event as well.
_AFTER = re.compile(rb"(?:[\s\0]|\x1b\[[0-?]*[ -/]*[@-~])*+\Z")
# One of these is in each line of an agent that does not begin it with its type.
_SESSIONS = ("sessionId", "session_id", "sessionID", "parentUuid", "uuid")


def begin_of_event(line: bytes) -> int | None:
    """Return where the event begins that ends a line, after the prefix of a runner.

    An event that does not begin with its type is one if it names its session.
    """
    match = EVENT_BYTES.search(line)
    inner = match.start() if match else None
    at = line.find(b'{"')
    end = line.rfind(b"}") + 1
    if at < 0 or inner == at or not (end and _AFTER.match(line, end)):
        return inner
    # An object that begins with its type may be a part of the event.
    found = members_of(line[at:end])
    has_session = not found.keys().isdisjoint(_SESSIONS)
    return at if has_session and isinstance(found.get("type"), str) else inner


def wrapped_event(value: dict[str, Any], member: str = "type") -> str | None:
    """Return the text of an event that a recorder put into an object of its own.

    A harness writes `{"t_ms": 17, "line": "{...}"}`, Docker `{"log": "{...}\\n", ...}`.
    `member` is one that each event has, and that is a text.
    """
    if isinstance(value.get("type"), str):
        return None
    texts = (text for text in value.values() if isinstance(text, str))
    return next((text for text in texts if _is_event(text, member)), None)


def _is_event(text: str, member: str) -> bool:
    """Return True if a text is an event, whichever member it begins with."""
    if EVENT.match(text):
        return True
    if not text.lstrip().startswith("{"):
        return False
    found = members_of(text.encode(errors="surrogatepass"))
    return isinstance(found.get("type"), str) or isinstance(found.get(member), str)
