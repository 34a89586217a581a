"""The cases of two folders: which logs of both belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from convert.source.names import stem_of


class Case(Struct, frozen=True):
    """The logs of one task, by their paths."""

    name: str
    """The path of its logs in both folders, without suffix."""

    a: tuple[str, ...]
    """The logs of the baseline; none of a new case, several of repeated runs."""

    b: tuple[str, ...]
    """The logs of the candidate; none of a missing case."""

    is_repeated: bool = False
    """Its logs are repeated runs; otherwise, only one file a side may be a log."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its logs."""
        return (*self.a, *self.b)


def paired_by_path(a: Mapping[str, str], b: Mapping[str, str]) -> list[Case]:
    """Return the cases of two folders, in the order of their names.

    Each log has its path in the folder, where its suffix does not count, by the path
    that it is opened by.
    """
    ones, others = _by_stem(a.items()), _by_stem(b.items())
    return [
        Case(name, tuple(ones.get(name, ())), tuple(others.get(name, ())))
        for name in sorted({*ones, *others})
    ]


def _by_stem(logs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the logs of each name, which are in the order of their paths."""
    found: dict[str, list[str]] = {}
    for path, inside in sorted(logs):
        found.setdefault(stem_of(inside).replace("\\", "/"), []).append(path)
    return found
