"""The tables that are made of one log after the other, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from msgspec import Struct

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.tables.cells import fitting
from convert.tables.schema import ROWS

FINDINGS = "findings"
"""The table that is made of two sides."""

OF_LOGS = tuple(name for name in ROWS if name != FINDINGS)
"""The tables that are made of any number of logs."""


class Wanted(Struct, frozen=True):
    """A table that is wanted, with the columns that options add."""

    table: str
    options: frozenset[str] = frozenset()

    @property
    def needs(self) -> Needs:
        """The parts of a log that the table is made of."""
        found: Needs = _module(self.table).NEEDS
        return found

    def rows(self, events: Iterable[Event], log: str, warn: Warn) -> Iterator[Any]:
        """Yield the rows of a log, whose name they hold."""
        make: Callable[..., Iterator[Any]] = _module(self.table).rows
        yield from fitting(make(events, log, self.options), self.table, warn)


def _module(table: str) -> Any:
    """Return the module of a table, which is imported here."""
    return import_module(f"convert.tables.{table.removesuffix('s')}_rows")
