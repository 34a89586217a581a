"""Where a conversion goes: standard output, or a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator

from convert.errors import OutputError

_FULL = 1 << 16


class Output:
    """Bytes on their way to an open file: collected, and written out at each `flush`.

    The reader flushes before it waits: so output appears when its event has arrived,
    and a flood is written in blocks. `is_wanted` is what a file is kept for.
    """

    def __init__(
        self, file: int, name: str, show: Callable[[str], str] | None = None
    ) -> None:
        self._file = file
        self._name = name
        self._show = show
        self._waiting: list[bytes] = []
        self._size = 0
        self.is_empty = True
        self.is_wanted = False

    def write(self, lines: bytes) -> None:
        """Take whole lines."""
        self.is_empty = False
        if self._show is not None:
            lines = self._show(lines.decode(errors="replace")).encode()
        self._waiting.append(lines)
        self._size += len(lines)
        if self._size >= _FULL:
            self.flush()

    def flush(self) -> None:
        """Write out what is waiting. Raises BrokenPipeError when nobody reads it."""
        if not self._waiting:
            return
        rest = memoryview(b"".join(self._waiting))
        self._waiting.clear()
        self._size = 0
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write {self._name}: {reason(error)}") from error


@contextlib.contextmanager
def standard_output(show: Callable[[str], str] | None) -> Iterator[Output]:
    """Standard output; `show` changes how lines look there."""
    output = Output(1, "to standard output", show)
    yield output
    output.flush()


@contextlib.contextmanager
def named_output(
    path: str, *, follows_link: bool, show: Callable[[str], str] | None
) -> Iterator[Output]:
    """A file that appears under its name when all is written, or not at all.

    It is kept if the output is wanted in the end. A device or a pipe is written to as
    it is, with `show` if it is a terminal. `follows_link` is for a path that the user
    named; a link that stands in a folder is replaced.
    """
    if follows_link and os.path.lexists(path):
        path = os.path.realpath(path)
    if _is_special(path):
        with _opened(path, os.O_WRONLY) as file:
            output = Output(file, path, show if os.isatty(file) else None)
            yield output
            output.flush()
        return
    beside = os.path.join(os.path.dirname(path), f".runconv-{secrets.token_hex(8)}")
    _make_folder(os.path.dirname(path))
    with _opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, path) as file:
        try:
            output = Output(file, path)
            yield output
            output.flush()
            if output.is_wanted:
                _keep(beside, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)


def reason(error: OSError) -> str:
    """Why the system refused, in lower case."""
    return (error.strerror or str(error)).lower()


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _make_folder(path: str) -> None:
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {path}: {reason(error)}") from error


@contextlib.contextmanager
def _opened(path: str, flags: int, name: str = "") -> Iterator[int]:
    try:
        file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise OutputError(f"cannot write {name or path}: {reason(error)}") from error
    try:
        yield file
    finally:
        os.close(file)


def _keep(beside: str, path: str) -> None:
    """Put a finished file in the place of its name; an old file's permissions stay."""
    try:
        with contextlib.suppress(FileNotFoundError):
            old = os.lstat(path)
            if stat.S_ISREG(old.st_mode):
                os.chmod(beside, stat.S_IMODE(old.st_mode))
        os.replace(beside, path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {reason(error)}") from error
