"""Logs that repeat a part of another, to see how time grows with their size."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable
from typing import Any

import convert
from convert.diff import REPORTS
from support.generated import Input, choices
from support.promises import converted
from support.trial import BrokenError, Trial

# Sizes in bytes, each four times the one before. The last one tells growth from a step
# to another way of reading, which is as steep but not as slow.
_SIZES = (40_000, 160_000, 640_000, 2_560_000)
# A time that is shorter says nothing, and four times the log may take so many times it.
_SHORTEST = 0.2
_MOST = 9.0
# Seconds for each byte that a structure of a log may take.
_PROMISED = 1e-6
# Seconds for each byte, and for a log, outside of which no larger one is tried: it is
# quick enough, or two sizes have shown it.
_QUICK = 1e-7
_LONGEST = 1.0


def in_time(made: Input, dice: random.Random) -> Trial:
    """Let a log grow, and check that the time for it grows no more than it does."""
    grow = dice.choice([_lines, _one_line, _items, _members, _text, _bytes])
    what, act = dice.choice([_conversion, _conversion, _comparison])(dice)
    seed = dice.random()

    def run(log: bytes) -> None:
        times = []
        for size in _SIZES:
            larger = grow(log, size, random.Random(seed))
            started = time.process_time()
            act(larger)
            times.append((len(larger), time.process_time() - started))
            if grows_too_fast(times):
                raise BrokenError(f"time grows faster than the log: {what}")
            if times[-1][1] < size * _QUICK or times[-1][1] > _LONGEST:
                return

    return Trial(f"grow by {grow.__name__}, {what}, seed {seed}", run)


def _conversion(dice: random.Random) -> tuple[str, Callable[[bytes], object]]:
    target = choices.target(dice)
    options = choices.conversion(dice)
    return target, lambda log: converted([log], target, options)


def _comparison(dice: random.Random) -> tuple[str, Callable[[bytes], object]]:
    settings = choices.settings(dice)

    def compare(log: bytes) -> None:
        with contextlib.suppress(convert.RunconvError):
            compared = convert.compare([log], [log], settings=settings)
            for name in REPORTS:
                convert.report(compared, name)

    return "diff", compare


def grows_too_fast(times: list[tuple[int, float]]) -> bool:
    """Return True if the last time is long, and much longer than the sizes let expect.

    The times are pairs of bytes and seconds, the smallest size first.
    """
    if len(times) < 2:
        return False
    (size, before), (larger, after) = times[-2:]
    if after < max(_SHORTEST, larger * _PROMISED):
        return False
    return after / max(before, 0.01) > _MOST * larger / max(size, 1) / 4


def _lines(log: bytes, size: int, dice: random.Random) -> bytes:
    """Repeat some lines, each time with other ids."""
    lines = log.splitlines(keepends=True)
    at = dice.randint(0, len(lines))
    part = b"".join(lines[at : at + dice.choice([1, 2, 3, 9])])
    times = size // max(len(part), 1) + 1
    parts = [part.replace(b"call_", b"call_%d_" % number) for number in range(times)]
    return b"".join([*lines[:at], *parts[:size], *lines[at:]])


def _one_line(log: bytes, size: int, dice: random.Random) -> bytes:
    lines = log.splitlines(keepends=True)
    at = dice.randrange(len(lines)) if lines else 0
    part = b"".join(lines[at : at + 1])
    times = min(size // max(len(part), 1) + 1, size)
    return b"".join([*lines[:at], *[part] * times, *lines[at:]])


def _bytes(log: bytes, size: int, dice: random.Random) -> bytes:
    at = dice.randint(0, len(log))
    part = log[at : at + dice.choice([1, 2, 3, 10, 50])]
    return log[:at] + part * (size // max(len(part), 1)) + log[at:]


def _changed(change: Callable[[Any, Any, int], None]) -> Any:
    """Apply a change to one member of an event."""

    def grow(log: bytes, size: int, dice: random.Random) -> bytes:
        lines = log.splitlines(keepends=True)
        at = dice.randrange(len(lines)) if lines else 0
        try:
            value = json.loads(lines[at])
            places = _containers(value)
            change(*dice.choice(places), size)
            lines[at] = json.dumps(value).encode() + b"\n"
        except (ValueError, RecursionError, IndexError):
            return log
        return b"".join(lines)

    grow.__name__ = change.__name__
    return grow


def _containers(value: Any) -> list[tuple[Any, Any]]:
    found = []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found.append((value, key))
            found += _containers(value[key])
    return found


def _more_items(container: Any, key: Any, size: int) -> None:
    value = container[key]
    items = value if isinstance(value, list) and value else [value]
    container[key] = items * (size // len(json.dumps(items)) + 1)


def _more_members(container: Any, key: Any, size: int) -> None:
    if isinstance(container, dict):
        text = len(json.dumps(container[key])) + 10
        for number in range(size // text):
            container[f"{key}{number}"] = container[key]


def _longer_text(container: Any, key: Any, size: int) -> None:
    if isinstance(container[key], str):
        container[key] *= size // max(len(container[key]), 1)


_items = _changed(_more_items)
_members = _changed(_more_members)
_text = _changed(_longer_text)
