"""The picture of two runs, from their comparison."""

from __future__ import annotations

from msgspec import Struct

from convert.diff.changes import RunComparison
from convert.diff.compared_call import ComparedCall
from convert.diff.reports.html.rows import subject_or_name, word_for
from convert.facts.time_spent import clock_of
from convert.pictures.bands import (
    BandKind,
    JoinedRuns,
    Joint,
    joined_by_order,
    joined_by_time,
)
from convert.pictures.columns import MOST_BARS
from convert.pictures.timeline import CallTime
from convert.tools.table import tool_of
from convert.transcript.call_times import at_most
from convert.wording.numbers import count, duration, numbered
from convert.wording.sanitise import truncate

_LONGEST = 60


class Joined(Struct, kw_only=True):
    """The picture of two runs, by the order of their calls and by time."""

    by_order: JoinedRuns
    by_time: JoinedRuns | None
    """None if a log does not record when all calls began."""

    hovers: tuple[list[str], list[str]]
    """The text about each call of A and of B where the mouse is over it."""

    is_many: bool
    """There are too many calls for a bar each that leads somewhere."""

    without_times: str
    """Which logs do not record when calls began; empty if both do."""

    sentence: str
    """The picture in words."""

    @property
    def kinds(self) -> set[BandKind]:
        """The kinds of bands that occur."""
        return {band.kind for band in self.by_order.bands}

    @property
    def has_failures(self) -> bool:
        """A call of either run failed, was refused or never ended."""
        strips = (self.by_order.a, self.by_order.b)
        return any(bar.call.failure for strip in strips for bar in strip.bars)


def joined_of(run: RunComparison) -> Joined | None:
    """Return the picture of two runs; None if no calls were compared."""
    pairs = [
        row.comparison
        for row in run.rows
        if row.side != "b" or not row.comparison.is_moved
    ]
    ones = _in_order([pair.a for pair in pairs])
    others = _in_order([pair.b for pair in pairs])
    if not (ones or others):
        return None
    joints = [
        Joint(
            pair.a.number - 1,
            pair.b.number - 1,
            _kind(pair.fate, pair.is_changed, pair.is_moved),
        )
        for pair in pairs
        if pair.a and pair.b
    ]
    a, b = list(map(_time, ones)), list(map(_time, others))
    lengths = (run.a.length if run.a else None, run.b.length if run.b else None)
    by_order, by_time = (
        joined_by_order(a, b, joints),
        joined_by_time(a, b, joints, lengths),
    )
    return Joined(
        by_order=by_order,
        by_time=by_time,
        hovers=(list(map(_hover, ones)), list(map(_hover, others))),
        is_many=max(len(ones), len(others)) > MOST_BARS,
        without_times="" if by_time else _without_times(a, b, lengths),
        sentence=_sentence(a, b),
    )


def _in_order(calls: list[ComparedCall | None]) -> list[ComparedCall]:
    return sorted(filter(None, calls), key=lambda call: call.number)


def _kind(fate: str, is_changed: bool, is_moved: bool) -> BandKind:
    match fate:
        case "better" | "worse":
            return fate
    if is_moved:
        return "moved"
    return "changed" if is_changed else "same"


def _time(call: ComparedCall) -> CallTime:
    recorded = call.recorded
    started = recorded.since_start_ms if recorded else None
    took = recorded.duration_ms if recorded else None
    ended = recorded.ended_since_start_ms if recorded else None
    if call.failure != "unfinished" and started is not None and took is not None:
        ended = started + took
    return CallTime(
        number=str(call.number),
        lane=tool_of(call.kind).lane,
        failure=call.failure,
        started=started,
        ended=ended,
    )


def _hover(call: ComparedCall) -> str:
    took = call.recorded.duration_ms if call.recorded else None
    status = "" if call.outcome == "ok" else call.outcome
    longest = at_most(call.recorded) if call.recorded else ""
    time = longest if took is None else duration(took)
    about = ", ".join(filter(None, (status, time)))
    subject = truncate(subject_or_name(call), _LONGEST)
    words = f"{call.number} {word_for(call)} {subject}"
    return f"{words} – {truncate(about, _LONGEST)}" if about else words


def _without_times(
    a: list[CallTime], b: list[CallTime], lengths: tuple[int | None, int | None]
) -> str:
    lacking = [
        name
        for name, calls, length in (("A", a, lengths[0]), ("B", b, lengths[1]))
        if length is None or not clock_of(calls)
    ]
    return " and ".join(lacking)


def _sentence(a: list[CallTime], b: list[CallTime]) -> str:
    said = []
    for name, calls in (("A", a), ("B", b)):
        failed = [call.number for call in calls if call.has_failed]
        words = f"{name} made {count(len(calls), 'call')}"
        which = f"; failed: {numbered('call', failed, len(failed))}" if failed else ""
        said.append(f"{words}{which}.")
    return " ".join(said)
