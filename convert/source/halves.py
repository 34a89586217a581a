"""Halves of an emoji in long lines.

JSON may hold half of a surrogate pair, which msgspec refuses. The standard library
takes ten times the length of a line for one, so in a long line a half becomes the
character as which it is shown in the end.
"""

from __future__ import annotations

import re

from convert.source.lines import check_utf8
from convert.source.ndjson import REFUSED, Decoding, E

SHORTEST = 1 << 20
"""Shorter lines keep their halves, in bytes: others may complete them."""

_HIGH, _LOW = (rf"u[dD][{digits}][0-9a-fA-F]{{2}}" for digits in ("89abAB", "c-fC-F"))
# Halves, and what looks like one or makes another look so: a backslash, a whole pair.
# At the end of a string, the other half may be at the beginning of the next line's.
_HALF = re.compile(
    rf'\\(?:\\|{_HIGH}\\{_LOW}|(?P<half>{_HIGH}(?!")|(?<!"\\){_LOW}))'.encode()
)


def decode_without_halves(raw: bytes, decoding: Decoding[E]) -> E | None:
    """Decode a long line that halves alone make unreadable; None for any other."""
    if len(raw) < SHORTEST:
        return None
    changed = _HALF.sub(_whole, raw)
    if changed == raw:
        return None
    try:
        if decoding.is_raw:
            check_utf8(changed)
        return decoding.decoder.decode(changed)
    except REFUSED:
        return None


def _whole(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match["half"] else match[0]
