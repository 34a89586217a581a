"""Members of JSON whose value is a secret, whatever it looks like."""

from __future__ import annotations

import functools
import re

from convert.redact.rule import Secret
from convert.redact.values import is_filled, is_given

# Versions, and the words of manifests and schemas.
_NO_SECRET = re.compile(
    r"[\^~<>=v]{0,2}\d{1,4}(?:\.[\dx*]{1,6}){1,3}[\w.+-]{0,32}"
    r"|string|text|number|boolean|required|optional|include|omit|same-origin|identifier"
    r"|password|token|secret|key|plain|none|login|env|config|default|bearer|basic",
    re.DOTALL,
)
# `password`, `DB_PASSWORD`, `x-api-key`, `clientSecret`; not `apiKeySource`.
_NAME = re.compile(
    r"(?:.{0,64}[_.\- ])?(?i:passwords?|passwd|passphrase|passcode|pass|pwd|secret"
    r"|token|credentials?|private|authtoken|_auth|apikeys?"
    r"|(?:api|access|secret|private|auth|signing|encryption|account|license|master"
    r"|subscription|storage|service|client|shared|app|ssh|deploy)[_-]?key"
    r"|authorization|connection[_-]?string|webhook[_-]?url)(?:[_-]?\d{1,2})?"
    r"|.{0,64}[a-z0-9](?:Password|Passphrase|Passwd|Pass|Pwd|Secret|Token|ApiKey|APIKey"
    r"|AccessKey|SecretKey|PrivateKey|AuthKey|Credentials)"
    r"|(?P<auth>auth)|(?P<cookie>(?i:cookie|set-cookie))"
)
# A field of a page: `#password`, `input[name=token]`, `Password of the admin`.
_FIELD = re.compile(
    r"(?i)(?<![a-z])(?:pass(?:word|wort|wd|phrase|code)?|pwd|secret|token|api.?key)(?![a-z])"
)
_LONGEST = 128
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
# The words of such names in which no literal of a place is, in small letters, and what
# follows each in JSON.
_END = r"(?:[_-]?\d{1,2})?\\*\""
OTHER_NAMES = (
    *(("cookie", _END), ("private", _END)),
    *(("connection", "[_-]?string"), ("webhook", "[_-]?url")),
)
# Each such name holds one of these words, in small letters.
_WORDS = (
    *("pass", "pwd", "secret", "token", "credential", "private", "string", "webhook"),
    *("key", "auth", "cookie"),
)


def may_name_secret(text: str) -> bool:
    """Return True if a text may hold the name of such a member."""
    text = text.lower()
    return any(word in text for word in _WORDS)


def as_member(name: str, value: str) -> list[Secret]:
    """Return the value of a member as a secret if its name says so, else nothing.

    A placeholder (`$TOKEN`, `<key>`) is no secret. A package may be called cookie, so
    the value of `cookie` is a secret only if it sets one (`name=...`).
    """
    kind = _kind(name)
    if not kind or not is_given(value) or _NO_SECRET.fullmatch(value):
        return []
    if kind == "cookie" and "=" not in value:
        return []
    if kind == "auth":
        if not _BASE64.fullmatch(value) or value.islower():
            return []
        kind = "password"
    return [Secret(0, len(value), kind)]


def as_typed(field: str, value: str) -> list[Secret]:
    """Return what is typed into a field of a page as a secret if that asks for one."""
    if len(value) > _LONGEST or not _FIELD.search(field) or not is_filled(value):
        return []
    return [Secret(0, len(value), "password")]


@functools.lru_cache(maxsize=10_000)
def _kind(name: str) -> str:
    match = _NAME.fullmatch(name)
    # A name with a slash is that of a package.
    if match is None or "/" in name:
        return ""
    return match.lastgroup or "password"
