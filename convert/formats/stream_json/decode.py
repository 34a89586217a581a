"""Blocks of bytes to lines of stream-json, good and damaged.

A block is decoded at once. If a line of it is refused, the block is read again line by
line (`careful`).
"""

from __future__ import annotations

import functools
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

import msgspec
from msgspec import Struct

from convert.errors import Warn
from convert.formats.stream_json.wire import REFUSED, WireEvent
from convert.source.lines import Gap, check_utf8, is_one_line, lines_in

_RAW = msgspec.json.Decoder(msgspec.Raw)


class Decoding(Struct, frozen=True):
    """How the lines of a log are decoded."""

    event: type[WireEvent]
    """The struct of a line."""

    decoder: msgspec.json.Decoder[WireEvent]
    """Decodes a line as `event`."""

    significant: Callable[[Sequence[WireEvent]], Sequence[int]]
    """Returns the indices of the events that have to be read one by one."""

    is_raw: bool = False
    """The bytes of every event are asked for."""

    has_values: bool = False
    """Values of any depth are read."""


class EventBlock(Struct):
    """The events of a block, the numbers of their lines, and their bytes.

    `last` is the number of the block's last line. `significant` are the places of the
    events that may change more than a text: those of another session than `session`,
    and of types that somebody reads, but for the deltas of the answer. `block` is the
    block itself where each line of it is an event; then `raws` is made of it when
    somebody asks.
    """

    events: list[WireEvent]
    numbers: Sequence[int]
    last: int
    significant: Sequence[int]
    raws: list[bytes] = []
    block: bytes = b""

    @property
    def has_init(self) -> bool:
        """Whether a run may begin among the events."""
        return "system" in [self.events[index].type for index in self.significant]

    def line(self, index: int) -> bytes:
        """The bytes of one event, perhaps with white space around them."""
        self.raws = self.raws or _raws_of_events(self.block)
        return self.raws[index]

    def raw(self, index: int) -> bytes:
        """The bytes of one event."""
        raw = self.raws[index] = self.line(index).strip()
        return raw

    def recorded(self, begin: int, end: int) -> bytes:
        """The bytes of some events, each with its line feed."""
        if self.block.endswith(b"\n") and end - begin == len(self.events):
            return self.block
        return b"".join(map(_ended, map(self.line, range(begin, end))))


def _ended(line: bytes) -> bytes:
    """The bytes of an event with a line feed; a long line is copied only if it must."""
    is_clean = line[:1] == b"{" and line[-2:] == b"}\n"
    return line if is_clean else line.strip() + b"\n"


def _raws_of_events(block: bytes) -> list[bytes]:
    """The bytes of each event of a block: its lines, unless they hold more or less."""
    raws = raws_in(block)
    if _is_line_by_line(raws):
        return raws
    return [bytes(raw) for raw in _RAW.decode_lines(block)]


def raws_in(block: bytes) -> list[bytes]:
    """The lines of a block with their line feeds."""
    return [block] if is_one_line(block) else io.BytesIO(block).readlines()


def read_lines(
    blocks: Iterable[bytes],
    decoding: Decoding,
    longest: int,
    warn: Warn,
    first: int = 1,
    is_unwrapped: bool = False,
) -> Iterator[EventBlock]:
    """Decode blocks that end at a line feed; the last one may lack it.

    From the first line on that JSON is spread over lines or wrapped in an array, it is
    unwrapped, values of up to `longest` bytes. `first` is the number of a line.
    """
    blocks = iter(blocks)
    for block in blocks:
        if isinstance(block, Gap):
            warn(first, block.reason, "skipped")
            lines = EventBlock([], [], first, [])
            yield lines
        elif (found := at_once(block, first, decoding)) is not None:
            lines = found
            yield lines
        else:
            raws = raws_in(block)
            lines = _line_by_line(raws, first, decoding, warn, is_unwrapped)
            yield lines
            taken = lines.last + 1 - first
            if taken < len(raws):
                from convert.source.unwrap import unwrap

                rest = itertools.chain([b"".join(raws[taken:])], blocks)
                values = unwrap(rest, longest)
                first = lines.last + 1
                yield from read_lines(values, decoding, longest, warn, first, True)
                return
        first = lines.last + 1


def at_once(block: bytes, first: int, decoding: Decoding) -> EventBlock | None:
    """Decode a block in which every line is one event; None if it is another.

    Where the bytes of every event are asked for, an event has to be all that stands on
    its line, in valid UTF-8. Else only the numbers of lines depend on that, and two
    events on one line of a block may make up for one that is spread over two.
    """
    try:
        events = decoding.decoder.decode_lines(block)
        raws = raws_in(block) if decoding.is_raw else []
        if raws and not block.isascii():
            for raw in raws:
                check_utf8(raw)
    except REFUSED:
        return None
    count = len(events)
    if decoding.is_raw:
        is_clean = len(raws) == count and _is_line_by_line(raws)
    else:
        is_clean = lines_in(block) == count
    if not is_clean:
        return None
    return EventBlock(
        events,
        range(first, first + count),
        first + count - 1,
        decoding.significant(events),
        raws,
        block,
    )


def _is_line_by_line(raws: list[bytes]) -> bool:
    """Whether each line is one object and nothing else.

    Behind `}` and a line feed, `{` can only begin another value.
    """
    first, last = itemgetter(0), itemgetter(slice(-2, None))
    return (
        set(map(first, raws)) == {123}
        and set(map(last, raws[:-1])) <= {b"}\n"}
        and raws[-1].endswith((b"}\n", b"}"))
    )


def _line_by_line(
    raws: list[bytes], first: int, decoding: Decoding, warn: Warn, is_unwrapped: bool
) -> EventBlock:
    """Decode what is good in a block and warn of the rest.

    Ends in front of a line from which on lines have to be unwrapped.
    """
    # A clean log is read without these.
    from convert.formats.stream_json.careful import decode_line
    from convert.source.unwrap import is_wrapped

    decode = (
        functools.partial(_checked, decoding)
        if decoding.is_raw
        else decoding.decoder.decode
    )
    events: list[WireEvent] = []
    numbers: list[int] = []
    event_raws: list[bytes] = []
    rest = iter(raws)
    at = 0
    while at < len(raws):
        known = len(events)
        try:  # noqa: SIM105 - a quarter of the time of what is suggested instead
            events.extend(map(decode, rest))
        except REFUSED:
            # What comes before the line that is refused is kept.
            pass
        good = at + len(events) - known
        numbers += range(first + at, first + good)
        event_raws += raws[at:good]
        at = good
        if at < len(raws):
            if not is_unwrapped and is_wrapped(raws[at]):
                break
            number = first + at
            for event, raw in decode_line(raws[at], number, decoding, warn, True):
                events.append(event)
                numbers.append(number)
                event_raws.append(raw)
            at += 1
    significant = decoding.significant(events)
    return EventBlock(events, numbers, first + at - 1, significant, event_raws)


def _checked(decoding: Decoding, raw: bytes) -> WireEvent:
    """Decode a line whose bytes are asked for, and all of it is valid UTF-8."""
    check_utf8(raw)
    return decoding.decoder.decode(raw)
