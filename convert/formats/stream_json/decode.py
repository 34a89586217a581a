"""Blocks of bytes to lines of stream-json, good and damaged.

A block is decoded at once. If a line of it is refused, the block is read again line by
line (`careful`).
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator
from operator import itemgetter

from msgspec import Struct

from convert.errors import Warn
from convert.formats.stream_json.careful import REFUSED, check_utf8, decode_line
from convert.formats.stream_json.wire import Line, Wire, is_init
from convert.lines import Gap, is_one_line
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


_INIT = b'"init"'


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
            check_utf8(block)
            events = [decoder.decode(raw) for raw in raws]
            return Lines(events, numbers, numbers[-1], raws, _INIT in block)
        events = decoder.decode_lines(block)
    except REFUSED:
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
        for event, event_raw in decode_line(raw, number, wire, warn)
    ]
    events = [event for event, _, _ in found]
    return Lines(
        events,
        [number for _, number, _ in found],
        numbers[-1],
        [event_raw for _, _, event_raw in found],
        any(map(is_init, events)),
    )
