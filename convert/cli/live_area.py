"""`show --follow`: a log that another program still writes, shown as it grows.

The log is a file that grows, or a pipe. Lines at the end of the screen (`LiveArea`) are
written again while there is nothing to read.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Literal

from convert.cli.destination import (
    ERASED,
    STANDARD,
    columns,
    escape_for_runner,
    height,
    open_destination,
    redrawn,
    shown_path,
    width,
    writing_to,
)
from convert.cli.logs import Pieces, open_advice, open_log, title_of
from convert.cli.messages import Messages, say
from convert.cli.output_files import ENDING
from convert.cli.report_options import ShowOptions
from convert.errors import ExitStatus, InputError
from convert.model.events import Event
from convert.options.conversion import Options
from convert.show.follow import FollowedLog, silence_in_words
from convert.source.lines import BLOCK, chunks, is_regular, open_file
from convert.source.sessions import log_meant

if TYPE_CHECKING:
    from convert.show.text import Text

_NOTICES = {
    "truncated": "the file was emptied; another log follows",
    "replaced": "another file has taken the name; another log follows",
    "gone": "the file is gone",
}


def follow(
    log: str,
    command: ShowOptions,
    read: Callable[[Pieces, Messages], Iterator[Event]],
    paint: Callable[[Text], bytes],
) -> int:
    """Show a log while it grows; return the exit status."""
    follower = _Follower(log, command, read, paint)
    if log != "-" and _is_missing(log):
        follower.wait_for_file()
    if log == "-" or not is_regular(log):
        return follower.follow(pipe_pieces(log, follower.wait, open_advice))
    return follower.follow_file()


def _is_missing(path: str) -> bool:
    """Return True if no file has a name yet; any other error shows when it is read."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return bool(path)
    except (OSError, ValueError):
        pass
    return False


class _Follower:
    """Reads a log as it arrives, and shows it on a terminal or prints it."""

    def __init__(
        self,
        log: str,
        command: ShowOptions,
        read: Callable[[Pieces, Messages], Iterator[Event]],
        paint: Callable[[Text], bytes],
    ) -> None:
        self._log = log
        self._command = command
        self._read = read
        self._paint = paint
        self._view = self._new_view()
        # Only a terminal has an area that is redrawn.
        is_redrawn = os.isatty(1) and os.environ.get("TERM") != "dumb"
        self._screen = LiveArea() if is_redrawn else PlainLines()
        # When the bytes that are read now were written.
        self._arrived: Callable[[], float] = time.time
        self._is_silent = False

    def _new_view(self) -> FollowedLog:
        options = Options(thinking=self._command.thinking)
        return FollowedLog(options, title_of(self._log), is_cut=bool(columns()))

    def follow_file(self) -> int:
        """Follow a file, and the logs that take its place."""
        file = GrowingFile(
            self._log, self.wait, lambda: self._view.is_complete, open_advice
        )
        self._arrived = lambda: file.written
        worst = 0
        while True:
            status = self.follow(self._noticed(file.pieces(), lambda: file.ending))
            worst = max(worst, status)
            if file.ending not in ("truncated", "replaced"):
                return worst
            self._view = self._new_view()

    def _noticed(
        self, pieces: Generator[bytes, None, None], ending: Callable[[], str | None]
    ) -> Generator[bytes, None, None]:
        """Yield pieces, then print a notice if another log follows in the file."""
        yield from pieces
        notice = _NOTICES.get(ending() or "")
        if notice and not self._command.quiet:
            self._screen.clear()
            say(f"{self._log}: notice: {notice}", None)

    def follow(self, pieces: Generator[bytes, None, None]) -> int:
        """Follow one log until it ends."""
        with open_log(
            self._log,
            pieces=pieces,
            is_quiet=self._command.quiet,
            is_strict=self._command.strict,
            flush=self._screen.clear,
        ) as opened:
            for event in self._read(opened.pieces, opened.messages):
                lines = self._view.add(event, width(), self._arrived())
                self._screen.print([*map(self._paint, lines)])
        self._screen.clear()
        return (
            ExitStatus.CONVERTED if opened.error is None else opened.error.exit_status
        )

    def wait_for_file(self) -> None:
        """Return when the log is there; a similar name may be meant."""
        if not self._command.quiet:
            near = log_meant(self._log)
            meant = f"; did you mean {shown_path(near)}?" if near else ""
            say(f"notice: waiting for {shown_path(self._log)}{meant}", None)
        while _is_missing(self._log):
            self.wait()
            time.sleep(POLL)

    def wait(self) -> None:
        """Show the calls under way, while there is nothing to read."""
        now = time.time()
        silence = silence_in_words(now - (self._arrived() or now))
        lines = self._view.area(width(), now, silence)
        self._screen.draw([*map(self._paint, lines)])
        if silence and not self._is_silent and isinstance(self._screen, PlainLines):
            self._is_silent = True
            if not self._command.quiet:
                say(f"{shown_path(self._log)}: notice: {silence}", None)


class PlainLines:
    """Prints lines; has the methods of `LiveArea`, and no area."""

    def __init__(self) -> None:
        self._output = open_destination(1, STANDARD, escape_for_runner("text", 1))

    def print(self, lines: list[bytes]) -> None:
        """Print lines, at the latest before the next wait."""
        if lines:
            self._output.write(b"".join(lines))

    def draw(self, lines: list[bytes]) -> None:
        """Write out all lines; raise BrokenPipeError if their reader has gone."""
        self.clear()
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(1, 0)
            # Linux calls it an error, and macOS the end of a connection.
            gone = select.POLLERR | select.POLLHUP
            if any(state & gone for _, state in poll.poll(0)):
                raise BrokenPipeError

    def clear(self) -> None:
        """Write out all lines, before a message or at the end."""
        self._output.flush()


class LiveArea:
    """Prints lines, and below them those that change.

    The cursor rests at the start of the first of these. So one sequence removes all,
    however many rows they take after the terminal was resized; `Live` of rich counts
    rows upwards from the last one, and a terminal that wraps its lines anew makes that
    wrong.
    """

    def __init__(self) -> None:
        self._shown: list[bytes] = []
        self._columns = 0
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._leave)

    def print(self, lines: list[bytes]) -> None:
        """Print lines above the area, which is gone until it is drawn again."""
        if lines:
            self.clear()
            _write(b"".join(lines))

    def draw(self, lines: list[bytes]) -> None:
        """Show these lines, as many as the screen has room for."""
        wide = os.get_terminal_size(1).columns
        lines = [line.rstrip(b"\n") for line in lines[-max(height() - 1, 1) :]]
        if (lines, wide) != (self._shown, self._columns):
            self._shown, self._columns = lines, wide
            self._redraw()

    def clear(self) -> None:
        """Remove the lines."""
        if self._shown:
            self._shown = []
            _write(ERASED)

    def _redraw(self) -> None:
        _write(redrawn(self._shown))

    def _leave(self, number: int, frame: FrameType | None) -> None:
        """Keep the screen as it is, and end the command."""
        if self._shown:
            # The terminal may have written ^C across it.
            self._redraw()
            _write(b"\n" * len(self._shown))
        os._exit(128 + number)


_write = writing_to(1, STANDARD)


# How often a file is checked, and a waiting line is redrawn, in seconds.
POLL = 0.2
# How long a file must stay as it is before it counts as complete or as gone.
PATIENCE = 3.0

Ending = Literal["complete", "truncated", "replaced", "gone"]
# Returns advice on an error that occurs while a file is opened.
Advice = Callable[[Exception], str]


def pipe_pieces(
    path: str, wait: Callable[[], None], advice: Advice
) -> Generator[bytes, None, None]:
    """Yield the bytes of a pipe as they arrive, of standard input for `-`.

    `wait` is called while there are none.
    """
    file = 0 if path == "-" else open_file(path, advice)
    try:
        yield from chunks(file, lambda: _await(file, wait))
    finally:
        if file:
            os.close(file)


def _await(file: int, wait: Callable[[], None]) -> None:
    """Return when a file can be read; some systems know it only of sockets."""
    if sys.platform == "win32":
        wait()
        return
    timeout = 0.0
    while not select.select([file], [], [], timeout)[0]:
        wait()
        timeout = POLL


class GrowingFile:
    """A regular file that another program writes, checked repeatedly.

    `wait` is called while there is nothing to read, and `is_complete` returns True if
    the log may have ended. `ending` is the reason why the last log ended.
    """

    def __init__(
        self,
        path: str,
        wait: Callable[[], None],
        is_complete: Callable[[], bool],
        advice: Advice,
    ) -> None:
        self._path = path
        self._wait = wait
        self._is_complete = is_complete
        self._advice = advice
        self.ending: Ending | None = None
        # When the last bytes were written, according to the system.
        self.written = 0.0

    def pieces(self) -> Generator[bytes, None, None]:
        """Yield the bytes that the file has and gets, until its log ends.

        Called again, it reads the file that has the path by then. One that is replaced
        while it is empty holds no log yet.
        """
        self.ending = None
        is_empty = True
        while is_empty and self.ending in (None, "replaced"):
            file = open_file(self._path, self._advice)
            try:
                for piece in self._read(file):
                    is_empty = False
                    yield piece
            finally:
                os.close(file)

    def _read(self, file: int) -> Generator[bytes, None, None]:
        read = 0
        since = time.monotonic()
        while True:
            try:
                chunk = os.read(file, BLOCK)
            except OSError as error:
                raise InputError(f"reading failed: {error.strerror}".lower()) from error
            if chunk:
                read += len(chunk)
                self.written = os.fstat(file).st_mtime
                yield chunk
                since = time.monotonic()
                continue
            is_quiet = time.monotonic() - since >= PATIENCE
            self.ending = self._ending(os.fstat(file), read, is_quiet)
            if self.ending is not None:
                return
            self._wait()
            time.sleep(POLL)

    def _ending(
        self, state: os.stat_result, read: int, is_quiet: bool
    ) -> Ending | None:
        """Return the reason why the log ends here; None if it continues."""
        if state.st_size < read:
            return "truncated"
        try:
            now = os.stat(self._path)
        except OSError:
            # Another file may be about to take the name.
            return "gone" if is_quiet else None
        if not os.path.samestat(state, now):
            return "replaced"
        return "complete" if is_quiet and self._is_complete() else None
