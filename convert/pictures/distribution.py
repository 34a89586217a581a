"""How a figure spreads over many runs: places on an axis, and the runs in each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

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
