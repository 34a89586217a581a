"""A tool call while it is open: its lines, and what they say together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from convert.errors import ignore
from convert.formats.stream_json.call_identity import (
    Identity,
    how_likely,
    identity_of,
)
from convert.formats.stream_json.tool_calls import Frame, read_frame
from convert.formats.stream_json.wire import Wire, WireEvent, milliseconds
from convert.model.events import ToolCall

# How many lines are kept as they are.
_MOST_LINES = 64
# How many open calls are compared with a line: time must not grow with their number.
MOST_COMPARED = 64


class EndedCall(Struct, frozen=True, gc=False):
    """A call that has ended, as far as is kept to tell its lines from another's."""

    number: int
    kind: str
    response_id: str
    is_asked: bool

    def has(self, kind: str, line: WireEvent) -> bool:
        """Return True if a last line repeats that of the call."""
        response_id = line.model_call_id
        return (not kind or not self.kind or kind == self.kind) and (
            not response_id or not self.response_id or response_id == self.response_id
        )


class OpenCall(Struct):
    """A call that has started and not ended."""

    id: str
    """The id of the call; "" if it has none."""

    number: int
    """The number of the call in its run, from 1."""

    is_repeated: bool
    """True if the call has ended before and one of its lines comes again."""

    line: int
    """The number of its first line."""

    started: WireEvent
    """Its first line."""

    later: list[WireEvent] | None = None
    """Its other lines so far; None if there is none."""

    frames: list[Frame] | None = None
    """The contents of its lines, as far as they have been read."""

    are_folded: bool = False
    """True if the first of the frames is what many lines say together."""

    response_id: str = ""
    """The id of the model's response that made the call, from lines not kept."""

    is_asked: bool = False
    """True as long as its query is all that the log holds of the call."""

    next_response_id: str = ""
    """The id of the first response that made a call after the query was answered."""

    answer: Frame | None = None
    """How the call ends if no line says it, by the answer to its query."""

    previous: OpenCall | None = None
    """The open call that had the id before; None if there is none."""

    is_contested: bool = False
    """True if another call with its id was open at the same time."""

    known_identity: Identity | None = None
    """Its identity, once it has been needed."""

    def identify(self, wire: Wire) -> Identity:
        """Return what tells the call from others."""
        if self.known_identity is None:
            self.known_identity = identity_of(self.started, wire)
        return self.known_identity

    def with_id(self) -> Iterator[OpenCall]:
        """Yield this call and those that had its id before, the latest first."""
        call: OpenCall | None = self
        while call is not None:
            yield call
            call = call.previous

    def begin(self, line: WireEvent, number: int) -> None:
        """Take the first line of a call that a query has begun."""
        self.started, self.line = line, number
        self.is_asked = False
        self.known_identity = None

    def add(self, line: WireEvent, wire: Wire, are_read: bool) -> None:
        """Add a line that does not end the call.

        Many lines are replaced by what they say: memory must not grow with them.
        """
        self.later = self.later or []
        if len(self.later) >= _MOST_LINES:
            self.response_id = self._response_id(None)
            self._fold(self.earlier(wire, are_read))
            self.later = []
        self.later.append(line)

    def _fold(self, frames: list[Frame]) -> None:
        """Replace frames by one; what was folded before is not copied again."""
        first, *others = frames
        folded = first if self.are_folded else _own(first)
        for frame in others:
            _add_to(folded, frame)
        self.frames, self.are_folded = [folded], True

    def earlier(
        self, wire: Wire, are_read: bool, last: WireEvent | None = None
    ) -> list[Frame]:
        """Return what the lines before the last one say.

        With `are_read`, `frames` holds that already. Warnings are dropped: they come
        too late to be of use.
        """
        known = self.frames or []
        if are_read:
            return known
        later = self.later or ()
        lines = [
            read_frame(line.tool_call or {}, wire, 0, ignore)
            for line in (later if self.are_folded else (self.started, *later))
            if line is not last
        ]
        if self.are_folded:
            return [*known, *lines]
        first, *others = lines or [Frame()]
        return [first, *known, *others]

    def add_details(
        self,
        call: ToolCall,
        earlier: list[Frame],
        asked: dict[str, Any] | None,
        last: WireEvent | None,
    ) -> None:
        """Add what the lines before the last one say of a call, and its times.

        `asked` are the arguments that a query names, which count least. `last` is the
        line that ends the call, None if it never ends.
        """
        if earlier:
            _add_before(call, earlier[0] if len(earlier) == 1 else _merged(earlier))
        if asked:
            call.arguments = asked | (call.arguments or {})
        call.response_id = self.started.model_call_id or self._response_id(last)
        call.started_ms = milliseconds(self.started.timestamp_ms)
        if call.duration_ms is None and last is not None and call.outcome is not None:
            call.duration_ms = self._duration(last)
            if call.started_ms is None and last is not self.started:
                call.ended_ms = milliseconds(last.timestamp_ms)

    def _duration(self, last: WireEvent) -> int | None:
        """Return the milliseconds from the first line to the last, if both have any."""
        started = milliseconds(self.started.timestamp_ms)
        ended = milliseconds(last.timestamp_ms)
        if last is self.started or started is None or ended is None or ended < started:
            return None
        return ended - started

    def _response_id(self, last: WireEvent | None) -> str:
        """Return the id of the model's response, from the first line that has one."""
        response_id = self.response_id or self.started.model_call_id
        for line in (*(self.later or ()), last):
            if not response_id and line is not None:
                response_id = line.model_call_id
        return response_id


def likeliest(
    calls: Iterable[OpenCall], line: WireEvent, wire: Wire
) -> OpenCall | None:
    """Return the call that a line belongs to by what it says, if there is one.

    It is the first of those that are as likely.
    """
    identity = identity_of(line, wire)
    best, most = None, (0, 0)
    for call in itertools.islice(calls, MOST_COMPARED):
        likeness = how_likely(call.identify(wire), identity)
        if likeness is not None and likeness > most:
            best, most = call, likeness
    return best


def _add_before(call: ToolCall, earlier: Frame) -> None:
    """Add to what the last line says of a call what those before it say."""
    # Nearly always the last line says all of this, and to set it takes longer.
    if not call.kind:
        call.kind = earlier.kind
    if not call.name:
        call.name = earlier.name
    if not call.parent and earlier.parent:
        call.parent = earlier.parent
    if earlier.arguments is not None:
        call.arguments = earlier.arguments | (call.arguments or {})


def _merged(frames: list[Frame]) -> Frame:
    """Merge what several lines say of a call, except what is long."""
    first, *others = frames
    merged = _own(first)
    for frame in others:
        _add_to(merged, frame)
    return merged


def _own(frame: Frame) -> Frame:
    """Return what a line says of a call, to add to: nothing else holds its parts."""
    arguments = None if frame.arguments is None else dict(frame.arguments)
    return Frame(frame.kind, frame.name, arguments=arguments, parent=frame.parent)


def _add_to(merged: Frame, frame: Frame) -> None:
    """Add what a line says of a call, except what is long; the later word counts."""
    merged.kind = frame.kind or merged.kind
    merged.name = frame.name or merged.name
    merged.parent = frame.parent or merged.parent
    if merged.arguments is None:
        merged.arguments = None if frame.arguments is None else dict(frame.arguments)
    elif frame.arguments:
        merged.arguments.update(frame.arguments)
