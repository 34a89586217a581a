"""JSON that is nested deeper than Python recurses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from convert.wording.digests import blake2b

# The levels that are kept, as many as the stack of the caller leaves room for.
_DEEPEST = (200, 50, 12)


def _integer(digits: str) -> int | float:
    """Return an integer; with more digits than Python converts it is infinite."""
    return int(digits) if len(digits) < 4300 else float("inf")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


LENIENT = json.JSONDecoder(parse_int=_integer)
"""Accepts the constants of Python as well, such as `NaN`."""

EXACT = json.JSONDecoder(parse_int=_integer, parse_constant=_no_constant)
"""Accepts only JSON."""

BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]')
BRACKET_BYTES = re.compile(BRACKET.pattern.encode())
_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<opening>[\[{])|(?P<closing>[\]}])|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\\x00-\x1f]*+(?>(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})'
    r'[^"\\\x00-\x1f]*+)*)")'
    r"|(?P<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))"
)


def raw_decode(
    decoder: json.JSONDecoder, text: str, begin: int
) -> tuple[Any, int, bool]:
    """Decode the value that begins at an offset, without values nested too deeply.

    Returns the value, the offset of its end, and True if a value is missing. The
    greatest depth depends on the stack of the caller. Raises ValueError if the value
    is not JSON.
    """
    try:
        return *decoder.raw_decode(text, begin), False
    except RecursionError:
        pass
    for deepest in _DEEPEST:
        flat, end = flattened(text, begin, deepest)
        try:
            return decoder.decode(flat), end, True
        except RecursionError:
            pass
    raise ValueError("nested too deeply")


def is_json(text: str) -> bool:
    """Return True if a text is one JSON value and nothing else, of any depth."""
    try:
        LENIENT.decode(text)
    except RecursionError:
        return _is_deep_json(text)
    except ValueError:
        return False
    return True


def values_in(block: bytes) -> Iterator[bytes]:
    """Yield the bytes of each object in a block of objects, of any depth."""
    depth = begin = 0
    for token in BRACKET_BYTES.finditer(block):
        if token[0] in b"{[":
            if depth == 0:
                begin = token.start()
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
            if depth == 0:
                yield block[begin : token.end()]


def flattened(text: str, begin: int = 0, deepest: int = _DEEPEST[0]) -> tuple[str, int]:
    """Return a value of JSON with notes in place of values nested too deeply.

    A note holds a digest of the value, so that different values stay different. Returns
    the offset of the end of the value as well. Raises ValueError if it does not end, or
    if a value that a note replaces is not JSON.
    """
    kept = []
    depth = 0
    at = deep = begin
    for token in BRACKET.finditer(text, begin):
        if token[0] in "{[":
            depth += 1
            if depth == deepest:
                deep = token.start()
                kept.append(text[at:deep])
        elif token[0] in "}]":
            if depth == deepest:
                at = token.end()
                kept.append(_note(text[deep:at]))
            depth -= 1
            if depth == 0:
                return "".join([*kept, text[at : token.end()]]), token.end()
    raise ValueError("not closed")


def _note(value: str) -> str:
    if not _is_deep_json(value):
        raise ValueError("not JSON inside")
    digest = blake2b(value.encode(errors="surrogatepass"), digest_size=4)
    note = f"{len(value)} characters nested too deeply, dropped"
    return f'"({note}: {digest.hexdigest()})"'


def _is_deep_json(text: str) -> bool:
    """Return True if a text is one JSON value: nothing here recurses."""
    text = text.rstrip(" \t\n\r")
    outer: list[str] = []
    due = "value"
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return False
        at = token.end()
        match token.lastgroup, due:
            case "opening", "value" | "item":
                outer.append(token["opening"])
                due = "item" if outer[-1] == "[" else "name"
            case "closing", "item" | "name" | "more" if outer:
                if outer.pop() + token["closing"] not in ("[]", "{}"):
                    return False
                due = "more"
            case "string", "name" | "next name":
                due = "colon"
            case "string" | "scalar", "value" | "item":
                due = "more"
            case "colon", "colon":
                due = "value"
            case "comma", "more" if outer:
                due = "next name" if outer[-1] == "{" else "value"
            case _:
                return False
    return due == "more" and not outer
