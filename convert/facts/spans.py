"""Stretches of time, each with its start and its end in milliseconds."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[int, int]


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the time that is in any of some spans, in order and without overlaps."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def gaps(spans: Iterable[Span], length: int) -> list[Span]:
    """Return the time from 0 to `length` that is in none of some spans."""
    found = []
    at = 0
    for begin, end in union(spans):
        if at < min(begin, length):
            found.append((at, min(begin, length)))
        at = max(at, end)
    if at < length:
        found.append((at, length))
    return found


def total(spans: Iterable[Span]) -> int:
    """Return the sum of the lengths of spans."""
    return sum(end - begin for begin, end in spans)
