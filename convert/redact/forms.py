"""The forms in which a secret appears elsewhere: escaped, quoted or encoded."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from urllib.parse import quote, quote_plus

# The forms of shorter secrets may be anything else; those of longer ones take memory.
_SHORTEST = 8
_LONGEST = 512
# JavaScript leaves these as they are in an address.
_SAFE = ("", "/", "!'()*")


def written(secret: str) -> set[str]:
    """Return a secret as addresses, pages, JSON and shells write it, if they differ."""
    if not _SHORTEST <= len(secret) <= _LONGEST:
        return set()
    raw = secret.encode(errors="surrogatepass")
    addresses = [quote(raw, safe) for safe in _SAFE] + [quote_plus(raw)]
    pages = [html.escape(secret, quote=False), html.escape(secret)]
    pages.append(pages[1].replace("&#x27;", "&#39;"))
    strings = [
        json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)
    ]
    shells = [_unquoted(secret), secret.replace("'", "'\\''")]
    return {*addresses, *pages, *strings, *shells} - {secret}


def encoded(secret: str) -> set[str]:
    """Return a secret in base64, without the characters that depend on its neighbours.

    Three bytes make four characters, so that there are three forms.
    """
    if not _SHORTEST <= len(secret) <= _LONGEST:
        return set()
    raw = secret.encode(errors="surrogatepass")
    forms = {_aligned(raw, before) for before in range(3)}
    return forms | {form.replace("+", "-").replace("/", "_") for form in forms}


def _aligned(raw: bytes, before: int) -> str:
    """Return bytes in base64, after so many others."""
    text = b64encode(bytes(before) + raw).decode()
    return text[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]


def _unquoted(secret: str) -> str:
    """Return what a shell makes of quotes inside of quotes."""
    return secret.replace("'\\''", "'").replace("'\"'\"'", "'")
