"""Opening and reading a log that a command line names."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.messages import Messages
from convert.cli.terminal import shown_path
from convert.errors import (
    EMPTY_LOG,
    InputError,
    NoResultError,
    NotALogError,
    RunconvError,
    UsageError,
)
from convert.wording.urls import base_name, is_url, may_be_log, shown


class NamedLog(Struct, frozen=True):
    """A log that was named, or a file that was found in a folder."""

    path: str
    """Its path, or `-` for standard input."""

    place: str
    """The path that its output has in a folder, but for the suffix."""

    is_found: bool = False
    """It was found, so that it need not be a log."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Its path alone."""
        return (self.path,)


class Named(Struct, frozen=True):
    """Everything that a command line names."""

    logs: list[NamedLog]
    is_many: bool
    """A folder or a list was named, so that nobody knows how many logs there are."""

    has_failed: bool = False
    """A folder could not be read, which has been printed."""

    links: list[str] = []
    """The links in folders, which are left out."""

    specials: list[str] = []
    """The pipes, sockets and devices in folders, which are left out."""

    left_out: int = 0
    """How many files are left out because they lie in the folder that is written to."""

    reports: list[str] = []
    """The files that are left out because the command writes them anew."""

    @property
    def paths(self) -> list[str]:
        """The paths of the logs."""
        return [log.path for log in self.logs]


if TYPE_CHECKING:
    from convert.cli.options import ManyLogs
    from convert.source.lines import File, OpenFile

    Pieces = Generator[bytes, None, None] | File | OpenFile


def plain_logs(words: list[str], command: ManyLogs) -> Named | None:
    """Return the logs that words name; None if there is a folder, a list or a URL.

    `folders.named_logs` finds the logs of those.
    """
    words = words or ["-"]
    if command.globs or command.files_from is not None:
        return None
    if any(is_url(word) or (word != "-" and os.path.isdir(word)) for word in words):
        return None
    check_logs(words)
    return Named([NamedLog(word, base_name(word)) for word in words], is_many=False)


def check_logs(logs: list[str]) -> None:
    """Raise UsageError if standard input or a named pipe is to be read twice.

    A list of logs counts as well.
    """
    if logs.count("-") > 1:
        raise UsageError("standard input can be read only once; name - once")
    pipes: set[tuple[int, int]] = set()
    for log in logs:
        try:
            state = os.stat(0 if log == "-" else log)
        except (OSError, ValueError):
            continue
        if stat.S_ISFIFO(state.st_mode):
            if (state.st_dev, state.st_ino) in pipes:
                raise UsageError(
                    f"{shown_path(log)} can be read only once; name it once"
                )
            pipes.add((state.st_dev, state.st_ino))


def name_of(log: str) -> str:
    """Return the name by which messages and reports call a log: no credentials."""
    return "<stdin>" if log == "-" else shown(log)


class OpenLog:
    """A log that is being read: its bytes in pieces, and the messages about it.

    `error` is what stopped the reading, None if nothing has. `is_log` is false after
    an error that shows that the file is no log, where it need not be one.
    """

    def __init__(self, pieces: Pieces, messages: Messages) -> None:
        self.pieces = pieces
        self.messages = messages
        self.error: RunconvError | None = None
        self.is_log = True


def open_log(
    log: str,
    *,
    is_quiet: bool,
    is_strict: bool,
    flush: Callable[[], None] = lambda: None,
    may_be_other: bool = False,
) -> contextlib.AbstractContextManager[OpenLog]:
    """Open a log; an error while it is read is printed and ends the block.

    `flush` writes out what has been converted. It is called before a message is printed
    and before a read that may have to wait. A file that `may_be_other` and is no log
    causes no message.
    """
    return open_pieces(
        log,
        bytes_of(log, flush),
        is_quiet=is_quiet,
        is_strict=is_strict,
        flush=flush,
        may_be_other=may_be_other,
    )


@contextlib.contextmanager
def open_pieces(
    log: str,
    pieces: Pieces,
    *,
    is_quiet: bool,
    is_strict: bool,
    flush: Callable[[], None],
    may_be_other: bool = False,
) -> Iterator[OpenLog]:
    """Open a log whose bytes come in these pieces; see `open_log`."""
    name = shown_path(name_of(log))
    messages = Messages(name, is_quiet=is_quiet, is_strict=is_strict, flush=flush)
    opened = OpenLog(pieces, messages)
    try:
        with contextlib.closing(opened.pieces):
            yield opened
    except (InputError, NoResultError) as error:
        opened.error = error
        opened.is_log = not (may_be_other and is_of_other_file(error, log))
        if opened.is_log:
            messages.error(error)


def is_of_other_file(error: RunconvError, path: str) -> bool:
    """Tell if an error shows that a file is no log; an empty one tells by its name."""
    is_empty = error.message == EMPTY_LOG
    return isinstance(error, NotALogError) or (is_empty and not may_be_log(path))


def bytes_of(log: str, flush: Callable[[], None] = lambda: None) -> Pieces:
    """Return the bytes of a log; those of a file or a URL can be read again."""
    from convert.source.lines import File, OpenFile, is_regular

    if log == "-":
        return OpenFile(0, flush)
    if is_regular(log):
        return File(log, open_advice, on_read=on_read())
    return _pieces(log, flush)


def _pieces(log: str, flush: Callable[[], None]) -> Generator[bytes, None, None]:
    """Yield the bytes of a log as they arrive."""
    from convert.source.lines import read_file

    if os.path.isdir(log):
        example = os.path.join(log, "NAME")
        raise InputError(f"is a folder; name a log in it, as in {example}")
    yield from read_file(log, flush, advice=open_advice)


def open_advice(error: Exception) -> str:
    """Return what to do about a log that cannot be opened."""
    if isinstance(error, PermissionError):
        return "; make it readable, as with chmod +r, or run as its owner"
    return "; check the path, or see runconv --help"


@contextlib.contextmanager
def watched_reading(watch: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the number of bytes of each piece that a block reads."""
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.clear()


def on_read() -> Callable[[int], None] | None:
    """Return what counts the bytes that are read; None if nothing has to."""
    return _watching[-1] if _watching else None


def forget_watching() -> None:
    """Count nothing, in a process that works for another."""
    _watching.clear()


_watching: list[Callable[[int], None]] = []
