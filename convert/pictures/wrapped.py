"""Every call of a long run on its own: the axis wrapped into rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from convert.pictures.axis import STEPS, OrderAxis, clock
from convert.pictures.timeline import LEAST_BAR, Bar, Timeline, spans_of
from convert.wording.numbers import count

# So many calls to a row, on average.
_CALLS = 100
# How many calls that are open all along a row are drawn in it.
_MOST_ALONG = 20


class WrappedRow(Struct, frozen=True):
    """A row: the calls of a stretch of the run."""

    label: str
    """The time at which it begins, or the number of its first call."""

    length: str
    """How long a row is: `10:00`, or `100 calls`."""

    skipped: int
    """How many rows before it hold no begin and no end of a call."""

    bars: list[Bar]


def wrapped_rows(picture: Timeline) -> list[WrappedRow]:
    """Return the rows of a run, of one round length; empty ones are left out."""
    if isinstance(picture.axis, OrderAxis):
        return _by_order(picture.bars)
    length = picture.axis.length
    most = max(len(picture.bars) // _CALLS, 1)
    step = next((step for step in STEPS if step * most >= length), length)
    rows: list[WrappedRow] = []
    last = -1
    for row, bars in sorted(_by_row(picture.bars, length, step).items()):
        begin = row * step
        rows.append(WrappedRow(clock(begin), clock(step), row - last - 1, bars))
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

    In a row that is full, the calls in it would be covered by one more. Without this,
    n calls that never end would be drawn n * n / 100 times.
    """

    def __init__(self, rows: Iterable[int]) -> None:
        self._left = dict.fromkeys(rows, _MOST_ALONG)
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
