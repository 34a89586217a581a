"""parquet, and rows as tables of Arrow: both by pyarrow.

One schema, and groups of rows that are written as they fill. The bytes depend on the
rows alone, so the same logs make the same file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.errors import UsageError
from convert.scale.tables.files import ndjson_pieces
from convert.scale.tables.schema import SCHEMA, Column, Kind

if TYPE_CHECKING:
    import pyarrow

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
    """Return the schema of some columns, with what they mean."""
    arrow = library()
    types: dict[Kind, Any] = {
        "text": arrow.string(),
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "boolean": arrow.bool_(),
        "timestamp": arrow.timestamp("ms", "UTC"),
    }
    fields = [_field(arrow, types, column) for column in columns]
    return arrow.schema(fields, {"runconv.schema": str(SCHEMA)})


def _field(arrow: Any, types: dict[Kind, Any], column: Column) -> Any:
    told = {"description": column.meaning}
    if column.unit:
        told["unit"] = column.unit
    return arrow.field(column.column, types[column.type], column.is_nullable, told)


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
    # Values that hardly occur twice would fill a dictionary for nothing.
    alike = [each.column for each in columns if not each.is_large]
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


class _Sink:
    """The open file that pyarrow writes to, which keeps what nobody has taken."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, piece: Any) -> int:
        """Keep a piece."""
        self._pieces.append(bytes(piece))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        """Return how many bytes there have been."""
        return self._size

    def flush(self) -> None:
        """Do nothing: whoever takes the pieces writes them."""

    def close(self) -> None:
        """Do nothing, since there is no file."""

    def writable(self) -> bool:
        """Say that pieces can be written."""
        return True

    def readable(self) -> bool:
        """Say that nothing can be read."""
        return False

    def seekable(self) -> bool:
        """Say that pieces come one after the other."""
        return False

    def take(self) -> bytes:
        """Return what has been written since the last time."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken
