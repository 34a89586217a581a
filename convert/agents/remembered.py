"""The ids that came lately, for what comes again: memory must not grow with the log."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec

from convert.source.ndjson import REFUSED

_MOST = 1000


class Remembered:
    """The ids that were added last."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def __contains__(self, id: str) -> bool:
        """Return True if an id came lately."""
        return id in self._ids

    def add(self, id: str) -> bool:
        """Add an id; return False if it came lately."""
        if id in self._ids:
            return False
        self._ids[id] = None
        if len(self._ids) > 2 * _MOST:
            self._ids = dict.fromkeys(itertools.islice(self._ids, _MOST, None))
        return True


def digest(values: Any) -> int:
    """Return a hash of values of a log, some of which may still be JSON."""
    try:
        return hash(msgspec.json.encode(values))
    except REFUSED:
        # Half an emoji; what is nested too deeply cannot be told apart.
        try:
            return hash(repr(values))
        except RecursionError:
            return 0
