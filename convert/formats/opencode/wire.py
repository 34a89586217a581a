"""The structs of a line of opencode.

A target that shows no arguments and no outputs reads neither.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import Decoding

Milliseconds = int | float | None
# In milliseconds since 1970, in the year 5138.
_BEYOND_BELIEF = 1e14


class Span(Struct):
    """When a part began and ended, in milliseconds since 1970."""

    start: Milliseconds = None
    end: Milliseconds = None


class Said(Struct):
    """The metadata of a tool, as far as it tells calls and outcomes."""

    exit: Any = msgspec.UNSET
    """The exit code; None if the command did not end by itself."""

    files: Any = None
    """The files that a patch changed."""


class SaidInFull(Said):
    """The metadata of a tool."""

    display: Any = None
    """The content that was read, without the frame around it."""

    diff: Any = None
    filediff: Any = None
    """The contents before and after an edit, or its diff."""

    exists: Any = None
    """Whether a file that was written was there before."""

    truncated: Any = None
    """Whether findings were left out."""


class Ended(Struct):
    """How a tool ended."""

    status: str = ""
    """`completed` or `error`."""

    error: Any = None
    """The message of an error."""

    output: msgspec.Raw = msgspec.Raw(b"null")
    """The output of the tool, in JSON."""

    metadata: Said | None = None
    time: Span | None = None


class EndedInFull(Ended):
    """How a tool ended, what it was given and what it said."""

    input: Any = None
    metadata: SaidInFull | None = None


class Cache(Struct):
    """Tokens that a cache saved, or keeps."""

    read: int | None = None
    write: int | None = None


class Usage(Struct):
    """The tokens of one response."""

    total: int | None = None
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache: Cache | None = None


class Part(Struct, rename={"message": "messageID", "call": "callID"}):
    """The part that a line is about."""

    id: str = ""
    """The id of the part; a part that comes again has changed since."""

    message: str = ""
    """The id of the model's response."""

    tool: str = ""
    """The name of the tool."""

    call: str = ""
    """The id of the call."""

    state: Ended | None = None
    """How the tool ended."""

    text: str = ""
    """A text, or the reasoning."""

    time: Span | None = None

    reason: str = ""
    """Why a response ended, such as `stop` or `tool-calls`."""

    tokens: Usage | None = None

    cost: int | float | None = None
    """The cost of a response in US dollars."""


class FullPart(Part):
    """A part with all that is recorded of its tool."""

    state: EndedInFull | None = None


class Line(Struct, rename={"session": "sessionID"}):
    """One event."""

    type: str
    timestamp: Milliseconds = None
    session: str = ""
    """The id of the session."""

    part: Part | None = None
    error: Any = None
    """The failure, in an event of the type `error`."""

    rejected: Any = None
    """The permissions that were refused, in an event of the type `done`."""


class FullLine(Line):
    """An event for targets that show arguments or outputs."""

    part: FullPart | None = None


_DECODERS: dict[type[Line], msgspec.json.Decoder[Any]] = {
    line: msgspec.json.Decoder(line) for line in (Line, FullLine)
}


def decoding(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for what is needed of them."""
    has_arguments = needs.calls >= CallDetail.ARGUMENTS
    line = FullLine if has_arguments else Line
    return Decoding(
        line, _DECODERS[line], own_member="sessionID", has_values=has_arguments
    )


def exit_code_of(value: Any) -> int | None:
    """Return an exit code, which may be written as a text; None if there is none."""
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value[:20])
    return value if isinstance(value, int) else None


def words_of(error: Any) -> str:
    """Return the words of an error."""
    match error:
        case {"data": {"message": str(message)}} if message:
            return message
        case {"message": str(message)} if message:
            return message
        case {"name": str(name)} if name:
            return name
        case str():
            return error
    return msgspec.json.encode(error).decode()


def whole(milliseconds: Milliseconds) -> int | None:
    """Return a time without fractions of a millisecond; None for one beyond belief."""
    if milliseconds is None or not 0 <= milliseconds < _BEYOND_BELIEF:
        return None
    return int(milliseconds)
