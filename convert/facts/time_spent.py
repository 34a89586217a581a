"""Where the time of a run went: to its agent, to its commands, to several at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from convert.facts.spans import Span, gaps, total, union
from convert.model.events import ToolCall
from convert.tools.row import Lane

_MOST_PAUSES = 3


class TimedCall(Struct, frozen=True):
    """A call, as far as the time that it took is concerned."""

    lane: Lane
    """The kind of call."""

    started: int | None
    """When it started, in milliseconds since the start of the run."""

    ended: int | None
    """When it ended; None if that is not recorded, or if it never did."""


class TimeSpent(Struct, frozen=True, kw_only=True):
    """Where the time of a run went, in milliseconds; None if it is not recorded."""

    agent: int | None = None
    """The time in which no call was open."""

    commands: int | None = None
    """The time that commands took together; None as well without a command."""

    others: int | None = None
    """The time in which calls were open, but no command."""

    pauses: list[Span] | None = None
    """The longest stretches in which no call was open, the longest one first."""

    at_once: int | None = None
    """The most calls that were open at the same time."""

    in_parallel: int | None = None
    """The time in which two calls or more were open."""


def moments_of(call: ToolCall) -> tuple[int | None, int | None]:
    """Return when a call started and ended, in milliseconds since the start.

    A call that ended at no known time has none at all: it is not known how long it was
    open.
    """
    started, took = call.since_start_ms, call.duration_ms
    is_open = call.outcome is None or call.outcome.status == "unfinished"
    if started is None or is_open:
        return started, None
    return (None, None) if took is None else (started, started + took)


def span_in(started: int | None, ended: int | None, length: int) -> Span:
    """Return when a call was open; one that never ended is open until the end."""
    begin = min(max(started or 0, 0), length)
    end = length if ended is None else ended
    return begin, min(max(begin, end), length)


def time_spent(calls: Sequence[TimedCall], length: int | None) -> TimeSpent:
    """Return where the time of a run went; nothing if a call has no time."""
    if length is None or not calls or any(call.started is None for call in calls):
        return TimeSpent()
    spans = [span_in(call.started, call.ended, length) for call in calls]
    pairs = zip(calls, spans, strict=True)
    commands = [span for call, span in pairs if call.lane == "run"]
    idle = gaps(spans, length)
    at_once, in_parallel = _at_once(spans)
    return TimeSpent(
        agent=total(idle),
        commands=total(commands) if commands else None,
        others=length - total(idle) - total(union(commands)),
        pauses=sorted(idle, key=lambda span: span[0] - span[1])[:_MOST_PAUSES],
        at_once=at_once,
        in_parallel=in_parallel,
    )


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
