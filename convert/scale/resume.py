"""The manifest of a folder, by which `--resume` knows work that is done and unchanged.

It names the logs from which each file of the folder was made, and how that ended. Each
piece of work adds a line of JSON when it is done, so that the line survives a kill of
the command. The later of two lines about a piece counts, and a torn line does not.
Nothing can be added to an object in a store, so it is replaced now and then. A log is
known by its path and state, and a file by its state. A digest covers the version and
the options.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic

import msgspec
from msgspec import Struct, field

from convert.cli.destination import shown_path
from convert.cli.logs import LogResult, NamedLog
from convert.cli.messages import LogNotes, say
from convert.cli.output_files import BINARY, write_whole
from convert.errors import InputError, OutputError, system_reason
from convert.options.option_set import OptionSet
from convert.scale.engines.jobs import J, R
from convert.source.places import State, state_of
from convert.version import __version__
from convert.wording.numbers import count
from convert.wording.paths import is_url, joined, shown

NAME = ".runconv-manifest"
"""The name of the manifest in its folder: hidden, and without the suffix of a log."""

# The seconds between two versions of an object: at least these, and at least so many
# times the time that it took to write one.
_SECONDS = 10.0
_TIMES = 20


class LogRead(Struct, omit_defaults=True):
    """A log as it was before it was read, and how the reading ended."""

    log: str
    """Its path from the root, or its URL."""

    name: str
    """Its path as the user named it."""

    state: State
    status: int = 0
    has_warnings: bool = False
    is_log: bool = True
    notes: LogNotes | None = field(default=None, name="told")


class Entry(Struct, omit_defaults=True):
    """A piece of work."""

    piece: str
    """The path of its file in the folder, or the number of its group of logs."""

    digest: str = field(name="asked")
    """The digest of the options, as `digest_of` returns it."""

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
        # For an object: all lines, and the time of the next write.
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
        write_whole(self.path, [lines])
        if is_url(self.path):
            self._lines += lines
        else:
            with self._writing():
                self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | BINARY)

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
        write_whole(self.path, [bytes(self._lines)])
        self._is_written = True
        now = time.monotonic()
        self._next = now + max(_SECONDS, _TIMES * (now - began))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"cannot write {shown_path(self.path)}: {system_reason(error)}; choose"
                " another with -o"
            ) from error


def _line(entry: Entry) -> bytes:
    # Names that are not UTF-8 are written as \udcXX, which msgspec refuses.
    return f"{json.dumps(msgspec.to_builtins(entry))}\n".encode()


def _entry(line: bytes) -> Entry | None:
    """Return the entry in a line; None for a line that is torn."""
    try:
        return msgspec.convert(json.loads(line), Entry)
    except (ValueError, msgspec.MsgspecError):
        return None


class Unfinished(Struct, Generic[J, R]):
    """The manifest of a folder, in which finished jobs are noted."""

    manifest: Manifest
    entries: list[Entry]
    """Those that it begins with: work that stays as it is, and planned work."""

    entry_of: Callable[[J, R], Entry | None]
    """Returns the entry of a job that is done; None to note nothing."""

    stale: list[str] = []
    """The files that no longer belong to any entry."""

    @contextlib.contextmanager
    def noting(self) -> Iterator[Callable[[J, R], None]]:
        """Yield the function that takes each job that is done and its result.

        Planned work is noted before it has any file, so that the files of a killed
        command are known.
        """
        self.manifest.begin(self.entries)
        self.entries = []
        try:
            remove_all(self.stale)
            yield self._note
        finally:
            self.manifest.end()

    def _note(self, job: J, result: R) -> None:
        if (entry := self.entry_of(job, result)) is not None:
            self.manifest.add(entry)


def digest_of(*options: Any) -> str:
    """Return a digest of the version of runconv and of options."""
    plain = msgspec.to_builtins(
        [__version__, *options], order="deterministic", enc_hook=OptionSet.as_dict
    )
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:32]


def key_of(path: str) -> str:
    """Return the name of a log that is the same in every current folder."""
    return path if is_url(path) else os.path.abspath(path)


def known_state(path: str) -> State | None:
    """Return the state of a log; None if nothing shows that it is unchanged.

    This is so for a pipe, and for a URL with credentials, which are not written down.
    """
    if is_url(path):
        state = state_of(path) if shown(path) == path else None
        return state if state is None or state.version else None
    return state_of(path) if os.path.isfile(path) else None


def log_read(
    log: NamedLog, state: State, result: LogResult, notes: LogNotes | None = None
) -> LogRead:
    """Return the entry of a log that has been read."""
    return LogRead(
        key_of(log.path),
        log.path,
        state,
        result.status,
        result.has_warnings,
        result.is_log,
        notes,
    )


def result_of(log: LogRead) -> LogResult:
    """Return how the reading of a log ended, by its entry."""
    return LogResult(log.status, log.has_warnings, log.is_log)


def path_in(path: str, folder: str) -> str:
    """Return the path of a file in a folder, which begins with the folder's."""
    return path.removeprefix(joined(folder, ""))


def say_left_out(logs: int, is_quiet: bool) -> None:
    """Print how many logs are skipped."""
    if logs and not is_quiet:
        say(
            f"notice: {count(logs, 'log')} done before and unchanged, not read again"
            " (--resume)",
            None,
        )


def content_of(path: str) -> bytes | None:
    """Return the content of a file or an object at a URL; None if there is none.

    Raises InputError if it cannot be read.
    """
    if is_url(path):
        from convert.scale.storage.objects import content_at

        return content_at(path, shown(path))
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {system_reason(error)}; check the path"
        ) from error


def remove_all(paths: Iterable[str]) -> None:
    """Remove files or objects; raises OutputError for one that stays."""
    for path in paths:
        if is_url(path):
            from convert.scale.storage.objects import remove

            remove(path)
            continue
        try:
            os.unlink(path)
        except OSError as error:
            raise OutputError(
                f"cannot remove {path}: {system_reason(error)}"
            ) from error
