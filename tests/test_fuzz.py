"""Damaged logs break no promise: a short slice of `scripts/fuzz`, always the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import sandbox
from mutants import made, original
from promises import trials
from trial import symptom

# What is known to go wrong; a line goes with the change that mends it.
KNOWN = {
    "RecursionError in formats/stream_json/decode.py, _raw_decode": "never closed",
    "other pieces of a damaged archive give other parts of it": "sliced by the piece",
    "other pieces of a log give other format": "max_line, and sniffing by the block",
    "other pieces of a log give other output": "max_line, the end of a dropped line",
    "other pieces of a log give other warnings": "max_line, the end of a dropped line",
}


def test_damaged_logs_break_no_promise() -> None:
    found = {}

    for number in range(300):
        dice, log, other = made(seed=1, number=number)
        for trial in trials(dice, other):
            if bug := symptom(trial, log, limit=10):
                found[bug.what] = bug.details

    assert {what: found[what] for what in found if what not in KNOWN} == {}
    assert set(KNOWN) <= set(found)


@pytest.mark.parametrize("number", range(5))
def test_hostile_names_lead_nowhere_else(number: int, tmp_path: Path) -> None:
    dice = random.Random(number)

    bug = sandbox.broken(tmp_path, [original(dice) for _ in range(3)], dice)

    assert bug is None
