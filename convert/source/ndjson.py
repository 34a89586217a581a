"""Lines of JSON, one event each, as structs: for every format that is NDJSON.

A format says in a `Decoding` which struct a line is. A block of lines is decoded at
once. If a line of it is refused, the block is read again line by line (`damaged`).
"""

from __future__ import annotations

import functools
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from convert.errors import Warn
from convert.source.lines import Gap, check_utf8, is_one_line, lines_in

E = TypeVar("E", bound=Struct)
# The errors of msgspec for bytes or text that it refuses. Two are Python's own: the one
# for half an emoji and the like, and the one for values that are nested too deeply.
REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)


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

    It tells an event from a part of one where lines are damaged.
    """

    text_member: str = "type"
    """A member that every event has, and that is a text."""

    is_raw: bool = False
    """True if the bytes of every event are asked for, in valid UTF-8."""

    has_values: bool = False
    """True if values of any depth are read."""

    message: Callable[[str], bytes] | None = None
    """Returns the event that a line which is none stands for; empty if none."""

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

    def line(self, index: int) -> bytes:
        """Return the bytes of one event, perhaps with white space around them."""
        return self.lines()[index]

    def lines(self) -> list[bytes]:
        """Return the bytes of each event likewise."""
        self.raws = self.raws or _raws_of_events(self.block)
        return self.raws

    def raw(self, index: int) -> bytes:
        """Return the bytes of one event."""
        raw = self.raws[index] = self.line(index).strip()
        return raw

    def recorded(self, begin: int, end: int) -> bytes:
        """Return the bytes of some events, each with its line feed."""
        if self.block.endswith(b"\n") and end - begin == len(self.events):
            return self.block
        return b"".join(map(_ended, map(self.line, range(begin, end))))


def read_blocks(
    blocks: Iterable[bytes],
    decoding: Decoding[E],
    longest: int,
    warn: Warn,
    first: int = 1,
    is_unwrapped: bool = False,
) -> Iterator[EventBlock[E]]:
    """Decode blocks that end at a line feed; the last one may lack it.

    If JSON is spread over lines or wrapped in an array, it is unwrapped from that line
    on, values of up to `longest` bytes. `first` is the number of the first line.
    """
    blocks = iter(blocks)
    for block in blocks:
        if isinstance(block, Gap):
            warn(first, block.reason, "skipped")
            found: EventBlock[E] | None = EventBlock([], [], first, [])
        else:
            found = decode_block(block, first, decoding)
        if found is not None:
            yield found
            first = found.last + 1
            continue
        raws = raws_in(block)
        found = _line_by_line(raws, first, decoding, warn, is_unwrapped)
        yield found
        taken = found.last + 1 - first
        first = found.last + 1
        if taken < len(raws):
            from convert.source.unwrap import unwrap

            rest = itertools.chain([b"".join(raws[taken:])], blocks)
            values = unwrap(rest, longest, decoding.own_member)
            yield from read_blocks(values, decoding, longest, warn, first, True)
            return


def decode_block(
    block: bytes, first: int, decoding: Decoding[E]
) -> EventBlock[E] | None:
    """Decode a block in which every line is one event; None if it is another.

    If the bytes of every event are asked for, an event has to be all that its line
    holds, in valid UTF-8. Otherwise only the numbers of lines depend on that, and two
    events on one line of a block may make up for one that is spread over two.
    """
    if decoding.usual is not None:
        found = decode_block(block, first, decoding.usual)
        if found is not None:
            return found
    try:
        events = decoding.decoder.decode_lines(block)
        if decoding.is_raw:
            # No character goes on after a line feed, so the lines are valid as well.
            check_utf8(block)
    except REFUSED:
        return None
    count = len(events)
    raws = raws_in(block) if decoding.is_raw else []
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


def raws_in(block: bytes) -> list[bytes]:
    """Return the lines of a block with their line feeds."""
    return [block] if is_one_line(block) else io.BytesIO(block).readlines()


def _line_by_line(
    raws: list[bytes],
    first: int,
    decoding: Decoding[E],
    warn: Warn,
    is_unwrapped: bool,
) -> EventBlock[E]:
    """Decode the lines of a block that are whole and warn of the others.

    Ends before the first line from which on lines have to be unwrapped.
    """
    # A clean log is read without these.
    from convert.source.damaged import decode_line
    from convert.source.noise import skip_noise
    from convert.source.unwrap import is_wrapped

    decode = decoding.decoder.decode
    if decoding.is_raw:
        decode = functools.partial(_checked, decoding)
    events: list[E] = []
    numbers: list[int] = []
    event_raws: list[bytes] = []
    rest = iter(raws)
    at = 0
    while at < len(raws):
        known = len(events)
        try:  # noqa: SIM105 - a quarter of the time of what is suggested instead
            events.extend(map(decode, rest))
        except REFUSED:
            # The events before the line that is refused are kept.
            pass
        good = at + len(events) - known
        numbers += range(first + at, first + good)
        event_raws += raws[at:good]
        at = good
        if at < len(raws):
            if not is_unwrapped and is_wrapped(raws[at]):
                break
            after = skip_noise(raws, at, first, decoding, warn, is_unwrapped)
            if after > at:
                # The iterator is past the first of these lines.
                next(itertools.islice(rest, after - at - 1, after - at - 1), None)
                at = after
                continue
            number = first + at
            for event, raw in decode_line(raws[at], number, decoding, warn, True):
                events.append(event)
                numbers.append(number)
                event_raws.append(raw)
            at += 1
    significant = decoding.significant(events)
    return EventBlock(events, numbers, first + at - 1, significant, event_raws)


def _checked(decoding: Decoding[E], raw: bytes) -> E:
    """Decode a line whose bytes are asked for, if it is valid UTF-8."""
    check_utf8(raw)
    return decoding.decoder.decode(raw)


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
