"""The spread of a figure over many runs, as dots or bars on an axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from convert.facts.quantiles import Spread
from convert.scale.stats.metrics import METRIC, Metric
from convert.scale.stats.statistics import Statistics
from convert.scale.stats.summary import FATES, Fate, RunSummary
from convert.wording.numbers import count

_DISTRIBUTIONS = {
    "calls": "Calls",
    "time_ms": "Time",
    "failed": "Failed calls",
    "tokens_out": "Tokens out",
}
# More runs than this are drawn as bars.
_MOST_DOTS = 400
# In pixels: the narrowest picture, a dot with its gap, the middle of the lowest row,
# and the height of all rows.
_NARROWEST, _DOT, _BASE, _HEIGHT = 240, 6, 93, 90
# Dots are smaller where more than 15 are above one another.
_ROWS = (_HEIGHT // _DOT, 24)
_LETTER = 6


class Part(Struct, frozen=True):
    """A part of a bar, or a dot: places in per cent or in pixels."""

    fate: Fate
    x: float
    y: float
    width: float = 0
    height: float = 0
    run: int = 0


class Picture(Struct, frozen=True, kw_only=True):
    """How a figure spreads: its dots or bars, its ticks, and the same in words."""

    title: str
    dots: list[Part]
    radius: float
    bars: list[Part]
    ticks: list[tuple[float, str, str]]
    words: str
    most: str
    most_run: int


def pictures(statistics: Statistics, numbers: dict[int, int]) -> Iterator[Picture]:
    """Yield the pictures; `numbers` are those of the rows of runs, by their ids."""
    for name, title in _DISTRIBUTIONS.items():
        metric = METRIC[name]
        known = [
            (value, run)
            for run in sorted(statistics.runs, key=lambda run: FATES.index(run.fate))
            if (value := metric.value(run)) is not None
        ]
        if known:
            spread = statistics.total.spread(name)
            yield _picture(metric, title, known, spread, len(statistics.runs), numbers)


def _picture(
    metric: Metric,
    title: str,
    known: list[tuple[int, RunSummary]],
    spread: Spread,
    runs: int,
    numbers: dict[int, int],
) -> Picture:
    made = distribution(known, metric.unit == "time")
    pitch, drawn = _dots(made, runs)
    written = metric.written
    words = f"median {written(spread.median)}, 90 % up to {written(spread.p90)}"
    if spread.recorded < runs:
        words = f"{words}, of {count(spread.recorded, 'run')} that record it"
    _, most_run = max(known, key=lambda pair: pair[0])
    return Picture(
        title=title,
        dots=[
            Part(run.fate, dot.x, _BASE - pitch * dot.row, run=numbers[id(run)])
            for dot in drawn or ()
            for run in (dot.item,)
        ],
        radius=round(pitch * 0.43, 1),
        bars=[] if drawn is not None else [*_bars(made)],
        ticks=_ticks(made, metric, spread),
        words=words,
        most=f"most {written(spread.most)}",
        most_run=numbers[id(most_run)],
    )


def _dots(
    made: Distribution[RunSummary], runs: int
) -> tuple[float, list[Dot[RunSummary]] | None]:
    """Return the height of a row and the dots; None for these if there are too many."""
    for rows in _ROWS if runs <= _MOST_DOTS else ():
        drawn = dots(made, _NARROWEST, _DOT, rows)
        if drawn is not None:
            highest = max((dot.row for dot in drawn), default=0) + 1
            return min(_DOT, _HEIGHT / highest), drawn
    return _DOT, None


def _bars(made: Distribution[RunSummary]) -> Iterator[Part]:
    """Yield the parts of the bars of many runs."""
    fates: Distribution[Fate] = Distribution(
        made.top,
        [[run.fate for run in runs] for runs in made.places],
        made.has_rest,
        made.is_whole,
    )
    width = 100 / len(made.places)
    for place, parts in enumerate(heights(fates, FATES)):
        for fate, low, high in parts:
            y = _BASE + _DOT / 2 - _HEIGHT * (low + high)
            yield Part(fate, place * width, y, width * 0.85, _HEIGHT * high)


def _ticks(
    made: Distribution[RunSummary], metric: Metric, spread: Spread
) -> list[tuple[float, str, str]]:
    """Return place, label and class of the marks at the median and at 90 %."""
    ticks = []
    for value, class_ in ((spread.median, "median"), (spread.p90, "")):
        if value is not None:
            ticks.append((made.middle(value), metric.written(value), class_))
    if made.has_rest:
        ticks.append((100.0, f"> {metric.written(made.top)}", "rest"))
    kept: list[tuple[float, str, str]] = []
    for tick in ticks:
        if all(abs(tick[0] - other[0]) >= _room(tick, other) for other in kept):
            kept.append(tick)
    return kept


def _room(*ticks: tuple[float, str, str]) -> float:
    """Return how far labels must be from one another, in per cent of the width."""
    letters = sum(len(label) for _, label, _ in ticks) / 2
    return 100 * (letters + 1) * _LETTER / _NARROWEST


T = TypeVar("T")

# An axis has so many places, and one more for what is beyond its end.
_PLACES = 44
# In per cent: the axis ends at a round number that so many values do not exceed.
_MOST_INSIDE = 98
_NICE = (1, 1.5, 2, 3, 4, 5, 6, 8)
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_NICE_TIMES = (
    *(seconds * _SECOND for seconds in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45)),
    *(minutes * _MINUTE for minutes in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45)),
    *(hours * _HOUR for hours in (1, 2, 3, 4, 6, 8, 12, 18, 24)),
)


class Distribution(Struct, Generic[T]):
    """Values by their places on an axis."""

    top: int
    """The end of the axis; larger values are in the place behind it."""

    places: list[list[T]]
    """The items whose values are in each place, from the left."""

    has_rest: bool
    """The last place is for values beyond the end."""

    is_whole: bool
    """Each place is one whole number."""

    def place(self, value: int) -> int:
        """Return the place of a value."""
        if value > self.top:
            return len(self.places) - 1
        if self.is_whole:
            return value
        inside = len(self.places) - self.has_rest
        return min(value * inside // max(self.top, 1), inside - 1)

    def middle(self, value: int) -> float:
        """Return the middle of the place of a value, in per cent of the width."""
        return 100 * (self.place(value) + 0.5) / len(self.places)


def distribution(
    items: Sequence[tuple[int, T]], is_time: bool, places: int = _PLACES
) -> Distribution[T]:
    """Put items in the places of their values, which are not negative."""
    values = sorted(value for value, _ in items)
    most = values[-1] if values else 0
    inside = values[-(-len(values) * _MOST_INSIDE // 100) - 1] if values else 0
    top = _round(inside, is_time)
    is_whole = not is_time and top < places
    if is_whole:
        top = inside
    inner = top + 1 if is_whole else places
    has_rest = most > top
    made: Distribution[T] = Distribution(
        top, [[] for _ in range(inner + has_rest)], has_rest, is_whole
    )
    for value, item in items:
        made.places[made.place(value)].append(item)
    return made


def _round(value: int, is_time: bool) -> int:
    """Return the least round number that is not less than a value."""
    if is_time and value > _NICE_TIMES[0] // 2:
        days = (days * 24 * _HOUR for days in itertools.count(2))
        return next(top for top in itertools.chain(_NICE_TIMES, days) if top >= value)
    return next(top for top in _round_numbers() if top >= value)


def _round_numbers() -> Iterator[int]:
    for power in itertools.count():
        yield from (
            int(factor * 10**power) for factor in _NICE if factor * 10**power % 1 == 0
        )


class Dot(Struct, Generic[T], frozen=True):
    """A run among others: its place in per cent, its height in rows from below."""

    x: float
    row: int
    item: T


def dots(
    made: Distribution[T], width: float, size: float, most_rows: int
) -> list[Dot[T]] | None:
    """Return a dot for each item, side by side where a place has room.

    `width` is that of the picture and `size` that of a dot. Returns None if more rows
    than `most_rows` are needed.
    """
    share = 100 / len(made.places)
    beside = max(int(width * share / 100 / size), 1)
    found: list[Dot[T]] = []
    for place, items in enumerate(made.places):
        columns = min(beside, -(-len(items) // most_rows) or 1)
        if len(items) > columns * most_rows:
            return None
        gap = 100 * size / width
        left = (place + 0.5) * share - gap * (columns - 1) / 2
        found += (
            Dot(round(left + gap * (at % columns), 2), at // columns, item)
            for at, item in enumerate(items)
        )
    return found


def heights(
    made: Distribution[T], kinds: Iterable[T]
) -> list[list[tuple[T, float, float]]]:
    """Return the parts of each place's bar: kind, lower end and height, from 0 to 1."""
    kinds = list(kinds)
    most = max(map(len, made.places), default=0) or 1
    bars = []
    for items in made.places:
        at = 0.0
        parts = []
        for kind in kinds:
            height = items.count(kind) / most
            if height:
                parts.append((kind, at, height))
            at += height
        bars.append(parts)
    return bars
