"""Lines of JSON, one event each, as structs: for every format that is NDJSON.

A format states in a `Decoding` which struct a line is. A block of lines is decoded at
once; `reading` reads it line by line if msgspec refuses one of them.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from convert.errors import Warn
from convert.source.lines import REFUSED, WHITE, check_utf8, is_one_line, lines_in

E = TypeVar("E", bound=Struct)

# Lines of more bytes on average are looked at one by one.
_LONG = 2048
# How the first event begins and the last one ends, and the bytes between two.
_OPEN, _END, _BETWEEN = ord("{"), b"}\n", b"}\n{"

DOUBLED = "every line appears twice from here on (2>&1?)", "second copies dropped"
"""The warning for a log that holds each line twice."""


class Decoding(Struct, Generic[E], frozen=True):
    """How the lines of a format are decoded."""

    event: type[E]
    """The struct of a line. It declares the members that are read, and no others."""

    decoder: msgspec.json.Decoder[E]
    """Decodes a line as `event`."""

    significant: Callable[[list[E]], Sequence[int]] = lambda events: range(len(events))
    """Returns the indices of the events of a block that have to be read one by one."""

    usual: Decoding[E] | None = None
    """A faster way for blocks of usual lines, which refuses any other block."""

    own_member: str = ""
    """A member that every event has and no object inside of one; "" if there is none.

    It distinguishes an event from a part of one where lines are damaged.
    """

    text_member: str = "type"
    """A member that every event has, and that is a text."""

    is_raw: bool = False
    """True if the bytes of every event are needed, in valid UTF-8."""

    has_values: bool = False
    """True if values of any depth are read."""

    message: Callable[[str], bytes] | None = None
    """Returns an event for a line that is none, such as a message; empty if none."""

    message_pattern: Callable[[], str] | None = None
    """Returns a pattern that finds all such lines, and may find others."""


class EventBlock(Struct, Generic[E]):
    """The events of a block of lines."""

    events: list[E]
    """The events; a line may hold none, or several."""

    numbers: Sequence[int]
    """The number of each event's line, from 1."""

    last: int
    """The number of the last line of the block."""

    significant: Sequence[int]
    """The indices of the events that have to be read one by one."""

    raws: list[bytes] = []
    """The bytes of each event; empty until they are needed, if `block` has them."""

    block: bytes = b""
    """The block itself if each line of it is an event."""

    ends: list[int] = []
    """The end of each line of the block, with its line feed, if the lines are long."""

    def line(self, index: int) -> bytes:
        """Return the bytes of one event, perhaps with white space around them."""
        if self.ends and not self.raws:
            begin = self.ends[index - 1] if index else 0
            return self.block[begin : self.ends[index]]
        return self.lines()[index]

    def lines(self) -> list[bytes]:
        """Return the bytes of each event likewise."""
        self.raws = self.raws or _raws_of_events(self.block)
        return self.raws

    def raw(self, index: int) -> bytes:
        """Return the bytes of one event."""
        raw = self.line(index).strip()
        if self.raws:
            self.raws[index] = raw
        return raw

    def recorded(self, begin: int, end: int) -> bytes:
        """Return the bytes of some events, each with its line feed."""
        if self.block.endswith(b"\n") and end - begin == len(self.events):
            return self.block
        return b"".join(map(_ended, map(self.line, range(begin, end))))


def decode_block(
    block: bytes, first: int, decoding: Decoding[E]
) -> EventBlock[E] | None:
    """Decode a block in which every line is one event; None if it is another.

    If the bytes of every event are needed, a line must hold one event and nothing
    else, in valid UTF-8. Otherwise only the numbers of lines depend on that, and two
    events on one line of a block may cancel out one event on two lines.
    """
    if decoding.usual is not None:
        found = decode_block(block, first, decoding.usual)
        if found is not None:
            return found
    try:
        events = decoding.decoder.decode_lines(block)
        if decoding.is_raw:
            # No character spans a line feed, so the lines are valid as well.
            check_utf8(block)
    except REFUSED:
        return None
    count = len(events)
    ends = ends_of_long_lines(block, count)
    raws = raws_in(block) if decoding.is_raw and not ends else []
    lines = len(ends or raws) or lines_in(block)
    if lines != count or (raws and not _is_line_by_line(raws)):
        return None
    return EventBlock(
        events,
        range(first, first + count),
        first + count - 1,
        decoding.significant(events),
        raws,
        block,
        ends,
    )


def ends_of_long_lines(block: bytes, count: int) -> list[int]:
    """Return the end of each line if each is one object and nothing else; else none.

    None as well if `count` lines are not long. To count lines in another way copies
    them, which takes twice as long; short lines are counted faster in that way.
    """
    if len(block) <= _LONG * count or block[0] != _OPEN or block[-2:] != _END:
        return []
    ends = []
    end = block.find(b"\n") + 1
    while end < len(block):
        if block[end - 2 : end + 1] != _BETWEEN:
            return []
        ends.append(end)
        end = block.find(b"\n", end) + 1
    ends.append(end)
    return ends


def raws_in(block: bytes) -> list[bytes]:
    """Return the lines of a block with their line feeds."""
    return [block] if is_one_line(block) else io.BytesIO(block).readlines()


def _raws_of_events(block: bytes) -> list[bytes]:
    """Return the bytes of each event of a block in which every line is an event."""
    raws = raws_in(block)
    if _is_line_by_line(raws):
        return raws
    # Hardly any log needs it.
    from convert.source.nesting import values_in

    return list(values_in(block))


def _is_line_by_line(raws: list[bytes]) -> bool:
    """Return True if each line is one object and nothing else.

    After `}` and a line feed, `{` can only begin another value.
    """
    begin, end = b"{}"
    # Twice as fast as asking each line for both with `startswith` and `endswith`.
    others = [raw for raw in raws[:-1] if raw[0] != begin or raw[-2] != end]
    if others or not raws:
        return False
    return raws[-1].startswith(b"{") and raws[-1].endswith((b"}\n", b"}"))


def _ended(line: bytes) -> bytes:
    """Return an event with a line feed; a long line is copied only if it must be."""
    is_clean = line[:1] == b"{" and line[-2:] == b"}\n"
    return line if is_clean else line.strip() + b"\n"


def narrow(struct: Any, unread: AbstractSet[str], types: dict[str, Any]) -> Any:
    """Return a struct that does not decode some members, which keep their defaults."""
    fields = msgspec.structs.fields(struct)
    return msgspec.defstruct(
        struct.__name__,
        [
            (field.name, types.get(field.name, field.type))
            if field.default is msgspec.NODEFAULT
            else (field.name, types.get(field.name, field.type), field.default)
            for field in fields
            if field.name not in unread
        ],
        namespace={
            field.name: field.default for field in fields if field.name in unread
        },
        gc=False,
    )


def members_of(raw: bytes) -> dict[str, Any]:
    """Decode a line with all its members; nothing if it is damaged or no object."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except REFUSED:
        pass
    # Few lines need it.
    from convert.source.nesting import EXACT, raw_decode

    text = raw.strip(WHITE).decode(errors="replace")
    try:
        members, end, _ = raw_decode(EXACT, text, 0)
    except ValueError:
        return {}
    is_whole = isinstance(members, dict) and end == len(text)
    return members if is_whole else {}


def coerce(value: Any, kind: Any, number: int, warn: Warn) -> Any:
    """Convert a value to a type, without the members that do not fit; UNSET if none."""
    if kind is Any:
        return value
    if kind is msgspec.Raw:
        return _as_raw(value)
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError):
        pass
    match value, _shape(value, kind):
        case dict(), type() as struct if issubclass(struct, Struct):
            fitting: dict[str, Any] = {}
            lost: list[str] = []
            for field in fields_of(struct):
                if (name := field.encode_name) in value:
                    member = coerce(value[name], field.type, number, warn)
                    if member is msgspec.UNSET:
                        lost.append(name)
                    else:
                        fitting[field.name] = member
            if lost:
                of = ", ".join(sorted(lost))
                warn(number, f"unexpected type of {of}", "ignored")
            return struct(**fitting)
        case dict(), inner if inner is not None:
            members = {k: coerce(v, inner, number, warn) for k, v in value.items()}
            return {k: v for k, v in members.items() if v is not msgspec.UNSET}
        case list(), inner if inner is not None:
            items = (coerce(item, inner, number, warn) for item in value)
            return [item for item in items if item is not msgspec.UNSET]
    return msgspec.UNSET


@functools.cache
def fields_of(struct: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the members of a struct, which take long to look up."""
    return msgspec.structs.fields(struct)


def _as_raw(value: Any) -> msgspec.Raw:
    """Return the JSON of a value; of one that is nested too deeply, an empty object."""
    # msgspec refuses halves of an emoji. Few values get here.
    import json

    try:
        return msgspec.Raw(json.dumps(value).encode())
    except RecursionError:
        return msgspec.Raw(b"{}")


def _shape(value: Any, kind: Any) -> Any:
    """Return the struct that a type has for an object, or the type of its members."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    for option in options:
        if isinstance(value, dict) and isinstance(option, type):
            if issubclass(option, Struct):
                return option
        elif get_origin(option) is type(value):
            return get_args(option)[-1]
    return None
