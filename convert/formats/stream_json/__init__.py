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
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.errors import Warn
from convert.formats.stream_json.blocks import with_unread
from convert.formats.stream_json.mirror import without_copies
from convert.formats.stream_json.run_reader import RunReader, unread_types
from convert.formats.stream_json.segments import significant
from convert.formats.stream_json.wire import WireEvent, wire
from convert.model.events import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Outcome,
    Prompt,
    Recorded,
    Result,
    Segment,
    Start,
    ToolCall,
)
from convert.model.needs import Needs
from convert.options import Options, Reading
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


def decoding_for(needs: Needs) -> Decoding[WireEvent]:
    """Return how lines are decoded for what a target needs of them."""
    needed = wire(needs)
    finds = functools.partial(
        significant, unread=unread_types(needs), has_texts=needs.text
    )
    return Decoding(
        needed.event,
        needed.decoder,
        with_unread(finds) if needs.blocks else finds,
        own_member="session_id",
        is_raw=needs.raw,
        has_values=needed.has_arguments,
        message=_message_line,
        message_pattern=_message_pattern,
    )


def _message_line(text: str) -> bytes:
    # A clean log is read without it.
    from convert.formats.stream_json.incidents import message_line

    return message_line(text)


def _message_pattern() -> str:
    from convert.formats.failure_messages import AMONG_EVENTS

    return AMONG_EVENTS


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each event as its own bytes; make the events of a log of another format."""
    is_made = False
    for event in events:
        if isinstance(event, Recorded):
            yield event.raw
        elif isinstance(event, ToolCall | Segment | Prompt | Result):
            yield msgspec.json.encode(_line(event)) + b"\n"
        elif isinstance(event, Start):
            is_made = event.level == "text"
        elif isinstance(event, End) and is_made and event.state == "error":
            yield msgspec.json.encode(_failure(event)) + b"\n"


def _failure(end: End) -> dict[str, Any]:
    """The event of a failed run that some other format recorded."""
    result = {"type": "result", "subtype": "error", "is_error": True}
    return result | ({"result": end.reason} if end.reason else {})


def _line(event: ToolCall | Segment | Prompt | Result) -> dict[str, Any]:
    """The event of a call, a text or a result that some other format recorded."""
    if isinstance(event, Segment | Prompt):
        role = "assistant" if isinstance(event, Segment) else "user"
        content = [{"type": "text", "text": event.text}]
        return {"type": role, "message": {"role": role, "content": content}}
    if isinstance(event, Result):
        ended = {"subtype": "error" if event.is_error else "success"}
        text = {} if event.text is None else {"result": event.text}
        return {"type": "result", **ended, "is_error": event.is_error, **text}
    body: dict[str, Any] = {"args": event.arguments or {}}
    if event.kind == "function":
        arguments = msgspec.json.encode(event.arguments or {}).decode()
        body = {"name": event.name, "arguments": arguments}
    elif event.kind == "mcp" and event.name:
        server, _, tool = event.name.rpartition("/")
        names = {"providerIdentifier": server, "toolName": tool}
        body = {"args": {**names, "args": event.arguments or {}}}
    is_open = event.outcome in (None, UNFINISHED)
    if event.outcome is not None and not is_open:
        body["result"] = _result(event.outcome)
    key = event.kind if event.kind == "function" else f"{event.kind}ToolCall"
    return {
        "type": "tool_call",
        "subtype": "started" if is_open else "completed",
        "tool_call": {key: body},
    }


def _result(outcome: Outcome) -> dict[str, Any]:
    """The result of a call, with the arm that reads back as its outcome."""
    if outcome.signal:
        return {"failure": {"signal": outcome.signal}}
    if outcome.exit_code is not None:
        return {"failure": {"exitCode": outcome.exit_code}}
    if outcome.status == "rejected":
        return {"rejected": {"reason": outcome.message}}
    if outcome.status == "error" and outcome.arm == "permissionDenied":
        # In some tools, this arm is a rejection.
        from convert.tools.reasons import reason_of

        return {"error": {"error": reason_of(outcome)}}
    if outcome.arm:
        return {outcome.arm: {}}
    if outcome.status == "error":
        return {"error": {"error": outcome.message}}
    return {"success": {}}
