"""Blocks of bytes to lines of stream-json, good and damaged.

A block is decoded at once. If a line of it is refused, the block is read again line by
line, and a line that msgspec refuses goes to the standard library, which takes more:
halves of an emoji, odd numbers, two events on a line, a prefix in front of one. What
does not fit the structs is left out of the event, not the event out of the log.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from convert.errors import Warn, ignore
from convert.formats.stream_json.wire import Line, Wire
from convert.lines import EVENT, EVENT_BYTES, Gap, is_json, is_one_line, wrapped_event
from convert.unwrap import unwrap, wrapped_from


class Lines(Struct):
    """The events of a block, the numbers of their lines, and their bytes.

    `last` is the number of the block's last line.
    """

    events: list[Line]
    numbers: list[int] | range
    last: int
    raws: list[bytes] = []
    has_init: bool = False

    def raw(self, index: int) -> bytes:
        """The bytes of one event, without white space around them."""
        raw = self.raws[index] = self.raws[index].strip()
        return raw


def _integer(digits: str) -> int | float:
    """An integer; one of more digits than Python converts is as good as infinite."""
    return int(digits) if len(digits) < 4300 else float("inf")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


# What msgspec raises for bytes it does not take; the second is no error of its own.
_REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_JSON = json.JSONDecoder(parse_int=_integer, parse_constant=_no_constant)
_OBJECT = re.compile(r'\{\s*"')
# Between events on a line, and behind the last: blanks, and colours of a terminal.
_BETWEEN = re.compile(r"(?:[\s,\0]|\x1b\[[0-?]*[ -/]*[@-~])*")
_INIT = b'"init"'
_WHITE = b" \t\r\n\0"
_INCOMPLETE = "incomplete last line skipped"
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]')
_DEEPEST = 200
_PIECE = 1 << 20
_MOST_GLUED = 1000
_MOST_READ = 4


def read_lines(
    blocks: Iterable[bytes],
    wire: Wire,
    longest: int,
    warn: Warn,
    first: int = 1,
    is_unwrapped: bool = False,
) -> Iterator[Lines]:
    """Decode blocks that end at a line feed; the last one may lack it.

    `has_init` of what is given says that a line of it may be an init. Where the bytes
    of every event are asked for, each line is decoded alone, since only that proves
    that it holds one event. From the first line on that JSON is spread over
    lines or wrapped in an array, it is unwrapped, values of up to `longest` bytes.
    `first` is the number of a line.
    """
    blocks = iter(blocks)
    for block in blocks:
        if isinstance(block, Gap):
            warn(first, block.what)
            yield Lines([], [], first)
            first += 1
            continue
        raws = [block] if is_one_line(block) else io.BytesIO(block).readlines()
        numbers = range(first, first + len(raws))
        found = _at_once(block, raws, numbers, wire)
        at = None if found or is_unwrapped else wrapped_from(block)
        if at is not None:
            unwrapped = unwrap(itertools.chain([block[at:]], blocks), longest)
            rest = itertools.chain([block[:at]], unwrapped)
            yield from read_lines(rest, wire, longest, warn, first, is_unwrapped=True)
            return
        first += len(raws)
        if raws:
            yield found or _line_by_line(raws, numbers, wire, warn)


def _at_once(
    block: bytes, raws: list[bytes], numbers: range, wire: Wire
) -> Lines | None:
    """Decode a block in which every line is one event; None if it is another."""
    decoder = wire.decoder
    try:
        if wire.is_raw and raws:
            _check_utf8(block)
            events = [decoder.decode(raw) for raw in raws]
            return Lines(events, numbers, numbers[-1], raws, _INIT in block)
        events = decoder.decode_lines(block)
    except _REFUSED:
        return None
    if len(events) != len(raws) or not _is_line_by_line(raws):
        return None
    return Lines(events, numbers, numbers[-1], raws, _INIT in block)


def _is_line_by_line(raws: list[bytes]) -> bool:
    """Whether no value goes on behind the end of a line.

    Behind `}` and a line feed, `{` can only begin another value.
    """
    first, last = itemgetter(0), itemgetter(slice(-2, None))
    return set(map(first, raws)) == {123} and set(map(last, raws)) == {b"}\n"}


def _line_by_line(raws: list[bytes], numbers: range, wire: Wire, warn: Warn) -> Lines:
    """Decode what is good in a block and warn of the rest."""
    found = [
        (event, number, event_raw)
        for number, raw in zip(numbers, raws, strict=True)
        for event, event_raw in _decode(raw, number, wire, warn)
    ]
    events = [event for event, _, _ in found]
    return Lines(
        events,
        [number for _, number, _ in found],
        numbers[-1],
        [event_raw for _, _, event_raw in found],
        any(event.subtype == "init" for event in events),
    )


def _decode(
    raw: bytes, number: int, wire: Wire, warn: Warn
) -> Iterator[tuple[Line, bytes]]:
    """Give the events of one line, each with its bytes."""
    stripped = raw.strip(_WHITE)
    if not stripped:
        return
    for line in _without_prefix(stripped):
        try:
            if wire.is_raw:
                _check_utf8(line)
            yield wire.decoder.decode(line), line
            return
        except _REFUSED:
            pass
    text = stripped.decode(errors="replace")
    is_replaced = "\ufffd" in text and text.encode() != stripped
    # What is shown as its own bytes loses nothing.
    quiet = ignore if wire.is_raw else warn
    begin: int | None = _begin(text)
    while begin is not None:
        try:
            value, end = _raw_decode(
                text, begin, number, warn if wire.has_values else ignore
            )
        except ValueError:
            begin = _next_whole(text, begin)
            if begin is None:
                is_last = not raw.endswith(b"\n")
                warn(number, _INCOMPLETE if is_last else "not JSON, skipped")
            else:
                warn(number, "incomplete event in front of another, skipped")
            continue
        if not isinstance(value, dict):
            is_whole = end == len(text)
            warn(number, f"not {'an event' if is_whole else 'JSON'}, skipped")
            return
        if (inner := wrapped_event(value)) is not None:
            line = f"{inner}\n".encode(errors="surrogatepass")
            yield from _decode(line, number, wire, warn)
        elif isinstance(value.get("type"), str):
            if is_replaced:
                warn(number, "invalid UTF-8, replaced")
                is_replaced = False
            yield fit(value, wire.line, number, quiet), text[begin:end].encode()
        else:
            warn(number, "not an event, skipped")
        begin = _next(text, end, number, warn)


def decode_again(raw: bytes, wire: Wire) -> Line | None:
    """The event of bytes that have been read before; all was said of it then."""
    found = next(_decode(raw + b"\n", 0, wire, ignore), None)
    return found and found[0]


def _without_prefix(line: bytes) -> Iterator[bytes]:
    """A line, and what is left of it without the prefix of a runner."""
    yield line
    if not line.startswith((b"{", b"[")):
        match = EVENT_BYTES.search(line)
        if match:
            yield line[match.start() :]


def _raw_decode(text: str, begin: int, number: int, warn: Warn) -> tuple[Any, int]:
    """Decode the value that begins at a place; what is nested too deeply is left out.

    Returns the value and where it ends; raises ValueError for what is no JSON.
    """
    try:
        return _JSON.raw_decode(text, begin)
    except RecursionError:
        flat = _flattened(text[begin:])
        value, end = _JSON.raw_decode(flat)
        if end != len(flat):
            raise ValueError("more than one value") from None
        warn(number, "values nested too deeply, left out")
        return value, len(text)


def _flattened(text: str) -> str:
    """JSON with a note for what is nested deeper than a recursion should go.

    The note tells values apart, so that two of them do not compare as one.
    """
    kept = []
    depth = at = begin = 0
    for token in _TOKEN.finditer(text):
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
    # What is not closed is no JSON, and nothing is left of it to recurse into.
    return "".join([*kept, text[at:] if depth < _DEEPEST else ""])


def _left_out(value: str) -> str:
    import hashlib

    digest = hashlib.blake2b(value.encode(errors="surrogatepass"), digest_size=4)
    what = f"{len(value)} characters nested too deeply, left out"
    return f'"({what}: {digest.hexdigest()})"'


def _next_whole(text: str, begin: int) -> int | None:
    """Where an event begins behind one that breaks off on the same line.

    Objects inside an event may look like one, but have no session. All tries together
    read no more than a few times the line.
    """
    left = _MOST_READ * len(text) + _PIECE
    for match in itertools.islice(EVENT.finditer(text, begin + 1), _MOST_GLUED):
        try:
            value, end = _JSON.raw_decode(text, match.start())
        except json.JSONDecodeError as error:
            end = error.pos
        except (ValueError, RecursionError):
            continue
        else:
            if "session_id" in value:
                return match.start()
        left -= end - match.start()
        if left < 0:
            break
    return None


def _check_utf8(raw: bytes) -> None:
    """Raise UnicodeDecodeError: msgspec passes over it in members that it skips.

    Piece by piece, since one emoji makes text four times as long as its bytes.
    """
    if raw.isascii():
        return
    decode = codecs.getincrementaldecoder("utf-8")().decode
    for at in range(0, len(raw), _PIECE):
        decode(raw[at : at + _PIECE])
    decode(b"", True)


def _begin(text: str) -> int:
    """Where JSON begins on a line, behind the prefix of a runner if there is one."""
    if text[0] == "{" or (text[0] == "[" and is_json(text)):
        return 0
    match = EVENT.search(text) or _OBJECT.search(text)
    return match.start() if match else 0


def _next(text: str, end: int, number: int, warn: Warn) -> int | None:
    """Where the next event on the line begins, if there is one."""
    between = _BETWEEN.match(text, end)
    begin = between.end() if between else end
    if begin == len(text):
        return None
    if text[begin] == "{":
        return begin
    warn(number, "text behind an event, skipped")
    return _next_whole(text, end)


def fit(value: Any, kind: Any, number: int, warn: Warn) -> Any:
    """Make what a type says of a value, without what does not fit; UNSET if nothing."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        pass
    match value, _shape(value, kind):
        case dict(), type() as struct if issubclass(struct, Struct):
            members = {
                field.name: fit(value[field.name], field.type, number, warn)
                for field in msgspec.structs.fields(struct)
                if field.name in value
            }
            fitting = {k: v for k, v in members.items() if v is not msgspec.UNSET}
            lost = sorted(members.keys() - fitting.keys())
            if lost:
                warn(number, f"{', '.join(lost)} not as expected, ignored")
            return struct(**fitting)
        case dict(), inner if inner is not None:
            members = {k: fit(v, inner, number, warn) for k, v in value.items()}
            return {k: v for k, v in members.items() if v is not msgspec.UNSET}
        case list(), inner if inner is not None:
            items = (fit(item, inner, number, warn) for item in value)
            return [item for item in items if item is not msgspec.UNSET]
    return msgspec.UNSET


def _shape(value: Any, kind: Any) -> Any:
    """The struct that a type has for an object, or what it says of the members."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    for option in options:
        if isinstance(value, dict) and isinstance(option, type):
            if issubclass(option, Struct):
                return option
        elif get_origin(option) is type(value):
            return get_args(option)[-1]
    return None
