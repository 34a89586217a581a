"""Made-up secrets, put where they must not be shown."""

from __future__ import annotations

import functools
import json
import random
import re
from typing import Any, NamedTuple

import convert
from convert.options import Reading
from support.secrets import filled, rows
from support.secrets.tokens import tokens

_MARKED = re.compile("«(.*?)»", re.DOTALL)
# Members that hold text of any kind.
_PROSE = ("text", "command", "stdout", "content")
_WORD = re.compile(r"[\w.+/=@#%!-]{8,90}")


class Planted(NamedTuple):
    """A secret in a log, and the texts that make it one."""

    secret: str
    texts: tuple[str, ...]

    def is_whole_in(self, log: bytes) -> bool:
        """Return True if a log has all of the texts, as JSON or as a line."""
        return all(
            json.dumps(text).encode() in log
            or json.dumps(text, ensure_ascii=False).encode(errors="replace") in log
            or text.encode(errors="replace") + b"\n" in log
            for text in self.texts
        )


@functools.cache
def free_standing() -> tuple[str, ...]:
    """Return the tokens of issuers that are found at any place."""
    found = dict.fromkeys(
        secret
        for group, text, twin in tokens()
        for secret in _MARKED.findall(filled(text))
        if secret.isascii() and len(secret) < 400
    )
    return tuple(it for it in found if _is_hidden([f"a {it} b"], it))


def _is_hidden(texts: list[str], secret: str) -> bool:
    """Return True if a secret is replaced in the messages of a log."""
    log = b""
    for text in texts:
        message = {"content": [{"type": "text", "text": text}]}
        event = {"type": "user", "message": message, "session_id": "s"}
        log += json.dumps(event).encode() + b"\n"
    reading = Reading(redact=True)
    shown = b"".join(convert.convert([log], "stream-json", reading=reading))
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


@functools.cache
def told_once() -> tuple[tuple[str, str], ...]:
    """Return the same without values that mean something else elsewhere."""
    return tuple(
        (text, secret)
        for text, secret in in_context()
        if _is_hidden([text, f"Again: {secret} and on"], secret)
    )


def plant(
    events: list[Any], number: int, dice: random.Random, parts: set[str]
) -> list[Planted]:
    """Put secrets into a log, each in one of the ways in turn; return them."""
    ways = [*WAYS]
    secrets: list[Planted] = []
    for turn in range(dice.choice([1, 1, 2])):
        way = ways[(number // 5 + turn) % len(ways)]
        parts.add(f"secret {way}")
        secrets += WAYS[way](events, number, dice)
    return secrets


def _token(dice: random.Random) -> str:
    return dice.choice(free_standing())


def _in_text(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
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
    return [Planted(token, (container[key],))]


def _as_name(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
    """Name a member by a token."""
    place = _place(events, dice, object)
    if place is None or not isinstance(place[0], dict):
        return []
    container, key = place
    token = _token(dice)
    container[token] = container.pop(key)
    return [Planted(token, (token,))]


def _context(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
    """Put a password with the words that identify it in place of a text."""
    place = _place(events, dice, str, among=_PROSE)
    if place is None:
        return []
    every = in_context()
    text, secret = every[number // 5 // len(WAYS) % len(every)]
    place[0][place[1]] = text
    return [Planted(secret, (text,))]


def _elsewhere(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
    """Put a token that is found into one event, and again into two others."""
    token = _token(dice)
    planted: list[Planted] = []
    for _ in range(3):
        place = _place(events, dice, str)
        if place is not None:
            place[0][place[1]] = f"{dice.choice(['x ', '(', ''])}{token}"
            planted.append(Planted(token, (place[0][place[1]],)))
    return planted[:1]


def _in_deltas(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
    """Let the agent write a token in two pieces, with other events between them."""
    token = _token(dice)
    at = dice.randint(len(token) // 2, len(token) - 1)
    session = "s2"
    texts = (f"It is {token[:at]}", f"{token[at:]} now")
    said = [
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": it}]},
            "session_id": session,
            "timestamp_ms": 5,
        }
        for it in texts
    ]
    begin = dice.randint(0, len(events))
    events[begin:begin] = said
    return [Planted(token, texts)]


def _in_noise(events: list[Any], number: int, dice: random.Random) -> list[Planted]:
    """Put a token into a line that is no event."""
    token = _token(dice)
    before = dice.choice(["Error: ", "npm warn ", "", "T: [internal] ", '{"type":"'])
    line = f"{before}{token} x"
    events.insert(dice.randint(0, len(events)), line.encode())
    return [Planted(token, (line,))]


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


def _found_elsewhere(
    events: list[Any], number: int, dice: random.Random
) -> list[Planted]:
    """Add a prompt with a password in its context, and put the password into texts."""
    every = told_once()
    text, secret = every[number // 5 // len(WAYS) % len(every)]
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    events.insert(
        dice.randint(0, len(events)),
        {"type": "user", "message": message, "session_id": "s2"},
    )
    for _ in range(2):
        place = _place(events, dice, str, among=_PROSE)
        if place is not None and place[0][place[1]] != text:
            place[0][place[1]] = f"Again: {secret} and on"
    return [Planted(secret, (text,))]


WAYS = {
    "found elsewhere": _found_elsewhere,
    "in text": _in_text,
    "as a name": _as_name,
    "in context": _context,
    "elsewhere": _elsewhere,
    "in deltas": _in_deltas,
    "in noise": _in_noise,
}
