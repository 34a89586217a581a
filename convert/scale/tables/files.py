"""Files that hold rows: their formats, ndjson, csv and parquet, and partitions.

No text of a row is empty, so that an empty cell of csv is a null in every reader. Cells
are the same as in the other formats: unlike in the csv of `stats`, a spreadsheet may
take a text for a formula.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct

from convert.errors import UsageError
from convert.model.json_lines import json_line
from convert.scale.tables.rows import moment
from convert.scale.tables.schema import SCHEMA, Column, Kind, every_column
from convert.wording.digests import blake2b
from convert.wording.escapes import ShownAs

if TYPE_CHECKING:
    import pyarrow

Pieces = Callable[[Iterable[Struct], list[Column]], Iterator[bytes]]


class FileFormat(Struct, frozen=True):
    """One row of the table of formats."""

    name: str
    """The name that `--format` takes."""

    pieces: Pieces
    """Yields the bytes of some rows."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it; new files get the first."""

    shown_as: ShownAs
    """How it is escaped where a terminal or the log of a runner shows it."""


def ndjson_pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the line of each row."""
    names = [each.column for each in columns]
    moments = [each.column for each in columns if each.type == "timestamp"]
    values = attrgetter(*names)
    for row in rows:
        members = dict(zip(names, values(row), strict=True))
        for name in moments:
            if (moment := members[name]) is not None:
                members[name] = written_moment(moment)
        yield json_line(members)


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
"""The day on which the run began, in UTC: a column only of partitioned tables."""

# The characters that Hive leaves as they are, besides letters, digits and `_.-~`.
_PLAIN = " !$&()+,;@"
# In bytes, on most file systems; nothing but ASCII is left.
_LONGEST_NAME = 255
# The fewest digits of a digest that distinguish long values.
_DIGITS = 16


def columns_to_partition(table: str) -> list[str]:
    """Return the columns that a table can be partitioned by."""
    texts = [
        each.column
        for each in every_column(table)
        if each.type == "text" and each.option is None
    ]
    return [DAY, *texts]


def partition_folder(column: str, value: str | None) -> str:
    """Return the name of the folder of a value; a long one ends in a digest."""
    if value is None:
        # No day is `unknown`, and every reader takes it. A text could be: there, Hive's
        # word is used, which readers take for null.
        is_day = column == DAY
        return f"{column}={'unknown' if is_day else '__HIVE_DEFAULT_PARTITION__'}"
    name = _folder_name(column, value)
    if len(name) < _LONGEST_NAME:
        return name
    digest = blake2b(value.encode(), digest_size=16).hexdigest()
    # Whole characters, since readers decode the name.
    start = value[:_LONGEST_NAME]
    while len(name := _folder_name(column, f"{start}~")) > _LONGEST_NAME - _DIGITS:
        start = start[:-1]
    # Only these names are so long, so no other value has this folder.
    return name + digest[: _LONGEST_NAME - len(name)]


def _folder_name(column: str, value: str) -> str:
    return f"{column}={quote(value, safe=_PLAIN)}"


def partition_day(started_ms: int | None) -> str | None:
    """Return the day of a time, in UTC; None if it is not recorded."""
    began = moment(started_ms)
    return None if began is None else began.date().isoformat()


# How many bytes of rows are read by Arrow at once; an output may be a megabyte long.
_MOST_BYTES = 250_000


def library() -> Any:
    """Return pyarrow; raises UsageError where it is not installed."""
    try:
        import pyarrow
    except ImportError as error:
        raise UsageError(
            "parquet and to_arrow() need pyarrow, which is not installed; run"
            " pip install 'runconv[parquet]'"
        ) from error
    return pyarrow


def schema_of(columns: list[Column]) -> pyarrow.Schema:
    """Return the schema of some columns, with their meanings."""
    arrow = library()
    types: dict[Kind, Any] = {
        "text": arrow.string(),
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "boolean": arrow.bool_(),
        "timestamp": arrow.timestamp("ms", "UTC"),
    }
    fields = []
    for column in columns:
        notes = {"description": column.meaning}
        if column.unit:
            notes["unit"] = column.unit
        fields.append(
            arrow.field(column.column, types[column.type], column.is_nullable, notes)
        )
    return arrow.schema(fields, {"runconv.schema": str(SCHEMA)})


def tables_of(
    rows: Iterable[Struct], columns: list[Column], schema: pyarrow.Schema
) -> Iterator[pyarrow.Table]:
    """Yield rows as tables of Arrow, some hundreds of rows in each.

    Arrow reads them as the lines of NDJSON: to make its arrays of values in Python, it
    would import pandas where that is installed, which takes 40 MB.
    """
    held: list[bytes] = []
    size = 0
    for line in ndjson_pieces(rows, columns):
        held.append(line)
        size += len(line)
        if size >= _MOST_BYTES:
            yield _table(held, schema)
            held, size = [], 0
    if held:
        yield _table(held, schema)


def _table(lines: list[bytes], schema: pyarrow.Schema) -> pyarrow.Table:
    arrow = library()
    from pyarrow import json

    text = b"".join(lines)
    read = json.read_json(
        arrow.BufferReader(text),
        # The lines are one block, since none may be in two.
        json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )
    return arrow.Table.from_arrays(read.columns, schema=schema)


# A group of rows ends when it holds so many bytes or rows: larger ones need more
# memory, and smaller ones make queries slower.
_LARGEST = 3_000_000
_MOST = 100_000


def parquet_pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the file, a group of rows at a time."""
    arrow = library()
    from pyarrow import parquet

    schema = schema_of(columns)
    sink = _Sink()
    # Columns that options add hold long texts, few of which occur twice. They are not
    # worth a dictionary.
    alike = [each.column for each in columns if each.option is None]
    with parquet.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        use_dictionary=alike,
        write_statistics=alike,
    ) as writer:
        for group in _groups(tables_of(rows, columns, schema)):
            writer.write_table(arrow.concat_tables(group))
            yield sink.take()
    yield sink.take()


def _groups(made: Iterable[pyarrow.Table]) -> Iterator[list[pyarrow.Table]]:
    held: list[Any] = []
    size = count = 0
    for table in made:
        held.append(table)
        size += table.nbytes
        count += table.num_rows
        if size >= _LARGEST or count >= _MOST:
            yield held
            held, size, count = [], 0, 0
    if held:
        yield held


class _Sink(io.BytesIO):
    """The open file that pyarrow writes to; it keeps bytes until they are taken."""

    _taken = 0

    def tell(self) -> int:
        """Return how many bytes there have been."""
        return self._taken + super().tell()

    def close(self) -> None:
        """Do nothing: the last bytes are taken after that."""

    def take(self) -> bytes:
        """Return the bytes that were written since the last time."""
        taken = self.getvalue()
        self._taken += len(taken)
        self.seek(0)
        self.truncate()
        return taken


FORMATS: dict[str, FileFormat] = {
    row.name: row
    for row in (
        FileFormat("ndjson", ndjson_pieces, (".ndjson", ".jsonl"), "json"),
        FileFormat("csv", csv_pieces, (".csv",), "text"),
        FileFormat("parquet", parquet_pieces, (".parquet",), "bytes"),
    )
}
DEFAULT_FORMAT = next(iter(FORMATS))
