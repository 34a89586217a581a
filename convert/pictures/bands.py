"""The picture of two runs: a strip of bars for each, and bands between equal calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar, get_args

from msgspec import Struct

from convert.facts.time_spent import clock_of
from convert.pictures.axis import Axis, OrderAxis, Tick
from convert.pictures.columns import MOST_BARS
from convert.pictures.timeline import Bar, CallTime, spans_of

# In the order in which they are drawn, one above the other.
BandKind = Literal["same", "changed", "better", "worse", "moved"]
KINDS: tuple[BandKind, ...] = get_args(BandKind)

# In per cent of the width.
_LEAST_BAR = 0.15

# Where a stretch begins and ends, in per cent of the width.
Ends = tuple[float, float]
_Item = TypeVar("_Item")


class Joint(Struct, frozen=True):
    """Two calls that belong together, by their places in both runs, from 0."""

    a: int
    b: int
    kind: BandKind
    """How the call of A came out in B."""


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


class Strip(Struct, frozen=True):
    """One of the runs: a bar for each call, side by side."""

    bars: list[Bar]
    alone: list[Ends]
    """Where calls stand that the other run did not make."""

    end: float
    """Where the run ends, in per cent of the width."""


class JoinedRuns(Struct, frozen=True):
    """Two runs on one scale, with the bands between them."""

    axis: Axis | OrderAxis
    a: Strip
    b: Strip
    bands: list[Band]

    @property
    def ticks(self) -> list[Tick]:
        """The marks on the axis of both."""
        return self.axis.ticks


def joined_by_order(
    a: Sequence[CallTime], b: Sequence[CallTime], joints: Iterable[Joint]
) -> JoinedRuns:
    """Lay out two runs by the order of their calls, each as wide as the others."""
    axis = OrderAxis(max(len(a), len(b)))
    # A gap between bars that are thinner than a pixel would only make them pale.
    is_many = axis.calls > MOST_BARS
    sides = [
        [_slot(call, axis, place, is_many) for place, call in enumerate(side, 1)]
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
        [_bar(call, axis, length or 0) for call in side]
        for side, length in zip((a, b), lengths, strict=True)
    ]
    ends = [axis.place(length or 0) for length in lengths]
    return _joined(axis, sides, ends, list(joints))


def _slot(call: CallTime, axis: OrderAxis, place: int, is_filled: bool) -> Bar:
    x, width = axis.bar(place)
    return Bar(call, x, axis.slot if is_filled else width, 0)


def _bar(call: CallTime, axis: Axis, length: int) -> Bar:
    [(begin, end)] = spans_of([call], length)
    x = axis.place(begin)
    width = max(axis.place(end) - x, _LEAST_BAR)
    return Bar(call, min(x, 100 - width), width, 0)


def _joined(
    axis: Axis | OrderAxis,
    sides: list[list[Bar]],
    ends: list[float],
    joints: list[Joint],
) -> JoinedRuns:
    ones, others = sides
    a = Strip(ones, _alone(ones, {joint.a for joint in joints}), ends[0])
    b = Strip(others, _alone(others, {joint.b for joint in joints}), ends[1])
    bands = [_band(stretch, ones, others) for stretch in _stretches(joints)]
    bands.sort(key=lambda band: KINDS.index(band.kind))
    return JoinedRuns(axis, a, b, bands)


def _alone(bars: list[Bar], joined: set[int]) -> list[Ends]:
    """Return where the calls without a partner stand, neighbours as one stretch."""
    alone = [place for place in range(len(bars)) if place not in joined]
    stretches = _runs_of(alone, lambda one, other: one + 1 == other)
    return [_ends([bars[place] for place in stretch]) for stretch in stretches]


def _stretches(joints: list[Joint]) -> Iterator[list[Joint]]:
    """Yield the calls that follow one another in both runs and fared alike."""

    def goes_on(one: Joint, other: Joint) -> bool:
        return (one.a + 1, one.b + 1, one.kind) == (other.a, other.b, other.kind)

    return _runs_of(sorted(joints, key=lambda joint: joint.a), goes_on)


def _runs_of(
    items: Iterable[_Item], goes_on: Callable[[_Item, _Item], bool]
) -> Iterator[list[_Item]]:
    """Yield items in groups, in which each goes on from the one before it."""
    group: list[_Item] = []
    for item in items:
        if group and not goes_on(group[-1], item):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _band(stretch: list[Joint], ones: list[Bar], others: list[Bar]) -> Band:
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
