"""Latency that does not depend on size: the start, and the delay of a line."""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import threading
import time
from pathlib import Path

from benchmarks import logs
from benchmarks.processes import (
    ENVIRONMENT,
    IMPORT,
    RUNCONV,
    in_turn,
    ratios,
    spread,
    table,
    trees,
)

_PAUSE = 0.01


def start(folder: Path, rounds: int) -> None:
    """Print how long it takes to start, in imports of msgspec."""
    log = folder / "one-line.ndjson"
    log.write_bytes(next(logs.lines(logs.PROFILES[0], 0)))
    commands = {"import": IMPORT, "a log of one line": RUNCONV}
    for option in ("--version", "--help"):
        commands[f"`{option}`"] = [*RUNCONV, option]
    found = ratios(in_turn(commands, log, 4 * rounds), "import")
    rows = [["against `python -c 'import msgspec'`", "ratio"]]
    rows += [[name, spread(found[name])] for name in commands if name != "import"]
    print(table(rows))


def live(folder: Path, lines: int, before: Path | None) -> None:
    """Print how long a line takes from written to readable, one every 10 ms."""
    rows = [["milliseconds from line to line", "median", "99 of 100", "largest"]]
    targets = "text", "stream-json"
    for target, (tree, runconv) in itertools.product(targets, trees(before).items()):
        delays = sorted(_delays([*runconv, "-t", target], lines))
        rows.append(
            [
                f"`-t {target}` {tree}".rstrip() + f", {len(delays)} lines",
                f"{statistics.median(delays):.2f}",
                f"{delays[int(len(delays) * 0.99)]:.2f}",
                f"{delays[-1]:.2f}",
            ]
        )
    print(table(rows))


def _delays(command: list[str], number: int) -> list[float]:
    """Measure milliseconds from input to output line, for a log of one call a line."""
    head = next(logs.lines(logs.PROFILES[0], 0))
    call = (
        b'{"type":"tool_call","subtype":"completed","call_id":"c%d","tool_call":'
        b'{"readToolCall":{"args":{},"result":{"success":{}}}},"session_id":"%s"}\n'
    )
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    )
    source, sink = process.stdin, process.stdout
    if source is None or sink is None:
        raise RuntimeError("no pipes")
    arrived: list[float] = []

    def read() -> None:
        while piece := os.read(sink.fileno(), 1 << 16):
            arrived.extend([time.perf_counter()] * piece.count(b"\n"))

    reading = threading.Thread(target=read)
    reading.start()
    os.write(source.fileno(), head)
    # The first line is written when everything is imported.
    first, written = 0, []
    for place in range(number):
        time.sleep(_PAUSE if place else 1)
        # The lines of the head precede those of the calls, and one may follow them.
        first = first if place else len(arrived)
        written.append(time.perf_counter())
        os.write(source.fileno(), call % (place, logs.SESSION.encode()))
    source.close()
    reading.join()
    process.wait()
    ends = arrived[first : first + number]
    return [1000 * (b - a) for a, b in zip(written, ends, strict=True)]
