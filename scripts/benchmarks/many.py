"""Many logs into a folder: all processors against one."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks import logs
from benchmarks.processes import RUNCONV, seconds, spread, table

LOGS = 2000
# A log ends after the step in which it gets so large, which makes 60 kB on average.
SIZES = (50_000, 40_000, 40_000)


def write(folder: Path) -> list[str]:
    """Write the logs, a third of them of each profile; return their paths."""
    folder.mkdir()
    for number in range(LOGS):
        which = number % len(logs.PROFILES)
        path = folder / f"{number:04}.ndjson"
        logs.write(path, logs.PROFILES[which], SIZES[which], seed=f"{number}")
    return sorted(map(str, folder.iterdir()))


def convert(folder: Path, rounds: int) -> None:
    """Print how much faster all processors are."""
    paths = write(folder / "many")
    rows = [["2,000 logs of 60 kB with `-o FOLDER/`", "times as fast as one"]]
    for target in ("text", "markdown"):
        ratios = []
        for turn in range(rounds):
            taken = []
            for processor in (0, None):
                # A new one each time: some file systems are slow after files have gone.
                out = folder / f"out-{target}-{turn}-{processor}"
                command = [*RUNCONV, *paths, "-q", "-t", target, "-o", f"{out}/"]
                taken.append(seconds(command, processor=processor))
            ratios.append(taken[0] / taken[1])
        processors = len(os.sched_getaffinity(0))
        rows.append([f"`-t {target}`, {processors} processors", spread(ratios)])
    print(table(rows))
