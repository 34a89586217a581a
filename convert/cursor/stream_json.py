"""stream-json: one JSON event a line, as `--output-format stream-json` prints it.

blocks of bytes -> source.reading -> doubled_log -> redact -> run_reader -> events

This module decides which lines a target needs, and how they are decoded and read.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from convert.cursor.messages import significant, with_unread
from convert.cursor.run_reader import Readers, ReadLine, RunReader
from convert.cursor.wire import (
    STANDARD_ERROR,
    WireEvent,
    one_session,
    sessions_after,
    wire,
)
from convert.errors import Warn
from convert.model.events import (
    CallDetail,
    End,
    EndOfLog,
    Event,
    Incident,
    Needs,
    Recorded,
    Start,
)
from convert.options.conversion import Options, Reading
from convert.source.ndjson import Decoding, EventBlock
from convert.source.reading import read_blocks

# How many bytes of the runs that are open are kept without looking at their lines.
_MOST_KEPT = 1 << 18


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of stream-json."""
    if needs.last_words:
        needs = replace(needs, text=True)
    decoding = decoding_for(needs)
    events = read_blocks(blocks, decoding, reading.max_line, warn)
    events = _without_copies(events, warn)
    reader = RunReader(needs, wire(needs), _readers(needs), warn)
    if not reading.redact:
        yield from reader.events(events)
        return
    from convert.cursor.redaction import TextGroups
    from convert.redact.ndjson import redacted
    from convert.redact.redactor import Redactor

    redactor = Redactor(reading.redact_patterns, reading.known)
    events = redacted(events, decoding, TextGroups(), redactor)
    for event in reader.events(events):
        if isinstance(event, EndOfLog):
            event.redacted = dict(redactor.counts)
        yield event


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each event as its own bytes; make lines of the events of another format."""
    events = iter(events)
    first: list[Event] = []
    for event in events:
        if isinstance(event, Recorded):
            # The log holds every line, so that none has to be made.
            yield event.raw
            yield from (event.raw for event in events if isinstance(event, Recorded))
            return
        first.append(event)
        if not isinstance(event, Start | Incident | End):
            break
    from convert.cursor.stream_json_writer import write as write_made

    yield from write_made(itertools.chain(first, events), options, warn)


def _without_copies(
    blocks: Iterable[EventBlock[WireEvent]], warn: Warn
) -> Iterator[EventBlock[WireEvent]]:
    """Yield each line of a doubled log once, and any other log as it is.

    Hardly any log has a second init before the result. So the blocks of a run are kept
    as they are until one comes, or there are too many of them.
    """
    blocks = iter(blocks)
    kept: list[tuple[bytes, str]] = []
    size = last = 0
    sessions: set[str] = set()
    for block in blocks:
        after = sessions_after(block, sessions)
        size += len(block.block)
        if after is None or (after and not (block.block and size <= _MOST_KEPT)):
            from convert.cursor.doubled_log import without_copies

            rest = itertools.chain([block], blocks)
            yield from without_copies(rest, kept, sessions, warn)
            return
        if after:
            kept.append((block.block, one_session(block.events)))
        else:
            kept.clear()
            size = 0
        sessions = after
        last = block.last
        yield block
    yield EventBlock([], [], last, [])


def _always(needs: Needs) -> bool:
    return True


def _with_text_or_calls(needs: Needs) -> bool:
    return needs.text or needs.calls > CallDetail.NONE


# For each type of line, the needs for which it is significant, and its reader. With
# text, a line that closes a segment (`messages`) is significant only for that.
_TYPES: dict[str, tuple[Callable[[Needs], bool], ReadLine]] = {
    "system": (_always, RunReader.read_system),
    "user": (lambda needs: needs.text, RunReader.read_prompt),
    "assistant": (lambda needs: needs.text, RunReader.read_text),
    "thinking": (lambda needs: needs.thinking, RunReader.read_thought),
    "tool_call": (_with_text_or_calls, RunReader.read_call),
    "interaction_query": (_with_text_or_calls, RunReader.read_query),
    "connection": (_always, RunReader.read_pause),
    "retry": (_always, RunReader.read_pause),
    "error": (_always, RunReader.read_incident),
    STANDARD_ERROR: (_always, RunReader.read_incident),
    "result": (_always, RunReader.read_result),
}


@functools.cache
def _readers(needs: Needs) -> Readers:
    """Return the reader of each type of line; None if lines only count for their run.

    These are no bound methods: a reader that refers to itself would stay in memory,
    with its last block, until Python looks for such circles.
    """
    return {
        name: read if is_needed(needs) else None
        for name, (is_needed, read) in _TYPES.items()
    }


@functools.cache
def decoding_for(needs: Needs) -> Decoding[WireEvent]:
    """Return how lines are decoded for a target."""
    needed = wire(needs)
    finds = functools.partial(
        significant,
        unread=frozenset(
            name for name, read in _readers(needs).items() if read is None
        ),
        has_texts=needs.text,
    )
    decoding = Decoding(
        needed.event,
        needed.decoder,
        finds,
        own_member="session_id",
        is_raw=needs.raw,
        has_values=needed.has_arguments,
        message=_message_line,
        message_pattern=_message_pattern,
    )
    if needed.usual is None:
        return decoding
    usual = replace(decoding, decoder=needed.usual)
    return replace(decoding, significant=with_unread(finds), usual=usual)


def _message_line(text: str) -> bytes:
    """Return an event for a message on standard error; empty for any other line.

    The message is no event, so it gets a type of its own.
    """
    # A clean log is read without these.
    from convert.cursor.incidents import message_among_events
    from convert.source.damaged_lines import EVENT

    message = "" if EVENT.search(text) else message_among_events(text)
    if not message:
        return b""
    return msgspec.json.encode({"type": STANDARD_ERROR, "message": message})


def _message_pattern() -> str:
    from convert.cursor.incidents import AMONG_EVENTS

    return AMONG_EVENTS
