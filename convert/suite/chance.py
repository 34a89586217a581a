"""Figures of significance: how easily chance alone makes such a difference.

Counts are compared as whole numbers, so that ties are ties. All tests are two-sided.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb

# Smaller samples are only counted.
FEWEST = 4
# 16 against 16; the time doubles with every second run more.
MOST = 32


def fisher(a: tuple[int, int], b: tuple[int, int]) -> float:
    """Return the p of Fisher's exact test for two pairs of successes and runs.

    It is the share of all tables with the same sums that are no likelier than this one.
    """
    (hits, of), (other_hits, other_of) = a, b
    ways = _tables(of, other_of, hits + other_hits)
    rare = sum(way for way in ways.values() if way <= ways[hits])
    return float(Fraction(rare, comb(of + other_of, hits + other_hits)))


def least_fisher(hits: int, of: int, other_of: int) -> float:
    """Return the least p that Fisher's test can have with so many successes in all."""
    tables = _tables(of, other_of, hits)
    return min(fisher((here, of), (hits - here, other_of)) for here in tables)


def permutation(a: Sequence[int], b: Sequence[int]) -> float | None:
    """Return the p of the exact permutation test of a difference of means.

    It is the share of all ways to divide the values into two such samples whose means
    are at least as far apart. None for samples that are too large.
    """
    values = [*a, *b]
    if len(values) > MOST:
        return None
    # The difference of means is this distance, divided by the same number each time.
    scaled = [value * len(values) for value in values]
    centre = sum(values) * len(a)
    distance = abs(sum(scaled[: len(a)]) - centre)
    far = _far_sums(scaled, len(a), centre - distance, centre + distance)
    return float(Fraction(far, comb(len(values), len(a))))


def least_p(of: int, other_of: int) -> float:
    """Return the least p that samples of these sizes can reach in either test."""
    ways = comb(of + other_of, of)
    return (2 if of == other_of else 1) / ways if of and other_of else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """Return the p of several tests after Holm's correction, in the same order."""
    corrected = [1.0] * len(values)
    highest = 0.0
    ordered = sorted(range(len(values)), key=values.__getitem__)
    for place, at in enumerate(ordered):
        highest = max(highest, min((len(values) - place) * values[at], 1.0))
        corrected[at] = highest
    return corrected


def pass_all(hits: int, of: int, tries: int) -> float:
    """Return the chance that so many tries all succeed: C(hits, tries) / C(of, tries).

    This is known as pass^k.
    """
    return float(Fraction(comb(hits, tries), comb(of, tries)))


def _tables(of: int, other_of: int, hits: int) -> dict[int, int]:
    """Return in how many ways so many of all successes fall to the first sample."""
    first, last = max(hits - other_of, 0), min(hits, of)
    return {
        here: comb(of, here) * comb(other_of, hits - here)
        for here in range(first, last + 1)
    }


def _far_sums(values: Sequence[int], size: int, low: int, high: int) -> int:
    """Count the choices of so many values whose sum is up to `low` or from `high` on.

    Sums of either half are put together, which takes 2^16 steps for 32 values.
    """
    half = len(values) // 2
    ones, others = _sums(values[:half]), _sums(values[half:])
    found = 0
    for taken, sums in enumerate(ones):
        if not 0 <= size - taken < len(others):
            continue
        rest = sorted(others[size - taken])
        for one in sums:
            if low == high:
                found += len(rest)
                continue
            found += bisect_right(rest, low - one)
            found += len(rest) - bisect_left(rest, high - one)
    return found


def _sums(values: Iterable[int]) -> list[list[int]]:
    """Return the sums of all choices of values, by the number of values chosen."""
    sums: list[list[int]] = [[0]]
    for value in values:
        with_value = [[one + value for one in each] for each in sums]
        sums = [
            [*without, *having]
            for without, having in zip([*sums, []], [[], *with_value], strict=True)
        ]
    return sums
