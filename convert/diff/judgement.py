"""The verdict of a command on two answers."""

from __future__ import annotations

from msgspec import Struct


class Judgement(Struct, frozen=True):
    """The verdict of a command on two answers."""

    command: str
    """The command as the settings have it."""

    exit: int
    """Its exit status: 0 for the same, 1 for different."""

    output: str
    """The beginning of its standard output."""

    @property
    def is_same(self) -> bool:
        """The command takes the answers for the same."""
        return self.exit == 0
