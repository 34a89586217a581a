"""The parts of the time of a run: thinking, commands, and several at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from convert.model.events import ToolCall
from convert.tools.table import Lane

_MOST_PAUSES = 3


class TimedCall(Struct, frozen=True):
    """The kind of a call, and the time that it took."""

    lane: Lane
    """The kind of call."""

    started: int | None
    """When it started, in milliseconds since the start of the run."""

    ended: int | None
    """When it ended; None if that is not recorded, or if it never did."""

    is_open: bool = False
    """It never ended."""


class Timed(Protocol):
    """Anything that takes time."""

    @property
    def started(self) -> int | None:
        """When it started."""

    @property
    def ended(self) -> int | None:
        """When it ended."""

    @property
    def is_open(self) -> bool:
        """It never ended."""


Clock = Literal["starts", "ends", ""]
"""The times of calls that a log records; "" for none."""


class TimeSpent(Struct, frozen=True, kw_only=True):
    """The parts of the time of a run in milliseconds; None if it is not recorded."""

    agent: int | None = None
    """The time in which no call was open."""

    commands: int | None = None
    """The time that commands took together; None as well without a command."""

    others: int | None = None
    """The time in which calls were open, but no command."""

    pauses: list[Span] | None = None
    """The longest stretches in which no call was open, the longest one first.

    If the log records only when calls ended: stretches in which no call ended.
    """

    at_once: int | None = None
    """The most calls that were open at the same time."""

    in_parallel: int | None = None
    """The time in which two calls or more were open."""


def moments_of(call: ToolCall) -> tuple[int | None, int | None]:
    """Return when a call started and ended, in milliseconds since the start.

    A call that ended at no known time has none at all: it is not known how long it was
    open. If only its end is recorded, it has only that.
    """
    started, took = call.since_start_ms, call.duration_ms
    is_open = call.outcome is None or call.outcome.status == "unfinished"
    if started is None or is_open:
        return started, call.ended_since_start_ms
    return (None, None) if took is None else (started, started + took)


def span_in(started: int | None, ended: int | None, length: int) -> Span:
    """Return when a call was open; one that never ended is open until the end."""
    begin = min(max(started or 0, 0), length)
    end = length if ended is None else ended
    return begin, min(max(begin, end), length)


def clock_of(calls: Sequence[Timed]) -> Clock:
    """Return which times a log records of all calls."""
    if all(call.started is not None for call in calls):
        return "starts"
    known = (
        call.is_open or call.started is not None or call.ended is not None
        for call in calls
    )
    has_end = any(call.ended is not None for call in calls)
    return "ends" if has_end and all(known) else ""


def span_of(call: Timed, length: int) -> Span:
    """Return when a call was open; only its end, if the log records only that."""
    if call.started is None:
        ended = length if call.ended is None else min(call.ended, length)
        return ended, ended
    return span_in(call.started, call.ended, length)


def time_spent(calls: Sequence[TimedCall], length: int | None) -> TimeSpent:
    """Return where the time of a run went; nothing if a call has no time."""
    clock = clock_of(calls)
    if length is None or not (calls and clock):
        return TimeSpent()
    if clock == "ends":
        ends = sorted({call.ended for call in calls if call.ended is not None})
        return TimeSpent(pauses=_longest(itertools.pairwise(ends)))
    spans = [span_in(call.started, call.ended, length) for call in calls]
    pairs = zip(calls, spans, strict=True)
    commands = [span for call, span in pairs if call.lane == "run"]
    idle = gaps(spans, length)
    at_once, in_parallel = _at_once(spans)
    return TimeSpent(
        agent=total_length(idle),
        commands=total_length(commands) if commands else None,
        others=length - total_length(idle) - total_length(joined_spans(commands)),
        pauses=_longest(idle),
        at_once=at_once,
        in_parallel=in_parallel,
    )


def _longest(spans: Iterable[Span]) -> list[Span]:
    """Return the longest of some spans, the longest one first."""
    return sorted(spans, key=lambda span: span[0] - span[1])[:_MOST_PAUSES]


def _at_once(spans: Iterable[Span]) -> tuple[int, int]:
    """Return the most spans that overlap, and how long two or more of them do.

    One that ends when another begins does not overlap it.
    """
    changes = sorted(
        change for begin, end in spans for change in ((begin, 1), (end, -1))
    )
    most, is_open, together, since = 1, 0, 0, 0
    for at, change in changes:
        if is_open > 1:
            together += at - since
        since = at
        is_open += change
        most = max(most, is_open)
    return most, together


Span = tuple[int, int]


def joined_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the time that is in any of some spans, in order and without overlaps."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def gaps(spans: Iterable[Span], length: int) -> list[Span]:
    """Return the time from 0 to `length` that is in none of some spans."""
    found = []
    at = 0
    for begin, end in joined_spans(spans):
        if at < min(begin, length):
            found.append((at, min(begin, length)))
        at = max(at, end)
    if at < length:
        found.append((at, length))
    return found


def total_length(spans: Iterable[Span]) -> int:
    """Return the sum of the lengths of spans."""
    return sum(end - begin for begin, end in spans)
