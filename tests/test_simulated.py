"""Verdicts on made-up suites; scripts/simulate prints more of them."""

from __future__ import annotations

import pytest

from convert.suite.repeated_runs import MAX_P
from support.matrix import is_exhaustive
from support.simulated import CHANGES, SIZES, Change, counted, simulate
from test_reference import rows, section

SUITES = 6 if is_exhaustive else 2
BY_NAME = {change.words: change for change in CHANGES}


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", ["one call more", "another order", "a slower tool"])
def test_a_change_of_every_run_is_told(words: str) -> None:
    found = counted(simulate(BY_NAME[words], 8, number, 19) for number in range(SUITES))

    assert found["is_detected"] == SUITES


@pytest.mark.exhaustive
def test_suites_without_a_change_are_the_same() -> None:
    found = counted(
        simulate(BY_NAME["none"], 8, number, 19) for number in range(SUITES)
    )

    assert found["is_different"] == 0


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.words)
def test_the_same_seed_makes_the_same_suite(change: Change) -> None:
    assert simulate(change, 4, 3, 19) == simulate(change, 4, 3, 19)


def test_the_page_has_the_table_of_the_script() -> None:
    told = [row for row in rows(section("suites", "Repeated runs")) if len(row) > 2]
    false_alarms = [row for row in told if row[0].startswith("none")]

    assert [row[0] for row in told[2:]] == [change.words for change in CHANGES[1:]]
    assert {len(row) for row in told} == {1 + len(SIZES)}
    assert len(false_alarms) == 2
    for row in false_alarms:
        assert all(float(cell.removesuffix(" %")) <= 100 * MAX_P for cell in row[1:])
