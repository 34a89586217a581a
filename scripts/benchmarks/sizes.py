"""Growth of time and peak memory with the size of the log."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks import logs
from benchmarks.processes import RUNCONV, megabytes, seconds, spread, table, trees
from convert.formats import writers

_ALL = [*writers()]
# Sizes of logs, in MB.
_MEASURED = (10, 1_000)
_TARGETS = ("text", "json", "stream-json", "markdown")
# Where half an emoji is, which a text of Python cannot be encoded with.
_HALF = "<half>"


def grow(folder: Path, size: int, rounds: int, before: Path | None) -> None:
    """Print seconds a 100 MB and the largest memory for logs of three sizes.

    The largest log has five times `size` MB. The time to start is subtracted.
    """
    sizes = [size // 20, size // 2, 5 * size]
    paths = []
    for many in sizes:
        paths.append(folder / f"{many}.ndjson")
        logs.write(paths[-1], logs.PROFILES[0], many * 1_000_000)
    empty = folder / "one-line.ndjson"
    empty.write_bytes(next(logs.lines(logs.PROFILES[0], 0)))
    rows = [["seconds a 100 MB; MB of memory", *(f"{many} MB" for many in sizes)]]
    for target, (tree, runconv) in itertools.product(_TARGETS, trees(before).items()):
        command = [*runconv, "-t", target]
        start = statistics.median(
            seconds([*command, "--partial"], empty) for _ in range(rounds)
        )
        row = [f"`-t {target}` {tree}".rstrip()]
        for many, path in zip(sizes, paths, strict=True):
            each = [
                (seconds(command, path) - start) / many * 100 for _ in range(rounds)
            ]
            row.append(f"{spread(each)}; {megabytes(command, path):.0f}")
        rows.append(row)
    print(table(rows))
    for path in paths:
        path.unlink()


def memory(folder: Path, before: Path | None) -> None:
    """Print the peak memory of each target for a small log and for a large one."""
    rows = [["MB of memory", *(f"{size:,} MB" for size in _MEASURED)]]
    rows += [
        [f"`-t {target}` {tree}".rstrip()] for target in _ALL for tree in trees(before)
    ]
    for size in _MEASURED:
        path = folder / "log.ndjson"
        logs.write(path, logs.PROFILES[0], size * 1_000_000)
        commands = itertools.product(_ALL, trees(before).values())
        for row, (target, runconv) in zip(rows[1:], commands, strict=True):
            row.append(f"{megabytes([*runconv, '-q', '-t', target], path):.0f}")
    print(table(rows))


def extremes(folder: Path, size: int, rounds: int) -> None:
    """Print the cost of one line of half of `size` MB, and of a million tiny ones."""
    one, many = folder / "one.ndjson", folder / "many.ndjson"
    content = "def total(price): return price\n" * (size * 500_000 // 32)
    one.write_bytes(b"".join(_around(_long_call(content))))
    many.write_bytes(b"".join(_around(_tiny(1_000_000))))
    rows = [["seconds; MB of memory", *(f"`-t {target}`" for target in _TARGETS)]]
    for name, path in (
        (f"a line of {one.stat().st_size / 1e6:.0f} MB", one),
        (f"1,000,000 events in {many.stat().st_size / 1e6:.0f} MB", many),
    ):
        row = [name]
        for target in _TARGETS:
            command = [*RUNCONV, "-t", target]
            taken = [seconds(command, path) for _ in range(rounds)]
            row.append(f"{spread(taken)}; {megabytes(command, path):.0f}")
        rows.append(row)
    print(table(rows))


def long_lines(folder: Path) -> None:
    """Print the peak memory for one line of 50 MB, as a multiple of its length."""
    path, text = folder / "line.ndjson", "def total(price): return price\n" * 1_600_000
    half = text.replace("\n", _HALF, 1)
    kinds = {
        "the output of a tool": _long_call(text),
        "a message of the agent": _long_message(text),
        "output with one emoji": _long_call("\N{GRINNING FACE}" + text),
        "output with half an emoji": _long_call(half),
        "output with one and a half": _long_call("\N{GRINNING FACE}" + half),
    }
    targets = [["text"], ["stream-json"], ["markdown"], ["markdown", "--redact"]]
    rows = [["the line is", *(f"`{' '.join(target)}`" for target in targets)]]
    for kind, lines in kinds.items():
        log = b"".join(_around(lines))
        path.write_bytes(log.replace(_HALF.encode(), rb"\ud83d"))
        size = path.stat().st_size / 2**20
        commands = ([*RUNCONV, "-q", "-t", *target] for target in targets)
        found = (megabytes(command, path) / size for command in commands)
        rows.append([kind, *(f"{times:.1f}" for times in found)])
    print(table(rows))
    path.unlink()


def _around(lines: Iterator[dict[str, object]]) -> Iterator[bytes]:
    """Yield the lines of a run that consists of these events."""
    first, *_, last = logs.lines(logs.PROFILES[0], 0)
    yield first
    for line in lines:
        yield msgspec.json.encode(line) + b"\n"
    yield last


def _long_call(content: str) -> Iterator[dict[str, object]]:
    result = {"success": {"content": content, "totalLines": content.count("\n")}}
    call = {"readToolCall": {"args": {"path": "a.py"}, "result": result}}
    yield {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "c",
        "tool_call": call,
        "session_id": logs.SESSION,
    }


def _long_message(text: str) -> Iterator[dict[str, object]]:
    content = [{"type": "text", "text": text}]
    yield {
        "type": "assistant",
        "message": {"role": "assistant", "content": content},
        "session_id": logs.SESSION,
    }


def _tiny(number: int) -> Iterator[dict[str, object]]:
    for _ in range(number):
        yield {"type": "thinking", "text": ".", "session_id": logs.SESSION}
