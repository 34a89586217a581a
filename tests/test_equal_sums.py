"""The p of success that decides: equal sums in order, and pairs that are chance."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest

from convert.suites import ONE_SIDED, Stratum, Success, success_of
from support.matrix import part

# Cases in which one run fails, and harder ones.
TABLES = [
    [Stratum(3, 4, 0, 4), Stratum(3, 4, 4, 4)],
    [Stratum(4, 4, 3, 4), Stratum(3, 4, 1, 4)],
    [Stratum(3, 3, 2, 3), Stratum(2, 3, 1, 3), Stratum(1, 2, 1, 2)],
    [Stratum(2, 2, 2, 3), Stratum(2, 4, 0, 2)],
]


@pytest.mark.parametrize("cases", TABLES)
def test_all_labelings_are_counted_with_ties_by_the_hard_cases(
    cases: list[Stratum],
) -> None:
    seen = sum(case.hits_b for case in cases), _hard(cases, [c.hits_b for c in cases])

    made = [
        (sum(hits), _hard(cases, hits)) for hits in product(*map(_labelings, cases))
    ]

    found = _found(cases)
    assert found.p_worse_refined == pytest.approx(
        sum(each <= seen for each in made) / len(made)
    )
    assert found.p_better_refined == pytest.approx(
        sum(each >= seen for each in made) / len(made)
    )
    assert found.p_worse_refined <= found.p_worse
    assert found.p_better_refined <= found.p_better


def test_an_equal_sum_counts_less_if_the_hard_cases_lost_least() -> None:
    found = _found(TABLES[0])

    # Among 70 labelings of the hard case, 5 give no success to the last version and 30
    # give one; of the other case, every second gives 4, and every second 3.
    lost_in_hard, lost_in_other = 5 / 70 / 2, 30 / 70 / 2
    assert found.p_worse_refined == pytest.approx(2 * lost_in_hard)
    assert found.p_worse == pytest.approx(2 * lost_in_hard + lost_in_other)


@pytest.mark.parametrize("cases", TABLES)
def test_the_versions_may_change_places(cases: list[Stratum]) -> None:
    found = _found(cases)

    mirrored = _found([Stratum(*case[2:], *case[:2]) for case in cases])

    assert mirrored.p_worse_refined == pytest.approx(found.p_better_refined)
    assert mirrored.p_better_refined == pytest.approx(found.p_worse_refined)


def test_one_case_has_no_equal_sums() -> None:
    found = _found([Stratum(4, 4, 0, 4)])

    assert found.p_worse_refined == found.p_worse == pytest.approx(1 / comb(8, 4))


@pytest.mark.parametrize(
    "cases", part([4, 12, pytest.param(25, marks=pytest.mark.exhaustive)], 3)
)
def test_one_run_against_one_errs_in_2_5_percent_at_most(cases: int) -> None:
    # By a theorem of Hoeffding's, the chances of cases to end differently that make
    # the most errors are 0, 1/2, and at most one other.
    errors = [_error(cases, pairs) for pairs in range(cases + 1)]

    most = max(
        sum(
            chance * error
            for chance, error in zip(
                _sum_of([0.5] * half + [other] * others), errors, strict=False
            )
        )
        for others in range(cases + 1)
        for half in range(cases + 1 - others)
        for other in (0.05, 0.2, 0.35, 0.45)
    )

    assert 0 < most <= ONE_SIDED


@pytest.mark.parametrize(("falls", "rises", "same"), [(5, 0, 7), (11, 3, 36)])
def test_the_number_of_pairs_that_differ_is_chance(
    falls: int, rises: int, same: int
) -> None:
    found = _found(_pairs(falls, rises, same))

    tail = _tail(falls + rises, rises)
    errors = [
        max(
            (_tail(pairs, at) for at in range(pairs + 1) if _tail(pairs, at) <= tail),
            default=0,
        )
        for pairs in range(falls + rises + same + 1)
    ]
    assert found.p_worse == pytest.approx(float(tail))
    assert found.p_worse_refined == pytest.approx(
        max(
            sum(
                Fraction(comb(of, pairs), 2**of) * errors[pairs]
                for pairs in range(of + 1)
            )
            for of in range(1, len(errors))
        )
    )


def test_a_case_that_tells_nothing_makes_no_loss_surer() -> None:
    found = [_found(_pairs(11, 3, same)).p_worse_refined for same in range(40)]

    assert found == sorted(found)


def test_the_interval_excludes_0_where_the_p_that_decides_does() -> None:
    found = _found(_pairs(11, 3, 36))

    assert found.p_worse_refined <= ONE_SIDED < found.p_worse
    assert found.high < 0


def _pairs(falls: int, rises: int, same: int) -> list[Stratum]:
    """Return cases with one run in either version."""
    return [
        *[Stratum(1, 1, 0, 1)] * falls,
        *[Stratum(0, 1, 1, 1)] * rises,
        *[Stratum(1, 1, 1, 1)] * same,
    ]


def _tail(pairs: int, rises: int) -> Fraction:
    """Return how likely it is that so few or fewer of some pairs rise."""
    return Fraction(sum(comb(pairs, at) for at in range(rises + 1)), 2**pairs)


def _found(cases: list[Stratum]) -> Success:
    found = success_of(cases)
    assert found is not None
    return found


def _labelings(case: Stratum) -> list[int]:
    """Return the successes of the last version in each labeling of a case."""
    ends = [1] * case.hits + [0] * (case.of - case.hits)
    return [sum(chosen) for chosen in combinations(ends, case.of_b)]


def _hard(cases: list[Stratum], hits: tuple[int, ...] | list[int]) -> int:
    return sum(
        each for case, each in zip(cases, hits, strict=True) if case.of - case.hits >= 2
    )


def _error(cases: int, pairs: int) -> float:
    """Return how often so many pairs that differ are called worse by chance."""
    falls = (
        comb(pairs, rises) / 2**pairs
        for rises in range(pairs + 1)
        if _found(_pairs(pairs - rises, rises, cases - pairs)).p_worse_refined
        <= ONE_SIDED
    )
    return sum(falls)


def _sum_of(chances: list[float]) -> list[float]:
    """Return how likely each number of pairs is that end differently."""
    made = [1.0]
    for chance in chances:
        made = [
            (1 - chance) * one + chance * other
            for one, other in zip([*made, 0.0], [0.0, *made], strict=True)
        ]
    return made
