"""Made-up secrets, put where they must not be shown."""

from __future__ import annotations

import functools
import json
import random
import re
from typing import Any

import convert
from convert.options import Reading
from support.secrets import filled, rows
from support.secrets.tokens import tokens

_MARKED = re.compile("«(.*?)»", re.DOTALL)
_WORD = re.compile(r"[\w.+/=@#%!-]{8,90}")


@functools.cache
def free_standing() -> tuple[str, ...]:
    """Return the tokens of issuers that are found wherever they stand."""
    found = dict.fromkeys(
        secret
        for group, text, twin in tokens()
        for secret in _MARKED.findall(filled(text))
        if secret.isascii() and len(secret) < 400
    )
    return tuple(secret for secret in found if _is_found(secret))


def _is_found(secret: str) -> bool:
    """Return True if a text that is a secret and nothing else is replaced."""
    content = [{"type": "text", "text": f"a {secret} b"}]
    event = {"type": "assistant", "message": {"content": content}, "session_id": "s"}
    log = json.dumps(event).encode()
    reading = Reading(redact=True)
    shown = b"".join(convert.convert([log], "answer", reading=reading, partial=True))
    return secret.encode() not in shown and b"[redacted" in shown


@functools.cache
def in_context() -> tuple[tuple[str, str], ...]:
    """Return texts with a secret of one word, and the secret."""
    found = []
    for row in rows():
        secrets = _MARKED.findall(row.text)
        is_word = len(secrets) == 1 and _WORD.fullmatch(secrets[0])
        if is_word and row.group != "documents":
            found.append((_MARKED.sub(r"\1", row.text), secrets[0]))
    return tuple(found)


def plant(
    events: list[Any], number: int, dice: random.Random, parts: set[str]
) -> list[str]:
    """Put secrets into a log, each in one of the ways in turn; return them."""
    ways = [*WAYS]
    secrets = []
    for turn in range(dice.choice([1, 1, 2])):
        way = ways[(number // 5 + turn) % len(ways)]
        parts.add(f"secret {way}")
        secrets += WAYS[way](events, number, dice)
    return secrets


def _token(dice: random.Random) -> str:
    return dice.choice(free_standing())


def _in_text(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Put a token in the place of a text, or into it."""
    place = _place(events, dice, str)
    if place is None:
        return []
    token = _token(dice)
    container, key = place
    match dice.randrange(3):
        case 0:
            container[key] = token
        case 1:
            container[key] = f"{container[key]} {token}\n{container[key]}"
        case _:
            container[key] = f"export X={token}; {container[key]}"
    return [token]


def _as_name(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Name a member by a token."""
    place = _place(events, dice, object)
    if place is None or not isinstance(place[0], dict):
        return []
    container, key = place
    token = _token(dice)
    container[token] = container.pop(key)
    return [token]


def _context(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Put a password with what tells it from other words, in place of a text."""
    place = _place(events, dice, str, among=("text", "command", "stdout", "content"))
    if place is None:
        return []
    every = in_context()
    text, secret = every[number // 5 // len(WAYS) % len(every)]
    place[0][place[1]] = text
    return [secret]


def _elsewhere(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Put a token that is found into one event, and again into two others."""
    token = _token(dice)
    planted = []
    for _ in range(3):
        place = _place(events, dice, str)
        if place is not None:
            place[0][place[1]] = f"{dice.choice(['x ', '(', ''])}{token}"
            planted.append(token)
    return planted[:1]


def _in_deltas(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Let the agent write a token in two pieces, with other events between them."""
    token = _token(dice)
    at = dice.randint(len(token) // 2, len(token) - 1)
    session = "s2"
    said = [
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": it}]},
            "session_id": session,
            "timestamp_ms": 5,
        }
        for it in (f"It is {token[:at]}", f"{token[at:]} now")
    ]
    begin = dice.randint(0, len(events))
    events[begin:begin] = said
    return [token]


def _in_noise(events: list[Any], number: int, dice: random.Random) -> list[str]:
    """Put a token into a line that is no event."""
    token = _token(dice)
    before = dice.choice(["Error: ", "npm warn ", "", "T: [internal] ", '{"type":"'])
    events.insert(dice.randint(0, len(events)), f"{before}{token} x".encode())
    return [token]


def _place(
    events: list[Any], dice: random.Random, kind: type, among: tuple[str, ...] = ()
) -> tuple[Any, Any] | None:
    """Choose a member whose value is of some kind: its container and its key."""
    event = dice.choice(events) if events else None
    if not isinstance(event, dict):
        return None
    places = [
        (container, key)
        for container, key in _members(event)
        if isinstance(container[key], kind)
        and (not among or key in among)
        and not (kind is object and key in ("type", "subtype"))
    ]
    return dice.choice(places) if places else None


def _members(value: Any) -> list[tuple[Any, Any]]:
    found = []
    for key in value if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += _members(value[key])
    return found


WAYS = {
    "in text": _in_text,
    "as a name": _as_name,
    "in context": _context,
    "elsewhere": _elsewhere,
    "in deltas": _in_deltas,
    "in noise": _in_noise,
}
