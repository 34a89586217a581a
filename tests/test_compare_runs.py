"""Comparing runs already read finds the same as comparing their logs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given

import convert
from convert.diff import Comparison, ReportOptions, compare_sides, report, side_of
from convert.options import Settings
from support.golden import GOLDEN, logs
from support.matrix import each, part, reject
from support.runs import Batch, Noise, noises, tell, trajectories

TWICE = "completed-twice-is-one-call"
LOGS = [
    path
    for path in logs(".ndjson", ".jsonl", ".json", ".txt")
    if path.parent.name != TWICE
]
# All pairs of logs of each diff case, and some pairs of neighbouring logs.
PAIRS = sorted(
    {
        *list(itertools.pairwise(LOGS))[::4],
        *(
            pair
            for folder, paths in itertools.groupby(LOGS, lambda path: path.parent)
            if folder.name.startswith("diff-")
            for pair in itertools.combinations(paths, 2)
        ),
    }
)


@pytest.mark.exhaustive
@each(("a", "b"), part(PAIRS, 120, 2))
def test_runs_compare_as_their_logs_do(a: Path, b: Path) -> None:
    settings = Settings(outputs=True)
    log_a, log_b = a.read_bytes(), b.read_bytes()
    try:
        compared = convert.compare([log_a], [log_b], settings=settings)
    except convert.RunconvError:
        reject()

    sides = [side_of(convert.read_runs([log]), settings) for log in (log_a, log_b)]
    assert as_json(compare_sides(*sides, settings)) == as_json(compared)


@given(trajectories, trajectories, noises)
def test_two_runs_compare_as_logs_of_one_run_do(
    a: list[Batch], b: list[Batch], noise: Noise
) -> None:
    logs = tell(a), tell(b, noise)

    run_a, run_b = (next(convert.read_runs([log])) for log in logs)

    compared = convert.compare([logs[0]], [logs[1]])
    assert as_json(convert.compare(run_a, run_b)) == as_json(compared)
    assert as_json(convert.compare(run_a, logs[1])) == as_json(compared)


def test_a_call_that_ends_twice_is_one_call_in_a_run() -> None:
    log = (GOLDEN / TWICE / "input.ndjson").read_bytes()

    [run] = convert.read_runs([log])

    assert [place.started for place in run.call_places] == [3]
    assert [call.is_repeated for call in run.calls] == [False]
    assert as_json(convert.compare(run, run)) == as_json(convert.compare(log, log))


def as_json(compared: Comparison) -> list[str]:
    return [line.text for line in report("json")(compared, ReportOptions())]
