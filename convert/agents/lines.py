"""Readers of lines: from the blocks of a log to the events of its runs."""

from __future__ import annotations

import datetime
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from convert.errors import NoEventsError, Warn
from convert.model.events import EVERYTHING, EndOfLog, Event, Needs
from convert.options.conversion import Reading
from convert.source.lines import REFUSED, File, blocks
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import DOUBLED, Decoding, E, EventBlock
from convert.source.reading import as_utf8, read_blocks, unpacked


def read_lines(
    log: Iterable[bytes],
    decoding: Callable[[Needs], Decoding[E]],
    reader: Callable[[Needs, Warn], LineReader],
    needs: Needs,
    reading: Reading,
    warn: Warn,
) -> Iterator[Event]:
    """Yield the events that a reader makes of the lines of a log, one by one."""
    return read_events(
        log,
        decoding,
        lambda lines, needs, warn: events_of(reader(needs, warn), lines),
        needs,
        reading,
        warn,
    )


def read_events(
    log: Iterable[bytes],
    decoding: Callable[[Needs], Decoding[E]],
    follow: Callable[[Iterable[EventBlock[E]], Needs, Warn], Iterator[Event]],
    needs: Needs,
    reading: Reading,
    warn: Warn,
) -> Iterator[Event]:
    """Yield the events of a log of lines, without its secrets if `reading` says so.

    `decoding` returns how to decode lines for the needs of a target. Redaction needs
    everything, since a secret that one event reveals may occur in any other.
    """
    if needs.raw:
        # Lines of another agent are not copied: a writer makes new ones from the
        # events.
        needs = replace(EVERYTHING, turns=needs.turns)
    needed = replace(EVERYTHING, turns=needs.turns) if reading.redact else needs
    events = follow(_lines(log, decoding(needed), reading, warn), needed, warn)
    if reading.redact:
        from convert.redact.events import redacted

        events = redacted(events, needs, reading)
    yield from events


def lines_of_file(
    file: File, decoding: Decoding[E], reading: Reading, warn: Warn
) -> Iterable[EventBlock[E]]:
    """Return the lines of another file of the same run."""
    pieces = as_utf8(unpacked(file, reading.max_input, warn))
    return _lines(blocks(pieces, reading.max_line), decoding, reading, warn)


def _lines(
    log: Iterable[bytes], decoding: Decoding[E], reading: Reading, warn: Warn
) -> Iterable[EventBlock[E]]:
    """Return the lines of a log without copies; equal documents are no copies."""
    lines = read_blocks(log, decoding, reading.max_line, warn)
    return without_doubles(lines, warn) if decoding.text_member == "type" else lines


class LineReader(Protocol):
    """Reads one line after the other."""

    unknown: UnknownTypes
    """The unknown types of lines."""

    events: list[Event]
    """The events that are ready; the function that takes them clears the list."""

    def read(self, line: Any, number: int) -> None:
        """Read one line."""

    def end(self, last: int) -> None:
        """End the runs that are open; `last` is the number of the last line."""


R = TypeVar("R", bound=LineReader)


def _read_significant(reader: LineReader, block: EventBlock[E]) -> None:
    read, events, numbers = reader.read, block.events, block.numbers
    for index in block.significant:
        read(events[index], numbers[index])


def events_of(
    reader: R,
    blocks: Iterable[EventBlock[E]],
    read_block: Callable[[R, EventBlock[E]], None] = _read_significant,
) -> Iterator[Event]:
    """Yield the events of the lines, then the ends of the runs and of the log."""
    last = 0
    has_lines = False
    for block in blocks:
        last = block.last
        has_lines = has_lines or bool(block.events)
        read_block(reader, block)
        yield from _ready(reader)
    if not has_lines:
        raise NoEventsError("no events; is this a log of the agent?")
    reader.end(last)
    yield from _ready(reader)
    unknown = reader.unknown
    yield EndOfLog(run=0, line=last, unknown=unknown.counts, build=unknown.build)


def _ready(reader: LineReader) -> list[Event]:
    ready = reader.events[:]
    reader.events.clear()
    return ready


class RecentIds:
    """The ids that came last, at least as many as `most`: memory must not grow.

    Others than texts are hashes.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._ids: dict[str | int, None] = {}

    def __contains__(self, id: str | int) -> bool:
        """Return True if an id is a recent one."""
        return id in self._ids

    def add(self, id: str | int) -> bool:
        """Add an id; return False if it is a recent one."""
        if id in self._ids:
            return False
        self._ids[id] = None
        if len(self._ids) > 2 * self._most:
            self._ids = dict.fromkeys(itertools.islice(self._ids, self._most, None))
        return True


class SeenLines:
    """The ids of lines that came before, up to 200,000 lines back."""

    def __init__(self, most: int = 100_000) -> None:
        # 100,000 lines of a session are about 200 MB.
        self._ids = RecentIds(most)

    def is_repeated(self, id: str | None) -> bool:
        """Return True if a line with this id came before; remember it if not."""
        # A scrubbed log may have one word in place of all ids.
        return id is not None and len(id) == 36 and not self._ids.add(id)


def added(count: int | None, more: int | None) -> int | None:
    """Return the sum of two numbers, each of which may not be recorded."""
    return count if more is None else (count or 0) + more


def digest(values: tuple[Any, ...]) -> int:
    """Return a hash of values of a log, some of which may still be JSON."""
    try:
        return hash(values)
    except TypeError:
        # Lists, objects and JSON have none.
        pass
    try:
        return hash(msgspec.json.encode(values))
    except REFUSED:
        # JSON holds no half of an emoji. All values that are nested too deeply are
        # equal.
        try:
            return hash(repr(values))
        except RecursionError:
            return 0


def decoded(member: msgspec.Raw) -> Any:
    """Return the value of a member.

    msgspec refuses half an emoji, in a line that had to be read anew.
    """
    try:
        return msgspec.json.decode(member)
    except REFUSED:
        return json.loads(bytes(member))


def milliseconds_of(value: Any) -> int | None:
    """Return a time such as `2026-11-23T06:00:00.123Z` in milliseconds since 1970.

    Return None for any other value. These agents mean UTC if there is no zone.
    """
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    try:
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


_ID = rb'"(?:\w*(?:id|ID|Id)|timestamp)"\s*:\s*"?[\w.:-]{8}'
# How many lines decide.
_FIRST = 4


def without_doubles(
    blocks: Iterable[EventBlock[E]], warn: Warn
) -> Iterator[EventBlock[E]]:
    """Yield each line once of a log that `2>&1` has doubled line by line.

    The first four lines decide, since no two runs print such lines: two that are the
    same, with an id, and two others. From there on, a line that repeats the one before
    it is a copy. Any other log stays as it is.
    """
    blocks = iter(blocks)
    held: list[EventBlock[E]] = []
    first: list[bytes] = []
    given = b""
    number = 0
    for block in blocks:
        held.append(block)
        for index in range(min(len(block.events), _FIRST - len(first))):
            first.append(block.line(index).strip())
            number = number if len(first) > 2 else block.numbers[index]
        if len(first) == _FIRST or not _may_be_doubled(first):
            break
        if len(first) == 1:
            # It is no copy, and who waits for it gets it.
            given = first[0]
            yield from held
            held.clear()
    rest: Iterable[EventBlock[E]] = itertools.chain(held, blocks)
    if len(first) == _FIRST and _may_be_doubled(first):
        warn(number, *DOUBLED)
        rest = _once(rest, given)
    yield from rest


def _may_be_doubled(first: list[bytes]) -> bool:
    """Return False if the first lines show that a log is not doubled."""
    match first:
        case [line, copy, *_] if line != copy or not re.search(_ID, line):
            return False
        case [line, _, other, *rest]:
            return other != line and rest in ([], [other])
    return True


def _once(blocks: Iterable[EventBlock[E]], before: bytes) -> Iterator[EventBlock[E]]:
    """Yield blocks without each line that repeats the one before it, `before` first."""
    for block in blocks:
        kept: list[int] = []
        for index in range(len(block.events)):
            line = block.line(index).strip()
            if line == before:
                # A third one in a row is no copy of the second.
                before = b""
                continue
            before = line
            kept.append(index)
        read = set(block.significant)
        yield EventBlock(
            [block.events[index] for index in kept],
            [block.numbers[index] for index in kept],
            block.last,
            [place for place, index in enumerate(kept) if index in read],
            [block.line(index) for index in kept],
        )


def between(begin: int | None, end: int | None) -> int | None:
    """Return the milliseconds between two timestamps; None if one is not known."""
    if begin is None or end is None:
        return None
    return max(end - begin, 0)
