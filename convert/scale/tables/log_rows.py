"""The rows of one log, and rows that wait to be written.

A few rows wait in memory, more of them in a file: the rows of a log may need more
memory than everything else, and may have to wait for those of other logs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from convert.cli.logs import FAILED, LogResult, NamedLog, name_of
from convert.cli.messages import LogNotes, failure_in_words, say
from convert.errors import OutputError, system_reason, temporary_folder_error
from convert.model.events import End, Event
from convert.scale.engines.run_jobs import LogReading, result_of
from convert.scale.tables.rows import Wanted, log_name
from convert.scale.tables.schema import ROWS


class Making(Struct, frozen=True):
    """How the rows of logs are made, the same for each of them."""

    wanted: Wanted
    how: LogReading
    spill: str = ""
    """The folder for rows that wait to be written; "" to keep them in memory."""


class LogEnd(Struct):
    """The end of the reading of a log, which is known after its last row."""

    result: LogResult = FAILED
    notes: LogNotes | None = None
    """The warnings and notices about it; None if there were none."""

    began: dict[int, int | None] = {}
    """When its runs began, by their numbers, in milliseconds since 1970."""


class Made(Struct):
    """The rows of a log that wait, and how the reading ended."""

    rows: KeptRows | None
    end: LogEnd


# How many bytes of rows wait in memory.
_MOST = 500_000
# How many bytes of a file are read at once.
_PIECE = 1 << 16
# The bytes before each row that hold its length.
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
        """Take the rows of another, which has none afterwards."""
        for piece in other._pieces():
            self.waiting += piece
            if len(self.waiting) > _MOST and self.folder:
                self.flush()
        other.remove()

    def flush(self) -> None:
        """Write the rows in memory to the file."""
        self.path = self.path or os.path.join(self.folder, os.urandom(8).hex())
        try:
            with open(self.path, "ab") as file:
                file.write(self.waiting)
        except OSError as error:
            raise OutputError(
                f"cannot write waiting rows to {self.folder}: {system_reason(error)};"
                " make room there, or choose another place with -o"
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
        """Drop the rows, and remove their file."""
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


def temporary_folder(parent: str | None = None) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for rows that wait, in the usual place without a parent.

    Raises OutputError if there can be none.
    """
    try:
        return tempfile.TemporaryDirectory(prefix=".runconv-", dir=parent)
    except OSError as error:
        raise OutputError(temporary_folder_error(error)) from error


DIED = Made(None, LogEnd())
"""The result of a log whose worker died."""


def made_of(making: Making, log: NamedLog) -> Made:
    """Make the rows of one log; one that fails does not stop the others."""
    end = LogEnd()
    kept = KeptRows(making.wanted.table, making.spill)
    try:
        for row in rows_of(making, log, end):
            kept.add(row)
    except OutputError as error:
        say(error.message)
        end.result = FAILED
    # A command may keep very many of these.
    end.began = {}
    return Made(kept, end)


def rows_of(
    making: Making,
    log: NamedLog,
    end: LogEnd,
    flush: Callable[[], None] = lambda: None,
) -> Iterator[Any]:
    """Yield the rows of a log, and record how its reading ended.

    An error is printed and ends the rows.
    """
    how, wanted = making.how, making.wanted
    try:
        with how.opened(log, flush) as opened:
            events = _noted(how.events(opened, log, wanted.needs), end)
            yield from wanted.rows(events, log_name(log.path), opened.messages.warn)
        end.result = result_of(opened)
        end.notes = opened.messages.notes if opened.is_log else None
    except Exception as error:
        say(f"{name_of(log.path)}: {failure_in_words(error)}")
        end.result = FAILED


def _noted(events: Iterable[Event], end: LogEnd) -> Iterator[Event]:
    """Yield events, and note when their runs began."""
    for event in events:
        yield event
        if isinstance(event, End):
            end.began[event.run] = event.started_ms
