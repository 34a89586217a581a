"""The cases of two folders: which logs of both belong together."""

from __future__ import annotations

from msgspec import Struct


class Case(Struct, frozen=True):
    """The logs of one task, by their paths."""

    name: str
    """The path of its logs in both folders, without suffix."""

    a: tuple[str, ...]
    """The logs of the baseline; none of a new case, several of repeated runs."""

    b: tuple[str, ...]
    """The logs of the candidate; none of a missing case."""
