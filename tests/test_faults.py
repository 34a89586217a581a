"""-o leaves no torn file: a short, fixed part of `scripts/faults`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.faults import (
    RUN,
    Usual,
    attempt,
    failing_call,
    full_disk,
    rehearse,
    rehearse_many,
    stopped_at_call,
)
from support.matrix import matrix, part

CALLS = ["open", "write", "fsync", "chmod", "replace", "close"]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Usual:
    folder = tmp_path_factory.mktemp("usual")
    log = folder / "log.ndjson"
    log.write_bytes(RUN.read_bytes() * 20)
    return rehearse(log, "stream-json", folder)


@pytest.fixture(scope="module")
def usual_many(tmp_path_factory: pytest.TempPathFactory) -> Usual:
    folder = tmp_path_factory.mktemp("usual")
    (folder / "logs").mkdir()
    for number in range(9):
        log = folder / "logs" / f"{number}.ndjson"
        log.write_bytes(RUN.read_bytes() * (number + 1))
    return rehearse_many(folder / "logs", "stream-json", folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", part(range(6), 6))
def test_a_signal_leaves_whole_files(
    usual_many: Usual, seed: int, tmp_path: Path
) -> None:
    dice = random.Random(seed)

    done = attempt(stopped_at_call(usual_many, dice), usual_many, tmp_path, dice)

    assert done.bug is None


@matrix(logs=["usual", "usual_many"], call=part(CALLS, 2), seed=[1, 2, 3])
def test_a_call_that_fails_leaves_whole_files(
    logs: str, call: str, seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    usual = request.getfixturevalue(logs)
    dice = random.Random(seed)
    folder = tmp_path / f"{logs}-{call}-{seed}"
    folder.mkdir()

    done = attempt(failing_call(usual, call, dice), usual, folder, dice)

    assert done.bug is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", part([1, 2, 3], 3))
def test_a_full_disk_leaves_a_whole_file(
    usual: Usual, seed: int, tmp_path: Path
) -> None:
    dice = random.Random(seed)

    done = attempt(full_disk(usual, dice), usual, tmp_path, dice)

    assert done.bug is None
