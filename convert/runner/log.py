"""The log of a run: the lines that the agent prints, and marks for its standard error.

Lines are written whole, so that a mark never cuts one of the agent. Standard error goes
on to that of the command as well.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections import deque
from collections.abc import Callable, Iterator

from convert.cli.destination import Place, escape_message, shown_path, writing_to
from convert.cli.messages import say
from convert.cli.output_files import BINARY
from convert.errors import (
    OutputError,
    UsageError,
    system_reason,
    temporary_folder_error,
)
from convert.options.conversion import Reading
from convert.runner.process import OUT
from convert.source.lines import File, OpenFile, do_nothing, is_regular, is_whole
from convert.source.marks import START, end_mark, stderr_marks, without_forged
from convert.wording.escapes import resolve_overwrites
from convert.wording.paths import COMPRESSED

# A longer line of standard error, in bytes, is cut into several.
_LONGEST = 1 << 16
# How many of its last lines are kept, for the reason of a failure, and how long.
_KEPT, _LONGEST_KEPT = 20, 1000


class AgentLog:
    """The lines of a log, as they are written to its file, if it has one.

    `forward` gets the lines of standard error, without characters that control a
    terminal.
    """

    def __init__(
        self, path: str | None, forward: Callable[[str], None], is_kept: bool
    ) -> None:
        self._forward = forward
        self._path = path or ""
        self._file = -1
        if path is not None:
            self._file = _opened(path)
        elif is_kept:
            self._file = _temporary()
        self._write = writing_to(self._file, Place(self._path), may_be_pipe=False)
        self.is_broken = False
        """The file could not be written any more."""

        self.has_output = False
        """The agent has printed something since the try began."""

        self._begin()

    def _begin(self) -> None:
        self.has_output = False
        self._last_line = b""
        self._line: list[bytes] = []
        # The line feed of the next piece has been written already.
        self._has_line_feed = False
        self._error = b""
        self._last: deque[str] = deque(maxlen=_KEPT)

    @property
    def last_words(self) -> list[str]:
        """The last lines of standard error that are not blank."""
        return [*self._last]

    @property
    def last_text(self) -> str:
        """The last line of standard output; "" if it is an event."""
        text = resolve_overwrites(self._last_line.decode(errors="replace"))
        line = ["", *text.strip().splitlines()][-1].strip()
        return "" if line.endswith("}") else line

    def begin(self) -> bytes:
        """Begin a try; return the bytes that were written."""
        self._begin()
        return self._written(START)

    def add(self, stream: int, piece: bytes) -> bytes:
        """Add a piece of a stream; return the whole lines that were written."""
        if stream == OUT:
            self.has_output = True
            if self._has_line_feed:
                self._has_line_feed = False
                piece = piece.removeprefix(b"\r").removeprefix(b"\n")
            end = piece.rfind(b"\n") + 1
            if not end:
                if piece:
                    self._line.append(piece)
                return b""
            lines = b"".join([*self._line, piece[:end]])
            self._line = [piece[end:]] if end < len(piece) else []
            self._last_line = lines[-_LONGEST_KEPT:]
            return self._written(without_forged(lines))
        self._error += piece
        end = self._error.rfind(b"\n") + 1
        if not end and len(self._error) < _LONGEST:
            return b""
        end = end or _end_of_characters(self._error)
        lines, self._error = self._error[:end], self._error[end:]
        return self._written(self._marked(lines))

    def whole_line(self) -> bytes:
        """Write the last line of a silent agent, if only its line feed is missing."""
        line = b"".join(self._line)
        if not line or not is_whole(line):
            return b""
        self._line, self._has_line_feed = [], True
        return self._written(without_forged(line + b"\n"))

    def rest(self) -> bytes:
        """Return the lines that have no end, which were written."""
        lines = b"".join([*self._line, b"\n"]) if self._line else b""
        self._last_line = lines[-_LONGEST_KEPT:] or self._last_line
        error = self._error
        self._line, self._error = [], b""
        return self._written(
            without_forged(lines) + (self._marked(error) if error else b"")
        )

    def end(
        self, exit_code: int | None, signal: str, stopped: str, reason: str
    ) -> bytes:
        """End a try; return the bytes that were written."""
        mark = end_mark(
            exit_code=exit_code, signal=signal, stopped=stopped, reason=reason
        )
        return self._written(mark)

    def content(self) -> File | OpenFile | None:
        """Return the log to be read; None if there is none, or only a part of one."""
        if self._file < 0 or self.is_broken:
            return None
        if self._path:
            return (
                File(self._path, lambda error: "") if is_regular(self._path) else None
            )
        os.lseek(self._file, 0, os.SEEK_SET)
        return OpenFile(self._file, do_nothing)

    def close(self) -> None:
        """Close the file; an error of the disk may show only here."""
        if self._file < 0:
            return
        try:
            os.close(self._file)
        except OSError as error:
            self._break(system_reason(error))
        self._file = -1

    def _marked(self, lines: bytes) -> bytes:
        shown = resolve_overwrites(lines.decode(errors="replace"))
        self._keep(shown)
        self._forward(escape_message(shown if shown.endswith("\n") else f"{shown}\n"))
        return stderr_marks(lines)

    def _keep(self, text: str) -> None:
        """Keep the last lines that are not blank, without looking at all of them."""
        lines = text[-_KEPT * _LONGEST_KEPT :].splitlines()[-_KEPT:]
        self._last.extend(
            line.strip()[:_LONGEST_KEPT] for line in lines if line.strip()
        )

    def _written(self, lines: bytes) -> bytes:
        """Write lines to the file, while that is possible; return them."""
        if self._file >= 0 and lines and not self.is_broken:
            try:
                self._write(lines)
            except OutputError as error:
                self._break(error.message)
        return lines

    def _break(self, why: str) -> None:
        self.is_broken = True
        say(f"{why}; the run goes on, and its log ends here")


@contextlib.contextmanager
def agent_log(
    path: str | None, forward: Callable[[str], None], *, is_kept: bool
) -> Iterator[AgentLog]:
    """Yield the log of a run: in a file, or else in a temporary one if it `is_kept`."""
    log = AgentLog(path, forward, is_kept)
    try:
        yield log
    finally:
        log.close()


def _end_of_characters(text: bytes) -> int:
    """Return the end of the last whole character of a text in UTF-8."""
    for before in range(1, 4):
        if text[-before] & 0xC0 == 0xC0:
            is_whole = text[-before:].decode(errors="ignore") != ""
            return len(text) if is_whole else len(text) - before
    return len(text)


class Redaction:
    """Replaces the secrets of texts, if that is asked for."""

    def __init__(self, reading: Reading) -> None:
        self._redact: Callable[[str], str] | None = None
        self._held = ""
        if reading.redact:
            from convert.redact.redactor import Redactor

            self._redact = Redactor(reading.redact_patterns, reading.known).text

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        return self._redact(text) if self._redact else text

    def lines(self, lines: str, is_last: bool = False) -> str:
        """Return lines likewise; those of a private key that goes on are held back."""
        if self._redact is None:
            return lines
        text = self._held + lines
        begin = text.rfind("-----BEGIN ")
        is_cut = begin >= 0 and "-----END " not in text[begin:]
        if is_cut and not is_last and len(text) - begin < _LONGEST:
            self._held = text[begin:]
            text = text[:begin]
        else:
            self._held = ""
        return self._redact(text) if text else ""


def _temporary() -> int:
    """Open a file without a name."""
    import tempfile

    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            return os.dup(file.fileno())
    except OSError as error:
        raise OutputError(temporary_folder_error(error)) from error


def _opened(path: str) -> int:
    """Open a log, which replaces one of this name, in a folder that may be made."""
    if not path or path == "-":
        raise UsageError("--log needs the path of a file, as in runs/fix.ndjson")
    if path.lower().endswith(COMPRESSED):
        raise UsageError("--log writes no compressed files; compress it afterwards")
    try:
        if folder := os.path.dirname(path):
            os.makedirs(folder, exist_ok=True)
        # Without O_NONBLOCK, a named pipe would be opened when somebody reads it.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NONBLOCK
        file = os.open(path, flags | BINARY, 0o666)
        os.set_blocking(file, True)
        return file
    except (OSError, ValueError) as error:
        why = system_reason(error) if isinstance(error, OSError) else str(error)
        if isinstance(error, OSError) and error.errno == errno.ENXIO:
            why = "nobody reads this named pipe; start its reader first"
        raise OutputError(
            f"cannot write {shown_path(path)}: {why}; choose another with --log"
        ) from error
