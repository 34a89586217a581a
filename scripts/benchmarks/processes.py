"""Whole processes: how long they take, in turn, and how much memory."""

from __future__ import annotations

import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from convert.scale.engines.local import processors

# As installed next to the Python that runs this, else as a module of it.
_INSTALLED = Path(sys.executable).parent / "runconv"
RUNCONV = (
    [str(_INSTALLED)] if _INSTALLED.exists() else [sys.executable, "-m", "convert"]
)
REFERENCE = [sys.executable, str(Path(__file__).parent / "reference.py")]
AGENT_REFERENCE = [sys.executable, str(Path(__file__).parent / "agent_reference.py")]
BEFORE = "before"
IMPORT = [sys.executable, "-c", "import msgspec"]
# Both distort the figures: one writes each line at once, one compiles at each start.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
}


# A process reports at least the memory of its parent, so a small one starts it.
MEASURED = """\
import os, sys
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, _, used = os.wait4(process, 0)
print(used.ru_maxrss, file=sys.stderr)
"""


def machine() -> str:
    """Describe the machine, its Python and the day."""
    told = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.+)", told.read_text() if told.exists() else "")
    name = model[1].strip() if model else platform.machine()
    return (
        f"{name}, {processors()} processors, {platform.system()},"
        f" Python {platform.python_version()}, {time.strftime('%d %B %Y').lstrip('0')}"
    )


def trees(before: Path | None) -> dict[str, list[str]]:
    """Return how to run runconv by tree: "" is this one, `BEFORE` another checkout.

    `before` is its folder, in which `scripts/setup` has been run.
    """
    if before is None:
        return {"": RUNCONV}
    return {"": RUNCONV, BEFORE: [str(before / ".venv" / "bin" / "runconv")]}


class Taken(NamedTuple):
    """The seconds that a command took."""

    wall: float
    """From its start to its end."""

    processor: float
    """On all processors, with those of the processes that it started."""


def taken(
    command: list[str], log: Path | None = None, processor: int | None = None
) -> Taken:
    """Run a command to its end, with a log as its input; discard its output.

    `processor` pins it to one processor.
    """
    source = os.open(log or os.devnull, os.O_RDONLY)
    sink = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1)]
    program = shutil.which(command[0]) or command[0]
    started = time.perf_counter()
    if processor is not None:
        all_processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {processor})
    process = os.posix_spawn(program, command, ENVIRONMENT, file_actions=actions)
    if processor is not None:
        os.sched_setaffinity(0, all_processors)
    _, status, used = os.wait4(process, 0)
    ended = time.perf_counter()
    os.close(source)
    os.close(sink)
    if status:
        sys.exit(f"{' '.join(command)} ends with status {status >> 8}")
    return Taken(ended - started, used.ru_utime + used.ru_stime)


def seconds(
    command: list[str], log: Path | None = None, processor: int | None = None
) -> float:
    """Return the seconds from the start of a command to its end; see `taken`."""
    return taken(command, log, processor).wall


def megabytes(command: list[str], log: Path | None = None) -> float:
    """Return the peak memory of a command."""
    with open(log or os.devnull, "rb") as source:
        process = subprocess.run(
            [sys.executable, "-SE", "-c", MEASURED, *command],
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=True,
        )
    # In bytes on macOS, in kB elsewhere.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return int(process.stderr.split()[-1]) / unit


def in_turn(
    commands: dict[str, list[str]], log: Path | None, rounds: int
) -> dict[str, list[float]]:
    """Return the processor seconds of each command in each round, run A B C A B C …"""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        taken(command, log)
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(taken(command, log).processor)
    return found


def ratios(found: dict[str, list[float]], base: str) -> dict[str, list[float]]:
    """Divide each command's time by that of `base`, round by round."""
    return {
        name: [a / b for a, b in zip(figures, found[base], strict=True)]
        for name, figures in found.items()
    }


def spread(figures: list[float], unit: str = "") -> str:
    """Format the median of figures, with their minimum and maximum."""
    middle, least, most = statistics.median(figures), min(figures), max(figures)
    return f"{middle:.2f}{unit} ({least:.2f} to {most:.2f})"


def table(rows: list[list[str]]) -> str:
    """Format rows as a Markdown table with the first row as its head."""
    head, *body = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
