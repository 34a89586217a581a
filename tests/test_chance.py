"""Exact tests on counts: by hand, by brute force, as published and as in scipy."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convert.facts import rate
from convert.suites import (
    Stratum,
    Success,
    fisher,
    holm,
    listed,
    runs_needed,
    success_of,
)
from support.libraries import need
from support.matrix import each

PAIRS = [*itertools.product(range(1, 7), repeat=2)]


@st.composite
def stratum(draw: st.DrawFn, most: int = 5) -> Stratum:
    of_a, of_b = draw(st.integers(1, most)), draw(st.integers(1, most))
    hits_a, hits_b = draw(st.integers(0, of_a)), draw(st.integers(0, of_b))
    return Stratum(hits_a, of_a, hits_b, of_b)


SUITES = st.lists(stratum(), min_size=1, max_size=30)


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def success(*strata: tuple[int, int, int, int]) -> Success:
    found = success_of([Stratum(*each) for each in strata])
    assert found is not None
    return found


def test_a_fall_of_success_over_fifty_cases() -> None:
    steady, fallen = [(4, 4, 4, 4)] * 20, [(4, 4, 2, 4)] * 20 + [(3, 4, 1, 4)] * 10

    found = success(*steady, *fallen)

    assert (found.a, found.b) == (0.95, 0.65)
    assert (found.runs_a, found.runs_b, found.cases) == (200, 200, 50)
    assert found.difference == near(-0.3)
    assert -0.4 < found.low < -0.35 < -0.25 < found.high < -0.2
    assert found.p_worse < 1e-10


def test_more_cases_that_all_fail_strengthen_the_verdict() -> None:
    """The p of 200 of 200 against 0 of 200 is that of one labeling among all."""
    assert success(*[(4, 4, 0, 4)] * 50).p_worse == near(70.0**-50)


def test_one_run_per_case_is_the_sign_test() -> None:
    """Seven of eight cases that differ got worse: p is 9 of 256."""
    found = success(*[(1, 1, 0, 1)] * 7, (0, 1, 1, 1), *[(1, 1, 1, 1)] * 20)

    assert found.p_worse == 9 / 256


def test_cases_of_one_version_enter_no_test() -> None:
    assert success_of([Stratum(0, 0, 3, 4), Stratum(2, 4, 0, 0)]) is None
    assert success((3, 4, 1, 4), (0, 0, 3, 4)) == success((3, 4, 1, 4))


def test_cases_count_by_the_runs_that_compare_them() -> None:
    """Two against two count as 1, one against three as 3/4."""
    found = success((2, 2, 0, 2), (1, 1, 3, 3))

    assert found.a == 1.0
    assert found.b == near(0.75 / 1.75)


def test_the_rabbits_of_mantelhaen_test() -> None:
    """A. Agresti, Categorical Data Analysis (1990), pages 231-237.

    The help of R's `mantelhaen.test` gives p = 0.020 for the exact conditional test of
    a higher rate, and p = 0.040 for both directions.
    """
    levels = [(0, 5, 0, 6), (0, 6, 3, 6), (2, 6, 6, 6), (6, 6, 5, 6), (5, 5, 2, 2)]

    found = success(*levels)

    assert round(found.p_better, 3) == 0.020
    assert round(found.p, 3) == 0.040


def test_the_admissions_of_berkeley() -> None:
    """P. J. Bickel et al., Science 187 (1975), the six departments that R ships.

    `mantelhaen.test(UCBAdmissions)` approximates p = 0.2323 with its correction for
    continuity, which the exact p agrees with for 4,526 applicants.
    """
    men = [(512, 825), (353, 560), (120, 325), (138, 417), (53, 191), (22, 373)]
    women = [(89, 108), (17, 25), (202, 593), (131, 375), (94, 393), (24, 341)]

    found = success(*(a + b for a, b in zip(men, women, strict=True)))

    assert found.p == pytest.approx(0.2323, abs=5e-4)


def by_brute_force(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Label the runs of each case in all ways, and count the differences of rates."""
    every: Counter[Fraction] = Counter({Fraction(0): 1})
    observed = Fraction(0)
    for case in strata:
        runs = [1] * case.hits + [0] * (case.of - case.hits)
        here: Counter[Fraction] = Counter()
        for chosen in itertools.combinations(runs, case.of_b):
            here[weighted(case, sum(chosen))] += 1
        observed += weighted(case, case.hits_b)
        sums: Counter[Fraction] = Counter()
        for (one, ways), (other, more) in itertools.product(
            every.items(), here.items()
        ):
            sums[one + other] += ways * more
        every = sums
    below = sum(ways for value, ways in every.items() if value <= observed)
    above = sum(ways for value, ways in every.items() if value >= observed)
    return below / every.total(), above / every.total()


def weighted(case: Stratum, hits_b: int) -> Fraction:
    difference = Fraction(hits_b, case.of_b) - Fraction(case.hits - hits_b, case.of_a)
    return difference * Fraction(case.of_a * case.of_b, case.of)


@given(st.lists(stratum(), min_size=1, max_size=5))
def test_success_counts_labelings_as_brute_force_does(strata: list[Stratum]) -> None:
    found = success(*strata)

    assert (found.p_worse, found.p_better) == near(by_brute_force(strata))


@given(SUITES, st.randoms())
def test_the_order_of_cases_does_not_matter(
    strata: list[Stratum], dice: random.Random
) -> None:
    shuffled = [*strata]
    dice.shuffle(shuffled)

    assert success(*shuffled) == success(*strata)
    assert runs_needed(shuffled) == runs_needed(strata)


@given(SUITES)
@example([Stratum(8, 9, 1, 2)] * 10 + [Stratum(1, 5, 2, 2)] * 5)
def test_swapped_versions_mirror_each_other(strata: list[Stratum]) -> None:
    one = success(*strata)
    other = success(*((b, of_b, a, of_a) for a, of_a, b, of_b in strata))

    assert (other.a, other.b) == (one.b, one.a)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-9)
    assert (other.p_worse, other.p_better) == near((one.p_better, one.p_worse))
    sharp = one.p_better_refined, one.p_worse_refined
    assert (other.p_worse_refined, other.p_better_refined) == near(sharp)


@given(SUITES)
def test_interval_and_test_agree_about_no_difference(strata: list[Stratum]) -> None:
    found = success(*strata)

    assert (found.high < 0) == (found.p_worse_refined <= 0.025)
    assert (found.low > 0) == (found.p_better_refined <= 0.025)
    assert -1 <= found.low <= found.difference <= found.high <= 1


@pytest.mark.parametrize(
    "strata",
    [
        [(3, 3, 0, 3), (1, 1, 0, 1)],
        # The sum of these floats is 0.025000000000000005.
        [(2, 2, 0, 3), (3, 5, 0, 5), (1, 3, 1, 3)],
    ],
)
def test_a_p_of_exactly_one_in_forty_decides(
    strata: list[tuple[int, int, int, int]],
) -> None:
    found = success(*strata)

    assert found.p_worse == 0.025
    assert found.high < 0


def test_the_exact_test_decides_whether_the_interval_holds_0() -> None:
    """Only the score test says otherwise in both suites."""
    sure = success((250, 250, 983, 1000))
    unsure = success((1, 1, 1, 1), (5, 5, 1, 2), (5, 5, 1, 3))

    assert sure.p_worse < 0.025 < unsure.p_worse
    assert sure.high < 0 == unsure.high


def distance(strata: Sequence[Stratum], difference: float) -> float:
    """Return how many deviations a difference is above the observed one.

    The variance of a weighted difference follows from E(s (N - s)), for s successes of
    N runs, and from the rates of both versions, whose sum is estimated.
    """
    total, variance, least = -0.25, 0.0, 0.0
    for a, n, b, m in strata:
        weight, hits, of = n * m / (n + m), a + b, n + m
        total += weight * (difference - b / m + a / n)
        sums = (hits * (of - hits) - n * m * difference**2) / (of - 1)
        leaning = (n - m) * difference * (1 - a / n - b / m)
        variance += n * m / of**2 * (sums + leaning)
        smallest = abs(difference) * (1 - abs(difference)) / max(n, m)
        least += weight**2 * smallest
    return total / math.sqrt(max(variance, least))


@pytest.mark.parametrize(
    "strata",
    [
        [(4, 4, 2, 4)] * 20 + [(3, 4, 2, 4)] * 20,
        [(8, 9, 1, 2)] * 10 + [(1, 5, 2, 2)] * 5,
        [(4, 4, 4, 4)] * 30,
        [(1, 1, 1, 1)] * 15 + [(0, 1, 1, 1)] * 3,
    ],
)
def test_the_bounds_are_1_96_deviations_away(
    strata: list[tuple[int, int, int, int]],
) -> None:
    found = success(*strata)

    mirrored = [Stratum(b, m, a, n) for a, n, b, m in strata]
    if found.low:
        assert distance(mirrored, -found.low) == pytest.approx(1.959964, abs=1e-5)
    if found.high:
        assert distance(strata, found.high) == pytest.approx(1.959964, abs=1e-5)


def test_success_without_any_failure_still_has_an_interval() -> None:
    """It shrinks with the runs, by about 4 of their number on either side."""
    few, many = success((3, 3, 3, 3)), success(*[(4, 4, 4, 4)] * 50)

    assert (few.p_worse, few.p_better) == (1.0, 1.0)
    assert -few.low == few.high > 0.5
    assert many.high == pytest.approx(0.02, abs=0.005)


def night(
    dice: random.Random, rates: Sequence[float], runs: int, loss: float
) -> Success:
    def hits(share: float) -> int:
        return sum(dice.random() < share for _ in range(runs))

    return success(*((hits(a), runs, hits(a - loss), runs) for a in rates))


@pytest.mark.seldom
@pytest.mark.parametrize("cases", [10, 50])
@pytest.mark.parametrize("runs", [1, 2, 4])
@pytest.mark.parametrize("loss", [0.0, 0.1, 0.2])
def test_intervals_hold_the_difference_in_19_of_20_suites(
    cases: int, runs: int, loss: float
) -> None:
    """At least 94 %; 500 suites may miss it by two standard deviations."""
    dice = random.Random(cases * runs)
    held = 0
    for _ in range(500):
        rates = [max(dice.betavariate(6, 1), loss) for _ in range(cases)]
        found = night(dice, rates, runs, loss)
        held += found.low <= -loss <= found.high

    assert held / 500 >= 0.94 - 2 * math.sqrt(0.94 * 0.06 / 500)


@pytest.mark.parametrize(("cases", "needed"), [(10, 28), (20, 14), (50, 6), (100, 3)])
def test_the_runs_that_a_suite_needs(cases: int, needed: int) -> None:
    """Fewer runs per case are needed with more cases."""
    hard, easy = Stratum(2, 4, 3, 4), Stratum(4, 4, 4, 4)

    assert runs_needed([hard] * (cases // 2) + [easy] * (cases // 2)) == needed


def test_runs_needed_without_any_failure() -> None:
    assert runs_needed([Stratum(3, 3, 3, 3)] * 20) == 6
    assert runs_needed([Stratum(1, 1, 1, 1)] * 1000) == 1


def test_no_number_of_runs_detects_a_loss_without_success_before() -> None:
    assert runs_needed([Stratum(0, 4, 0, 4)] * 50) is None
    assert runs_needed([Stratum(4, 4, 0, 0)]) is None
    assert runs_needed([Stratum(2, 4, 2, 4)], loss=0.01) is None


@pytest.mark.seldom
@pytest.mark.parametrize("cases", [10, 20, 50])
def test_so_many_runs_detect_the_loss_in_80_of_100_nights(cases: int) -> None:
    """Two runs fewer do not, and three standard deviations of 400 nights are 6 %."""
    dice = random.Random(cases)
    rates = [max(dice.betavariate(6, 1), 0.1) for _ in range(cases)]
    hits = [round(1000 * each) for each in rates]
    needed = runs_needed([Stratum(each, 1000, each, 1000) for each in hits])
    assert needed is not None

    detected = [
        sum(night(dice, rates, runs, 0.1).p_worse_refined <= 0.025 for _ in range(400))
        / 400
        for runs in (needed - 2, needed)
    ]

    assert detected[0] < 0.86
    assert 0.74 < detected[1] < 0.93


def test_the_lady_tasting_tea() -> None:
    """R. A. Fisher, The Design of Experiments (1935): three of four cups are right."""
    assert round(fisher((3, 4), (1, 4)), 4) == 0.4857


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


@each(("of", "other_of"), PAIRS)
def test_fisher_counts_tables_as_brute_force_does(of: int, other_of: int) -> None:
    for hits, other_hits in itertools.product(range(of + 1), range(other_of + 1)):
        runs = [1] * (hits + other_hits) + [0] * (of + other_of - hits - other_hits)
        chosen = [sum(each) for each in itertools.combinations(runs, of)]
        times = Counter(chosen)
        rare = [each for each in chosen if times[each] <= times[hits]]

        found = fisher((hits, of), (other_hits, other_of))

        assert found == float(Fraction(len(rare), len(chosen)))


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


def test_the_list_of_benjamini_and_hochberg() -> None:
    """Y. Benjamini and Y. Hochberg (1995), section 3.2: 4 of 15 are below the line."""
    values = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
    ]

    assert listed(values) == [True] * 4 + [False] * 11
    assert listed([]) == []


def test_a_p_above_its_line_is_listed_if_a_larger_one_is_below() -> None:
    assert listed([0.049, 0.048, 0.9], rate=0.1) == [True, True, False]


# Loading scipy takes longer than all other tests of this module.


@pytest.mark.seldom
@given(stratum(60))
def test_fisher_is_that_of_scipy(case: Stratum) -> None:
    need("scipy")
    from scipy import stats

    a, of_a, b, of_b = case
    expected = stats.fisher_exact([[a, of_a - a], [b, of_b - b]]).pvalue

    assert fisher((a, of_a), (b, of_b)) == near(min(expected, 1.0))


@pytest.mark.seldom
@given(st.lists(stratum(40), min_size=1, max_size=20))
def test_success_is_the_sum_of_the_hypergeometric_numbers_of_scipy(
    strata: list[Stratum],
) -> None:
    need("scipy")
    import numpy
    from scipy import stats

    sums = numpy.ones(1)
    for case in strata:
        every = range(case.of_b + 1)
        numbers = stats.hypergeom(case.of, case.hits, case.of_b).pmf(every)
        sums = numpy.convolve(sums, numbers)
    observed = sum(case.hits_b for case in strata)

    found = success(*strata)

    assert found.p_worse == pytest.approx(sums[: observed + 1].sum(), abs=1e-9)
    assert found.p_better == pytest.approx(sums[observed:].sum(), abs=1e-9)


@pytest.mark.seldom
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_list_is_that_of_scipy(values: list[float]) -> None:
    need("scipy")
    from scipy import stats

    expected = stats.false_discovery_control(values)

    for found, p in zip(listed(values), expected, strict=True):
        assert found == (p <= 0.05) or p == near(0.05)


@pytest.mark.seldom
@given(st.integers(1, 5000), st.data())
def test_intervals_are_those_of_scipy(of: int, data: st.DataObject) -> None:
    need("scipy")
    from scipy import stats

    hits = data.draw(st.integers(0, of))

    expected = stats.binomtest(hits, of).proportion_ci(method="wilson")

    found = rate(hits, of)
    assert found is not None
    assert found.low == pytest.approx(expected.low, abs=1e-7)
    assert found.high == pytest.approx(expected.high, abs=1e-7)
