"""How often a run makes a call again, after it failed or at all."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable

from convert.model.events import UNFINISHED, ToolCall
from convert.tools.arguments import noise_members
from convert.tools.names import full_name


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


class SameCalls:
    """Folds the calls of one run into those that it made before in the same way.

    Two calls are the same if they are of one tool and their arguments are equal as
    recorded, apart from noise. Keeps two numbers for each call.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[int, ...], tuple[int, bool]] = {}

    def add(self, call: ToolCall, place: tuple[int, ...] = ()) -> None:
        """Add a call that has ended; `place` is where it is if it is a step."""
        is_ok = (call.outcome or UNFINISHED).status == "ok"
        self._calls[place or call.place] = _key(call), is_ok

    @property
    def repeats(self) -> int:
        """The number of calls that the run had made before in the same way."""
        return len(self._calls) - len({key for key, _ in self._calls.values()})

    @property
    def retries(self) -> int:
        """The number of calls whose last try before them failed."""
        return count_retries(self._calls[number] for number in sorted(self._calls))


def _key(call: ToolCall) -> int:
    """Return a number that is equal for calls that are the same."""
    noise = _noise(call.kind)
    members = (call.arguments or {}).items()
    kept = [member for member in members if member[0] not in noise]
    if len(kept) > 1:
        kept.sort()
    try:
        return hash((full_name(call), call.about, repr(kept)))
    except RecursionError:
        # Nothing can be told of arguments that are nested so deeply.
        return hash((call.number, call.line))


@functools.lru_cache(maxsize=256)
def _noise(kind: str) -> frozenset[str]:
    return frozenset(noise_members(kind))
