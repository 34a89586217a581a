"""Instructions of whole processes, counted by valgrind: the load does not change them.

Two counts of one command agree within 0.2 %, so that limits can be close. A figure is a
multiple of I, `import msgspec`, or of R, a typed decode of each line. Both are counted
next to the commands, since they vary with the machine and with versions.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import agent_logs, logs
from benchmarks.comparisons import write as write_side
from benchmarks.processes import (
    AGENT_REFERENCE,
    ENVIRONMENT,
    IMPORT,
    REFERENCE,
    RUNCONV,
    table,
    taken,
    trees,
)

LIMITS = tomllib.loads((Path(__file__).parent / "limits.toml").read_text())
# A figure may exceed its limit by this share.
TOLERANCE = 0.03
_COUNTER = ["valgrind", "--tool=cachegrind", "--cache-sim=no"]
_COUNTED = re.compile(r"I +refs: +([\d,]+)")
_SMALL, _LARGE = 10_000, 5_000_000
_PROFILES = {profile.name: profile for profile in logs.PROFILES}


class Row(NamedTuple):
    """A row of `limits.toml`."""

    table: str
    name: str
    limit: float

    def exceeded_by(self, times: float) -> bool:
        """Return True if a figure exceeds the limit by more than the tolerance."""
        return times > self.limit * (1 + TOLERANCE)


def rows() -> list[Row]:
    """Return the rows of all tables."""
    return [Row(table, *limit) for table in TABLES for limit in LIMITS[table].items()]


def missing() -> str | None:
    """Say why nothing can be counted here, or compared with the limits."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed, so nothing is counted"
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    if ours != LIMITS["python"]:
        return f"the limits are for Python {LIMITS['python']}, and this is {ours}"
    return None


def compare(folder: Path, before: Path | None) -> None:
    """Print all figures, those of an earlier tree, and the limits."""
    if reason := missing():
        print(reason)
        return
    commands = trees(before)
    for name, (unit, _) in TABLES.items():
        lines = [[f"{name}, in {unit}", *(tree or "now" for tree in commands), "limit"]]
        for row in rows():
            if row.table == name:
                found = [times(row, folder, command) for command in commands.values()]
                sign = ", exceeded" if row.exceeded_by(found[0]) else ""
                cells = [f"{figure:.2f}" for figure in found]
                lines.append([row.name, *cells, f"{row.limit:.2f}{sign}"])
        print(table(lines), end="\n\n")
    print(f"The limits are of {LIMITS['date']}, set after commit {LIMITS['commit']}.")


def times(row: Row, folder: Path, runconv: list[str] = RUNCONV) -> float:
    """Count a row, with logs made in a folder, and divide it by its reference."""
    return TABLES[row.table][1](row, folder, runconv)


def _start(row: Row, folder: Path, runconv: list[str]) -> float:
    """Count a command with a small log, in I."""
    log = _log(folder, "mixed", _SMALL)
    return _count(*runconv, *_arguments(row.name, folder), log=log) / _count(
        *IMPORT, log=log
    )


def _beyond_start(row: Row, folder: Path, runconv: list[str]) -> float:
    """Count a command with a long log beyond its start, in R."""
    small, large = _log(folder, "mixed", _SMALL), _log(folder, row.table, _LARGE)
    command = [*runconv, *_arguments(row.name, folder)]
    ours = _count(*command, log=large) - _count(*command, log=small)
    return ours / (_count(*REFERENCE, log=large) - _count(*REFERENCE, log=small))


def _of_agent(row: Row, folder: Path, runconv: list[str]) -> float:
    """Count a conversion of a long log of another agent with its start, in R."""
    agent, target = row.name.split(" to ")
    log = folder / f"{agent}.jsonl"
    if not log.exists():
        agent_logs.write(log, agent, _LARGE)
    ours = _count(*runconv, *_arguments(target, folder), log=log)
    return ours / _count(*AGENT_REFERENCE, agent, log=log)


def _arguments(name: str, folder: Path) -> list[str]:
    """Return the arguments of a row, which names a command, an option or a target."""
    match name.split(", "):
        case ["diff", sides]:
            # The paths differ too: a count is kept for each command.
            a, b = folder / "a", folder / sides
            write_side(a, 20, 2_000, is_changed=False)
            write_side(b, 20, 2_000, is_changed=sides == "different")
            return ["diff", "--exit-zero", str(a), str(b)]
        case ["run"]:
            return ["run", "--quiet", "cat"]
        case ["show" | "stats"]:
            return [name, "-"]
        case ["--version" | "--help"]:
            return [name]
        case _:
            return ["-t", name]


def _log(folder: Path, profile: str, size: int) -> Path:
    """Return the path of a log, which is made the first time."""
    path = folder / f"{profile}-{size}.ndjson"
    if not path.exists():
        logs.write(path, _PROFILES[profile], size)
    return path


@functools.cache
def _count(*command: str, log: Path) -> int:
    """Count the instructions of a command that reads a log.

    It runs once before, so that its modules and templates are compiled.
    """
    taken([*command], log)
    with log.open("rb") as source:
        counted = subprocess.run(
            [*_COUNTER, "--cachegrind-out-file=/dev/null", *command],
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # Counts vary with the order of sets.
            env=ENVIRONMENT | {"PYTHONHASHSEED": "0"},
            cwd=log.parent,
            check=True,
        )
    found = _COUNTED.search(counted.stderr.decode(errors="replace"))
    if not found:
        sys.exit(f"valgrind counts no instructions of {' '.join(command)}")
    return int(found[1].replace(",", ""))


Count = Callable[[Row, Path, list[str]], float]
# The unit of each table of `limits.toml`, and the function that counts a row.
TABLES: dict[str, tuple[str, Count]] = {
    "start": ("I", _start),
    "mixed": ("R beyond the start", _beyond_start),
    "tool-heavy": ("R beyond the start", _beyond_start),
    "delta-heavy": ("R beyond the start", _beyond_start),
    "agents": ("R with the start", _of_agent),
}
