"""Rows as tables of Arrow, through pyarrow, the library of the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.errors import UsageError
from convert.tables.ndjson import pieces
from convert.tables.schema import SCHEMA, Column, Kind

if TYPE_CHECKING:
    import pyarrow

# How many bytes of rows are read by Arrow at once; an output may be a megabyte long.
_MOST = 250_000


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
    for line in pieces(rows, columns):
        held.append(line)
        size += len(line)
        if size >= _MOST:
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
