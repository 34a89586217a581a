"""The facts of a log that the written format has no place for, named once."""

from __future__ import annotations

from convert.errors import Warn
from convert.model.events import End, Result
from convert.wording.numbers import count, in_words


class Losses:
    """Collects what a conversion leaves out, until the log ends."""

    def __init__(self, target: str, warn: Warn) -> None:
        self._target = target
        self._warn = warn
        # In the order in which they were met.
        self._names: dict[str, None] = {}
        self._lacks: dict[str, None] = {}

    def add(self, what: str) -> None:
        """Note what is left out, in words that fit behind `no place for`."""
        self._names[what] = None

    def add_figures(self, result: Result, end: End) -> None:
        """Note the figures of a run whose log does not say how the agent ended it."""
        which = "whose end is not recorded" if end.state is None else "that was cut off"
        kinds = {"tokens": result.tokens, "cost": result.cost_usd}
        if names := [f"the {kind}" for kind, of in kinds.items() if of is not None]:
            self.add(f"{' and '.join(names)} of a run {which}")

    def lack(self, what: str) -> None:
        """Note what the log does not record, and the format has a place for."""
        self._lacks[what] = None

    def name(self) -> None:
        """Warn of all that is left out, if anything is."""
        for what in self._lacks:
            self._warn(None, f"the log does not record {what}", "left out")
        if self._names:
            what = f"{self._target} has no place for {in_words([*self._names])}"
            self._warn(None, what, "left out")


def warn_of_prompts(lacking: int, what: str, of_user: str, warn: Warn) -> None:
    """Warn once of runs without a request, which programs may refuse."""
    if lacking:
        reason = f"{count(lacking, what)} without a user {of_user}"
        warn(None, reason, "some programs refuse that")
