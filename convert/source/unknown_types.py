"""The types of events that are not known, counted for a notice when the log ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from convert.wording.sanitise import truncate

# How many types are told apart: memory must not grow with the log.
_MOST_TYPES = 1000
_LONGEST_NAME = 100
_OTHERS = "other types"


class UnknownTypes:
    """Counts events by their types."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._others = 0

    def add(self, name: str) -> None:
        """Count one event."""
        if len(name) > _LONGEST_NAME:
            name = truncate(name, _LONGEST_NAME)
        if name in self._counts or len(self._counts) < _MOST_TYPES:
            self._counts[name] += 1
        else:
            self._others += 1

    def update(self, names: Iterable[str]) -> None:
        """Count several events."""
        for name in names:
            self.add(name)

    @property
    def counts(self) -> dict[str, int]:
        """How many events there were of each type; those not told apart come last."""
        others = {_OTHERS: self._others} if self._others else {}
        return {**self._counts, **others}
