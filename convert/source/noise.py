"""Lines that are plainly no events, many at a time.

A log may hold millions of short lines that a program printed. Decoding each of them in
vain, by msgspec and then by the standard library, takes ten times as long as a look at
its first characters. Lines in doubt are left to `damaged`, which warns in the same way.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from convert.errors import Warn
from convert.source.ndjson import Decoding, E

# The characters of `lines.WHITE`, apart from line feeds.
_WHITE = r"[ \t\r\0]*+"
# Values that are JSON and no objects.
_VALUE = (
    r'(?:"[^"\\\x00-\x1f]*+"|true|false|null'
    r"|-?(?:0|[1-9]\d*+)(?:\.\d+)?(?:[eE][+-]?\d+)?)"
)
# A bracket that breaks off, and text without any bracket of an object. In doubt is what
# may be JSON after all, or may become something else without its control characters.
_NOT_JSON = (
    r"(?:\{[ \t\r]*+[^} \t\r\n][^}\n]*+"
    r'|(?!\[(?!(?!true|false|null)[A-Za-z])|"[^\n]*\\)[^\x00-\x08\x0a-\x1f\x7f-\xff{]*+'
    r"[ \t\r]*+)"
)


def skip_noise(
    raws: list[bytes],
    at: int,
    first: int,
    decoding: Decoding[E],
    warn: Warn,
    is_unwrapped: bool = False,
) -> int:
    """Warn of the lines from an index on that are plainly no events.

    Returns the index after them. `first` is the number of the first of all lines. Once
    lines are unwrapped, a bracket alone on one begins no value.
    """
    lone = r"|\{" if is_unwrapped else ""
    look = _pattern(decoding.message_pattern, lone).match
    while at < len(raws) and (found := look(raws[at])):
        if found.lastgroup:
            warn(first + at, found.lastgroup.replace("_", " "), "skipped")
        at += 1
    return at


@functools.cache
def _pattern(message: Callable[[], str] | None, lone: str) -> re.Pattern[bytes]:
    """Return the pattern of such lines, unless they may be messages."""
    is_message = f"(?!{message()})" if message else ""
    pattern = (
        f"{_WHITE}(?:\n|(?:(?P<not_an_event>{_VALUE}{_WHITE}\n)"
        f"|{is_message}(?P<not_JSON>(?:{_NOT_JSON}{lone})\n)))"
    )
    return re.compile(pattern.encode())
