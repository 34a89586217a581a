"""Which calls of a run were made at once, and which one after the other."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal

from convert.diff.compared_call import ComparedCall

Order = Literal["strict", "partial", "any"]


def ends_of(calls: list[ComparedCall], order: Order) -> list[int]:
    """Return for each call the place of the first one that was made after it.

    The calls from its own place up to there ran in parallel with it: in one step, or at
    the same time.
    """
    if order == "strict":
        return list(range(1, len(calls) + 1))
    if order == "any":
        return [len(calls)] * len(calls)
    # Steps of a subagent stand before calls that name it as their parent.
    starts = list(accumulate((call.starts for call in calls), max))
    steps = {call.step: place for place, call in enumerate(calls, 1) if call.step}
    ends = [
        bisect.bisect_left(starts, call.ends, place)
        for place, call in enumerate(calls, 1)
    ]
    if not steps:
        return ends
    return [
        max(end, steps.get(call.step, 0)) for call, end in zip(calls, ends, strict=True)
    ]


def batches_of(ends: list[int]) -> Iterator[list[int]]:
    """Yield the places of calls that all ran in parallel with one another.

    `ends` are those of `ends_of`. A batch is as long as can be, from the first call on.
    """
    batch: list[int] = []
    end = 0
    for place, own_end in enumerate(ends):
        if batch and place >= end:
            yield batch
            batch = []
        end = min(end, own_end) if batch else own_end
        batch.append(place)
    if batch:
        yield batch


def batched(calls: list[ComparedCall]) -> list[bool]:
    """Return for each call True if it ran in parallel with another one."""
    is_batched = []
    latest = 0
    for place, end in enumerate(ends_of(calls, "partial")):
        is_batched.append(place < latest or place + 1 < end)
        latest = max(latest, end)
    return is_batched
