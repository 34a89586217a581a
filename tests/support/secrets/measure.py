"""How many secrets of the table are redacted, in the events of a log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import convert
from convert.options import Reading
from support.secrets import Row

_REDACT = Reading(redact=True)


def events(text: str) -> list[dict[str, Any]]:
    """Return an event for each place of a log that may hold a text."""
    message = [{"type": "text", "text": text}]
    shell = {"args": {"command": text}}
    output = {"args": {}, "result": {"success": {"stdout": f"{text}\n"}}}
    call = {"type": "tool_call", "call_id": "c1"}
    return [
        {"type": "user", "message": {"role": "user", "content": message}},
        {"type": "assistant", "message": {"role": "assistant", "content": message}},
        {"type": "thinking", "subtype": "delta", "text": text, "timestamp_ms": 5},
        {**call, "subtype": "started", "tool_call": {"shellToolCall": shell}},
        {**call, "subtype": "completed", "tool_call": {"shellToolCall": output}},
        {"type": "novelty", "detail": {"lines": [text]}},
        {"type": "result", "subtype": "success", "result": text},
    ]


def shown(text: str, place: int) -> str:
    """Return the shown part of a text in one of the places."""
    chosen = events(text)
    event = {"session_id": "s", **chosen[place % len(chosen)]}
    log = json.dumps(event, ensure_ascii=False).encode()
    pieces = convert.convert(
        [log], "stream-json", format="stream-json", reading=_REDACT
    )
    return b"".join(pieces).decode()


def plain(text: str) -> str:
    """Return a text without the marks of the secret in it."""
    return re.sub("[«»]", "", text)


def is_hidden(row: Row, place: int) -> bool:
    """Return True if no word of the secret of a row is left."""
    secret = re.search("«(.*)»", row.text, re.DOTALL)
    assert secret
    words = re.findall(r"[^\s\\\"',;:&]{4,}", secret[1])
    rest = shown(plain(row.text), place)
    return not any(json.dumps(word)[1:-1] in rest for word in words)


def is_kept(row: Row, place: int) -> bool:
    """Return True if the twin of a row stays as it is."""
    return "[redacted" not in shown(plain(row.twin), place)


def missed(table: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows whose secret is shown, with their numbers."""
    for number, row in enumerate(table):
        if not is_hidden(row, number):
            yield number, row


def alarms(table: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows whose twin is changed, with their numbers."""
    for number, row in enumerate(table):
        if not is_kept(row, number):
            yield number, row
