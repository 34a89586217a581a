"""parquet: one schema, and groups of rows that are written as they fill.

The bytes depend on the rows alone, so the same logs make the same file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.tables.arrow import library, schema_of, tables_of
from convert.tables.schema import Column

if TYPE_CHECKING:
    import pyarrow

# A group of rows ends when it holds so many bytes or rows: larger ones need more
# memory, and smaller ones make queries slower.
_LARGEST = 3_000_000
_MOST = 100_000


def pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
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
