"""Each conversion of three logs against the reference, with peers that do the same."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from benchmarks import logs
from benchmarks.processes import REFERENCE, RUNCONV, in_turn, ratios, spread, table

_PEERS = Path(__file__).parent / "peers"
_TARGETS = ("text", "json", "stream-json", "markdown")
# The jobs of the peers, by the target that does the same.
_JOBS = {"text": "action_lines", "json": "result_event"}
# Lines that must not slow a conversion much, added after every 30th line: events of
# the surrounding run, and a torn one.
_RUN = f'"session_id":"{logs.SESSION}","timestamp_ms":1793180000000'.encode()
_DAMAGE = {
    "an unknown event": b'{"type":"novelty","what":[1,2],%b}\n' % _RUN,
    "half an emoji": b'{"type":"thinking","subtype":"delta","text":"\\ud83d",%b}\n'
    % _RUN,
    "a damaged line": b'{"type":"assistant","message":{"role":"assis\n',
}


def compare(folder: Path, megabytes: int, rounds: int) -> None:
    """Print the table of conversions, and the peers that are not installed."""
    peers, absent = _peers()
    rows = [["against R, lower is faster"]]
    rows += [[f"`-t {target}`"] for target in _TARGETS]
    rows += [[name] for name in peers]
    for profile in logs.PROFILES:
        path = folder / f"{profile.name}.ndjson"
        logs.write(path, profile, megabytes * 1_000_000)
        commands = {"R": REFERENCE}
        commands |= {target: [*RUNCONV, "-t", target] for target in _TARGETS}
        found = ratios(in_turn(commands | peers, path, rounds), "R")
        rows[0].append(f"{profile.name}, {profile.line}")
        names = [*_TARGETS, *peers]
        for row, name in zip(rows[1:], names, strict=True):
            row.append(spread(found[name]))
        path.unlink()
    print(table(rows))
    if absent:
        print(f"\nnot installed, so not compared: {', '.join(absent)}")


def damaged(folder: Path, megabytes: int, rounds: int) -> None:
    """Print the cost of damage after every 30th line, relative to the clean log."""
    rows = [["against the clean log", *_DAMAGE]]
    for profile in logs.PROFILES:
        clean = folder / "clean.ndjson"
        logs.write(clean, profile, megabytes * 1_000_000)
        row = [profile.name]
        for odd in _DAMAGE.values():
            path = folder / "damaged.ndjson"
            logs.write(path, profile, megabytes * 1_000_000, odd)
            command = [*RUNCONV, "-q"]
            commands = {
                "clean": [*command, str(clean)],
                "damaged": [*command, str(path)],
            }
            found = ratios(in_turn(commands, None, rounds), "clean")
            row.append(spread(found["damaged"]))
        rows.append(row)
    print(table(rows))


def _peers() -> tuple[dict[str, list[str]], list[str]]:
    """The commands of the peers that are installed, and the names of the others."""
    commands = {}
    absent = []
    for target, job in _JOBS.items():
        if shutil.which("jq"):
            program = str(_PEERS / f"{job}.jq")
            commands[f"{target} by jq"] = ["jq", "-rc", "-f", program]
        for library in ("orjson", "json"):
            if importlib.util.find_spec(library):
                program = str(_PEERS / f"{job}.py")
                name = f"{target} by {library}"
                commands[name] = [sys.executable, program, library]
        if shutil.which("node"):
            program = str(_PEERS / f"{job}.mjs")
            commands[f"{target} by node"] = ["node", program]
    for name in ("jq", "orjson", "node"):
        if not any(command.endswith(f" {name}") for command in commands):
            absent.append(name)
    return commands, absent
