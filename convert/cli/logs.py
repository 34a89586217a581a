"""A log that a command line names: opened, read and converted, with its result."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.commands import ConvertOptions, ManyLogs
from convert.cli.destination import Destination, shown_path
from convert.cli.messages import Messages, notice_running
from convert.cursor import AGENT
from convert.errors import (
    EMPTY_LOG,
    ExitStatus,
    InputError,
    NoResultError,
    NotALogError,
    RunconvError,
    UsageError,
    ignore,
)
from convert.formats import LOSSLESS
from convert.model.events import End, EndOfLog, Event, Needs, Start
from convert.options.conversion import Reading
from convert.pipeline import Conversion, convert_log, events_of, find_writer, with_known
from convert.source.lines import File, OpenFile, is_regular, read_file
from convert.wording.escapes import escape_controls, one_line
from convert.wording.paths import base_name, is_url, may_be_log, shown


class Pieces(Protocol):
    """The bytes of a log as they arrive; closed when nobody reads on."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces."""

    def close(self) -> None:
        """Close the log."""


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
        """Its only path."""
        return (self.path,)


class Named(Struct, frozen=True):
    """Everything that a command line names."""

    logs: list[NamedLog]
    is_many: bool
    """A folder or a list was named, so that nobody knows how many logs there are."""

    has_failed: bool = False
    """A folder could not be read, which has been printed."""

    links: list[str] = []
    """The links in folders, which are skipped."""

    specials: list[str] = []
    """The pipes, sockets and devices in folders, which are skipped."""

    places: list[str] = []
    """The folders and lists that were named."""

    left_out: int = 0
    """How many files are skipped because they lie in the folder that is written to."""

    reports: list[str] = []
    """The files that are skipped because the command writes them."""

    has_hidden: bool = False
    """A folder has hidden files or folders, which are skipped."""

    @property
    def paths(self) -> list[str]:
        """The paths of the logs."""
        return [log.path for log in self.logs]


def plain_logs(words: list[str], command: ManyLogs) -> Named | None:
    """Return the logs that words name; None if there is a folder, a list or a URL.

    `folders.named_logs` finds the logs of those.
    """
    words = words or ["-"]
    if (
        command.globs
        or command.files_from is not None
        or any(is_url(word) or (word != "-" and os.path.isdir(word)) for word in words)
    ):
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


def title_of(log: str) -> str:
    """Return the name of a log without its folder; empty for standard input."""
    return "" if log == "-" else base_name(log)


def name_of(log: str) -> str:
    """Return the name by which messages and reports call a log: no credentials."""
    return "<stdin>" if log == "-" else shown(log)


class OpenLog(Struct):
    """A log that is being read: its bytes in pieces, and the messages about it."""

    pieces: Pieces
    messages: Messages
    error: RunconvError | None = None
    """It stopped the reading; None if nothing has."""

    is_log: bool = True
    """False after an error that shows that a file which need not be a log is none."""


@contextlib.contextmanager
def open_log(
    log: str,
    *,
    is_quiet: bool,
    is_strict: bool,
    flush: Callable[[], None] = lambda: None,
    may_be_other: bool = False,
    pieces: Pieces | None = None,
) -> Iterator[OpenLog]:
    """Open a log; an error while it is read is printed and ends the block.

    `flush` writes out the converted part. It is called before a message is printed and
    before a read that may have to wait. A file that `may_be_other` and is no log
    causes no message. The bytes may come in `pieces` instead.
    """
    name = shown_path(name_of(log))
    messages = Messages(name, is_quiet=is_quiet, is_strict=is_strict, flush=flush)
    opened = OpenLog(bytes_of(log, flush) if pieces is None else pieces, messages)
    try:
        with contextlib.closing(opened.pieces):
            yield opened
    except (InputError, NoResultError) as error:
        opened.error = error
        opened.is_log = not (may_be_other and is_of_other_file(error, log))
        if opened.is_log:
            messages.error(error)


def is_of_other_file(error: RunconvError, path: str) -> bool:
    """Return True if an error shows that a file is no log; if empty, its name does."""
    is_empty = error.message == EMPTY_LOG
    return isinstance(error, NotALogError) or (is_empty and not may_be_log(path))


def bytes_of(log: str, flush: Callable[[], None] = lambda: None) -> Pieces:
    """Return the bytes of a log; those of a file or a URL can be read again."""
    if log == "-":
        return OpenFile(0, flush)
    if is_regular(log):
        return File(log, open_advice, on_read=on_read())
    return _pieces(log, flush)


def _pieces(log: str, flush: Callable[[], None]) -> Generator[bytes, None, None]:
    """Yield the bytes of a log as they arrive."""
    if os.path.isdir(log):
        example = os.path.join(log, "NAME")
        raise InputError(f"is a folder; name a log in it, as in {example}")
    yield from read_file(log, flush, advice=open_advice)


def first_error(path: str) -> RunconvError | None:
    """Return the error of a file that has no first event; None if it has one."""
    reading = Reading(is_found=True)
    try:
        next(iter(events_of(bytes_of(path), "auto", Needs(), reading, ignore)), None)
    except RunconvError as error:
        return error
    return None


def with_known_of(logs: Iterable[tuple[str, str]], reading: Reading) -> Reading:
    """Read logs of some formats for their secrets, so that none shows in another."""
    for path, source in logs:
        reading = with_known(bytes_of(path), source, reading)
    return reading


def open_advice(error: Exception) -> str:
    """Return advice on a log that cannot be opened."""
    if isinstance(error, PermissionError):
        return "; make it readable, as with chmod +r, or run as its owner"
    if not isinstance(error, FileNotFoundError):
        return "; check the path, or see runconv --help"
    path: str = error.filename
    if path.startswith(("–", "—")):
        return "; an option begins with - or --, not with a long dash"
    if os.path.islink(path):
        return f"; it is a link to {shown_path(os.readlink(path))}"
    folder, name = os.path.split(path)
    if "*" in name and os.path.isdir(folder or "."):
        folder = shown_path(folder or ".")
        return f"; to choose files of a folder: {folder} --glob '{name}'"
    from convert.source.sessions import log_meant

    if near := log_meant(path):
        return f"; did you mean {shown_path(near)}?"
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
    """Return the function that counts the bytes read; None if none is wanted."""
    return _watching[-1] if _watching else None


def forget_watching() -> None:
    """Count nothing, in a process that works for another."""
    _watching.clear()


_watching: list[Callable[[int], None]] = []


class LogResult(Struct, frozen=True):
    """How the conversion of a log ended."""

    status: int
    """The exit status that it asks for."""

    has_warnings: bool = False
    is_log: bool = True
    """False for a file that was found in a folder and is no log."""


FAILED = LogResult(ExitStatus.TROUBLE)
"""The result of a log whose process has died."""


def convert_log_to(
    destination: Destination,
    log: NamedLog,
    conversion: Conversion,
    command: ConvertOptions,
    is_headed: bool = False,
) -> LogResult:
    """Convert one log; an error in it is printed and does not stop the others."""
    destination.header = b""
    if is_headed:
        has_colours = conversion.options.colours
        destination.header = _header(log.path, destination.is_empty, has_colours)
    conversion = _for_log(log, conversion, not (destination.is_empty or is_headed))
    with open_log(
        log.path,
        is_quiet=command.quiet,
        is_strict=command.strict,
        flush=destination.flush,
        may_be_other=log.is_found,
    ) as opened:
        watcher = Watcher(opened.messages, command.exit_status, conversion.target)
        warn = opened.messages.warn
        pieces = convert_log(
            opened.pieces,
            conversion,
            warn,
            watcher.watch,
            has_last_words=command.exit_status,
        )
        if not _has_written(pieces, destination):
            watcher.end_empty(conversion)
            destination.write(b"")
    is_whole = not opened.error or isinstance(opened.error, NoResultError)
    if is_whole and not (log.is_found or command.files_from):
        notice_running(opened.messages, log.path, watcher.last, conversion.run)
    has_warnings = opened.messages.has_warned
    if (error := opened.error) is not None:
        if isinstance(error, NoResultError) and not destination.is_empty:
            destination.is_wanted = True
        return LogResult(error.exit_status, has_warnings, opened.is_log)
    destination.is_wanted = True
    status = ExitStatus.RUN_FAILED if watcher.has_failed else ExitStatus.CONVERTED
    return LogResult(status, has_warnings)


def _for_log(log: NamedLog, conversion: Conversion, follows: bool) -> Conversion:
    """Return the conversion with the options that depend on the log."""
    reading = conversion.reading
    if reading.is_found != log.is_found:
        reading = reading.replace(is_found=log.is_found)
    options = conversion.options.replace(follows=follows, log_name=title_of(log.path))
    return replace(conversion, options=options, reading=reading)


def _has_written(pieces: Iterable[bytes], destination: Destination) -> bool:
    """Write pieces as they come; return True unless all are empty."""
    has_written = False
    for piece in pieces:
        destination.write(piece)
        has_written = has_written or bool(piece)
    return has_written


def _header(log: str, is_first: bool, has_colours: bool) -> bytes:
    """Return the line above the output of a log, in the form of `head`."""
    from convert.wording.styles_and_columns import painted

    name = escape_controls(one_line(shown_path(name_of(log))))
    above = "" if is_first else "\n"
    head = f"==> {name} <=="
    if has_colours:
        head = painted(head, "bold")
    return f"{above}{head}\n".encode(errors="replace")


class Watcher:
    """Watches the ends of runs for `--exit-status`; prints the counts at the end."""

    def __init__(self, messages: Messages, counts_failures: bool, target: str) -> None:
        self._messages = messages
        self._counts_failures = counts_failures
        self._target = target
        self._records_calls = False
        self._has_answer = False
        # The events of other agents are not written again.
        self._keeps_events = True
        self.has_failed = False
        self.last: End | None = None
        """The end of the run that began last, of those that record calls."""

    def watch(self, event: Event) -> None:
        """Take the start or the end of a run, or the end of the log."""
        if isinstance(event, EndOfLog):
            is_kept = self._keeps_events and self._target == LOSSLESS
            fate = f"kept in {LOSSLESS}" if is_kept else "not read"
            self._messages.end(event, fate, counts_stderr=True)
        elif isinstance(event, Start):
            self._records_calls = self._records_calls or event.level == "calls"
            self._keeps_events = event.agent in ("", AGENT)
        elif isinstance(event, End):
            self._has_answer = self._has_answer or event.state in ("success", "error")
            if self._records_calls and (not self.last or event.run > self.last.run):
                self.last = event
            if self._counts_failures:
                self._count(event)

    def _count(self, end: End) -> None:
        self.has_failed = self.has_failed or end.state != "success"
        if end.state not in (None, "success"):
            from convert.cursor.text_reader import run_end_line

            self._messages.notice(end.line, run_end_line(end))
        if end.state is None:
            self._messages.warn(
                None,
                "the log does not record whether the run succeeded",
                "counted as a failure",
            )

    def end_empty(self, conversion: Conversion) -> None:
        """Print advice on finding the answer of a log without any output.

        A format that records no tool calls warns itself.
        """
        notice = find_writer(conversion.target).if_empty
        is_asked = conversion.options.answer
        if notice and self._records_calls and self._has_answer and not is_asked:
            self._messages.notice(None, notice)
