"""The axis of a picture: from times, or from the order of calls, to per cent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.facts.spans import Span

_SECOND = 1000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
# The distances of ticks, in milliseconds.
STEPS = (
    *(100, 200, 500),
    *(seconds * _SECOND for seconds in (1, 2, 5, 10, 15, 30)),
    *(minutes * _MINUTE for minutes in (1, 2, 5, 10, 15, 30)),
    *(hours * _HOUR for hours in (1, 2, 3, 6, 12)),
)
_MOST_TICKS = 8
# A long silence is cut if it is longer than this and than half of the run, and if the
# starts and ends of calls make at least so many stretches.
_LEAST_CUT_MS = _MINUTE
_LEAST_STRETCHES = 12
# The per cent of the width that a silence takes once it is cut.
_CUT_WIDTH = 20.0
# The most per cent of the width that a call takes where the log records no times.
_WIDEST_SLOT = 4.0
_SLOT_FILLED = 0.8


class Tick(Struct, frozen=True):
    """A mark on an axis."""

    place: float
    """Its place, in per cent of the width."""

    label: str
    """The time or the number of the call there."""


class Axis(Struct, frozen=True):
    """The time of a run, in milliseconds since its start, across the width."""

    length: int
    """How long the run took."""

    cut: Span | None = None
    """A long silence, which is drawn shorter than it was."""

    def place(self, moment: float) -> float:
        """Return where a moment is, in per cent of the width."""
        moment = min(max(moment, 0), self.length)
        if self.cut is None:
            return 100 * moment / self.length if self.length else 0.0
        begin, end = self.cut
        scale = (100 - _CUT_WIDTH) / (self.length - (end - begin))
        if moment <= begin:
            return moment * scale
        if moment >= end:
            return 100 - (self.length - moment) * scale
        return begin * scale + _CUT_WIDTH * (moment - begin) / (end - begin)

    @property
    def ticks(self) -> list[Tick]:
        """The marks at round times, eight at most; none inside a cut."""
        begin, end = self.cut or (self.length, self.length)
        step = _step(self.length - (end - begin))
        # A cut may be so long that it would hold millions of marks.
        last = begin // step * step
        first_after = max(last + step, -(-end // step) * step)
        moments = itertools.chain(
            range(0, last + 1, step), range(first_after, self.length + 1, step)
        )
        return [
            Tick(self.place(at), clock(at, step))
            for at in itertools.islice(moments, _MOST_TICKS)
        ]


def axis_of(length: int, moments: Iterable[int]) -> Axis:
    """Return the axis of a run of a length, given when its calls started and ended."""
    known = sorted({0, length, *(at for at in moments if 0 < at < length)})
    stretches = list(itertools.pairwise(known))
    if len(stretches) < _LEAST_STRETCHES:
        return Axis(length)
    begin, end = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    is_long = 2 * (end - begin) > length and end - begin > _LEAST_CUT_MS
    return Axis(length, (begin, end) if is_long else None)


class OrderAxis(Struct, frozen=True):
    """The order of calls across the width, where the log records no times."""

    calls: int
    """The number of calls."""

    numbers: list[str] = []
    """The numbers of the calls, if calls of subagents are among them."""

    @property
    def slot(self) -> float:
        """The room for a call, in per cent of the width."""
        return min(100 / self.calls, _WIDEST_SLOT) if self.calls else _WIDEST_SLOT

    def bar(self, number: int) -> tuple[float, float]:
        """Return where the bar of the N-th call begins, and how wide it is."""
        return (number - 1) * self.slot, self.slot * _SLOT_FILLED

    @property
    def ticks(self) -> list[Tick]:
        """The marks at calls of the run: the first, and those of round numbers."""
        places = {
            int(number): place
            for place, number in enumerate(self.numbers, 1)
            if "." not in number
        }
        last = len(places) or self.calls
        step = next(step for step in _round_numbers() if last // step < _MOST_TICKS)
        numbers = dict.fromkeys([1, *range(step, last + 1, step)])
        middle = self.slot * _SLOT_FILLED / 2
        return [
            Tick(self.bar(places.get(number, number))[0] + middle, str(number))
            for number in numbers
            if number <= last
        ]


def clock(moment: int, step: int = _SECOND) -> str:
    """Write a time since the start of a run: `0`, `0:25`, `1:10:00`, `0.2 s`."""
    if moment == 0:
        return "0"
    if step < _SECOND:
        return f"{moment / _SECOND:.1f} s"
    minutes, seconds = divmod(moment // _SECOND, 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02}"
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _round_numbers() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on."""
    for power in itertools.count():
        for factor in (1, 2, 5):
            yield factor * 10**power


def _step(length: int) -> int:
    """Return the distance of ticks, so that there are at most eight."""
    for step in STEPS:
        if length // step < _MOST_TICKS:
            return step
    return STEPS[-1] * -(-length // (STEPS[-1] * (_MOST_TICKS - 1)))
