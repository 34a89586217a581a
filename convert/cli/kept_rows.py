"""Rows that wait to be written: in memory while they are few, else in a file.

The rows of a log may need more memory than all else, and other logs may be ahead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from convert.errors import OutputError
from convert.tables.schema import ROWS

# How many bytes of rows wait in memory.
_MOST = 500_000
# How many bytes of a file are read at once.
_PIECE = 1 << 16
# The bytes in front of each row that say how long it is.
_LENGTH = 4

_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder().decode


class KeptRows(Struct):
    """The rows of a table that wait, in their order."""

    table: str
    folder: str
    """The folder of the file that they may need; "" to keep all in memory."""

    waiting: bytearray = msgspec.field(default_factory=bytearray)
    path: str = ""
    """The file with the rows before those in memory; "" for none."""

    def add(self, row: Any) -> None:
        """Keep one more row."""
        cells = _ENCODE(msgspec.structs.astuple(row))
        self.waiting += len(cells).to_bytes(_LENGTH, "little")
        self.waiting += cells
        if len(self.waiting) > _MOST and self.folder:
            self.flush()

    def take(self, other: KeptRows) -> None:
        """Keep the rows of another as well, which are gone there."""
        for piece in other._pieces():
            self.waiting += piece
            if len(self.waiting) > _MOST and self.folder:
                self.flush()
        other.remove()

    def flush(self) -> None:
        """Write what is in memory to the file."""
        self.path = self.path or os.path.join(self.folder, os.urandom(8).hex())
        try:
            with open(self.path, "ab") as file:
                file.write(self.waiting)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise OutputError(
                f"cannot write rows that wait to {self.folder}: {why}; make room there,"
                " or choose another place with -o"
            ) from error
        self.waiting.clear()

    def rows(self) -> Iterator[Any]:
        """Yield the rows."""
        kind: Any = ROWS[self.table]
        names = kind.__struct_fields__
        held = bytearray()
        for piece in self._pieces():
            held += piece
            at = 0
            while (begin := at + _LENGTH) <= len(held):
                end = begin + int.from_bytes(held[at:begin], "little")
                if end > len(held):
                    break
                cells = _DECODE(memoryview(held)[begin:end])
                yield kind(**dict(zip(names, cells, strict=True)))
                at = end
            del held[:at]

    def remove(self) -> None:
        """Forget the rows, and remove their file."""
        self.waiting.clear()
        if self.path:
            os.unlink(self.path)
            self.path = ""

    def _pieces(self) -> Iterator[bytes]:
        if self.path:
            with open(self.path, "rb") as file:
                while piece := file.read(_PIECE):
                    yield piece
        yield bytes(self.waiting)
