"""Blocks of bytes to lines of stream-json, good and damaged.

A block is decoded at once. If a line of it is refused, the block is read again line by
line, and a line that msgspec refuses goes to the standard library, which takes more:
halves of an emoji, odd numbers, two events on a line, a prefix in front of one. What
does not fit the structs is left out of the event, not the event out of the log.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from convert.errors import Warn
from convert.formats.stream_json.wire import Line, Wire


class Lines(NamedTuple):
    """The events of a block, the numbers of their lines, and where their bytes are.

    `last` is the number of the block's last line. `raws` is None when the block was
    decoded at once.
    """

    events: list[Line]
    numbers: list[int] | range
    last: int
    block: bytes = b""
    raws: list[bytes] | None = None

    def raw(self, index: int) -> bytes:
        """The bytes of one event, without white space around them."""
        if self.raws is None:
            return bytes(_RAW.decode_lines(self.block)[index])
        return self.raws[index].strip()


# What msgspec raises for bytes it does not take; the second is no error of its own.
_REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_RAW = msgspec.json.Decoder(msgspec.Raw)
_JSON = json.JSONDecoder()
# Where an event begins behind the prefix of a runner; any object, if there is none.
_EVENT = re.compile(r'\{\s*"type"\s*:')
_OBJECT = re.compile(r'\{\s*"')
_WHITE = b" \t\r\n\0"
_INCOMPLETE = "incomplete last line skipped"


def read_lines(blocks: Iterable[bytes], wire: Wire, warn: Warn) -> Iterator[Lines]:
    """Decode blocks that end at a line feed; the last one may lack it.

    Where the bytes of every event are asked for, each line is decoded alone, since only
    that proves that it holds one event.
    """
    first = 1
    for block in blocks:
        raws = io.BytesIO(block).readlines()
        if not raws:
            continue
        numbers = range(first, first + len(raws))
        first += len(raws)
        yield _at_once(block, raws, numbers, wire) or _line_by_line(
            raws, numbers, wire, warn
        )


def _at_once(
    block: bytes, raws: list[bytes], numbers: range, wire: Wire
) -> Lines | None:
    """Decode a block in which every line is one event; None if it is another."""
    decoder = wire.decoder
    try:
        if wire.is_raw:
            _check_utf8(block)
            events = [decoder.decode(raw) for raw in raws]
            return Lines(events, numbers, numbers[-1], raws=raws)
        events = decoder.decode_lines(block)
    except _REFUSED:
        return None
    if len(events) != len(raws):
        return None
    return Lines(events, numbers, numbers[-1], block)


def _line_by_line(raws: list[bytes], numbers: range, wire: Wire, warn: Warn) -> Lines:
    """Decode what is good in a block and warn of the rest."""
    found = [
        (event, number, event_raw)
        for number, raw in zip(numbers, raws, strict=True)
        for event, event_raw in _decode(raw, number, wire, warn)
    ]
    events, event_numbers, event_raws = zip(*found, strict=True) if found else ((),) * 3
    return Lines(list(events), list(event_numbers), numbers[-1], raws=list(event_raws))


def _decode(
    raw: bytes, number: int, wire: Wire, warn: Warn
) -> Iterator[tuple[Line, bytes]]:
    """Give the events of one line, each with its bytes."""
    stripped = raw.strip(_WHITE)
    if not stripped:
        return
    try:
        if wire.is_raw:
            _check_utf8(stripped)
        yield wire.decoder.decode(stripped), stripped
        return
    except _REFUSED:
        pass
    text = stripped.decode(errors="replace")
    is_replaced = text.encode() != stripped
    begin: int | None = _begin(text)
    while begin is not None:
        try:
            value, end = _JSON.raw_decode(text, begin)
        except RecursionError:
            warn(number, "nested too deeply, skipped")
            return
        except ValueError:
            is_last = not raw.endswith(b"\n")
            warn(number, _INCOMPLETE if is_last else "not JSON, skipped")
            return
        if not isinstance(value, dict):
            is_whole = end == len(text)
            warn(number, f"not {'an event' if is_whole else 'JSON'}, skipped")
            return
        if isinstance(value.get("type"), str):
            if is_replaced:
                warn(number, "invalid UTF-8, replaced")
                is_replaced = False
            yield fit(value, wire.line, number, warn), text[begin:end].encode()
        else:
            warn(number, "not an event, skipped")
        begin = _next(text, end, number, warn)


def _check_utf8(raw: bytes) -> None:
    """Raise UnicodeDecodeError: msgspec passes over it in members that it skips."""
    if not raw.isascii():
        raw.decode()


def _begin(text: str) -> int:
    """Where JSON begins on a line, behind the prefix of a runner if there is one."""
    if text[0] == "{" or (text[0] == "[" and _is_json(text)):
        return 0
    match = _EVENT.search(text) or _OBJECT.search(text)
    return match.start() if match else 0


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _next(text: str, end: int, number: int, warn: Warn) -> int | None:
    """Where the next event on the line begins, if one follows at once."""
    rest = text[end:].lstrip()
    if rest.startswith("{"):
        return len(text) - len(rest)
    if rest:
        warn(number, "text behind an event, skipped")
    return None


def fit(value: Any, kind: Any, number: int, warn: Warn) -> Any:
    """Make what a type says of a value, without what does not fit; UNSET if nothing."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
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
