"""Damaged logs convert safely: a short, fixed part of `scripts/fuzz`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support import sandbox
from support.mutants import made, original
from support.promises import trials
from support.trial import symptom


def test_damaged_logs_break_no_promise() -> None:
    found = {}

    for number in range(150):
        dice, log, other = made(seed=1, number=number)
        for trial in trials(dice, other):
            if bug := symptom(trial, log, limit=10):
                found[bug.what] = bug.details

    assert found == {}


@pytest.mark.parametrize("number", range(5))
def test_hostile_names_lead_nowhere_else(number: int, tmp_path: Path) -> None:
    dice = random.Random(number)

    bug = sandbox.broken(tmp_path, [original(dice) for _ in range(3)], dice)

    assert bug is None
