"""Secrets in JSON: only strings change, all else keeps its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from msgspec import Struct

from convert.redact import Redactor
from convert.redact.members import as_member, as_typed, may_name_secret
from convert.redact.suspicion import is_escaped
from convert.source.nesting import is_json

# A string, with the colon after it if it is the name of a member, or a bracket.
_TOKEN = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<colon>\s*+:)?|[\[\]{}]', re.DOTALL
)
# The value of the one is the name of the value of the other.
_NAMING, _VALUES = {"name", "key", "Name", "Key"}, {"value", "Value"}
# A field of a page, and what is typed into it.
_FIELDS, _TYPED = {"selector", "element", "label", "field"}, {"text", "value"}


def _is_no_text(depth: int, member: str) -> bool:
    return False


class Shape(Struct, frozen=True):
    """The meaning of the strings of a line, which only its format knows."""

    keywords: frozenset[str] = frozenset()
    """Members whose values are words of the format: no pattern of the user applies."""

    is_text: Callable[[int, str], bool] = _is_no_text
    """Tells by its depth, from 1, and its member if a string is a piece of a text."""


def rewrite(
    raw: bytes, redactor: Redactor, shape: Shape, pieces: list[str] | None
) -> bytes:
    """Return a line of JSON without its secrets; the same bytes if it holds none.

    Unless `pieces` is None, they replace the pieces of a text in the line.
    """
    return _Rewriting(redactor, shape, pieces).json(raw)


class _Rewriting:
    """Redacts the strings of one JSON value, with the names of their members."""

    def __init__(
        self, redactor: Redactor, shape: Shape, pieces: list[str] | None
    ) -> None:
        self._redactor = redactor
        self._shape = shape
        self._pieces = pieces
        # The name of the next value, and for each open list that of its values.
        self._member = ""
        self._open: list[str] = []
        self._named = self._field = ""

    def json(self, raw: bytes) -> bytes:
        """Return JSON with its strings redacted."""
        return _TOKEN.sub(self._token, raw)

    def _token(self, match: re.Match[bytes]) -> bytes:
        token = match[0]
        if token[:1] != b'"':
            self._bracket(token)
            return token
        colon = match["colon"] or b""
        token = token.removesuffix(colon)
        text = _unquoted(token)
        if colon:
            self._member = text
            found = self._redactor.find_issued(text) if len(text) > 3 else []
            changed = self._redactor.replace(text, found) if found else text
        else:
            changed = self._value(text)
            self._member = self._open[-1] if self._open else ""
        return match[0] if changed == text else _quoted(changed) + colon

    def _bracket(self, bracket: bytes) -> None:
        """Keep the name for the values of an open list; those of an object have own."""
        if bracket == b"{":
            # An object may have the name of a secret, and a member for its value.
            self._named, self._field = self._member, ""
        if bracket in b"[{":
            self._open.append(self._member if bracket == b"[" else "")
        elif self._open:
            self._open.pop()
        self._member = self._open[-1] if self._open else ""

    def _value(self, text: str) -> str:
        member, redactor = self._member, self._redactor
        if self._pieces is not None and self._shape.is_text(len(self._open), member):
            return self._pieces.pop(0) if self._pieces else ""
        if member in _NAMING:
            self._named = text
        name = self._named if member in _VALUES else member
        if secrets := as_member(name, text):
            return redactor.replace(text, secrets)
        if member in _FIELDS:
            self._field = text
        elif member in _TYPED and (secrets := as_typed(self._field, text)):
            return redactor.replace(text, secrets)
        if self._may_be_json(text) and is_json(text):
            # The arguments of a function are JSON in a string, files may be.
            inner = _Rewriting(redactor, Shape(self._shape.keywords), None)
            raw = inner.json(text.encode(errors="surrogatepass"))
            text = raw.decode(errors="surrogatepass")
        if member in self._shape.keywords:
            return redactor.replace(text, redactor.find_issued(text))
        return redactor.text(text)

    def _may_be_json(self, text: str) -> bool:
        if text.lstrip()[:1] not in ("{", "[") or '"' not in text:
            return False
        return may_name_secret(text) or is_escaped(text)


def _unquoted(token: bytes) -> str:
    """Return the value of a string in JSON; most have no escapes."""
    if b"\\" not in token:
        return token[1:-1].decode(errors="replace")
    text: str = json.loads(token.decode(errors="replace"), strict=False)
    return text


def _quoted(text: str) -> bytes:
    """Return a string in JSON; half an emoji, which is not UTF-8, becomes an escape."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()
