"""The smallest log that breaks a law: first events go, then members, then bytes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from convert.errors import RunconvError, ignore
from convert.source import as_utf8, unpacked

IsSame = Callable[[bytes], bool]
# Limits for reducing a log: the number of tries, and the time in seconds.
_TRIES = 3000
_SECONDS = 30.0
_LARGEST = 10_000_000


class _Budget:
    """Counts tries, and asks if a smaller log still shows the bug."""

    def __init__(self, is_same: IsSame, tries: int, seconds: float) -> None:
        self._is_same = is_same
        self._tries = tries
        self._end = time.perf_counter() + seconds

    @property
    def is_left(self) -> bool:
        return self._tries > 0 and time.perf_counter() < self._end

    def allows(self, log: bytes) -> bool:
        """Return True if a log shows the bug and there was a try left to see it."""
        self._tries -= 1
        return self.is_left and self._is_same(log)


def smallest(
    log: bytes, is_same: IsSame, tries: int = _TRIES, seconds: float = _SECONDS
) -> bytes:
    """Remove parts of a log as long as `is_same` holds and tries are left."""
    budget = _Budget(is_same, tries, seconds)
    plain = _plain(log)
    log = plain if plain != log and budget.allows(plain) else log
    before = None
    while log != before and budget.is_left:
        before = log
        log = _fewer(log.splitlines(keepends=True), budget)
        log = _simpler(log, budget)
    return _fewer([log[at : at + 1] for at in range(len(log))], budget)


def _plain(log: bytes) -> bytes:
    """Return a log without its archive and in UTF-8, up to the first damage."""
    try:
        return b"".join(as_utf8(unpacked([log], _LARGEST, ignore)))
    except RunconvError:
        return log


def _fewer(parts: list[bytes], budget: _Budget) -> bytes:
    """Leave out parts of a log, half of them at first and single ones at last."""
    size = max(len(parts) // 2, 1)
    while size and budget.is_left:
        at = 0
        while at < len(parts) and budget.is_left:
            rest = parts[:at] + parts[at + size :]
            if budget.allows(b"".join(rest)):
                parts = rest
            else:
                at += size
        size //= 2
    return b"".join(parts)


def _simpler(log: bytes, budget: _Budget) -> bytes:
    """Leave out the members of events, and shorten their values."""
    lines = log.splitlines(keepends=True)
    for at, line in enumerate(lines):
        is_smaller = True
        while is_smaller and budget.is_left:
            is_smaller = False
            for shorter in _shorter_lines(line):
                if budget.allows(b"".join([*lines[:at], shorter, *lines[at + 1 :]])):
                    lines[at] = line = shorter
                    is_smaller = True
                    break
    return b"".join(lines)


def _shorter_lines(line: bytes) -> Iterator[bytes]:
    """Yield a line of JSON with less in it; nothing for other lines."""
    body = line.rstrip(b"\r\n")
    end = line[len(body) :]
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    for smaller in _shorter(value):
        for is_ascii in (False, True):
            text = json.dumps(smaller, ensure_ascii=is_ascii, separators=(",", ":"))
            shorter = text.encode(errors="surrogatepass") + end
            if len(shorter) < len(line):
                yield shorter
                break


def _shorter(value: Any) -> Iterator[Any]:
    """Yield smaller values of the same type, those that lack most first."""
    if isinstance(value, dict):
        for key in value:
            yield {name: inner for name, inner in value.items() if name != key}
        for key, inner in value.items():
            for smaller in _shorter(inner):
                yield value | {key: smaller}
    elif isinstance(value, list):
        for at in range(len(value)):
            yield value[:at] + value[at + 1 :]
        for at, inner in enumerate(value):
            for smaller in _shorter(inner):
                yield [*value[:at], smaller, *value[at + 1 :]]
    elif isinstance(value, str) and value:
        yield ""
        half = len(value) // 2
        if half:
            yield value[:half]
            yield value[half:]
