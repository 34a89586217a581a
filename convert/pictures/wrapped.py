"""Every call of a long run on its own: the axis wrapped into rows."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from convert.pictures.axis import STEPS, OrderAxis, clock
from convert.pictures.timeline import LEAST_BAR, Bar, Timeline, spans_of
from convert.wording.numbers import count

# So many calls to a row, on average.
_CALLS = 100


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
    used = {at // step for span in spans for at in span}
    rows: dict[int, list[Bar]] = {row: [] for row in used}
    for bar, (begin, end) in zip(bars, spans, strict=True):
        for row in range(begin // step, end // step + 1):
            if row not in used:
                continue
            left = max(begin - row * step, 0) * 100 / step
            right = min(end - row * step, step) * 100 / step
            width = max(right - left, LEAST_BAR)
            x = min(left, 100 - width)
            rows[row].append(replace(bar, x=x, width=width))
    return rows


def _by_order(bars: list[Bar]) -> list[WrappedRow]:
    width = 100 / _CALLS
    return [
        WrappedRow(
            str(begin + 1),
            count(_CALLS, "call"),
            0,
            [
                replace(bar, x=place * width, width=width * 0.8)
                for place, bar in enumerate(bars[begin : begin + _CALLS])
            ],
        )
        for begin in range(0, len(bars), _CALLS)
    ]
