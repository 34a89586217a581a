"""Conversions by the Python interface, and the golden logs that the laws are about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import convert
from support.golden import logs

# The events of an agent, one to a line or in another shape.
GOLDEN_LOGS = logs(".ndjson", ".jsonl", ".json")
# Clean logs of which half is dropped.
DOUBLED = "doubled-by-standard-error/"


def convert_all(log: Iterable[bytes], to: str, **options: Any) -> bytes | None:
    """The whole conversion; None if the log holds nothing for it."""
    try:
        return b"".join(convert.convert(log, to, **options))
    except convert.RunconvError:
        return None


def convert_live(log: list[bytes], to: str, end: bool = False) -> bytes:
    """What a conversion has written when the last line was read but not yet the end.

    With `end`, all that it writes before it stops.
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
    """Whether each line is one event and nothing else, as the agent writes it."""
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
