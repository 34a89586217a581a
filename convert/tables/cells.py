"""The cells of rows: texts, numbers and times that every format can hold."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import TypeVar

from msgspec.structs import replace

from convert.errors import Warn
from convert.tables.rows import CallRow, FileRow, FindingRow, Row, RunRow
from convert.tables.schema import ROWS, every_column
from convert.wording.paths import spelled
from convert.wording.sanitise import show_controls

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
