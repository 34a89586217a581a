"""Headers of HTTP that hold a key, and cookies."""

from __future__ import annotations

from convert.redact.rule import Rule
from convert.redact.values import is_cookie, is_sent

_QUOTE = r"""\\{0,3}["']?"""
_SCHEME = r"(?:[A-Za-z][A-Za-z0-9-]{1,40}\s{1,4}(?:[a-z]{1,16}=\\{0,3}[\"']?)?)?"

HEADERS = (
    Rule(
        "authorization",
        ("authorization",),
        rf"(?i:authorization){_QUOTE}\]?\s{{0,4}}[:=,][ \t]{{0,4}}"
        rf"\\{{0,3}}[frbu]?{_QUOTE}{_SCHEME}"
        r"(?P<secret>(?!token=)[^\s\"'\\`,;|<>(){}]{6,4096}"
        r"(?:, ?[A-Za-z-]{1,32}=\\{0,3}\"?[^\s\"'\\`,;|<>(){}]{1,512}\\{0,3}\"?)"
        r"{0,16})",
        "Authorization: Basic «Ym9iOmh1bnRlcjI=»",
        is_sent,
    ),
    Rule(
        "authorization",
        ("bearer ",),
        r"(?i:bearer)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        "bearer «{a32}»",
        is_sent,
    ),
    Rule(
        "cookie",
        ("cookie:", "cookie ", "cookie="),
        r"(?i:cookie(?::\s?| |=))[\"']?"
        r"(?P<secret>[\w.%-]{1,64}=[^\r\n\"'\\]{4,4096})",
        "Set-Cookie: «session=abcdef0123»\n",
        is_cookie,
    ),
)
