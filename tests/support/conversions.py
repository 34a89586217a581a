"""Conversions by the Python interface, and the golden logs to convert."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import convert
from support.golden import logs

# The events of an agent, one to a line or in another shape.
GOLDEN_LOGS = logs(".ndjson", ".jsonl", ".json")
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


def is_clean(log: bytes) -> bool:
    """Tell whether each line is exactly one event, as the agent writes it."""
    *lines, rest = log.split(b"\n")
    return not rest and all(map(is_event, lines))


def is_event(line: bytes) -> bool:
    try:
        value = json.loads(line, parse_int=str, parse_constant=int)
    except RecursionError:
        return line.startswith(b'{"type":"')
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)
