"""Lines that msgspec refuses, read by the standard library, which accepts more.

Examples are halves of an emoji, odd numbers, two events on a line and a prefix before
an event. A member that does not fit the struct of the format is left out of the event;
the event is not left out of the log.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from convert.errors import Warn, ignore
from convert.source.coercion import coerce
from convert.source.embedded import EVENT, begin_of_event, wrapped_event
from convert.source.halves import decode_without_halves
from convert.source.lines import WHITE, check_utf8
from convert.source.ndjson import REFUSED, Decoding, E
from convert.source.nesting import EXACT, is_json, raw_decode

_OBJECT = re.compile(r'\{\s*"')
# Between events on a line, and after the last: white space, and colours of a terminal.
_BETWEEN = re.compile(r"(?:[\s,\0]|\x1b\[[0-?]*[ -/]*[@-~])*")
_PIECE = 1 << 20
_MOST_GLUED = 1000
_MOST_READ = 4


def decode_line(
    raw: bytes, number: int, decoding: Decoding[E], warn: Warn, is_refused: bool = False
) -> Iterator[tuple[E, bytes]]:
    """Yield the events of one line, each with its bytes.

    `is_refused` is True if msgspec has already refused the line.
    """
    stripped = raw.strip(WHITE)
    if not stripped:
        return
    if stripped[:1] == b"{" and b"}" not in stripped:
        # The commonest damage. Most of the time here goes to decoding it in vain.
        warn(number, *_skipped(raw))
        return
    if decoding.message is not None and stripped[:1] != b"{":
        made = decoding.message(stripped.decode(errors="replace"))
        if made:
            yield decoding.decoder.decode(made), made
            return
    is_hopeless = is_refused and len(stripped) + 1 >= len(raw) and stripped[:1] == b"{"
    for line in () if is_hopeless else _without_prefix(stripped):
        try:
            if decoding.is_raw:
                check_utf8(line)
            yield decoding.decoder.decode(line), line
            return
        except REFUSED:
            pass
    # Each copy of a long line counts.
    del stripped
    event = decode_without_halves(raw, decoding)
    if event is None:
        yield from _decode_values(raw, number, decoding, warn)
    else:
        yield event, raw


def _decode_values(
    raw: bytes, number: int, decoding: Decoding[E], warn: Warn
) -> Iterator[tuple[E, bytes]]:
    """Yield the events of a line value by value."""
    stripped = raw.strip(WHITE)
    text = stripped.decode(errors="replace")
    is_replaced = "\ufffd" in text and text.encode() != stripped
    begin: int | None = _begin(text, decoding.own_member)
    while begin is not None:
        try:
            value, end, is_flat = raw_decode(EXACT, text, begin)
        except ValueError:
            begin = _next_whole(text, begin, decoding.own_member)
            glued = "incomplete event before another", "skipped"
            warn(number, *(_skipped(raw) if begin is None else glued))
            continue
        if is_flat and decoding.has_values:
            warn(number, "values nested too deeply", "left out")
        if not isinstance(value, dict):
            is_whole = end == len(text)
            warn(number, "not an event" if is_whole else "not JSON", "skipped")
            return
        if is_replaced and isinstance(value.get(decoding.text_member), str):
            warn(number, "invalid UTF-8", "replaced")
            is_replaced = False
        yield from _events_in(value, text[begin:end], number, decoding, warn)
        begin = _next(text, end, number, decoding.own_member, warn)


def _events_in(
    value: dict[str, Any], text: str, number: int, decoding: Decoding[E], warn: Warn
) -> Iterator[tuple[E, bytes]]:
    """Yield the event that an object is, or that a recorder has wrapped in it."""
    if isinstance(value.get(decoding.text_member), str):
        # An event that is shown as its own bytes loses no member.
        warn_of_members = ignore if decoding.is_raw else warn
        yield coerce(value, decoding.event, number, warn_of_members), text.encode()
    elif (inner := wrapped_event(value, decoding.text_member)) is not None:
        line = f"{inner}\n".encode(errors="surrogatepass")
        yield from decode_line(line, number, decoding, warn)
    else:
        warn(number, "not an event", "skipped")


def _skipped(raw: bytes) -> tuple[str, str]:
    """Return the warning for a line without an event; the last may be incomplete."""
    is_last = not raw.endswith(b"\n")
    return ("incomplete last line skipped", "") if is_last else ("not JSON", "skipped")


def decode_again(raw: bytes, decoding: Decoding[E]) -> E | None:
    """Decode the bytes of an event again, without the warnings that it caused."""
    found = next(decode_line(raw + b"\n", 0, decoding, ignore), None)
    return found and found[0]


def _without_prefix(line: bytes) -> Iterator[bytes]:
    """Yield a line, and the rest of it after the prefix of a runner."""
    yield line
    if not line.startswith((b"{", b"[")):
        begin = begin_of_event(line)
        if begin is not None:
            yield line[begin:]


def _next_whole(text: str, begin: int, own_member: str) -> int | None:
    """Find an event after one that breaks off on the same line.

    Objects inside an event may look like one, but lack its own member. All tries
    together read no more than a few times the line.
    """
    left = _MOST_READ * len(text) + _PIECE
    for match in itertools.islice(EVENT.finditer(text, begin + 1), _MOST_GLUED):
        try:
            value, end, _ = raw_decode(EXACT, text, match.start())
        except ValueError as error:
            end = getattr(error, "pos", len(text))
        else:
            if own_member in value:
                return match.start()
        left -= end - match.start()
        if left < 0:
            break
    return None


def _begin(text: str, own_member: str) -> int:
    """Find where JSON begins on a line, perhaps after the prefix of a runner.

    An event may begin with other members than its type, and hold objects that begin
    with theirs.
    """
    if text[0] == "{" or (text[0] == "[" and is_json(text)):
        return 0
    match, outer = EVENT.search(text), _OBJECT.search(text)
    if match and outer and outer.start() < match.start():
        try:
            value, _, _ = raw_decode(EXACT, text, outer.start())
        except ValueError:
            return match.start()
        return outer.start() if own_member in value else match.start()
    match = match or outer
    return match.start() if match else 0


def _next(text: str, end: int, number: int, own_member: str, warn: Warn) -> int | None:
    """Find where the next event on the line begins, if there is one."""
    if end == len(text):
        return None
    between = _BETWEEN.match(text, end)
    begin = between.end() if between else end
    if begin == len(text):
        return None
    if text[begin] == "{":
        return begin
    warn(number, "text after an event", "skipped")
    return _next_whole(text, end, own_member)
