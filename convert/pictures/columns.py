"""The picture of a run of many calls: columns that show how busy a lane was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from convert.facts.spans import union
from convert.pictures.timeline import (
    BELOW,
    LANE_GAP,
    LANES,
    TOP,
    Bar,
    CallTime,
    Marks,
    Timeline,
    is_of_subagent,
    lane_of,
    lanes_of,
)

# More calls than this become columns.
MOST_BARS = 400
COLUMNS = 300
# In pixels.
_HEIGHT = 22
# The places of dots and links, and the sizes of dots in pixels.
_DOT_PLACES = 100
_LINKS = 60
_SMALLEST_DOT = 1.2
_LARGEST_DOT = 2.4


class Column(Struct, frozen=True):
    """How much of a slice of the run calls of a lane were open, from 0 to 1."""

    share: float
    failed: float
    """The part of the share in which a failed call was open."""


class FailedDot(Struct, frozen=True):
    """The marks of a hundredth of the width."""

    x: float
    radius: float
    number: str
    """The number of the first of them."""


class Link(Struct, frozen=True):
    """A slice that leads to the first call that starts in it."""

    x: float
    width: float
    number: str


class Columns(Struct, frozen=True):
    """All that is drawn in place of bars."""

    picture: Timeline
    """The picture with lanes as high as columns are."""

    lanes: dict[str, list[Column]]
    dots: dict[Marks, list[FailedDot]]
    links: list[Link]


def columns(timeline: Timeline) -> Columns:
    """Return a picture of bars as columns."""
    bars = timeline.bars
    lanes = lane_columns(bars, COLUMNS)
    dots = {
        name: dots_of([bar for bar in bars if lane_of(bar) == name])
        for name in get_args(Marks)
    }
    return Columns(_with_high_lanes(timeline), lanes, dots, links_of(bars))


def lane_columns(bars: Sequence[Bar], count: int) -> dict[str, list[Column]]:
    """Return so many columns for each lane that is used."""
    return {
        lane: _columns([bar for bar in bars if bar.call.row == lane], count)
        for lane in lanes_of(bar.call for bar in bars)
    }


def _with_high_lanes(timeline: Timeline) -> Timeline:
    """Return a picture whose lanes are as high as columns are."""
    y = TOP
    lanes = []
    for lane in timeline.lanes:
        is_of_calls = lane.name in LANES or is_of_subagent(lane.name)
        height = _HEIGHT if is_of_calls else lane.height
        lanes.append(replace(lane, y=y, height=height))
        y += height + LANE_GAP
    return replace(timeline, lanes=lanes, height=y + BELOW)


def _columns(bars: list[Bar], count: int) -> list[Column]:
    """Return the columns of a lane."""
    busy = _shares(bars, count)
    failed = _shares([bar for bar in bars if bar.call.has_failed], count)
    return [Column(all_, bad) for all_, bad in zip(busy, failed, strict=True)]


def _shares(bars: list[Bar], count: int) -> list[float]:
    """Return the share of each column that is under a bar."""
    # In thousandths of a column, so that spans are whole numbers.
    scale = count * 10
    spans = [(round(bar.x * scale), round((bar.x + bar.width) * scale)) for bar in bars]
    shares = [0.0] * count
    for begin, end in union(spans):
        column = begin // 1000
        while column < count and column * 1000 < end:
            inside = min(end, (column + 1) * 1000) - max(begin, column * 1000)
            shares[column] += inside / 1000
            column += 1
    return shares


def dots_of(bars: Sequence[Bar]) -> list[FailedDot]:
    """Return a dot for each hundredth of the width in which calls went wrong."""
    places: dict[int, list[CallTime]] = {}
    for bar in bars:
        if bar.call.failure:
            middle = bar.x + bar.width / 2
            place = min(int(middle * _DOT_PLACES / 100), _DOT_PLACES - 1)
            places.setdefault(place, []).append(bar.call)
    most = max(map(len, places.values()), default=1)
    return [
        FailedDot(
            (place + 0.5) * 100 / _DOT_PLACES,
            _SMALLEST_DOT + _LARGEST_DOT * (len(calls) / most) ** 0.5,
            calls[0].number,
        )
        for place, calls in sorted(places.items())
    ]


def links_of(bars: Sequence[Bar]) -> list[Link]:
    """Return the slices of the width in which a call starts."""
    first: dict[int, str] = {}
    for bar in bars:
        first.setdefault(min(int(bar.x * _LINKS / 100), _LINKS - 1), bar.call.number)
    width = 100 / _LINKS
    return [Link(at * width, width, number) for at, number in sorted(first.items())]
