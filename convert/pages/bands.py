"""The picture of two runs: a strip of bars for each, bands between equal calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from types import SimpleNamespace
from typing import Literal, TypeVar, get_args

from msgspec import Struct

from convert.diff.alignment.rows import Fate
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.comparison import RunComparison
from convert.diff.reports.marks_and_labels import ended
from convert.facts.time_spent import clock_of
from convert.pages.comparison_calls import subject_or_name, word_for
from convert.pages.long_timeline import MOST_BARS, FailedDot, Link, dots_of, links_of
from convert.pages.timeline_layout import (
    Axis,
    Bar,
    CallTime,
    OrderAxis,
    spans_of,
)
from convert.tools.table import tool_of
from convert.transcript.timing import longest_duration
from convert.wording.escapes import truncate
from convert.wording.numbers import count, duration, numbered

# In the order in which they are drawn.
BandKind = Literal["same", "changed", "better", "worse", "moved"]
KINDS: tuple[BandKind, ...] = get_args(BandKind)

# Where a stretch begins and ends, in per cent of the width.
Ends = tuple[float, float]
_Item = TypeVar("_Item")

_LONGEST = 60
# The most per cent of the width that a call of two runs takes, by order.
_WIDEST_SLOT = 10.0


def pair_picture(run: RunComparison) -> SimpleNamespace | None:
    """Return the picture of two runs, by the order of their calls and by time.

    None if no calls were compared. `by_time` is None if a log does not record when all
    calls began; `without_times` names such logs. `hovers` are the texts that a pointer
    shows over each call of A and of B; `sentence` describes the picture.
    """
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
            pair.a.recorded.number - 1,
            pair.b.recorded.number - 1,
            _kind_of_band(pair.fate, pair.is_changed, pair.is_moved),
        )
        for pair in pairs
        if pair.a and pair.b
    ]
    a, b = list(map(_call_time, ones)), list(map(_call_time, others))
    lengths = (run.a.length if run.a else None, run.b.length if run.b else None)
    by_order = joined_by_order(a, b, joints)
    by_time = joined_by_time(a, b, joints, lengths)
    sides = zip("AB", (a, b), lengths, strict=True)
    lacking = [name for name, calls, n in sides if n is None or not clock_of(calls)]
    return SimpleNamespace(
        by_order=by_order,
        by_time=by_time,
        kinds={band.kind for band in by_order.bands},
        hovers=(list(map(_hover, ones)), list(map(_hover, others))),
        is_many=max(len(ones), len(others)) > MOST_BARS,
        has_failures=any(call.failure for call in (*a, *b)),
        without_times="" if by_time else " and ".join(lacking),
        sentence=f"{_made_in_words('A', a)} {_made_in_words('B', b)}",
    )


def _in_order(calls: list[AlignedCall | None]) -> list[AlignedCall]:
    return sorted(filter(None, calls), key=lambda call: call.recorded.number)


def _kind_of_band(fate: Fate, is_changed: bool, is_moved: bool) -> BandKind:
    if fate in ("better", "worse"):
        return fate
    return "moved" if is_moved else "changed" if is_changed else "same"


def _call_time(call: AlignedCall) -> CallTime:
    recorded, event = call.recorded, call.recorded.event
    started = event.since_start_ms if event else None
    took = event.duration_ms if event else None
    ended = event.ended_since_start_ms if event else None
    if recorded.failure != "unfinished" and started is not None and took is not None:
        ended = started + took
    return CallTime(
        number=str(recorded.number),
        lane=tool_of(recorded.kind).lane,
        failure=recorded.failure,
        started=started,
        ended=ended,
    )


def _hover(call: AlignedCall) -> str:
    recorded, event = call.recorded, call.recorded.event
    took = event.duration_ms if event else None
    status = "" if recorded.outcome == "ok" else ended(recorded.outcome)
    longest = longest_duration(event) if event else ""
    time = longest if took is None else duration(took)
    about = ", ".join(filter(None, (status, time)))
    subject = truncate(subject_or_name(call), _LONGEST)
    words = f"{call.recorded.number} {word_for(call)} {subject}"
    return f"{words} – {truncate(about, _LONGEST)}" if about else words


def _made_in_words(name: str, calls: list[CallTime]) -> str:
    failed = [call.number for call in calls if call.has_failed]
    which = f"; failed: {numbered('call', failed, len(failed))}" if failed else ""
    return f"{name} made {count(len(calls), 'call')}{which}."


class Joint(Struct, frozen=True):
    """Two calls that belong together, by their places in both runs, from 0."""

    a: int
    b: int
    kind: BandKind
    """How the calls differ."""


class Band(Struct, frozen=True):
    """A band between calls that follow one another in both runs."""

    kind: BandKind
    a: Ends
    b: Ends
    calls: int
    first: tuple[str, str]
    """The numbers of the first call in both runs."""

    last: tuple[str, str]
    """The numbers of the last call."""

    @property
    def outline(self) -> str:
        """Its path: upright at both ends, and bent between them."""
        (a, a_end), (b, b_end) = self.a, self.b
        # Bands are 64 pixels high.
        middle, low = 32, 64
        there = f"M{a:.2f} 0C{a:.2f} {middle} {b:.2f} {middle} {b:.2f} {low}"
        back = f"C{b_end:.2f} {middle} {a_end:.2f} {middle} {a_end:.2f} 0z"
        return f"{there}L{b_end:.2f} {low}{back}"


class Strip(Struct, frozen=True):
    """One of the runs: a bar for each call, side by side."""

    bars: list[Bar]
    alone: list[Ends]
    """The places of calls that the other run did not make."""

    end: float
    """Where the run ends, in per cent of the width."""

    @property
    def paths(self) -> list[tuple[str, str]]:
        """The bars of each lane as one path, and those that failed as another."""
        paths: dict[str, list[str]] = {}
        for bar in self.bars:
            name = "failed" if bar.call.has_failed else bar.call.lane
            path = f"M{bar.x:.2f} 0h{bar.width:.3f}v1h-{bar.width:.3f}z"
            paths.setdefault(name, []).append(path)
        order = sorted(paths.items(), key=lambda path: path[0] == "failed")
        return [(name, "".join(path)) for name, path in order]

    @property
    def dots(self) -> list[FailedDot]:
        """The marks of failures in a run of many calls."""
        return dots_of(self.bars)

    @property
    def links(self) -> list[Link]:
        """The slices of a run of many calls, which lead to its calls."""
        return links_of(self.bars)


class JoinedRuns(Struct, frozen=True):
    """Two runs on one scale, with the bands between them."""

    axis: Axis | OrderAxis
    a: Strip
    b: Strip
    bands: list[Band]


def joined_by_order(
    a: Sequence[CallTime], b: Sequence[CallTime], joints: Iterable[Joint]
) -> JoinedRuns:
    """Lay out two runs by the order of their calls, each as wide as the others."""
    axis = OrderAxis(max(len(a), len(b)), widest=_WIDEST_SLOT)
    # A gap between bars that are thinner than a pixel would only make them pale.
    is_many = axis.calls > MOST_BARS
    sides = [
        [
            Bar(call, x, axis.slot if is_many else width, 0)
            for place, call in enumerate(side, 1)
            for x, width in [axis.bar(place)]
        ]
        for side in (a, b)
    ]
    ends = [bars[-1].x + bars[-1].width if bars else 0.0 for bars in sides]
    return _joined(axis, sides, ends, list(joints))


def joined_by_time(
    a: Sequence[CallTime],
    b: Sequence[CallTime],
    joints: Iterable[Joint],
    lengths: tuple[int | None, int | None],
) -> JoinedRuns | None:
    """Lay out two runs by time; None if a log does not record all times."""
    longest = max((length for length in lengths if length), default=0)
    has_times = None not in lengths and clock_of(a) and clock_of(b)
    if not (longest and has_times):
        return None
    axis = Axis(longest)
    sides = [
        [
            Bar(call, *axis.bar(span), 0)
            for call, span in zip(side, spans_of(side, length or 0), strict=True)
        ]
        for side, length in zip((a, b), lengths, strict=True)
    ]
    ends = [axis.place(length or 0) for length in lengths]
    return _joined(axis, sides, ends, list(joints))


def _joined(
    axis: Axis | OrderAxis,
    sides: list[list[Bar]],
    ends: list[float],
    joints: list[Joint],
) -> JoinedRuns:
    ones, others = sides
    a = Strip(ones, _alone(ones, {joint.a for joint in joints}), ends[0])
    b = Strip(others, _alone(others, {joint.b for joint in joints}), ends[1])
    stretches = _stretches(
        sorted(joints, key=lambda joint: joint.a),
        lambda at, joint: (joint.a - at, joint.b - at, joint.kind),
    )
    bands = [_band_of(stretch, ones, others) for stretch in stretches]
    bands.sort(key=lambda band: KINDS.index(band.kind))
    return JoinedRuns(axis, a, b, bands)


def _alone(bars: list[Bar], joined: set[int]) -> list[Ends]:
    """Return the places of calls without a partner, neighbours as one stretch."""
    alone = [place for place in range(len(bars)) if place not in joined]
    stretches = _stretches(alone, lambda at, place: place - at)
    return [_ends([bars[place] for place in stretch]) for stretch in stretches]


def _stretches(
    items: Iterable[_Item], distance: Callable[[int, _Item], object]
) -> Iterator[list[_Item]]:
    """Yield groups of neighbours, whose distance to their places is the same."""
    for _, group in groupby(enumerate(items), lambda each: distance(*each)):
        yield [item for _, item in group]


def _band_of(stretch: list[Joint], ones: list[Bar], others: list[Bar]) -> Band:
    first, last = stretch[0], stretch[-1]
    return Band(
        kind=first.kind,
        a=_ends([ones[joint.a] for joint in stretch]),
        b=_ends([others[joint.b] for joint in stretch]),
        calls=len(stretch),
        first=(ones[first.a].call.number, others[first.b].call.number),
        last=(ones[last.a].call.number, others[last.b].call.number),
    )


def _ends(bars: list[Bar]) -> Ends:
    return min(bar.x for bar in bars), max(bar.x + bar.width for bar in bars)
