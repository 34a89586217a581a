"""The timeline of a run: its axis, a bar for each call, marks for failures."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from msgspec import Struct

from convert.facts.failed_calls import FAILED, FailureClass
from convert.facts.time_spent import Clock, Span, clock_of, gaps, span_of
from convert.tools.table import Lane
from convert.wording.numbers import offset

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

    def stretch(self, span: Span) -> tuple[float, float]:
        """Return where a stretch of time begins, and how wide it is."""
        x = self.place(span[0])
        return x, max(self.place(span[1]) - x, 0.0)

    def bar(self, span: Span) -> tuple[float, float]:
        """Return where the bar of a call begins, and how wide it is."""
        x, width = self.stretch(span)
        width = max(width, LEAST_BAR)
        return min(x, 100 - width), width

    @property
    def ticks(self) -> list[Tick]:
        """The marks at round times, eight at most; none inside a cut."""
        begin, end = self.cut or (self.length, self.length)
        drawn = self.length - (end - begin)
        longest = STEPS[-1] * -(-drawn // (STEPS[-1] * (_MOST_TICKS - 1)))
        step = next((step for step in STEPS if drawn // step < _MOST_TICKS), longest)
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

    widest: float = _WIDEST_SLOT
    """The most room for a call, in per cent of the width."""

    @property
    def slot(self) -> float:
        """The room for a call, in per cent of the width."""
        return min(100 / self.calls, self.widest) if self.calls else self.widest

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
        powers = (10**power for power in itertools.count())
        round_numbers = (power * factor for power in powers for factor in (1, 2, 5))
        step = next(step for step in round_numbers if last // step < _MOST_TICKS)
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
    return offset(moment)[1:]


def moment(milliseconds: int | None) -> str:
    """Write when a call started or ended; empty if that is not recorded."""
    if milliseconds is None or milliseconds < 0:
        return ""
    return "0:00" if milliseconds < 1000 else clock(milliseconds)


LANES: tuple[Lane, ...] = ("look", "edit", "run", "other")
_AGENT = "agent "

# The lanes of the marks of calls that went wrong, by how they did.
Marks = Literal["failed", "refused"]
_MARKS: dict[FailureClass, Marks] = {
    "failed": "failed",
    "hidden": "failed",
    "unfinished": "failed",
    "rejected": "refused",
}

# Heights and gaps, in pixels.
TOP = 14
BAR = 10
_GAP = 2
LANE_GAP = 6
_MARK = 10
_NUMBERS = 14
BELOW = 18
# The most rows of calls made at once in a lane.
_MOST_ROWS = 3
# In per cent of the width: the narrowest bar, and the room that a number needs.
LEAST_BAR = 0.15
_NUMBER_ROOM = 2.6


class CallTime(Struct, frozen=True, kw_only=True):
    """A call, with the facts that its place in the picture needs."""

    number: str
    """Its number, which its bar leads to."""

    lane: Lane
    """The lane, which shows the kind of call."""

    failure: FailureClass | None
    """How it went wrong; None if it did not."""

    started: int | None
    """When it started, in milliseconds since the start of the run."""

    ended: int | None
    """When it ended; None if that is not recorded, or if it never did."""

    agent: str = ""
    """The number of the call of the subagent that made it; empty for the run itself."""

    is_unresolved: bool = False
    """It went wrong, and no later call recovered it."""

    @property
    def is_open(self) -> bool:
        """It never ended."""
        return self.failure == "unfinished"

    @property
    def has_failed(self) -> bool:
        """It is one of the failed calls."""
        return self.failure in FAILED

    @property
    def row(self) -> str:
        """The name of the lane that it is drawn in: each subagent has one."""
        return f"{_AGENT}{self.agent}" if self.agent else self.lane


class Bar(Struct, frozen=True):
    """The bar of a call; places and widths in per cent, heights in pixels."""

    call: CallTime
    x: float
    width: float
    y: int


class LaneRows(Struct, frozen=True):
    """A lane of the picture, with the rows that calls made at once need."""

    name: str
    """A lane, `agent` where no call was open, `agent 2` for a subagent, or marks."""

    y: int
    height: int


class Dot(Struct, frozen=True):
    """The mark of a call that went wrong, with a stem to its bar."""

    call: CallTime
    lane: Marks
    x: float
    y: int
    """The middle of the mark, in pixels."""

    stem: int
    """The lower edge of its bar, in pixels."""

    number: str
    """The number below it; "" if it is resolved, or if there is no room."""


class Timeline(Struct, frozen=True, kw_only=True):
    """Everything that is drawn."""

    axis: Axis | OrderAxis
    lanes: list[LaneRows]
    bars: list[Bar]
    dots: list[Dot]
    clock: Clock
    """The times by which calls are placed."""

    agent: list[tuple[float, float]]
    """Where no call was open: place and width, in per cent."""

    thinking: Sequence[tuple[float, float]]
    """Where the agent's reasoning is recorded."""

    height: int
    """The height of the picture, in pixels."""

    @property
    def bottom(self) -> int:
        """The lower end of the grid, in pixels."""
        return self.height - BELOW

    @property
    def ticks(self) -> list[Tick]:
        """The marks on its axis."""
        return self.axis.ticks


def timeline(
    calls: Sequence[CallTime], length: int | None, thinking: Iterable[Span] = ()
) -> Timeline:
    """Lay out the calls of a run that took `length` milliseconds.

    Without the length, or if a call has no time, the calls appear in their order. Where
    the log records only when calls ended, they appear at their ends.
    """
    clock = clock_of(calls)
    if length is None or not clock:
        is_mixed = any(call.agent for call in calls)
        numbers = [call.number for call in calls] if is_mixed else []
        order = OrderAxis(len(calls), numbers)
        places = [order.bar(place) for place in range(1, len(calls) + 1)]
        slots = [(place, place) for place in range(len(calls))]
        return _laid_out(calls, order, places, slots)
    spans = spans_of(calls, length)
    axis = axis_of(length, (at for span in spans for at in span))
    places = list(map(axis.bar, spans))
    thought = list(map(axis.stretch, thinking))
    if clock == "ends":
        # The log does not separate the time of the agent from that of calls.
        return _laid_out(calls, axis, places, spans, thinking=thought)
    idle = list(map(axis.stretch, gaps(spans, length)))
    return _laid_out(calls, axis, places, spans, idle, thought)


def spans_of(calls: Iterable[CallTime], length: int) -> list[Span]:
    """Return when calls were open; one that never ended is open until the end."""
    return [span_of(call, length) for call in calls]


def _laid_out(
    calls: Sequence[CallTime],
    axis: Axis | OrderAxis,
    places: list[tuple[float, float]],
    spans: list[Span],
    idle: list[tuple[float, float]] | None = None,
    thinking: Sequence[tuple[float, float]] = (),
) -> Timeline:
    """Put the bars into the rows of their lanes, and the lanes below one another."""
    y = TOP
    lanes: list[LaneRows] = []
    if idle is not None:
        lanes.append(LaneRows("agent", y, BAR))
        y += BAR + LANE_GAP
    bars: dict[int, Bar] = {}
    by_lane: dict[str, list[int]] = {}
    for place, call in enumerate(calls):
        by_lane.setdefault(call.row, []).append(place)
    for lane in lanes_of(calls):
        own = by_lane[lane]
        rows = _rows([(spans[place], calls[place].is_open) for place in own])
        for place, row in zip(own, rows, strict=True):
            x, width = places[place]
            bars[place] = Bar(calls[place], x, width, y + row * (BAR + _GAP))
        height = (max(rows) + 1) * (BAR + _GAP) - _GAP
        lanes.append(LaneRows(lane, y, height))
        y += height + LANE_GAP
    wrong = [bars[place] for place in sorted(bars) if calls[place].failure]
    dots: list[Dot] = []
    for name in get_args(Marks):
        marked = [*_dots([bar for bar in wrong if lane_of(bar) == name], name, y)]
        if marked:
            dots += marked
            lanes.append(LaneRows(name, y, _MARK))
            y += _MARK + _NUMBERS
    return Timeline(
        axis=axis,
        lanes=lanes,
        bars=[bars[place] for place in sorted(bars)],
        dots=dots,
        clock="" if isinstance(axis, OrderAxis) else clock_of(calls),
        agent=idle or [],
        thinking=thinking,
        height=y + BELOW,
    )


def lanes_of(calls: Iterable[CallTime]) -> list[str]:
    """Return the lanes that calls are in: those of the run, then those of subagents."""
    used = {call.row for call in calls}
    agents = sorted(
        (lane for lane in used if is_of_subagent(lane)),
        key=lambda lane: [*map(int, lane.removeprefix(_AGENT).split("."))],
    )
    return [*(lane for lane in LANES if lane in used), *agents]


def is_of_subagent(lane: str) -> bool:
    """Return True for the lane of a subagent."""
    return lane.startswith(_AGENT)


def _rows(calls: list[tuple[Span, bool]]) -> list[int]:
    """Return the row of each call of a lane: each in one, but those open at once.

    It is not known how long a call was open that never ended: it needs a row of its own
    only next to others that never ended. If all rows are taken, a call goes into the
    one that is free first.
    """
    rows: dict[int, int] = {}
    free: list[int] = []
    never: list[int] = []
    for place in sorted(range(len(calls)), key=lambda place: calls[place]):
        (begin, end), is_open = calls[place]
        busy = list(map(max, free, never)) if is_open else free
        row = next((row for row, at in enumerate(busy) if at <= begin), len(busy))
        if row == _MOST_ROWS:
            row = min(range(_MOST_ROWS), key=lambda row: busy[row])
        if row == len(busy):
            free.append(0)
            never.append(0)
        taken = never if is_open else free
        taken[row] = max(taken[row], end)
        rows[place] = row
    return [rows[place] for place in range(len(calls))]


def lane_of(bar: Bar) -> Marks | None:
    """Return the lane of marks that a call belongs to; None if it went well."""
    failure = bar.call.failure
    return None if failure is None else _MARKS[failure]


def _dots(failed: list[Bar], lane: Marks, y: int) -> list[Dot]:
    """Return the marks of calls in a lane; the latest unresolved ones are numbered."""
    numbered: list[float] = []
    names: dict[int, str] = {}
    for place in reversed(range(len(failed))):
        bar = failed[place]
        middle = bar.x + bar.width / 2
        is_near = any(abs(middle - other) < _NUMBER_ROOM for other in numbered)
        if bar.call.is_unresolved and not is_near:
            numbered.append(middle)
            names[place] = bar.call.number
    return [
        Dot(
            bar.call,
            lane,
            bar.x + bar.width / 2,
            y + _MARK // 2,
            bar.y + BAR,
            names.get(place, ""),
        )
        for place, bar in enumerate(failed)
    ]
