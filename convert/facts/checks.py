"""The commands of a run that passed after its last change to a file: a fold."""

from __future__ import annotations

from typing import Generic, TypeVar

Command = TypeVar("Command")


class Checks(Generic[Command]):
    """Folds the changes and commands of one run into the checks of what it changed.

    Their places say what comes first, such as the numbers of events.
    """

    def __init__(self) -> None:
        # Where the last change ended, and the step of the agent that made it.
        self._last: tuple[float, str] | None = None
        self._passed: list[tuple[Command, float, str]] = []

    def add_change(self, ended: float, step: str) -> None:
        """Add a change to a file."""
        if self._last is None or ended >= self._last[0]:
            self._last = ended, step
            self._passed = [each for each in self._passed if each[1] >= ended]

    def add_passed(self, command: Command, started: float, step: str) -> None:
        """Add a command that ended well."""
        self._passed.append((command, started, step))

    @property
    def has_changes(self) -> bool:
        """The run has changed a file."""
        return self._last is not None

    @property
    def passed(self) -> list[Command]:
        """The commands that passed after the last change; none without a change."""
        return [
            command
            for command, started, step in self._passed
            if self.is_after(started, step)
        ]

    def is_after(self, started: float, step: str) -> bool:
        """Return True if a call came after the last change, and not in one step."""
        if self._last is None:
            return False
        ended, last_step = self._last
        return started >= ended and not (step and step == last_step)
