"""Rates with the interval of Wilson, and the spread of a figure over runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

# For an interval that holds the true rate in 95 of 100 cases.
_Z = 1.959964


class Spread(Struct, frozen=True, kw_only=True):
    """The spread of a figure over the runs that record it; None if none does."""

    recorded: int
    """The number of runs that record the figure."""

    total: int | None = None
    median: int | None = None
    """At least half of the runs have this or less; it is the figure of a run."""

    p90: int | None = None
    """At least nine of ten runs have this or less, likewise."""

    most: int | None = None


class Rate(Struct, frozen=True, kw_only=True):
    """A share, and the interval of Wilson in which the true one is at 95 %."""

    hits: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share itself; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0


def spread_of(values: Sequence[int]) -> Spread:
    """Return the spread of some values."""
    if not values:
        return Spread(recorded=0)
    ordered = sorted(values)
    return Spread(
        recorded=len(ordered),
        total=sum(ordered),
        median=quantile(ordered, 0.5),
        p90=quantile(ordered, 0.9),
        most=ordered[-1],
    )


def quantile(ordered: Sequence[int], share: float) -> int:
    """Return the least of some ordered values that a share of them does not exceed."""
    # 0.9 of 10 is 9, whatever the binary fraction makes of it.
    place = math.ceil(round(share * len(ordered), 9))
    return ordered[max(place, 1) - 1]


def rate(hits: int, of: int) -> Rate | None:
    """Return a rate with its interval; None of nothing."""
    if not of:
        return None
    share = hits / of
    square = _Z * _Z / of
    middle = (share + square / 2) / (1 + square)
    spread = math.sqrt(share * (1 - share) / of + square / (4 * of)) * _Z / (1 + square)
    low = 0.0 if hits == 0 else max(middle - spread, 0.0)
    high = 1.0 if hits == of else min(middle + spread, 1.0)
    return Rate(hits=hits, of=of, low=low, high=high)
