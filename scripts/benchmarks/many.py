"""Many logs into a folder: all processors against one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from benchmarks import logs
from benchmarks.processes import RUNCONV, seconds, spread, table

_LOGS = 2000
_BYTES = 60_000


def convert(folder: Path, rounds: int) -> None:
    """Print how much faster all processors are."""
    sources = folder / "many"
    sources.mkdir()
    for number in range(_LOGS):
        profile = logs.PROFILES[number % len(logs.PROFILES)]
        logs.write(sources / f"{number:04}.ndjson", profile, _BYTES)
    paths = sorted(map(str, sources.iterdir()))
    rows = [["2,000 logs of 60 kB with `-o FOLDER/`", "times as fast as one"]]
    for target in ("text", "markdown"):
        ratios = []
        for _ in range(rounds):
            taken = []
            for processor in (0, None):
                out = folder / "out"
                command = [*RUNCONV, *paths, "-q", "-t", target, "-o", f"{out}/"]
                taken.append(seconds(command, processor=processor))
                shutil.rmtree(out)
            ratios.append(taken[0] / taken[1])
        processors = len(os.sched_getaffinity(0))
        rows.append([f"`-t {target}`, {processors} processors", spread(ratios)])
    print(table(rows))
