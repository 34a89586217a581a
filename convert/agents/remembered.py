"""The ids that came lately, for what comes again: memory must not grow with the log."""

from __future__ import annotations

import itertools

_MOST = 1000


class Remembered:
    """The ids that were added last."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, id: str) -> bool:
        """Add an id; return False if it came lately."""
        if id in self._ids:
            return False
        self._ids[id] = None
        if len(self._ids) > 2 * _MOST:
            self._ids = dict.fromkeys(itertools.islice(self._ids, _MOST, None))
        return True
