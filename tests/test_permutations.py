"""Permutations of labels: by hand, by brute force, and as scipy has them."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.suites import Figure, FigureName, combined, figure_of, fisher, steadiest
from support.libraries import need

Runs = tuple[list[float], list[float]]
Part = tuple[float, tuple[tuple[float, float], ...]]

# Few values make ties, and many make none.
VALUES = st.one_of(st.integers(1, 3), st.integers(1, 10**9))
SIDE = st.lists(VALUES, min_size=1, max_size=3)
CASES = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=3)


@st.composite
def traits(draw: st.DrawFn, most: int = 4) -> tuple[list[int], int, int]:
    """Draw the masks of some traits, and the runs of both versions."""
    of_a, of_b = draw(st.integers(1, most)), draw(st.integers(1, most))
    every = (1 << (of_a + of_b)) - 1
    masks = st.lists(st.integers(0, every), min_size=1, max_size=12)
    return draw(masks), of_a, of_b


@st.composite
def parts(draw: st.DrawFn) -> list[Part]:
    """Draw the p of several cases, each with all values that it can have."""
    found = []
    for masks, of_a, of_b in draw(st.lists(traits(), min_size=1, max_size=3)):
        case = steadiest(masks, of_a, of_b)
        found.append((case.p, case.distribution))
    return found


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9)


def figure(runs: Sequence[Runs], name: FigureName = "tokens") -> Figure:
    found = figure_of(name, runs)
    assert found is not None
    return found


def mask(a: str, b: str) -> int:
    """Return the mask of the runs marked with x."""
    return sum(1 << at for at, mark in enumerate(a + b) if mark == "x")


def test_a_trait_of_all_new_runs_is_two_of_seventy_labelings() -> None:
    found = steadiest([mask("....", "xxxx"), mask("x...", "..x.")], 4, 4)

    assert found.p == 2 / 70
    assert found.distribution[0] == (2 / 70, 2 / 70)
    assert found.p_of(0, 4) == 2 / 70
    assert found.p_of(1, 1) == 1.0


def test_among_many_traits_some_is_steady_in_each_labeling() -> None:
    every = [sum(chosen) for chosen in itertools.combinations([1, 2, 4, 8, 16, 32], 3)]

    found = steadiest(every, 3, 3)

    assert found.p == 1.0
    assert found.distribution == ((1.0, 1.0),)


@pytest.mark.parametrize("masks", [[], [0], [mask("xxx", "xx")]])
def test_a_case_whose_runs_all_do_the_same_says_nothing(masks: list[int]) -> None:
    found = steadiest(masks, 3, 2)

    assert found.p == 1.0
    assert found.distribution == ((1.0, 1.0),)
    assert found.p_of(3, 2) == 1.0


def test_many_runs_are_compared_with_random_labelings() -> None:
    """The observed labeling is one of 10,000, and no random one is as steady."""
    found = steadiest([mask("." * 16, "x" * 16), mask("x" * 9, "")], 16, 16)

    assert found.p == 1 / 10_000
    assert math.fsum(chance for _, chance in found.distribution) == near(1)


@pytest.mark.parametrize(("a", "b"), [(3, 8), (5, 12)])
def test_random_labelings_come_close_to_all(a: int, b: int) -> None:
    """A single trait has the p of Fisher's exact test, as a table of this size."""
    found = steadiest([mask("x" * a + "." * (15 - a), "x" * b)], 15, 15)

    assert found.p == pytest.approx(fisher((a, 15), (b, 15)), rel=0.1)


def test_opposite_traits_are_as_steady() -> None:
    with_it, without_it = mask("x..", ".xxx."), mask(".xx", "x...x")

    assert steadiest([with_it], 3, 5) == steadiest([without_it], 3, 5)


def growth_of(trait: int, chosen: Sequence[int], of_a: int) -> float:
    """Return how far the share rises if the chosen runs are the last version's."""
    b = sum(trait >> run & 1 for run in chosen)
    return round(b / len(chosen) - (trait.bit_count() - b) / of_a, 9)


@given(traits(), st.data())
def test_the_steadiest_is_that_of_brute_force(
    drawn: tuple[list[int], int, int], data: st.DataObject
) -> None:
    """A trait of `rising` counts if its share rises, and any other either way."""
    masks, of_a, of_b = drawn
    rising = data.draw(st.lists(st.integers(0, 2 ** (of_a + of_b) - 1), max_size=4))
    observed = range(of_a, of_a + of_b)

    def steadiness(chosen: Sequence[int]) -> float:
        either = [abs(growth_of(trait, chosen, of_a)) for trait in masks]
        return max(*either, 0, *(growth_of(trait, chosen, of_a) for trait in rising))

    levels = Counter(map(steadiness, itertools.combinations(range(of_a + of_b), of_b)))

    def p_of(least: float) -> float:
        reached = sum(ways for level, ways in levels.items() if level >= least)
        return reached / levels.total()

    found = steadiest(masks, of_a, of_b, rising)

    assert found.p == p_of(steadiness(observed))
    expected = sorted((p_of(level), levels[level] / levels.total()) for level in levels)
    assert [p for p, _ in found.distribution] == [p for p, _ in expected]
    assert [one for _, one in found.distribution] == near([one for _, one in expected])
    for trait in masks:
        b = (trait >> of_a).bit_count()
        expected_p = p_of(abs(growth_of(trait, observed, of_a)))
        assert found.p_of(trait.bit_count() - b, b) == expected_p


@given(traits(most=7))
def test_the_p_holds_its_promise_at_each_level(
    drawn: tuple[list[int], int, int],
) -> None:
    """The observed p is one that it can have, and p <= alpha is as rare as alpha."""
    found = steadiest(*drawn)

    assert found.p in [p for p, _ in found.distribution]
    below = 0.0
    for p, chance in found.distribution:
        below += chance
        assert below == near(p)
    assert below == near(1)


@given(traits(most=7), st.randoms())
def test_the_order_of_traits_does_not_matter(
    drawn: tuple[list[int], int, int], dice: random.Random
) -> None:
    masks, of_a, of_b = drawn
    shuffled = [*masks, *masks[:3]]
    dice.shuffle(shuffled)

    assert steadiest(shuffled, of_a, of_b) == steadiest(masks, of_a, of_b)


def test_ten_cases_show_together_a_change_that_no_single_one_shows() -> None:
    """With one more call in each run, a case has p = 2/70, and ten have 2/70^10."""
    case = steadiest([mask("....", "xxxx")], 4, 4)

    together = combined([(case.p, case.distribution)] * 10)

    assert together == near((2 / 70) ** 10)


def test_cases_without_traits_change_nothing() -> None:
    case = steadiest([mask("....", "xxx.")], 4, 4)
    silent = steadiest([], 4, 4)

    alone = combined([(case.p, case.distribution)])

    assert alone == near(case.p)
    assert combined([(case.p, case.distribution), (1.0, silent.distribution)]) == alone
    assert combined([]) == 1.0


def points(p: float) -> int:
    """Return -ln p on the grid of few cases."""
    return round(-math.log(p) * 32)


def products(cases: Sequence[Part]) -> list[tuple[int, float]]:
    """Return the sums of points of all values, with their probabilities."""
    return [
        (
            sum(points(p) for p, _ in values),
            math.prod(chance for _, chance in values),
        )
        for values in itertools.product(*(distribution for _, distribution in cases))
    ]


@given(parts())
def test_fisher_s_method_is_that_of_brute_force(cases: list[Part]) -> None:
    observed = sum(points(p) for p, _ in cases)
    expected = sum(chance for one, chance in products(cases) if one >= observed)

    assert combined(cases) == near(expected)


@given(parts(), st.randoms())
def test_the_order_of_combined_cases_does_not_matter(
    cases: list[Part], dice: random.Random
) -> None:
    many = cases * 5
    shuffled = [*many]
    dice.shuffle(shuffled)

    assert combined(shuffled) == combined(many)


@given(parts(), st.sampled_from([0.01, 0.025, 0.1, 0.5]))
def test_combined_p_values_hold_their_promise(cases: list[Part], alpha: float) -> None:
    found = 0.0
    for values in itertools.product(*(distribution for _, distribution in cases)):
        p = combined([(v[0], case[1]) for v, case in zip(values, cases, strict=True)])
        if p <= alpha:
            found += math.prod(chance for _, chance in values)

    assert found <= alpha * (1 + 1e-9)


def test_a_figure_that_doubles_in_every_case() -> None:
    """The growth of no run is in doubt, so that the interval holds nothing else."""
    found = figure([([100, 100, 100], [200, 200, 200]), ([7, 7, 7], [14, 14, 14])])

    assert (found.ratio, found.low, found.high) == near((2, 2, 2))
    assert found.p == 2 / 20**2
    assert found.cases == 2


def test_the_ratio_of_geometric_means() -> None:
    """Two runs against two weigh 1, and one against one 1/2."""
    found = figure([([10, 40], [20, 80]), ([5], [5 * 2**4])])

    assert found.ratio == near(2 ** ((1 * 1 + 4 / 2) / 1.5))


def test_few_labelings_exclude_nothing() -> None:
    found = figure([([10], [20]), ([10], [30])])

    assert (found.low, found.high) == (0.0, math.inf)
    assert found.p == 0.5


def test_equal_values_do_not_grow() -> None:
    found = figure([([5, 5], [5, 5]), ([8, 8], [8])])

    assert (found.ratio, found.low, found.high, found.p) == (1.0, 1.0, 1.0, 1.0)


def test_no_calls_count_as_half_a_call() -> None:
    """A version that stops to make calls does not look like one without a record."""
    assert figure([([4], [0])], "calls").ratio == near(1 / 8)
    assert figure([([4, 8], [8, 0])], "cost_usd").ratio == near(2**0.5)


def test_a_figure_that_no_case_records_on_both_sides_has_no_ratio() -> None:
    assert figure_of("tokens", []) is None
    assert figure_of("tokens", [([], [5]), ([5], [0])]) is None


@pytest.mark.parametrize("pairs", [((5, 10), (2, 1)), ((10, 5), (1, 2))])
def test_equal_products_are_ties(pairs: tuple[tuple[float, float], ...]) -> None:
    """5 * 2 is 10 * 1, though the sums of their rounded logarithms differ.

    In 3 of 8 labelings, the last version has at least 8 times as much.
    """
    found = figure([([1], [8]), *(([a], [b]) for a, b in pairs)])

    assert found.p == 6 / 8


def growth(case: Runs, chosen: Sequence[int]) -> float:
    """Return the weighted growth if the chosen runs are those of the last version."""
    logs = [math.log(value) for side in case for value in side]
    b = [logs[run] for run in chosen]
    a = [log for run, log in enumerate(logs) if run not in chosen]
    weight = len(a) * len(b) / len(logs)
    return weight * (sum(b) / len(b) - sum(a) / len(a))


def by_brute_force(cases: Sequence[Runs]) -> float:
    """Return the p of no growth from all labelings of all cases."""
    every = [
        [
            growth((a, b), chosen)
            for chosen in itertools.combinations(range(len(a) + len(b)), len(b))
        ]
        for a, b in cases
    ]
    observed = sum(growth((a, b), range(len(a), len(a) + len(b))) for a, b in cases)
    sums = [sum(each) - observed for each in itertools.product(*every)]
    tails = sum(one >= -1e-9 for one in sums), sum(one <= 1e-9 for one in sums)
    return min(2 * min(tails) / len(sums), 1.0)


@given(CASES)
def test_figures_count_labelings_as_brute_force_does(cases: list[Runs]) -> None:
    assert figure(cases).p == by_brute_force(cases)


@given(CASES)
def test_the_interval_holds_the_growth_that_is_not_excluded(cases: list[Runs]) -> None:
    """Runs of the last version that are smaller by a bound are just not excluded."""
    found = figure(cases)

    for bound, inwards in ((found.low, 1.001), (found.high, 0.999)):
        if 0 < bound < math.inf and found.low < found.high:
            inside, outside = bound * inwards, bound / inwards
            if inside <= found.high and inside >= found.low:
                assert by_brute_force(shrunk(cases, inside)) > 0.05
            assert by_brute_force(shrunk(cases, outside)) <= 0.05


def shrunk(cases: Sequence[Runs], factor: float) -> list[Runs]:
    return [(a, [value / factor for value in b]) for a, b in cases]


# These have more labelings than are counted one by one.
MANY = st.lists(
    st.tuples(*[st.lists(VALUES, min_size=5, max_size=6)] * 2), min_size=2, max_size=4
)


@given(st.one_of(CASES, MANY))
def test_p_and_interval_agree_about_no_growth(cases: list[Runs]) -> None:
    found = figure(cases)

    assert (found.p <= 0.05) == (found.low > 1 or found.high < 1)
    assert found.low <= found.ratio * (1 + 1e-9)
    assert found.ratio <= found.high * (1 + 1e-9)


@given(st.one_of(CASES, MANY), st.randoms())
def test_the_order_of_runs_and_cases_does_not_matter(
    cases: list[Runs], dice: random.Random
) -> None:
    shuffled = [([*a], [*b]) for a, b in cases]
    for side in [shuffled, *itertools.chain.from_iterable(shuffled)]:
        dice.shuffle(side)

    assert figure(shuffled) == figure(cases)


@given(st.one_of(CASES, MANY))
def test_swapped_versions_have_inverse_ratios(cases: list[Runs]) -> None:
    one, other = figure(cases), figure([(b, a) for a, b in cases])

    assert other.p == one.p
    assert other.ratio == near(1 / one.ratio)
    assert other.low == near(1 / one.high if one.high < math.inf else 0)
    assert other.high == near(1 / one.low if one.low else math.inf)


# Loading scipy takes longer than all other tests of this module.


@pytest.mark.seldom
@pytest.mark.parametrize(("of_a", "of_b"), [(4, 4), (5, 3), (8, 8), (6, 9)])
def test_a_figure_of_one_case_is_that_of_scipy(of_a: int, of_b: int) -> None:
    need("scipy")
    import numpy
    from scipy import stats

    dice = numpy.random.default_rng(of_a)
    a = dice.integers(20_000, 60_000, of_a).tolist()
    b = dice.integers(30_000, 70_000, of_b).tolist()

    def grown(one: Any, other: Any, axis: int) -> Any:
        return other.mean(axis) - one.mean(axis)

    expected = stats.permutation_test(
        (numpy.log(a), numpy.log(b)), grown, vectorized=True, n_resamples=numpy.inf
    )

    assert figure([(a, b)]).p == near(expected.pvalue)


@pytest.mark.seldom
@pytest.mark.parametrize("cases", [1, 5, 40])
def test_fisher_s_method_is_that_of_scipy(cases: int) -> None:
    """With many values, the discrete test comes close to the continuous one."""
    need("scipy")
    from scipy import stats

    dice = random.Random(cases)
    uniform = tuple((step / 5000, 1 / 5000) for step in range(1, 5001))
    values = [dice.randint(1, 4000) / 5000 for _ in range(cases)]

    expected = stats.combine_pvalues(values, method="fisher").pvalue

    found = combined([(p, uniform) for p in values])
    assert found == pytest.approx(expected, rel=0.05)


@pytest.mark.seldom
@pytest.mark.parametrize(
    ("runs", "cases"), [((1, 1), 20), ((4, 4), 10), ((2, 5), 15), ((12, 12), 3)]
)
def test_the_interval_holds_the_ratio_in_19_of_20_suites(
    runs: tuple[int, int], cases: int
) -> None:
    """At most 5 % of 100 suites miss it, give or take three standard deviations."""
    dice = random.Random(cases)
    missed = 0
    for _ in range(100):
        suite = [
            tuple(
                [ratio * dice.lognormvariate(case, 0.5) for _ in range(of)]
                for of, ratio in zip(runs, (1.0, 1.2), strict=True)
            )
            for case in range(cases)
        ]
        found = figure(suite)  # type: ignore[arg-type]
        missed += not found.low <= 1.2 <= found.high

    assert missed <= 100 * 0.05 + 3 * math.sqrt(100 * 0.05 * 0.95)
