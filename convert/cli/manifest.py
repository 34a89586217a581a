"""The manifest of a folder: of which logs its files were made, and how that ended.

For `--resume`, a line of JSON is added for each piece of work as it is done, so that it
is there after the command has been killed. The later of two lines about a piece counts,
and a line that is torn does not. Nothing can be added to an object in a store, which is
replaced now and then instead.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from convert.cli.display import shown_path
from convert.cli.whole_files import content_of, replace_content
from convert.errors import OutputError
from convert.storage import State, is_url, joined

NAME = ".runconv-manifest"
"""The name of the manifest in its folder: hidden, and without the suffix of a log."""

# How many seconds lie between two versions of an object, and how many times as long as
# it took to write one.
_SECONDS = 10.0
_TIMES = 20


class ToldOf(Struct, omit_defaults=True):
    """The warnings and notices about a log, for the sums of a table."""

    warnings: list[tuple[str, str, int, int]] = []
    """Their reason and action, how often, and the first line."""

    unknown: dict[str, int] = {}
    redacted: dict[str, int] | None = None
    notices: tuple[str, ...] = ()


class LogRead(Struct, omit_defaults=True):
    """A log as it was before it was read, and how the reading ended."""

    log: str
    """Its path from the root, or its URL."""

    name: str
    """Its path as it was named."""

    state: State
    status: int = 0
    has_warnings: bool = False
    is_log: bool = True
    told: ToldOf | None = None


class Entry(Struct, omit_defaults=True):
    """A piece of work."""

    piece: str
    """The path of its file in the folder, or the number of its group of logs."""

    asked: str
    """The digest of what was asked for, as `digest_of` returns it."""

    logs: list[LogRead]
    made: dict[str, State] = {}
    """The files that were made, by their paths in the folder."""

    is_done: bool = True
    """False if it is only planned."""


class Manifest:
    """The manifest of a folder, while a command writes into the folder."""

    def __init__(self, folder: str) -> None:
        self.path = joined(folder, NAME)
        self._file: int | None = None
        # All lines, and when they are written again; for an object.
        self._lines = bytearray()
        self._next = 0.0
        self._is_written = True

    def entries(self) -> dict[str, Entry]:
        """Return the entries by their pieces.

        Raises InputError for a manifest that cannot be read.
        """
        lines = (content_of(self.path) or b"").splitlines()
        return {entry.piece: entry for entry in map(_entry, lines) if entry is not None}

    def begin(self, entries: Iterable[Entry]) -> None:
        """Replace the manifest; raises OutputError if that is impossible."""
        lines = b"".join(map(_line, entries))
        replace_content(self.path, lines)
        if is_url(self.path):
            self._lines += lines
        else:
            with self._writing():
                self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def add(self, entry: Entry) -> None:
        """Add an entry; raises OutputError if that is impossible."""
        if self._file is not None:
            with self._writing():
                os.write(self._file, _line(entry))
            return
        self._lines += _line(entry)
        self._is_written = False
        if time.monotonic() >= self._next:
            self._replace()

    def end(self) -> None:
        """Write out everything that has been added."""
        if self._file is not None:
            os.close(self._file)
        elif not self._is_written:
            self._replace()

    def _replace(self) -> None:
        began = time.monotonic()
        replace_content(self.path, bytes(self._lines))
        self._is_written = True
        now = time.monotonic()
        self._next = now + max(_SECONDS, _TIMES * (now - began))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            what = f"cannot write {shown_path(self.path)}: {why}"
            raise OutputError(f"{what}; choose another with -o") from error


def _line(entry: Entry) -> bytes:
    # Names that are no UTF-8 are written as \udcXX, which msgspec refuses.
    return f"{json.dumps(msgspec.to_builtins(entry))}\n".encode()


def _entry(line: bytes) -> Entry | None:
    """Return the entry in a line; None for a line that is torn."""
    try:
        return msgspec.convert(json.loads(line), Entry)
    except (ValueError, msgspec.MsgspecError):
        return None
