"""`runconv diff` of two folders with thousands of logs."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks import comparisons
from benchmarks.processes import RUNCONV, megabytes, seconds, table

_CALLS = 100
# The bytes that a call returns; its log has about 50 kB.
_SIZE = 160
# One case in so many differs, in one call in 20.
_CHANGED = 10


def compare(folder: Path) -> None:
    """Print the time and memory of comparing folders, also with one processor."""
    rows = [["pairs of 100 calls, 50 kB a log", "seconds", "on one processor", "MB"]]
    for cases in (2_000, 10_000):
        sides = [folder / name for name in ("base", "cand")]
        for side in sides:
            side.mkdir()
        for number in range(cases):
            _write(number, sides)
        command = [*RUNCONV, "diff", "--exit-zero", *map(str, sides)]
        alone = f"{seconds(command, processor=0):.1f}"
        memory = f"{megabytes(command):.0f}"
        rows.append([f"{cases:,}", f"{seconds(command):.1f}", alone, memory])
        for side in sides:
            shutil.rmtree(side)
    print(table(rows))


def _write(number: int, sides: list[Path]) -> None:
    """Write a log on each side."""
    for side, path in enumerate(sides):
        is_changed = side == 1 and number % _CHANGED == 0
        name, run = f"case-{number:05}.ndjson", f"{side}-{number}"
        comparisons.write(path / name, _CALLS, _SIZE, is_changed, number, run)
