"""How often a run makes a call again that has failed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def count_retries(calls: Iterable[tuple[Hashable, bool]]) -> int:
    """Count the calls whose last try before them failed.

    Each call is what makes it equal to another, and whether it ended well.
    """
    ended_well: dict[Hashable, bool] = {}
    retries = 0
    for call, is_ok in calls:
        retries += not ended_well.get(call, True)
        ended_well[call] = is_ok
    return retries
