"""Permutations of labels: how far apart chance drives two versions.

If nothing changed, the runs of a case are exchangeable: each way to label them with two
versions is as likely as the one observed. A test counts the labelings that look as
extreme. Where there are too many labelings, it takes random ones from a fixed seed and
the observed one, so that no p is 0. Nothing depends on the order of cases.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from operator import add
from random import Random
from typing import NamedTuple

from convert.suites.case_result import FigureName
from convert.suites.suite_result import Figure

# 8 against 8 runs have 12,870 labelings, which are all taken.
_ALL = 20_000
_DRAWS = 9_999
_SEED = 37


class Steadiest(NamedTuple):
    """How steady the steadiest trait of a case is, and how steady chance makes it.

    The steadiness of a trait is the difference between its shares of the runs of both
    versions. It is a whole number; `of_a * of_b` means a difference of 1.
    """

    p: float
    """How often the steadiest of all traits is at least as steady by chance."""

    distribution: tuple[tuple[float, float], ...]
    """Each value that the p can have, with its probability if nothing changed."""

    of_a: int
    of_b: int
    levels: tuple[int, ...]
    """Each steadiness that the steadiest trait can have, in rising order."""

    chances: tuple[float, ...]
    """How often the steadiest trait has at least that steadiness."""

    def p_of(self, a: int, b: int) -> float:
        """Return how often chance makes some trait as steady as one with these runs."""
        at = bisect_left(self.levels, abs(b * self.of_a - a * self.of_b))
        return self.chances[at] if at < len(self.levels) else 0.0


def steadiest(
    masks: Iterable[int], of_a: int, of_b: int, rising: Iterable[int] = ()
) -> Steadiest:
    """Test the steadiest of some traits, each a bit mask of the runs that have it.

    The runs of the first version have the lowest bits. A trait of `rising` counts only
    where its share is larger in the last version.
    """
    every = (1 << (of_a + of_b)) - 1
    # A trait and its opposite are as steady, and the one of fewer runs counts faster.
    # The opposite of a trait that counts if it rises is another one.
    fewer = (
        min(mask, every ^ mask, key=lambda m: (m.bit_count(), m)) for mask in masks
    )
    traits = {(mask, False) for mask in fewer}
    traits |= {(mask, True) for mask in rising if mask != every}
    traits -= {(0, False), (0, True)}
    if not traits or not of_a or not of_b:
        return Steadiest(1.0, ((1.0, 1.0),), of_a, of_b, (0,), (1.0,))
    drawn = _labelings(of_a, of_b)
    reached = _reached(traits, drawn, of_b)
    observed = max(_steadiness(each, of_a, of_b) for each in traits)
    # The steadiest level comes first, and is the rarest.
    counts = [0, *reached.values()]
    distribution = tuple(
        (count / drawn.number, (count - steadier) / drawn.number)
        for steadier, count in pairwise(counts)
    )
    levels = tuple(reversed(reached))
    chances = tuple(p for p, _ in reversed(distribution))
    p = chances[bisect_left(levels, observed)]
    return Steadiest(p, distribution, of_a, of_b, levels, chances)


def combined(parts: Sequence[tuple[float, Sequence[tuple[float, float]]]]) -> float:
    """Return the p of several tests together: Fisher's method for discrete tests.

    Each part is a p and its distribution. The statistic is the sum of -ln p on a grid,
    which is the same for the observed p and for those of the distributions, so that the
    test is exact.
    """
    step = _step(parts)
    observed = sum(_points(p, step) for p, _ in parts)
    if not observed:
        return 1.0
    cases = sorted(_chances(distribution, step) for _, distribution in parts)
    left, left_beyond = _sums(cases[::2], observed)
    right, right_beyond = _sums(cases[1::2], observed)
    tails = [right_beyond]
    for chance in reversed(right):
        tails.append(tails[-1] + chance)
    tails.reverse()
    beyond = sum(
        chance * tails[min(observed - points, len(right))]
        for points, chance in enumerate(left)
    )
    return min(left_beyond + beyond, 1.0)


def figure_of(
    name: FigureName, cases: Sequence[tuple[Sequence[float], Sequence[float]]]
) -> Figure | None:
    """Return how much a figure grew, from its values in the runs of each case.

    The ratio is that of geometric means. The labels of runs are permuted within cases;
    the interval holds each factor by which the test does not exclude that the figure
    grew, so that p and interval agree about 1. Values of 0 have no logarithm: no calls
    count as half a call, and any other 0 is skipped as not recorded. The p is not yet
    corrected for other figures.
    """
    logs = [(_logs(name, a), _logs(name, b)) for a, b in cases]
    logs = [(a, b) for a, b in logs if a and b]
    if not logs:
        return None
    growth = _growth(logs)
    mirrored = [(b, a) for a, b in logs]
    # The random labelings of both directions mirror each other.
    sign = -1 if (growth, sorted(logs)) < (-growth, sorted(mirrored)) else 1
    p, low, high = _shifts(sorted(mirrored if sign < 0 else logs))
    low, high = sorted((sign * low, sign * high))
    weight = math.fsum(len(a) * len(b) / (len(a) + len(b)) for a, b in logs)
    return Figure(
        name=name,
        ratio=math.exp(growth / weight / _UNIT),
        low=math.exp(low),
        high=math.exp(high),
        p=p,
        corrected=p,
        cases=len(logs),
    )


class _Labelings(NamedTuple):
    """Ways to label the runs of a case: all of them, or random ones."""

    number: int
    octets: tuple[bytes, ...]
    """The labels of eight runs each; a bit is set where the last version has the run.
    """

    columns: tuple[int, ...]
    """For each run, the labelings with it in the last version, as a bit mask."""


@lru_cache(maxsize=32)
def _labelings(of_a: int, of_b: int) -> _Labelings:
    """Return all labelings, or the observed one and random ones if these are many."""
    of = of_a + of_b
    bits = [1 << run for run in range(of)]
    if math.comb(of, of_b) <= _ALL:
        masks = sorted(map(sum, combinations(bits, of_b)))
    else:
        dice = Random(_SEED)
        drawn = (sum(dice.sample(bits, of_b)) for _ in range(_DRAWS))
        masks = [sum(bits[of_a:]), *drawn]
    octets = tuple(
        bytes([mask >> first & 255 for mask in masks]) for first in range(0, of, 8)
    )
    columns = tuple(
        int(octets[run // 8].translate(_BIT[run % 8]), 2) for run in range(of)
    )
    return _Labelings(len(masks), octets, columns)


# Turn each byte into the digit that one of its bits is.
_BIT = [bytes(b"01"[byte >> bit & 1] for byte in range(256)) for bit in range(8)]


def _steadiness(trait: tuple[int, bool], of_a: int, of_b: int) -> int:
    """Return how steady a trait is in the runs that are labeled as observed."""
    mask, is_rising = trait
    growth = (mask >> of_a).bit_count() * (of_a + of_b) - mask.bit_count() * of_b
    return max(growth, 0) if is_rising else abs(growth)


def _reached(
    traits: Iterable[tuple[int, bool]], drawn: _Labelings, of_b: int
) -> dict[int, int]:
    """Return in how many labelings some trait has at least each steadiness.

    The steadiest comes first. All labelings are counted at once, as the bits of large
    numbers: 300 traits of 16 against 16 runs take 15 ms.
    """
    of = len(drawn.columns)
    found: dict[int, int] = {}
    for mask, is_rising in traits:
        columns = [drawn.columns[run] for run in range(of) if mask >> run & 1]
        for count, labelings in _counted(columns, (1 << drawn.number) - 1):
            growth = count * of - len(columns) * of_b
            level = max(growth, 0) if is_rising else abs(growth)
            found[level] = found.get(level, 0) | labelings
    reached: dict[int, int] = {}
    so_far, steadier = 0, 0
    for level in sorted(found, reverse=True):
        so_far |= found[level]
        if (count := so_far.bit_count()) > steadier:
            reached[level] = steadier = count
    return reached


def _counted(columns: Sequence[int], every: int) -> list[tuple[int, int]]:
    """Return each number of set bits, and the places that have it.

    It adds the columns as binary counters that are next to each other.
    """
    planes: list[int] = []
    for carry in columns:
        for at, plane in enumerate(planes):
            planes[at], carry = plane ^ carry, plane & carry
        if carry:
            planes.append(carry)
    counted = [(0, every)]
    for plane in reversed(planes):
        halves = [(2 * count, places, places & plane) for count, places in counted]
        counted = [(count, places ^ ones) for count, places, ones in halves]
        counted += [(count + 1, ones) for count, _, ones in halves]
        counted = [(count, places) for count, places in counted if places]
    return counted


# The grid of Fisher's method is finer where there are few cases.
_FINEST, _POINTS = 1 / 32, 8192


def _step(parts: Sequence[tuple[float, Sequence[tuple[float, float]]]]) -> float:
    """Return the step of the grid, which does not depend on the observed values."""
    most = math.fsum(-math.log(min(p for p, _ in each)) for _, each in parts)
    return max(_FINEST, most / _POINTS)


def _points(p: float, step: float) -> int:
    return round(-math.log(p) / step)


def _chances(
    distribution: Sequence[tuple[float, float]], step: float
) -> tuple[tuple[int, float], ...]:
    """Return the chance of each number of points."""
    chances: dict[int, float] = defaultdict(float)
    for p, chance in sorted(distribution):
        chances[_points(p, step)] += chance
    return tuple(sorted(chances.items()))


def _sums(
    cases: Sequence[tuple[tuple[int, float], ...]], end: int
) -> tuple[list[float], float]:
    """Return the chances of the sums of points below an end, and of all beyond it."""
    sums, beyond = [1.0], 0.0
    for case in cases:
        size = min(len(sums) + case[-1][0], end)
        longer = [0.0] * size
        # A sum beyond the end stays there.
        for points, chance in case:
            inside = sums[: max(size - points, 0)]
            beyond += chance * math.fsum(sums[len(inside) :])
            longer[points : points + len(inside)] = [
                one + chance * other
                for one, other in zip(longer[points:], inside, strict=False)
            ]
        sums = longer
    return sums, beyond


# Logarithms are whole numbers of this unit, so that sums do not depend on their order.
# Sums closer than `_TIE` are equal; rounding moves them less.
_UNIT, _TIE = 1 << 48, 1 << 16
# The bits below a sum of logarithms hold how many runs kept their label.
_BITS = 24


def _logs(name: str, values: Iterable[float]) -> list[int]:
    """Return the logarithms of values in rising order."""
    least = 0.5 if name == "calls" else 0.0
    return sorted(
        round(math.log(value or least) * _UNIT)
        for value in values
        if value > 0 or (value == 0 and least)
    )


def _growth(cases: Sequence[tuple[list[int], list[int]]]) -> float:
    """Return the weighted sum of the differences of means."""
    return math.fsum(
        (len(a) * sum(b) - len(b) * sum(a)) / (len(a) + len(b)) for a, b in cases
    )


def _shifts(
    cases: Sequence[tuple[list[int], list[int]]],
) -> tuple[float, float, float]:
    """Return the p of no growth, and the least and most growth that is not excluded.

    A labeling exchanges some runs of the last version for others. It looks as extreme
    as the observed one for each growth from the mean difference of these runs on.
    """
    if all(a[0] == a[-1] == b[0] == b[-1] for a, b in cases):
        return 1.0, 0.0, 0.0
    observed = sum((sum(b) << _BITS) + len(b) for _, b in cases)
    shifts, same = [], 0
    for total in _totals(cases):
        taken, runs = divmod(observed - total, 1 << _BITS)
        if runs:
            shifts.append(0.0 if abs(taken) <= _TIE else taken / runs / _UNIT)
        else:
            same += 1
    shifts.sort()
    count = len(shifts) + same
    up = bisect_right(shifts, 0.0) + same
    down = len(shifts) - bisect_left(shifts, 0.0) + same
    # 2.5 % on either side.
    at = count // 40 - same
    low = shifts[at] if at >= 0 else -math.inf
    high = shifts[-1 - at] if at >= 0 else math.inf
    return min(2 * min(up, down) / count, 1.0), low, high


def _totals(cases: Sequence[tuple[list[int], list[int]]]) -> list[int]:
    """Return the sums of the last version, with its runs below, in each labeling."""
    ways = math.prod(math.comb(len(a) + len(b), len(a)) for a, b in cases)
    if ways <= _ALL or len(cases) == 1:
        return next(_pools(cases, _ALL))
    totals = [0] * _DRAWS
    # Small cases are drawn together: a thousand labelings still fit into the cache.
    for place, pool in enumerate(_pools(cases, 1_000)):
        drawn = map(pool.__getitem__, _drawn(place, len(pool)))
        totals = list(map(add, totals, drawn))
    return [sum((sum(b) << _BITS) + len(b) for _, b in cases), *totals]


@lru_cache(maxsize=512)
def _drawn(place: int, size: int) -> array[int]:
    """Return random places in a list, which serve all figures of a suite."""
    return array("H", Random(_SEED + place).choices(range(size), k=_DRAWS))


def _pools(
    cases: Sequence[tuple[list[int], list[int]]], most: int
) -> Iterator[list[int]]:
    """Yield the sums of each case in each labeling, with those of small cases added."""
    added = [0]
    for a, b in cases:
        pool = _pool(a, b)
        if len(added) * len(pool) <= most:
            added = [total + one for total in added for one in pool]
        else:
            yield added
            added = pool
    yield added


def _pool(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the sum of the last version in each labeling of a case.

    The sums of eight runs come from a table, which takes a quarter of the time.
    """
    runs = [*(one << _BITS for one in a), *((one << _BITS) + 1 for one in b)]
    pool = [0] * (drawn := _labelings(len(a), len(b))).number
    for at, octets in enumerate(drawn.octets):
        table = [0]
        for run in runs[8 * at : 8 * at + 8]:
            table += [one + run for one in table]
        pool = list(map(add, pool, map(table.__getitem__, octets)))
    return pool
