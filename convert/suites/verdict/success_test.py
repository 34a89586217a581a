"""Exact tests on counts: how easily chance makes such a difference.

The test of success permutes the labels of runs within each case. The number of runs of
the last version that succeed is then the sum of hypergeometric numbers, one for each
case, and its exact distribution is their convolution. No order of cases matters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate, pairwise
from math import comb
from operator import mul
from statistics import NormalDist
from typing import NamedTuple

from convert.suites.suite_result import Success

# Either side of an interval at 95 %, and the test in one direction.
ONE_SIDED = 0.025
_Z = NormalDist().inv_cdf(1 - ONE_SIDED)


class Stratum(NamedTuple):
    """The successes of one case, and the runs that count, in two versions."""

    hits_a: int
    of_a: int
    hits_b: int
    of_b: int

    @property
    def of(self) -> int:
        """All its runs."""
        return self.of_a + self.of_b

    @property
    def hits(self) -> int:
        """All its successes."""
        return self.hits_a + self.hits_b

    @property
    def is_hard(self) -> bool:
        """Several of its runs fail."""
        return self.hits < self.of - 1

    @property
    def weight(self) -> float:
        """The weight of the case, which grows with its runs in both versions."""
        return self.of_a * self.of_b / self.of

    @property
    def surplus(self) -> float:
        """How many more runs of the last version succeed than expected by chance."""
        return self.hits_b - self.hits * self.of_b / self.of

    @property
    def mixed_pairs(self) -> float:
        """The pairs of a run that succeeds and one that fails, for each other run."""
        return self.hits * (self.of - self.hits) / (self.of - 1)

    @property
    def slope(self) -> float:
        """The slope of the variance if one version has more runs than the other."""
        failing = 1 - self.hits_a / self.of_a - self.hits_b / self.of_b
        return (self.of_a - self.of_b) * failing


def success_of(strata: Sequence[Stratum]) -> Success | None:
    """Compare the rates of success of two versions, with the runs of each case.

    Cases without runs in one version are skipped; None if no other is there.
    """
    cases = [each for each in strata if each.of_a and each.of_b]
    if not cases:
        return None
    weight = math.fsum(each.weight for each in cases)
    rate_a = math.fsum(each.weight * each.hits_a / each.of_a for each in cases) / weight
    rate_b = math.fsum(each.weight * each.hits_b / each.of_b for each in cases) / weight
    tails = _tails(cases)
    low, high = _interval(cases)
    if tails["p_worse_refined"] <= ONE_SIDED:
        high = min(high, -_BARELY)
    elif tails["p_better_refined"] <= ONE_SIDED:
        low = max(low, _BARELY)
    else:
        low, high = min(low, 0.0), max(high, 0.0)
    return Success(
        a=rate_a,
        b=rate_b,
        runs_a=sum(each.of_a for each in cases),
        runs_b=sum(each.of_b for each in cases),
        cases=len(cases),
        low=low,
        high=high,
        **tails,
    )


# The probability with which that many runs detect a loss.
_POWER = 0.80
# The end of an interval near 0 if only the exact test excludes 0.
_BARELY = 1e-4


def runs_needed(strata: Sequence[Stratum], loss: float = 0.10) -> int | None:
    """Return the runs per case and version that detect a loss of success.

    The cases and their variance are those of the suite. None if 1,000 runs do not
    detect it, or if the rate of success is below the loss.
    """
    cases = [each for each in strata if each.of_a and each.of_b]
    if not cases:
        return None
    of = sum(each.of for each in cases)
    rate = math.fsum(each.hits / each.of for each in cases) / len(cases)
    if rate < loss:
        return None
    mixed = math.fsum(each.mixed_pairs / each.of for each in cases) / len(cases)
    # Without any failure so far, it counts as if one of two further runs failed.
    before = max(mixed, (of + 1) / (of + 2) ** 2)
    after = max(before + loss * (2 * rate - 1) - loss**2, loss * (1 - loss))
    beyond = NormalDist().inv_cdf(_POWER)
    for runs in range(1, 1001):
        variance = len(cases) * runs * (before + after) / 4
        # The test does not know that the pairs are mixed by the loss.
        assumed = variance + len(cases) * (loss * runs) ** 2 / (4 * (2 * runs - 1))
        reached = loss * len(cases) * runs / 2 - 0.5
        if reached >= _Z * math.sqrt(assumed) + beyond * math.sqrt(variance):
            return runs
    return None


def runs_needed_for(success: Success, strata: Sequence[Stratum]) -> int | None:
    """Return the runs per case and version that detect a loss as large as this one.

    None if it is below a point, or 10 points, for which there is a number anyway, or if
    so many runs are there already: they usually detect it, but did not this time.
    """
    loss = round(-success.difference, 2)
    if loss < 0.01 or loss == 0.10:
        return None
    needed = runs_needed(strata, loss)
    fewest = min(n for each in strata for n in (each.of_a, each.of_b) if n)
    return needed if needed and needed > fewest else None


def fisher(a: tuple[int, int], b: tuple[int, int]) -> float:
    """Return the p of Fisher's exact test for two pairs of successes and runs.

    It is the share of all tables with the same sums that are no likelier than this one.
    """
    (hits, of), (other_hits, other_of) = a, b
    ways = _tables(of, other_of, hits + other_hits)
    rare = sum(way for way in ways.values() if way <= ways[hits])
    return float(Fraction(rare, comb(of + other_of, hits + other_hits)))


def holm(values: Sequence[float]) -> list[float]:
    """Return the p of several tests after Holm's correction, in the same order."""
    corrected = [1.0] * len(values)
    highest = 0.0
    ordered = sorted(range(len(values)), key=values.__getitem__)
    for place, at in enumerate(ordered):
        highest = max(highest, min((len(values) - place) * values[at], 1.0))
        corrected[at] = highest
    return corrected


def listed(values: Sequence[float], rate: float = 0.05) -> list[bool]:
    """Return which tests a false discovery rate lists, as Benjamini and Hochberg do."""
    low = [p for at, p in enumerate(sorted(values), 1) if p <= rate * at / len(values)]
    return [value <= max(low, default=-1.0) for value in values]


def _tables(of: int, other_of: int, hits: int) -> dict[int, int]:
    """Return each number of successes in the first sample, and the ways to get it."""
    first, last = max(hits - other_of, 0), min(hits, of)
    return {
        here: comb(of, here) * comb(other_of, hits - here)
        for here in range(first, last + 1)
    }


def _tails(cases: Sequence[Stratum]) -> dict[str, float]:
    """Return the chances of as few or fewer successes, and of as many or more.

    The observed sum may have a chance of 2 % of its own. So equal sums are ordered by
    the sums of the hard cases, in which several runs fail. Which cases are hard does
    not depend on the labels, so that the test stays exact.
    """
    hard_cases = [case for case in cases if case.is_hard]
    seen, every = (
        # The observed sum, above the least.
        sum(case.hits_b - max(case.hits - case.of_a, 0) for case in each)
        for each in (hard_cases, cases)
    )
    hard = _sum_of(hard_cases)
    rest = _sum_of([case for case in cases if not case.is_hard])
    up_to = [0.0, *accumulate(rest)]
    from_on = [*reversed([*accumulate(reversed(rest))]), 0.0]
    last = len(rest)

    def total(tails: list[float], shift: Callable[[int], int]) -> float:
        return _rounded(
            math.fsum(
                chance * tails[min(max(every - at + shift(at), 0), last)]
                for at, chance in enumerate(hard)
            )
        )

    found = {
        "p_worse": total(up_to, lambda at: 1),
        "p_better": total(from_on, lambda at: 0),
        "p_worse_refined": total(up_to, lambda at: int(at <= seen)),
        "p_better_refined": total(from_on, lambda at: int(at < seen)),
    }
    if all(case.of == 2 for case in cases):
        for name in ("p_worse", "p_better"):
            found[f"{name}_refined"] = _over_pairs(found[name], len(cases))
    return found


def _sum_of(cases: Sequence[Stratum]) -> list[float]:
    """Return the distribution of the sum of successes of the last version."""
    groups = Counter((case.of_a, case.of_b, case.hits) for case in cases)
    powers = []
    for (of_a, of_b, hits), number in sorted(groups.items()):
        tables, every = _tables(of_b, of_a, hits), comb(of_a + of_b, hits)
        powers.append(_power([ways / every for ways in tables.values()], number))
    return reduce(_convolved, powers, [1.0])


# The number of pairs above which their number is no longer worth counting.
_MOST_PAIRS = 200


def _over_pairs(p: float, cases: int) -> float:
    """Return how often one run against one makes a p so small, at most.

    Only pairs that end differently count, and their number is chance as well. For most
    numbers of pairs no p is just below 2.5 %, so that a test for one number errs in 1.5
    of 100 suites. This is the largest error over all rates of
    success: it is that of some cases whose runs succeed half of the time.
    """
    if p > 0.1 or cases > _MOST_PAIRS:
        return p
    row, errors, most = [1.0], [0.0], 0.0
    for _ in range(cases):
        row = [(one + other) / 2 for one, other in pairwise([0.0, *row, 0.0])]
        tails = [tail for tail in accumulate(row) if tail <= p + 1e-12]
        errors.append(tails[-1] if tails else 0.0)
        most = max(most, math.fsum(map(mul, row, errors)))
    return _rounded(most)


def _power(chances: list[float], times: int) -> list[float]:
    """Return the distribution of the sum of several numbers of one distribution."""
    if times == 1:
        return chances
    half = _power(chances, times // 2)
    even = _convolved(half, half)
    return _convolved(even, chances) if times % 2 else even


def _convolved(one: list[float], other: list[float]) -> list[float]:
    """Return the distribution of the sum of two numbers."""
    last = len(other) - 1
    turned = other[::-1]
    return [
        sum(map(mul, one[max(at - last, 0) : at + 1], turned[max(last - at, 0) :]))
        for at in range(len(one) + last)
    ]


def _rounded(p: float) -> float:
    """Return a p without rounding errors, so that 1 in 40 is 2.5 %."""
    return min(float(f"{p:.12g}"), 1.0)


def _interval(cases: Sequence[Stratum]) -> tuple[float, float]:
    """Return the differences of rates that the score test at 95 % does not exclude.

    The variance of the weighted sum of differences is that of the exact test, from the
    pairs of runs of a case that end differently, less the pairs that a difference of
    `d` explains. So it is unbiased for any number of runs per case, and the bounds are
    roots of a quadratic equation. It is at least the variance that `d` itself demands:
    no two rates that are `d` apart can both be certain.
    """
    weight = math.fsum(case.weight for case in cases)
    total = math.fsum(case.surplus for case in cases)
    pairs = math.fsum(case.weight / case.of * case.mixed_pairs for case in cases)
    slope = math.fsum(case.weight / case.of * case.slope for case in cases)
    explained = math.fsum(case.weight**2 / (case.of - 1) for case in cases)
    least = math.fsum(
        case.weight * min(case.of_a, case.of_b) / case.of for case in cases
    )
    bounds = [total / weight]
    # The sum moves in steps of 1/2 where both versions have as many runs. Without the
    # half step, intervals of few runs hold the difference in 92 of 100 suites.
    for shifted in (total - 0.25, total + 0.25):
        bounds += _roots(shifted, weight, pairs, slope, explained)
        bounds += [one for one in _roots(shifted, weight, 0, least, least) if one > 0]
        bounds += [one for one in _roots(shifted, weight, 0, -least, least) if one < 0]
    return max(min(bounds), -1.0), min(max(bounds), 1.0)


def _roots(
    total: float, weight: float, constant: float, slope: float, square: float
) -> tuple[float, ...]:
    """Return the `d` whose total is `_Z` deviations from the observed one.

    The variance is `constant + slope * d - square * d**2`.
    """
    leading = weight**2 + _Z**2 * square
    half = total * weight + _Z**2 * slope / 2
    root = half**2 - leading * (total**2 - _Z**2 * constant)
    if root < 0:
        return ()
    return (half - math.sqrt(root)) / leading, (half + math.sqrt(root)) / leading
