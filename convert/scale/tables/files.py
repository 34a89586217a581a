"""Files that hold rows: their formats, ndjson, csv, and partitions.

No text of a row is empty, so that an empty cell of csv is a null in every reader. Cells
hold the same as in the other formats: no sign in front of a text keeps a spreadsheet
from taking it for a formula, as in the reports of `stats` for people.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from convert.errors import OutputError
from convert.scale.tables.cells import moment
from convert.scale.tables.schema import Column, every_column
from convert.wording.escapes import ShownAs

Pieces = Callable[[Iterable[Struct], list[Column]], Iterator[bytes]]


class FileFormat(Struct, frozen=True):
    """One row of the table of formats."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds its function, as `ndjson_pieces`."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it; new files get the first."""

    shown_as: ShownAs
    """How it is made harmless where a terminal or the log of a runner shows it."""


FORMATS: dict[str, FileFormat] = {
    row.name: row
    for row in (
        FileFormat("ndjson", "files", (".ndjson", ".jsonl"), "json"),
        FileFormat("csv", "files", (".csv",), "text"),
        FileFormat("parquet", "parquet", (".parquet",), "bytes"),
    )
}
DEFAULT_FORMAT = next(iter(FORMATS))


def pieces_of(name: str) -> Pieces:
    """Return the function of a format, whose module is imported here."""
    module = import_module(f"convert.scale.tables.{FORMATS[name].module}")
    found: Pieces = getattr(module, f"{name}_pieces")
    return found


def ndjson_pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the line of each row."""
    names = [each.column for each in columns]
    moments = [each.column for each in columns if each.type == "timestamp"]
    values = attrgetter(*names)
    encode = msgspec.json.Encoder().encode
    for row in rows:
        members = dict(zip(names, values(row), strict=True))
        for name in moments:
            if (moment := members[name]) is not None:
                members[name] = written_moment(moment)
        yield encode(members) + b"\n"


def written_moment(moment: datetime.datetime) -> str:
    """Return a time in UTC as text: `2026-11-20T10:00:00.123Z`."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def csv_pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the head, and the line of each row."""
    names = [each.column for each in columns]
    values = attrgetter(*names)
    yield _line(names)
    for row in rows:
        yield _line(map(_cell, values(row)))


def _line(cells: Iterable[Any]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode()


def _cell(value: Any) -> Any:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime.datetime():
            return written_moment(value)
    return value


DAY = "date"
"""The day on which the run began, in UTC: a column of partitioned tables alone."""

# No day is called so, and every reader reads it. A text could have this value: there,
# the word of Hive stands, which readers take for null.
_NO_DAY = "unknown"
_NO_TEXT = "__HIVE_DEFAULT_PARTITION__"
# The characters that Hive leaves as they are, besides letters, digits and `_.-~`.
_PLAIN = " !$&()+,;@"
# In bytes, on most file systems; nothing but ASCII is left.
_LONGEST_NAME = 255


def columns_to_partition(table: str) -> list[str]:
    """Return the columns that a table can be partitioned by."""
    texts = [
        each.column
        for each in every_column(table)
        if each.type == "text" and each.option is None
    ]
    return [DAY, *texts]


def partition_folder(column: str, value: str | None) -> str:
    """Return the name of the folder of a value.

    Raises OutputError for a value that is too long for one.
    """
    if value is None:
        return f"{column}={_NO_DAY if column == DAY else _NO_TEXT}"
    name = f"{column}={quote(value, safe=_PLAIN)}"
    if len(name) > _LONGEST_NAME:
        raise OutputError(
            f"--partition {column}: a value of {len(value):,} characters is too long"
            " for the name of a folder; choose another column"
        )
    return name


def partition_day(started_ms: int | None) -> str | None:
    """Return the day of a time, in UTC; None if it is not recorded."""
    began = moment(started_ms)
    return None if began is None else began.date().isoformat()
