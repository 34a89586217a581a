"""Tool calls while they are open: their lines, and which of them a line belongs to.

An id does not always distinguish two calls. Some models count their calls in each chat,
so that an id comes again, and a call that is tried again may keep the id of the first
attempt. So the tool, the arguments and the response of the model identify a call too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.cursor.tool_calls import Frame, read_frame, tool_of
from convert.cursor.wire import Wire, WireEvent, milliseconds
from convert.errors import ignore
from convert.model.events import ToolCall
from convert.source.lines import REFUSED

_SAME, _UNKNOWN, _OTHER = 2, 1, 0


class Identity(Struct, frozen=True):
    """The identity of a call by one of its lines, apart from its id."""

    kind: str
    """The kind of the tool; "" if the line names none."""

    arguments: Any
    """The arguments; None or empty if the line has none."""

    response_id: str
    """The id of the model's response that made the call; "" if the line has none."""


def identity_of(line: WireEvent, wire: Wire) -> Identity:
    """Return the identity of a line's call."""
    kind, body = tool_of(line.tool_call or {}, wire)
    arguments = _decoded(body.args, b"{")
    if arguments is None:
        arguments = _decoded(body.arguments, b'{"')
    return Identity(kind, arguments, line.model_call_id)


def inner_id(line: WireEvent, wire: Wire) -> str:
    """Return the id of a call whose line has none of its own; "" if there is none."""
    call_id = (line.tool_call or {}).get("toolCallId")
    if not call_id:
        arguments = identity_of(line, wire).arguments
        call_id = arguments.get("toolCallId") if isinstance(arguments, dict) else ""
    return call_id if isinstance(call_id, str) else ""


def without_block(line: WireEvent, wire: Wire) -> None:
    """Make undecoded arguments of a line its own; else they keep the whole block."""
    for body in (line.tool_call or {}).values():
        if isinstance(body, wire.body):
            body.args = _copied(body.args)
            if body.arguments is not None:
                body.arguments = _copied(body.arguments)
            return


def _copied(arguments: Any) -> Any:
    return arguments.copy() if type(arguments) is Raw else arguments


def is_another(call: Identity, line: Identity) -> bool:
    """Return True if a first line with the id of an open call begins another call."""
    return (
        _likeness(call.kind, line.kind) == _OTHER
        or _likeness(call.response_id, line.response_id) == _OTHER
        or _likeness(call.arguments, line.arguments) == _OTHER
    )


def how_likely(call: Identity, line: Identity) -> tuple[int, int] | None:
    """Return how likely a later line belongs to a call; None if it cannot.

    The line may repeat only some of the arguments, or none if the call failed.
    """
    likeness = (
        _likeness(call.response_id, line.response_id),
        _likeness_of_arguments(call.arguments, line.arguments),
    )
    if _OTHER in likeness or _likeness(call.kind, line.kind) == _OTHER:
        return None
    return likeness


def _likeness(one: Any, other: Any) -> int:
    if not one or not other:
        return _UNKNOWN
    try:
        return _SAME if one == other else _OTHER
    except RecursionError:
        return _UNKNOWN


def _likeness_of_arguments(call: Any, line: Any) -> int:
    likeness = _likeness(call, line)
    if likeness != _OTHER or not (isinstance(call, dict) and isinstance(line, dict)):
        return likeness
    common = call.keys() & line.keys()
    same = [name for name in common if _likeness(call[name], line[name]) != _OTHER]
    return _UNKNOWN if same and len(same) == len(common) else _OTHER


def _decoded(arguments: Any, begins: bytes) -> Any:
    """Return arguments as values; those that are nested too deeply stay bytes.

    Undecoded arguments that begin in another way have a wrong type, and count as none.
    """
    if type(arguments) is not Raw:
        return arguments
    text = bytes(arguments)
    if text[:1] not in begins:
        return None
    try:
        return msgspec.json.decode(text)
    except REFUSED:
        # Half an emoji, for example.
        import json
    try:
        return json.loads(text.decode(errors="replace"), parse_int=float)
    except (ValueError, RecursionError):
        return text


# How many lines are kept as they are.
_MOST_LINES = 64
# How many open calls are compared with a line: time must not grow with their number.
MOST_COMPARED = 64


class EndedCall(Struct, frozen=True, gc=False):
    """A call that has ended: the facts that distinguish its lines from another's."""

    number: int
    kind: str
    response_id: str
    is_only_query: bool

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
    """The contents of those of its lines that have been read."""

    are_folded: bool = False
    """True if the first of the frames sums up many lines."""

    response_id: str = ""
    """The id of the model's response that made the call, from lines not kept."""

    is_only_query: bool = False
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
        """Return the identity of the call."""
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
        self.is_only_query = False
        self.known_identity = None

    def add(self, line: WireEvent, wire: Wire, are_read: bool) -> None:
        """Add a line that does not end the call.

        A frame replaces many lines: memory must not grow with them.
        """
        self.later = self.later or []
        if len(self.later) >= _MOST_LINES:
            self.response_id = self._response_id(None)
            # A frame that was folded before is not copied again.
            frames = self.earlier(wire, are_read)
            self.frames = [_merged(frames, is_own=self.are_folded)]
            self.are_folded = True
            self.later = []
        self.later.append(line)

    def earlier(
        self, wire: Wire, are_read: bool, last: WireEvent | None = None
    ) -> list[Frame]:
        """Return the frames of the lines before the last one.

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
        queried: dict[str, Any] | None,
        last: WireEvent | None,
    ) -> None:
        """Add the facts of the lines before the last one to a call, and its times.

        `queried` are the arguments that a query names, which count least. `last` is the
        line that ends the call, None if it never ends.
        """
        if earlier:
            _add_before(call, earlier[0] if len(earlier) == 1 else _merged(earlier))
        if queried:
            call.arguments = queried | (call.arguments or {})
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


def most_likely(
    calls: Iterable[OpenCall], line: WireEvent, wire: Wire
) -> OpenCall | None:
    """Return the call that a line belongs to by its content, if there is one.

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
    """Add the facts of earlier lines that the last line of a call lacks."""
    # Nearly always the last line says all of this, and to set it takes longer.
    if not call.kind:
        call.kind = earlier.kind
    if not call.name:
        call.name = earlier.name
    if not call.parent and earlier.parent:
        call.parent = earlier.parent
    if earlier.arguments is not None:
        call.arguments = earlier.arguments | (call.arguments or {})


def _merged(frames: list[Frame], is_own: bool = False) -> Frame:
    """Merge the frames of several lines, except their outputs.

    A later value replaces an earlier one. The first frame is changed if `is_own`: if
    nothing else holds its parts.
    """
    merged = frames[0] if is_own else Frame()
    for frame in frames[1:] if is_own else frames:
        merged.kind = frame.kind or merged.kind
        merged.name = frame.name or merged.name
        merged.parent = frame.parent or merged.parent
        if frame.arguments is not None:
            merged.arguments = merged.arguments or {}
            merged.arguments.update(frame.arguments)
    return merged
