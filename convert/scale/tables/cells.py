"""The tables by their names, and cells that every format can hold."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.scale.tables.schema import (
    ROWS,
    CallRow,
    FileRow,
    FindingRow,
    Row,
    RunRow,
    every_column,
)
from convert.wording.escapes import show_controls, spelled

R = TypeVar("R", RunRow, CallRow, FileRow, FindingRow)

_BEYOND = 1 << 63
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def text(value: str) -> str | None:
    """Return a text with signs for its control characters; None for an empty one."""
    if not value.isprintable():
        value = show_controls(value)
    return value or None


def log_name(path: str) -> str:
    """Return the path of a log as rows name it."""
    return "<stdin>" if path == "-" else spelled(path)


def run_id(log: str, run: int) -> str:
    """Return the id of a run, by which rows of several tables are joined."""
    return f"{log}#{run}"


def call_id(run: str, place: Iterable[int | str]) -> str:
    """Return the id of a call of the run with an id: `…/5.2` is a step of call 5."""
    return f"{run}/{'.'.join(map(str, place))}"


def moment(milliseconds: int | None) -> datetime.datetime | None:
    """Return a time; None if it is not recorded or is not in the years 1 to 9999."""
    if milliseconds is None:
        return None
    try:
        return _EPOCH + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def fitting(rows: Iterable[R], table: str, warn: Warn) -> Iterator[R]:
    """Yield rows without numbers that need more than 64 bits, which are told of."""
    names, values = _numbers(table)
    for row in rows:
        for number in values(row):
            if number is not None and not -_BEYOND <= number < _BEYOND:
                row = _without(row, names, warn)
                break
        yield row


def _without(row: R, names: list[str], warn: Warn) -> R:
    numbers = {name: getattr(row, name) for name in names}
    beyond = [
        name
        for name, number in numbers.items()
        if number is not None and not -_BEYOND <= number < _BEYOND
    ]
    for name in beyond:
        warn(None, f"{name} needs more than 64 bits", "left empty")
    return replace(row, **dict.fromkeys(beyond))


@cache
def _numbers(table: str) -> tuple[list[str], Callable[[Row], tuple[int | None, ...]]]:
    """Return the columns of a table that hold whole numbers, and what reads them."""
    assert table in ROWS
    names = [each.column for each in every_column(table) if each.type == "integer"]
    return names, attrgetter(*names)


FINDINGS = "findings"
"""The table that is made of two sides."""

OF_LOGS = tuple(name for name in ROWS if name != FINDINGS)
"""The tables that are made of any number of logs."""

# The module of each, and the function that makes its rows.
_MAKERS = {
    "runs": ("run_rows", "run_rows"),
    "calls": ("call_rows", "call_rows"),
    "files": ("run_rows", "file_rows"),
}


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
        make: Callable[..., Iterator[Any]] = getattr(
            _module(self.table), _MAKERS[self.table][1]
        )
        yield from fitting(make(events, log, self.options), self.table, warn)


def _module(table: str) -> Any:
    """Return the module of a table, which is imported here."""
    return import_module(f"convert.scale.tables.{_MAKERS[table][0]}")
