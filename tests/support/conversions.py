"""Conversions by the Python interface, and the golden logs to convert."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import convert
from convert.agents import ATIF
from convert.cursor import AGENT
from convert.model import Start
from convert.source import START
from support import matrix
from support.golden import logs

_SHAPE = re.compile(rb'"(?:sub)?type": ?"\w+"|"[^"]+":')
# In bytes; the logs of most laws are shorter.
LONG = 30_000
# How a line begins that is not an event as the agent writes it.
_ODD = re.compile(rb'^(?!\{"type":)..', re.MULTILINE)


def logs_to_convert(*suffixes: str) -> list[Path]:
    """The golden logs, without those for `diff` that add no member and no type."""
    paths = sorted(logs(*suffixes), key=_is_for_diff)
    known: set[bytes] = set()
    chosen = []
    for path in paths:
        shapes = _shapes(path)
        if not _is_for_diff(path) or shapes - known:
            chosen.append(path)
            known |= shapes
    return chosen


def few(paths: Iterable[Path]) -> list[Path]:
    """Return logs with each member, each type and each way in which a line begins.

    Those come first that have something of their own, and then short ones. None is
    long: a law that cuts a log after each line takes as long as all others together.
    With `pytest -m exhaustive`, a sixth of the others comes after them, of any length.
    """
    paths = [*paths]
    shapes = {path: _shapes(path) for path in paths if path.stat().st_size < LONG}
    times = Counter(shape for those in shapes.values() for shape in those)
    known: set[bytes] = set()
    chosen = []

    def order(path: Path) -> tuple[bool, int, Path]:
        is_needed = any(times[shape] == 1 for shape in shapes[path])
        return not is_needed, path.stat().st_size, path

    for path in sorted(shapes, key=order):
        if shapes[path] - known:
            chosen.append(path)
            known |= shapes[path]
    if matrix.is_exhaustive:
        chosen += [path for path in paths if path not in chosen][::6]
    return chosen


@functools.cache
def _shapes(path: Path) -> frozenset[bytes]:
    log = path.read_bytes()
    return frozenset({*_SHAPE.findall(log), *_ODD.findall(log)})


def _is_for_diff(path: Path) -> bool:
    return path.parent.name.startswith("diff-")


# The events of an agent, one to a line or in another shape.
GOLDEN_LOGS = logs_to_convert(".ndjson", ".jsonl", ".json")
# For laws whose test takes long.
FEW_LOGS = few(GOLDEN_LOGS)
# The case of clean logs that lose half of their lines.
DOUBLED = "doubled-by-standard-error/"


def convert_all(log: Iterable[bytes], to: str, **options: Any) -> bytes | None:
    """Return the whole output; None if the conversion fails."""
    try:
        return b"".join(convert.convert(log, to, **options))
    except convert.RunconvError:
        return None


def convert_live(log: list[bytes], to: str, end: bool = False) -> bytes:
    """Return the output written after the last line is read, before the log ends.

    With `end`, return all output up to the end or an error.
    """
    written = []
    is_read = False

    def feed() -> Iterator[bytes]:
        nonlocal is_read
        yield from log
        is_read = True

    try:
        for lines in convert.convert(feed(), to):
            if is_read and not end:
                break
            written.append(lines)
    except convert.RunconvError:
        pass
    return b"".join(written)


def is_of_cursor(log: bytes) -> bool:
    """Return True if Cursor's agent wrote a log, by the part that can be read."""
    try:
        return not ATIF.begins(log) and all(
            event.agent == AGENT
            for event in convert.read([log])
            if isinstance(event, Start)
        )
    except convert.RunconvError:
        return True


def is_clean(log: bytes) -> bool:
    """Return True if each line is exactly one event, as the agent writes it."""
    *lines, rest = log.split(b"\n")
    return not rest and START.strip() not in lines and all(map(is_event, lines))


def is_event(line: bytes) -> bool:
    try:
        value = json.loads(line, parse_int=str, parse_constant=int)
    except RecursionError:
        return line.startswith(b'{"type":"')
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def lines_of_text(run: convert.Run) -> int:
    """Return how many lines `text` has for a run: its calls, and a bad end."""
    says_why = run.session or run.interrupted or run.reason
    is_cut = run.state == "cut" and (
        says_why or run.span_ms is not None or run.level == "text"
    )
    return len(run.calls) + bool(is_cut or run.state in ("error", "unfinished"))
