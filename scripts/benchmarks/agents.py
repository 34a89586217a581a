"""Logs of other agents to text and Markdown, against a typed decode of each line."""

from __future__ import annotations

from pathlib import Path

from benchmarks import agent_logs
from benchmarks.processes import (
    AGENT_REFERENCE,
    RUNCONV,
    in_turn,
    megabytes,
    ratios,
    spread,
    table,
)

_TARGETS = ("text", "markdown")


def compare(folder: Path, size: int, rounds: int) -> None:
    """Print the ratios, and the memory for a tenth of the log and for all of it."""
    rows = [["log", *(f"`-t {target}`" for target in _TARGETS), "memory"]]
    for name in agent_logs.NAMES:
        path, part = folder / "log.jsonl", folder / "part.jsonl"
        agent_logs.write(path, name, size * 1_000_000)
        agent_logs.write(part, name, size * 100_000)
        reference = [*AGENT_REFERENCE, name.partition(",")[0]]
        commands = {"R": reference}
        commands |= {target: [*RUNCONV, "-t", target] for target in _TARGETS}
        found = ratios(in_turn(commands, path, rounds), "R")
        used = [megabytes([*RUNCONV, "-t", "text"], log) for log in (part, path)]
        row = [name, *(spread(found[target]) for target in _TARGETS)]
        rows.append([*row, f"{used[0]:.0f} MB, {used[1]:.0f} MB"])
        path.unlink()
        part.unlink()
    print(table(rows))
