"""Each conversion of three logs against the reference."""

from __future__ import annotations

from pathlib import Path

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

_TARGETS = ("text", "json", "stream-json", "markdown")
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
    """Print the table of conversions."""
    compared = {
        f"`-t {target}` {tree}".rstrip(): [*runconv, "-t", target]
        for target in _TARGETS
        for tree, runconv in trees(before).items()
    }
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
