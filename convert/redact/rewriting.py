"""Secrets in JSON: only strings change, all else keeps its bytes."""

from __future__ import annotations

import json
import re

from convert.redact import Redactor
from convert.redact.members import as_member, may_name_secret
from convert.redact.rules import Rule
from convert.source.embedded import is_json

# A string, with the colon behind it if it is the name of a member, or a bracket.
_TOKEN = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<colon>\s*+:)?|[\[\]{}]', re.DOTALL
)
# With these, a literal may stand in JSON without being seen.
_ESCAPES = ("\\u", "\\/")
# Members whose values are words of the format, which no pattern of the user means.
_WORDS = {"type", "subtype", "role", "query_type"}
# What is given the name of the one as its value.
_NAMING, _VALUES = {"name", "key", "Name", "Key"}, {"value", "Value"}


class Rewriting:
    """Redacts the strings of one line of JSON, with the names of their members."""

    def __init__(self, redactor: Redactor, kind: str, said: str | None = None) -> None:
        self._redactor = redactor
        self._kind = kind
        self._said = said
        # The name that the next value goes by, and of each list what its values do.
        self._member = ""
        self._open: list[str] = []
        self._named = ""

    def line(self, raw: bytes) -> bytes:
        """The line with its strings redacted; the same where nothing is found."""
        text = raw.decode("latin-1")
        is_escaped = any(escape in text for escape in _ESCAPES)
        rules = self._redactor.rules if is_escaped else self._redactor.suspected(text)
        is_plain = not (rules or self._kind == "result" or may_name_secret(text))
        if is_plain and self._said is None:
            return raw
        return self._redacted(raw, rules)

    def _redacted(self, json_text: bytes, rules: list[Rule]) -> bytes:
        self._rules = rules
        self._of_names = self._redactor.issued(rules)
        return _TOKEN.sub(self._token, json_text)

    def _token(self, match: re.Match[bytes]) -> bytes:
        if match[0][:1] != b'"':
            self._bracket(match[0])
            return match[0]
        colon = match["colon"] or b""
        token = match[0].removesuffix(colon)
        text = json.loads(token.decode(errors="replace"), strict=False)
        if colon:
            self._member = text
            changed = self._redactor.text(text, self._of_names)
        else:
            changed = self._value(text)
            self._member = self._open[-1] if self._open else ""
        return match[0] if changed == text else _quoted(changed) + colon

    def _bracket(self, bracket: bytes) -> None:
        """Keep what the values of an open list go by; those of an object have names."""
        if bracket in b"[{":
            self._open.append(self._member if bracket == b"[" else "")
        elif self._open:
            self._open.pop()
        self._member = self._open[-1] if self._open else ""

    def _value(self, text: str) -> str:
        if self._said is not None and self._is_said():
            said, self._said = self._said, ""
            return said
        member, redactor = self._member, self._redactor
        if member in _NAMING:
            self._named = text
        name = self._named if member in _VALUES else member
        if secrets := as_member(name, text):
            return redactor.replace(text, secrets)
        if self._may_be_json(text) and is_json(text):
            # The arguments of a function are JSON in a string, files may be.
            inner = Rewriting(redactor, "")
            raw = text.encode(errors="surrogatepass")
            text = inner._redacted(raw, redactor.rules).decode(errors="surrogatepass")
        rules = self._of_names if member in _WORDS else self._rules
        is_repeated = self._kind == "result" and member == "result"
        return redactor.text(text, rules, is_repeated=is_repeated)

    def _is_said(self) -> bool:
        """Whether a value is a text that the agent says, by its place in the line."""
        depth = len(self._open)
        if self._kind == "thinking":
            return depth == 1 and self._member == "text"
        if depth == 1:
            return self._member == "message"
        return depth > 1 and self._member in ("text", "content")

    def _may_be_json(self, text: str) -> bool:
        is_worth_it = may_name_secret(text) or any(part in text for part in _ESCAPES)
        return text.lstrip()[:1] in ("{", "[") and '"' in text and is_worth_it


def _quoted(text: str) -> bytes:
    """A string in JSON; half an emoji, which UTF-8 cannot hold, as an escape."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()
