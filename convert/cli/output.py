"""Where a conversion goes: standard output, or a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator

from convert.errors import OutputError

# How lines look where they go.
Show = Callable[[str], str]

_FULL = 1 << 16
# How messages name it.
_STANDARD = "to standard output"


class Output:
    """Bytes on their way to an open file: collected, and written out at each `flush`.

    The reader flushes before it waits: so output appears when its event has arrived,
    and a flood is written in blocks. `is_wanted` is what a file is kept for.
    """

    def __init__(self, file: int, name: str, show: Show | None = None) -> None:
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
        while rest:
            try:
                rest = rest[os.write(self._file, rest) :]
            except BrokenPipeError:
                raise
            except BlockingIOError:
                _wait_to_write(self._file)
            except OSError as error:
                raise _refused(self._name, error) from error


@contextlib.contextmanager
def standard_output(show: Show | None) -> Iterator[Output]:
    """Standard output; `show` changes how lines look there."""
    output = Output(1, _STANDARD, show)
    yield output
    output.flush()


@contextlib.contextmanager
def named_output(
    path: str, *, follows_link: bool, show_on: Callable[[bool], Show | None]
) -> Iterator[Output]:
    """A file that appears under its name when all is written, or not at all.

    It is kept if the output is wanted in the end. What is open already (`/dev/stdout`),
    a device or a pipe is written to as it is; `show_on` tells how lines look there, on
    a terminal or not. `follows_link` is for a path that the user named; a link that
    stands in a folder is replaced.
    """
    if follows_link and (open_already := re.fullmatch(_OPEN_ALREADY, path)):
        number = open_already["number"] or _STREAMS[open_already["stream"]]
        with _written(path, lambda: os.dup(int(number))) as file:
            yield from _through(Output(file, path, show_on(os.isatty(file))))
    elif _is_special(path, follows_link):
        with _written(path, lambda: os.open(path, os.O_WRONLY | _BINARY)) as file:
            show = show_on(True) if os.isatty(file) else None
            yield from _through(Output(file, path, show))
    else:
        yield from _whole(path, os.path.realpath(path) if follows_link else path)


_OPEN_ALREADY = (
    r"/dev/(?P<stream>stdout|stderr)|/(?:dev|proc/self)/fd/(?P<number>\d{1,9})"
)
_STREAMS = {"stdout": "1", "stderr": "2"}
_BINARY = getattr(os, "O_BINARY", 0)


def _through(output: Output) -> Iterator[Output]:
    yield output
    output.flush()


def _whole(name: str, path: str) -> Iterator[Output]:
    """Write beside a path, and put the file in its place when all is there.

    Until then nobody else may read it: the file that it replaces may be private.
    """
    folder = os.path.dirname(path)
    _make_folder(folder, name)
    beside = os.path.join(folder, f".runconv-{os.urandom(8).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    try:
        with _written(name, lambda: os.open(beside, flags, 0o600)) as file:
            output = Output(file, name)
            yield output
            output.flush()
            if output.is_wanted:
                _reach_the_disk(file, name)
        if output.is_wanted:
            try:
                os.chmod(beside, _permissions(path))
                os.replace(beside, path)
            except OSError as error:
                raise _refused(name, error) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def _reach_the_disk(file: int, name: str) -> None:
    """Wait until all is there: a name must not outlive what it stands for."""
    try:
        os.fsync(file)
    except OSError as error:
        raise _refused(name, error) from error


def _permissions(path: str) -> int:
    """Those of the file that is replaced, else the usual ones."""
    with contextlib.suppress(OSError):
        old = os.lstat(path)
        if stat.S_ISREG(old.st_mode):
            return old.st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _is_special(path: str, follows_link: bool) -> bool:
    """Whether a path is a device, a pipe or a socket."""
    try:
        mode = (os.stat if follows_link else os.lstat)(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def _make_folder(path: str, name: str) -> None:
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _refused(name, error) from error


@contextlib.contextmanager
def _written(name: str, open_it: Callable[[], int]) -> Iterator[int]:
    """An open file; that it cannot be closed is trouble, if there is no other."""
    try:
        file = open_it()
    except OSError as error:
        raise _refused(name, error) from error
    try:
        yield file
    except BaseException:
        with contextlib.suppress(OSError):
            os.close(file)
        raise
    try:
        os.close(file)
    except OSError as error:
        raise _refused(name, error) from error


def _refused(name: str, error: OSError) -> OutputError:
    why = (error.strerror or str(error)).lower()
    what_to_do = "" if name == _STANDARD else "; choose another with -o"
    return OutputError(f"cannot write {name}: {why}{what_to_do}")


def _wait_to_write(file: int) -> None:
    """Wait for a pipe that some other program has set not to block."""
    import select

    select.select([], [file], [])
