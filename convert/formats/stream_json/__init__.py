"""stream-json: one JSON event a line, as `--output-format stream-json` prints it.

blocks of bytes -> source.ndjson -> mirror -> redact.ndjson -> run_reader -> events

recognition  whether a log is one
wire         the structs of a line; only the members that a target needs are decoded
mirror       a log that holds each line twice
redaction_groups  which lines hold pieces of one text, for redaction
run_reader   what a line adds to its run, by its type
open_runs    which run a line belongs to, and what is open in it; open_calls: its calls
segments     deltas, recaps, flushes and boundaries
blocks       the parts of messages that are not read; images: the pictures of a prompt
call_reader  what a line adds to a call; tool_calls: what it says, tool_results: what
             came back, call_identity: which call it is
queries      what the agent asks before it makes a call
incidents    lost connections, retries, errors, messages on standard error
clocks       the first and the last timestamp of a run
writing      lines of the events of any log; written_calls: of its tool calls
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from convert.errors import Warn
from convert.formats.stream_json.blocks import with_unread
from convert.formats.stream_json.mirror import without_copies
from convert.formats.stream_json.run_reader import RunReader, unread_types
from convert.formats.stream_json.segments import significant
from convert.formats.stream_json.wire import WireEvent, wire
from convert.model.events import EndOfLog, Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.ndjson import Decoding, read_blocks


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of stream-json."""
    decoding = decoding_for(needs)
    events = read_blocks(blocks, decoding, reading.max_line, warn)
    events = without_copies(events, warn)
    reader = RunReader(needs, wire(needs), warn)
    if not reading.redact:
        yield from reader.events(events)
        return
    from convert.formats.stream_json.redaction_groups import TextGroups
    from convert.redact import Redactor
    from convert.redact.ndjson import redacted

    redactor = Redactor(reading.redact_patterns, reading.known)
    events = redacted(events, decoding, TextGroups(), redactor)
    for event in reader.events(events):
        if isinstance(event, EndOfLog):
            event.redacted = dict(redactor.counts)
        yield event


@functools.cache
def decoding_for(needs: Needs) -> Decoding[WireEvent]:
    """Return how lines are decoded for what a target needs of them."""
    needed = wire(needs)
    finds = functools.partial(
        significant, unread=unread_types(needs), has_texts=needs.text
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
    # A clean log is read without it.
    from convert.formats.stream_json.incidents import message_line

    return message_line(text)


def _message_pattern() -> str:
    from convert.formats.failure_messages import AMONG_EVENTS

    return AMONG_EVENTS
