"""JSON that is nested deeper than Python recurses."""

from __future__ import annotations

import re

_DEEPEST = 200
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]')
_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<opening>[\[{])|(?P<closing>[\]}])|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})'
    r'[^"\\\x00-\x1f]*+)*+")'
    r"|(?P<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))"
)


def flattened(text: str) -> str:
    """Return JSON with a note in place of each value that is nested too deeply.

    The note holds a digest of the value, so that different values stay different.
    Raises ValueError if a value that is left out is not JSON.
    """
    kept = []
    depth = at = begin = 0
    for token in _BRACKET.finditer(text):
        if token[0] in "{[":
            depth += 1
            if depth == _DEEPEST:
                begin = token.start()
                kept.append(text[at:begin])
        elif token[0] in "}]":
            if depth == _DEEPEST:
                at = token.end()
                kept.append(_left_out(text[begin:at]))
            depth -= 1
    # A value that is not closed is not JSON, so nothing of it is kept to recurse into.
    return "".join([*kept, text[at:] if depth < _DEEPEST else ""])


def _left_out(value: str) -> str:
    import hashlib

    if not _is_json(value):
        raise ValueError("not JSON inside")
    digest = hashlib.blake2b(value.encode(errors="surrogatepass"), digest_size=4)
    what = f"{len(value)} characters nested too deeply, left out"
    return f'"({what}: {digest.hexdigest()})"'


def _is_json(text: str) -> bool:
    """Return True if a text is one JSON value, of any depth: nothing here recurses."""
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
