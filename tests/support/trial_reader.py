"""A minimal reader for a second agent, whose logs are made up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.errors import Warn
from convert.formats import Format, Reader
from convert.model import (
    EVERYTHING,
    OK,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Result,
    Segment,
    Start,
    Tokens,
    ToolCall,
)
from convert.options import Reading
from convert.redact import redacted
from convert.source import Certainty, Decoding, Record, read_blocks


class Line(msgspec.Struct):
    type: str
    data: dict[str, Any] = {}


DECODING = Decoding(Line, msgspec.json.Decoder(Line), has_values=True)


def recognise(records: list[Record], in_prose: bool) -> int:
    is_ours = any(record.get("type") == "session.begin" for record in records)
    return Certainty.CERTAIN if is_ours else Certainty.NONE


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    events = events_of(blocks, reading, warn)
    return redacted(events, needs, reading) if reading.redact else events


def events_of(blocks: Iterable[bytes], reading: Reading, warn: Warn) -> Iterator[Event]:
    calls = last = 0
    for block in read_blocks(blocks, DECODING, reading.max_line, warn):
        last = block.last
        for event, at in zip(block.events, block.numbers, strict=True):
            match event:
                case Line("session.begin", {"id": id}):
                    yield Start(run=1, line=at, session=id, agent="Trial")
                case Line("agent.said", {"text": text}):
                    yield Segment(run=1, line=at, text=text)
                case Line("command.ended", command):
                    yield call(calls := calls + 1, at, command)
                case Line("session.end", usage):
                    tokens = Tokens(usage["input_tokens"], usage["output_tokens"])
                    yield Result(run=1, line=at, tokens=tokens)
                    yield End(run=1, line=at, state="success")
    yield EndOfLog(run=0, line=last)


def call(number: int, line: int, command: dict[str, Any]) -> ToolCall:
    code = command["exit_code"]
    return ToolCall(
        run=1,
        line=line,
        number=number,
        id=command["id"],
        kind="shell",
        arguments={"command": command["command"]},
        outcome=Outcome("error", exit_code=code) if code else OK,
        output={"interleavedOutput": command["output"]},
    )


KEEPS = {"text": "its commands", "markdown": "commands and text", "json": "the text"}
READER = Reader(read, "calls", EVERYTHING, KEEPS, recognise, redacts=True)
ROW = Format("trial", "another agent's lines", READER)
