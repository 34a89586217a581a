"""Lines that msgspec refuses: damaged events, events inside other text, and noise.

The standard library accepts more: halves of an emoji, odd numbers, two events on a
line, a prefix before an event. A member that does not fit the struct of the format is
dropped; its event is kept.

A log may hold millions of short lines that a program printed. To decode each of them in
vain, by msgspec and then by the standard library, takes ten times as long as to match
its first characters (`skip_noise`).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from convert.errors import Warn, ignore
from convert.source.lines import REFUSED, WHITE, check_utf8
from convert.source.ndjson import Decoding, E, coerce, members_of
from convert.source.nesting import EXACT, is_json, raw_decode

# The start of an event, perhaps after the prefix of a runner.
# Some agents write the time before the type, and the place in the log after the time.
_BEGIN = (
    r'\{\s*(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?)?'
    r'"type"\s*:'
)
EVENT = re.compile(_BEGIN)
EVENT_BYTES = re.compile(_BEGIN.encode())
# A terminal's colours, and a disk's zeros, may follow an event as well.
_AFTER = re.compile(rb"(?:[\s\0]|\x1b\[[0-?]*[ -/]*[@-~])*+\Z")
# One of these is in each line of an agent that does not begin it with its type.
_SESSIONS = ("sessionId", "session_id", "sessionID", "parentUuid", "uuid")


def begin_of_event(line: bytes) -> int | None:
    """Return the begin of the event that ends a line, after the prefix of a runner.

    An event that does not begin with its type is one if it names its session.
    """
    match = EVENT_BYTES.search(line)
    inner = match.start() if match else None
    at = line.find(b'{"')
    end = line.rfind(b"}") + 1
    if at < 0 or inner == at or not (end and _AFTER.match(line, end)):
        return inner
    # An object that begins with its type may be a part of the event.
    found = members_of(line[at:end])
    has_session = not found.keys().isdisjoint(_SESSIONS)
    return at if has_session and isinstance(found.get("type"), str) else inner


def wrapped_event(value: dict[str, Any], member: str = "type") -> str | None:
    """Return the text of an event that a recorder put into an object of its own.

    A harness writes `{"t_ms": 17, "line": "{...}"}`, Docker `{"log": "{...}\\n", ...}`.
    `member` is one that each event has, and that is a text.
    """
    if isinstance(value.get("type"), str):
        return None
    texts = (text for text in value.values() if isinstance(text, str))
    return next((text for text in texts if _is_event(text, member)), None)


def _is_event(text: str, member: str) -> bool:
    """Return True if a text is an event, with any member first."""
    if EVENT.match(text):
        return True
    if not text.lstrip().startswith("{"):
        return False
    found = members_of(text.encode(errors="surrogatepass"))
    return isinstance(found.get("type"), str) or isinstance(found.get(member), str)


# The characters of `lines.WHITE`, apart from line feeds.
_WHITE = r"[ \t\r\0]*+"
# Values that are JSON and no objects.
_VALUE = (
    r'(?:"[^"\\\x00-\x1f]*+"|true|false|null'
    r"|-?(?:0|[1-9]\d*+)(?:\.\d+)?(?:[eE][+-]?\d+)?)"
)
# A bracket that breaks off, and text without any bracket of an object. Text that may be
# JSON after all, or become something else without its control characters, is in doubt.
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
    """Warn of the lines from an index on that are clearly no events.

    Returns the index after them. `first` is the number of the first of all lines. Once
    lines are unwrapped, a bracket on a line of its own begins no value.
    """
    match = _pattern(decoding.message_pattern, r"|\{" if is_unwrapped else "").match
    while at < len(raws) and (found := match(raws[at])):
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


# JSON may hold half of a surrogate pair, which msgspec refuses. The standard library
# takes ten times the length of a line for one, so in a long line a half becomes the
# replacement character at once.
SHORTEST = 1 << 20
"""Shorter lines keep their halves, in bytes: others may complete them."""

_HIGH, _LOW = (rf"u[dD][{digits}][0-9a-fA-F]{{2}}" for digits in ("89abAB", "c-fC-F"))
# Halves, and the texts that look like one or make another look so: backslashes, pairs.
# At the end of a string, the other half may be at the beginning of the next line's.
_HALF = re.compile(
    rf'\\(?:\\|{_HIGH}\\{_LOW}|(?P<half>{_HIGH}(?!")|(?<!"\\){_LOW}))'.encode()
)


def decode_without_halves(raw: bytes, decoding: Decoding[E]) -> E | None:
    """Decode a long line that only halves make unreadable; None for any other."""
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
            warn(number, "values nested too deeply", "dropped")
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
        with contextlib.suppress(ValueError):
            value, _, _ = raw_decode(EXACT, text, outer.start())
            if own_member in value:
                return outer.start()
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
