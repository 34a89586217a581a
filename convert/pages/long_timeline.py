"""The timeline of a run of many calls: as columns, and wrapped into rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from convert.facts.time_spent import joined_spans
from convert.pages.timeline_layout import (
    BELOW,
    LANE_GAP,
    LANES,
    LEAST_BAR,
    STEPS,
    TOP,
    Bar,
    CallTime,
    Marks,
    OrderAxis,
    Timeline,
    clock,
    is_of_subagent,
    lane_of,
    lanes_of,
    spans_of,
)
from convert.wording.numbers import count

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
    """The share of a slice of the run with open calls of a lane, from 0 to 1."""

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
    """A slice of the width, which links to the first call that starts in it."""

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


def lane_columns(bars: Sequence[Bar], number: int) -> dict[str, list[Column]]:
    """Return so many columns for each lane that is used."""
    lanes: dict[str, list[Column]] = {}
    for lane in lanes_of(bar.call for bar in bars):
        own = [bar for bar in bars if bar.call.row == lane]
        failed = _shares([bar for bar in own if bar.call.has_failed], number)
        lanes[lane] = list(map(Column, _shares(own, number), failed))
    return lanes


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


def _shares(bars: list[Bar], number: int) -> list[float]:
    """Return the share of each column that is under a bar."""
    # In thousandths of a column, so that spans are whole numbers.
    scale = number * 10
    spans = [(round(bar.x * scale), round((bar.x + bar.width) * scale)) for bar in bars]
    shares = [0.0] * number
    for begin, end in joined_spans(spans):
        for column in range(begin // 1000, min(-(-end // 1000), number)):
            inside = min(end, (column + 1) * 1000) - max(begin, column * 1000)
            shares[column] += inside / 1000
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


# So many calls to a row, on average.
_CALLS = 100


class WrappedRow(Struct, frozen=True):
    """A row: the calls of a stretch of the run."""

    label: str
    """The time at which it begins, or the number of its first call."""

    length: str
    """How long a row is: `10:00`, or `100 calls`."""

    skipped: int
    """The number of rows before it in which no call begins or ends."""

    bars: list[Bar]


def wrapped_rows(picture: Timeline) -> list[WrappedRow]:
    """Return the rows of a run, of one round length, without empty ones."""
    if isinstance(picture.axis, OrderAxis):
        return _by_order(picture.bars)
    length = picture.axis.length
    most = max(len(picture.bars) // _CALLS, 1)
    step = next((step for step in STEPS if step * most >= length), length)
    rows: list[WrappedRow] = []
    last = -1
    for row, bars in sorted(_by_row(picture.bars, length, step).items()):
        rows.append(WrappedRow(clock(row * step), clock(step), row - last - 1, bars))
        last = row
    return rows


def _by_row(bars: list[Bar], length: int, step: int) -> dict[int, list[Bar]]:
    """Return the bars of each row, cut at its ends, where a call begins or ends."""
    spans = spans_of((bar.call for bar in bars), length)
    rows: dict[int, list[Bar]] = {at // step: [] for span in spans for at in span}
    room = _Room(rows)
    for bar, (begin, end) in zip(bars, spans, strict=True):
        first, last = begin // step, end // step
        for row in sorted({first, *room.take(first + 1, last), last}):
            left = max(begin - row * step, 0) * 100 / step
            right = min(end - row * step, step) * 100 / step
            width = max(right - left, LEAST_BAR)
            rows[row].append(Bar(bar.call, min(left, 100 - width), width, bar.y))
    return rows


def _by_order(bars: list[Bar]) -> list[WrappedRow]:
    width = 100 / _CALLS
    return [
        WrappedRow(
            bars[begin].call.number,
            count(_CALLS, "call"),
            0,
            [
                replace(bar, x=place * width, width=width * 0.8)
                for place, bar in enumerate(bars[begin : begin + _CALLS])
            ],
        )
        for begin in range(0, len(bars), _CALLS)
    ]


class _Room:
    """The rows that have room for one more call that is open all along them.

    In a full row, one more call would cover the others. Without this, n calls that
    never end would be drawn n * n / 100 times.
    """

    def __init__(self, rows: Iterable[int]) -> None:
        self._left = dict.fromkeys(rows, 20)
        self._rows = sorted(self._left)

    def take(self, first: int, end: int) -> list[int]:
        """Return the rows from `first` to before `end` with room, and use it."""
        begin = bisect_left(self._rows, first)
        found = self._rows[begin : bisect_left(self._rows, end)]
        full = 0
        for row in found:
            self._left[row] -= 1
            full += not self._left[row]
        if full:
            self._rows = [row for row in self._rows if self._left[row]]
        return found
