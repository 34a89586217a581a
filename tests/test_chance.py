"""Figures of significance: by hand, by brute force, and as scipy has them."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.stats.quantiles import rate
from convert.suite.chance import (
    MOST,
    fisher,
    holm,
    least_fisher,
    least_p,
    pass_all,
    permutation,
)

PAIRS = [*itertools.product(range(1, 7), repeat=2)]
# Few values make ties, many make none.
VALUES = st.one_of(st.integers(0, 3), st.integers(0, 10**9))


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def test_the_lady_tasting_tea() -> None:
    """R. A. Fisher, The Design of Experiments (1935): three of four cups are right."""
    assert round(fisher((3, 4), (1, 4)), 4) == 0.4857


def test_the_randomization_test_of_hyperstat() -> None:
    """D. M. Lane, HyperStat, "Randomization Tests": p = 6/70, two-tailed."""
    assert permutation([11, 14, 7, 8], [2, 9, 0, 5]) == 6 / 70


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_intervals_of_newcombe(hits: int, of: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), table I, Wilson's score."""
    found = rate(hits, of)

    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(("of", "other_of"), PAIRS)
def test_fisher_counts_tables_as_brute_force_does(of: int, other_of: int) -> None:
    for hits, other_hits in itertools.product(range(of + 1), range(other_of + 1)):
        runs = [1] * (hits + other_hits) + [0] * (of + other_of - hits - other_hits)
        chosen = [sum(each) for each in itertools.combinations(runs, of)]
        times = Counter(chosen)
        rare = [each for each in chosen if times[each] <= times[hits]]

        found = fisher((hits, of), (other_hits, other_of))

        assert found == float(Fraction(len(rare), len(chosen)))


@pytest.mark.parametrize(("of", "other_of"), PAIRS)
def test_no_table_is_rarer_than_the_least_p(of: int, other_of: int) -> None:
    every = {
        (hits, other_hits): fisher((hits, of), (other_hits, other_of))
        for hits, other_hits in itertools.product(range(of + 1), range(other_of + 1))
    }

    assert least_p(of, other_of) == near(min(every.values()))
    for (hits, other_hits), p in every.items():
        least = least_fisher(hits + other_hits, of, other_of)
        assert least <= p
        assert least in [every[at] for at in every if sum(at) == hits + other_hits]


# Loading scipy takes longer than all other tests of this module.


@pytest.mark.seldom
@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_fisher_is_that_of_scipy(of: int, other_of: int, data: st.DataObject) -> None:
    from scipy import stats

    hits = data.draw(st.integers(0, of))
    other_hits = data.draw(st.integers(0, other_of))

    table = [[hits, of - hits], [other_hits, other_of - other_hits]]
    expected = stats.fisher_exact(table).pvalue

    assert fisher((hits, of), (other_hits, other_of)) == near(min(expected, 1.0))


@pytest.mark.seldom
@given(st.integers(1, 5000), st.data())
def test_intervals_are_those_of_scipy(of: int, data: st.DataObject) -> None:
    from scipy import stats

    hits = data.draw(st.integers(0, of))

    expected = stats.binomtest(hits, of).proportion_ci(method="wilson")

    found = rate(hits, of)
    assert found is not None
    assert found.low == pytest.approx(expected.low, abs=1e-7)
    assert found.high == pytest.approx(expected.high, abs=1e-7)


@given(
    st.lists(VALUES, min_size=1, max_size=6), st.lists(VALUES, min_size=1, max_size=6)
)
def test_permutations_are_counted_as_brute_force_does(
    a: list[int], b: list[int]
) -> None:
    values = [*a, *b]
    ways = [*itertools.combinations(range(len(values)), len(a))]

    def apart(chosen: tuple[int, ...]) -> Fraction:
        ones = [Fraction(values[at]) for at in chosen]
        others = [
            Fraction(value) for at, value in enumerate(values) if at not in chosen
        ]
        return abs(statistics.mean(ones) - statistics.mean(others))

    far = [way for way in ways if apart(way) >= apart(tuple(range(len(a))))]

    assert permutation(a, b) == float(Fraction(len(far), len(ways)))


@pytest.mark.seldom
@pytest.mark.parametrize(("of", "other_of"), [(8, 8), (9, 5), (4, 12), (10, 7)])
def test_permutations_are_those_of_scipy(of: int, other_of: int) -> None:
    import numpy
    from scipy import stats

    dice = numpy.random.default_rng(of)
    a = dice.integers(20_000, 60_000, of).tolist()
    b = dice.integers(30_000, 90_000, other_of).tolist()

    def apart(one: Any, other: Any, axis: int) -> Any:
        return numpy.abs(one.mean(axis) - other.mean(axis))

    expected = stats.permutation_test(
        (a, b), apart, vectorized=True, n_resamples=numpy.inf, alternative="greater"
    )

    assert permutation(a, b) == near(expected.pvalue)


@pytest.mark.parametrize("a", [(8, 8), (16, 9)])
def test_permutations_of_successes_are_fisher_s_test(a: tuple[int, int]) -> None:
    """Both tests count the same ways where samples are of one size and values 0 or 1.

    So the samples that brute force cannot count are checked as well.
    """
    of, hits = a
    runs = [1] * hits + [0] * (of - hits)
    others = [1] * (hits // 2) + [0] * (of - hits // 2)

    assert permutation(runs, others) == near(fisher((hits, of), (hits // 2, of)))


def test_samples_that_are_too_large_have_no_p() -> None:
    assert permutation([1] * 16, [2] * 16) == near(least_p(16, 16))
    assert permutation([1] * MOST, [2]) is None


@pytest.mark.parametrize(
    ("of", "least"), [(3, 0.100), (4, 0.029), (5, 0.008), (8, 0.000155)]
)
def test_the_least_p_of_a_sample(of: int, least: float) -> None:
    assert round(least_p(of, of), 6 if of > 5 else 3) == least
    assert fisher((of, of), (0, of)) == near(least_p(of, of))
    assert permutation([1] * of, [2] * of) == near(least_p(of, of))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_one_after_the_other(values: list[float]) -> None:
    """A test is below any level where Holm (1979) rejects it: stop at the first not."""
    corrected = holm(values)

    for level in (0.01, 0.05, 0.2):
        rejected = 0
        for place, p in enumerate(sorted(values)):
            if p * (len(values) - place) > level:
                break
            rejected += 1
        assert sum(p <= level for p in corrected) == rejected
    by_p = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[at] for at in by_p] == sorted(corrected)


def test_holm_of_four_tests() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == near([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize(("hits", "of", "tries"), [(7, 8, 1), (7, 8, 4), (3, 6, 4)])
def test_the_chance_that_all_tries_succeed(hits: int, of: int, tries: int) -> None:
    runs = [True] * hits + [False] * (of - hits)
    ways = [*itertools.combinations(runs, tries)]

    assert pass_all(hits, of, tries) == sum(map(all, ways)) / len(ways)
