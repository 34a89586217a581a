"""How often the verdict on made-up suites is right, and the table of it in the docs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from convert.suite import compare_folders
from support.matrix import part
from support.simulated import (
    CHANGES,
    NONE,
    Cell,
    Change,
    night,
    runs_of,
    suite_of,
    table,
)
from support.simulated_runs import Generator, case_of, log_of, run_of
from test_reference import rows, section

SECTION = section("suites", "How often the verdict is right")
SCRIPT = Path(__file__).parent.parent / "scripts" / "simulate"
TABLES = [text for text in SECTION.split("\n\n") if text.startswith("| change |")]
BY_WORDS = {change.words: change for change in CHANGES}
# The tables of the docs: the nights, the seed and the sizes that they state.
[(NIGHTS, SEED)] = [
    (int(nights), int(seed))
    for nights, seed in re.findall(r"--nights (\d+) --seed (\d+)", SECTION)
]


def test_the_docs_have_every_change_for_both_generators() -> None:
    shown = [[row[0] for row in rows(text)] for text in TABLES]

    assert shown == [[change.words for change in CHANGES]] * 2


Shown = tuple[Generator, str, tuple[int, int]]
CELLS: list[Shown] = [
    ("own", "success 0.9 to 0.6", (10, 1)),
    ("own", "a tool that takes half as long again", (10, 1)),
    # One with several runs of each case takes longer than all of these.
    ("varied", "success 0.9 to 0.7", (10, 1)),
]


@pytest.mark.seldom
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_a_share_in_the_docs_is_that_of_the_script(cell: Shown) -> None:
    generator, words, size = cell

    made = table(generator, [BY_WORDS[words]], [size], number=NIGHTS, seed=SEED)

    assert [*made][-1] == f"| {words} | {_shown(generator, words, size)} |"


@pytest.mark.seldom
def test_any_number_of_jobs_and_any_hash_seed_print_the_same_tables() -> None:
    one, other = (_printed(jobs, hash_seed) for jobs, hash_seed in ((1, 0), (2, 1)))

    assert one == other
    # For both generators a heading, a table of two rows with one more below, and `none`
    # with two more.
    assert len(one.splitlines()) == 2 * (2 + 2 + 3 + 2 + 1)
    assert one.count("| 3 × 2 | 2 × 1 |") == 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("generator", part(["own", "varied"], 2))
@pytest.mark.parametrize("runs", [1, 3])
def test_folders_of_the_same_logs_have_the_same_verdict(
    generator: Generator, runs: int, tmp_path: Path
) -> None:
    cell = Cell(generator, CHANGES[4].words, 4, runs)
    for prompt, (name, *sides) in zip("ABCD", runs_of(cell, 0, SEED), strict=True):
        for version, side in zip("ab", sides, strict=True):
            folder = tmp_path / version / name
            folder.mkdir(parents=True)
            for number, run in enumerate(side):
                log = log_of(run).replace(b"Do the task", b"Task " + prompt.encode())
                (folder / f"{number:02}.ndjson").write_bytes(log)

    compared = compare_folders(tmp_path / "a", tmp_path / "b")

    judged = suite_of(cell, 0, SEED)
    assert judged.verdict == compared.verdict
    assert judged.is_different == compared.is_different
    assert judged.verdict.cases == 4
    assert (judged.verdict.behaviour_p is None) == (runs == 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("generator", part(["own", "varied"], 2))
def test_a_lost_third_of_successes_is_worse(generator: Generator) -> None:
    found = night(Cell(generator, "success 0.9 to 0.6", 20, 4), 0, 19)

    assert (found.word, found.is_red) == ("worse", True)


@pytest.mark.parametrize("words", [each.words for each in CHANGES[4:6]])
@pytest.mark.exhaustive
@pytest.mark.parametrize("generator", part(["own", "varied"], 2))
def test_runs_that_all_do_otherwise_are_different(
    generator: Generator, words: str
) -> None:
    found = night(Cell(generator, words, 10, 4), 0, 19)

    assert found.is_detected
    assert found.is_red


@pytest.mark.exhaustive
@pytest.mark.parametrize("generator", part(["own", "varied"], 2))
def test_a_slower_tool_is_named_and_not_red(generator: Generator) -> None:
    found = night(Cell(generator, CHANGES[-1].words, 10, 6), 0, 19)

    assert found.is_detected
    assert not found.is_red


def test_a_case_that_varies_is_as_the_page_says() -> None:
    cases = [case_of("varied", number, SEED) for number in range(200)]

    assert all(6 <= len(case.usual) <= 20 for case in cases)
    assert all(15 <= len(case.options) <= 40 for case in cases)
    assert all(0.5 <= case.rate <= 1 for case in cases)
    mean = sum(case.rate for case in cases) / len(cases)
    assert mean == pytest.approx(0.9, abs=0.02)


@pytest.mark.exhaustive
@pytest.mark.parametrize("generator", part(["own", "varied"], 2))
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.words)
def test_a_change_makes_other_runs(generator: Generator, change: Change) -> None:
    case = case_of(generator, 3, SEED)

    changed = change.make(case)
    before, after = (
        [run_of(each, number, SEED, is_success=True) for number in range(20)]
        for each in (case, changed)
    )

    assert (before == after) == (change.detected_by == "worse" or change is NONE)
    assert (case.rate == changed.rate) == (change.detected_by != "worse")


def _printed(jobs: int, hash_seed: int) -> str:
    """Return the output of the script for small suites."""
    changes = ["--change", "none", "--change", CHANGES[4].words]
    cells = ["--cell", "3x2", "--cell", "2x1"]
    many = ["--nights", "2", "--seed", "5", "--jobs", str(jobs), "--full"]
    return subprocess.run(
        [sys.executable, SCRIPT, *changes, *cells, *many],
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def _shown(generator: Generator, words: str, size: tuple[int, int]) -> str:
    """Return a share in the docs."""
    text = TABLES[["own", "varied"].index(generator)]
    head, *_ = text.splitlines()
    heads = [cell.strip() for cell in head.strip("|").split("|")]
    [row] = [row for row in rows(text) if row[0] == words]
    return row[heads.index(f"{size[0]} × {size[1]}")]
