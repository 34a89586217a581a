"""The facts of a log that the written format has no place for, named once."""

from __future__ import annotations

from convert.errors import Warn
from convert.wording.numbers import in_words


class Losses:
    """Collects what a conversion leaves out, until the log ends."""

    def __init__(self, target: str, warn: Warn) -> None:
        self._target = target
        self._warn = warn
        # In the order in which they were met.
        self._names: dict[str, None] = {}

    def add(self, what: str) -> None:
        """Note what is left out, in words that fit behind `no place for`."""
        self._names[what] = None

    def name(self) -> None:
        """Warn of all that is left out, if anything is."""
        if self._names:
            what = f"{self._target} has no place for {in_words([*self._names])}"
            self._warn(None, what, "left out")
