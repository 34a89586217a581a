"""Each conversion of three logs against the reference, with peers that do the same."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from benchmarks import logs
from benchmarks.processes import (
    REFERENCE,
    RUNCONV,
    in_turn,
    ratios,
    spread,
    table,
    trees,
)

_PEERS = Path(__file__).parent / "peers"
_RUST = "serde_json, typed"
# Where Debian installs the sources of `librust-serde-json-dev`.
_PACKAGED = Path("/usr/share/cargo/registry")
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


def compare(folder: Path, megabytes: int, rounds: int, before: Path | None) -> None:
    """Print the table of conversions, and the peers that are not installed."""
    peers, absent = _peers(folder)
    ours = {
        f"`-t {target}` {tree}".rstrip(): [*runconv, "-t", target]
        for target in _TARGETS
        for tree, runconv in trees(before).items()
    }
    compared = ours | peers
    rows = [["against R, lower is faster"], *([name] for name in compared)]
    for profile in logs.PROFILES:
        path = folder / f"{profile.name}.ndjson"
        logs.write(path, profile, megabytes * 1_000_000)
        found = ratios(in_turn({"R": REFERENCE} | compared, path, rounds), "R")
        rows[0].append(f"{profile.name}, {profile.line}")
        for row, name in zip(rows[1:], compared, strict=True):
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


class Peers(NamedTuple):
    """Programs that do the same."""

    commands: dict[str, list[str]]
    """How to run those that are installed."""

    absent: list[str]
    """The names of the others."""


def _peers(folder: Path) -> Peers:
    """Find the peers, and build the one that is compiled in a folder."""
    typed_reader = _built(folder)
    commands = {}
    for target, job in _JOBS.items():
        program = str(_PEERS / job)
        if shutil.which("jq"):
            commands[f"{target} by jq"] = ["jq", "-rc", "-f", f"{program}.jq"]
        if shutil.which("node"):
            commands[f"{target} by node"] = ["node", f"{program}.mjs"]
        for library in ("json", "orjson"):
            if importlib.util.find_spec(library):
                name = f"{target} by {library}"
                commands[name] = [sys.executable, f"{program}.py", library]
        for library in ("duckdb", "polars"):
            if importlib.util.find_spec(library):
                name = f"{target} by {library}"
                commands[name] = [sys.executable, f"{program}_{library}.py"]
        if typed_reader:
            commands[f"{target} by {_RUST}"] = [typed_reader, job]
    names = ("jq", "node", "orjson", "duckdb", "polars", _RUST)
    absent = [
        name
        for name in names
        if not any(command.endswith(f" by {name}") for command in commands)
    ]
    return Peers(commands, absent)


def _built(folder: Path) -> str | None:
    """Build the reader in Rust; return its path, None where that cannot be done."""
    if not shutil.which("cargo"):
        return None
    source = folder / "typed-reader"
    shutil.copytree(_PEERS / "typed-reader", source)
    command = ["cargo", "build", "--release", "--quiet"]
    if _PACKAGED.exists():
        command += ["--offline", "--config", 'source.crates-io.replace-with="packaged"']
        command += ["--config", f'source.packaged.directory="{_PACKAGED}"']
    try:
        subprocess.run(command, cwd=source, check=True, capture_output=True)
    except subprocess.CalledProcessError:
        return None
    return str(source / "target" / "release" / "typed-reader")
