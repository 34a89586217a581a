"""Where output goes: standard output, or a file that is whole or does not exist."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from convert.errors import OutputError

# Makes lines harmless to the terminal or the runner that displays them.
Show = Callable[[str], str]

_BUFFER_SIZE = 1 << 16


class Place(NamedTuple):
    """Where output goes, for messages."""

    name: str
    option: str = ""
    """The option that names it; empty for standard output."""


STANDARD = Place("to standard output")


class Destination:
    """A buffer in front of an open file, or of what else takes bytes.

    The reader of a log calls `flush` before it waits, so output appears as soon as its
    event has arrived, and in large blocks where it does not have to wait.

    `is_empty` is true until something is written. A new file is kept only if
    `is_wanted` has been set. `header` stands above what is written next.
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        show: Show | None = None,
        *,
        is_terminal: bool = False,
    ) -> None:
        self._write = write
        self._show = show
        self.is_terminal = is_terminal
        self._buffer: list[bytes] = []
        self._size = 0
        self.is_empty = True
        self.is_wanted = False
        self.header = b""

    def write(self, lines: bytes) -> None:
        """Add whole lines to the buffer."""
        self.is_empty = False
        if self.header:
            lines, self.header = self.header + lines, b""
        if self._show is not None:
            lines = self._show(lines.decode(errors="replace")).encode()
        self._buffer.append(lines)
        self._size += len(lines)
        if self._size >= _BUFFER_SIZE:
            self.flush()

    def flush(self) -> None:
        """Write out the buffer; raises BrokenPipeError if its reader has gone."""
        if not self._buffer:
            return
        content = b"".join(self._buffer)
        self._buffer.clear()
        self._size = 0
        self._write(content)


def open_destination(file: int, place: Place, show: Show | None = None) -> Destination:
    """Return the destination that is an open file."""

    def write(content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(file, rest) :]
            except BrokenPipeError:
                raise
            except BlockingIOError:
                _wait_to_write(file)
            except OSError as error:
                raise _output_error(place, error) from error

    return Destination(write, show, is_terminal=os.isatty(file))


@contextlib.contextmanager
def standard_output(show: Show | None) -> Iterator[Destination]:
    """Yield standard output; `show` changes how lines look there."""
    destination = open_destination(1, STANDARD, show)
    yield destination
    destination.flush()


def print_text(text: str) -> None:
    """Write a text of ours to standard output."""
    with standard_output(None) as output:
        output.write(text.encode())


@contextlib.contextmanager
def named_output(
    path: str,
    *,
    follows_link: bool,
    show_on: Callable[[int], Show | None],
    option: str = "-o",
) -> Iterator[Destination]:
    """Yield a file that appears under its name once it is complete, or not at all.

    So does an object at a URL.

    With `follows_link`, which is for a path that the user typed, a link is followed,
    and a path that is open already (`/dev/stdout`), a device or a pipe is written to
    directly; `show_on` returns how lines look in an open file. Without it, a link is
    replaced, and a device or a pipe refused. `option` is the one that names the path.
    """
    from convert.storage import is_url

    place = Place(path, option)
    if is_url(path):
        yield from _uploaded(path, option)
    elif follows_link and (open_already := re.fullmatch(_OPEN_ALREADY, path)):
        number = open_already["number"] or _STREAMS[open_already["stream"]]
        with _written(place, lambda: os.dup(int(number))) as file:
            yield from _through(open_destination(file, place, show_on(file)))
    elif _is_special(path, follows_link):
        if not follows_link:
            # Nobody may ever read it, and the user has not named it.
            what = "it is a pipe or a device; remove it, or choose another"
            raise _not_written(place, what)
        with _written(place, lambda: os.open(path, os.O_WRONLY | _BINARY)) as file:
            show = show_on(file) if os.isatty(file) else None
            yield from _through(open_destination(file, place, show))
    else:
        yield from _whole(place, os.path.realpath(path) if follows_link else path)


_OPEN_ALREADY = (
    r"/dev/(?P<stream>stdout|stderr)|/(?:dev|proc/self)/fd/(?P<number>\d{1,9})"
)
_STREAMS = {"stdout": "1", "stderr": "2"}
_BINARY = getattr(os, "O_BINARY", 0)


def _through(destination: Destination) -> Iterator[Destination]:
    yield destination
    destination.flush()


def _uploaded(url: str, option: str) -> Iterator[Destination]:
    """Upload an object, which a signal must not leave half done."""
    from convert.cli.signals import held_signals
    from convert.storage.writing import Upload

    upload = Upload(url, option)

    def write(content: bytes) -> None:
        with held_signals():
            upload.write(content)

    try:
        destination = Destination(write)
        yield destination
        destination.flush()
        if destination.is_wanted:
            with held_signals():
                upload.commit()
    finally:
        upload.discard()


def _whole(place: Place, path: str) -> Iterator[Destination]:
    """Write to a temporary file beside a path, and rename it when it is complete.

    Only the owner may read it until then: the file that it replaces may be private.
    """
    folder = os.path.dirname(path)
    _make_folder(folder, place)
    temporary = os.path.join(folder, f".runconv-{os.urandom(8).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    try:
        with _written(place, lambda: os.open(temporary, flags, 0o600)) as file:
            destination = open_destination(file, place)
            yield destination
            destination.flush()
            if destination.is_wanted:
                _inherit(file, temporary, path, place)
                _sync(file, place)
        if destination.is_wanted:
            try:
                os.replace(temporary, path)
            except OSError as error:
                raise _output_error(place, error) from error
    finally:
        # A folder that cannot be searched has refused the file, which is said already.
        with contextlib.suppress(FileNotFoundError, PermissionError):
            os.unlink(temporary)


def _inherit(file: int, temporary: str, path: str, place: Place) -> None:
    """Give a file the owner and the permissions of the one that it replaces.

    Only root may give a file away. A file is changed by its number where the system
    can: its name may be that of another by then, in a folder that others write to.
    """
    old = _replaced(path)
    target = file if os.chmod in os.supports_fd else temporary
    try:
        if old is not None and hasattr(os, "fchown"):
            with contextlib.suppress(OSError):
                _give(file, old.st_uid, old.st_gid)
        os.chmod(target, _usual_permissions() if old is None else old.st_mode & 0o777)
    except OSError as error:
        raise _output_error(place, error) from error


def _give(file: int, user: int, group: int) -> None:
    """Change the owner of a file, or only its group, unless that is so already."""
    new = os.fstat(file)
    if new.st_gid != group:
        os.fchown(file, -1, group)
    if new.st_uid != user:
        os.fchown(file, user, -1)


def _replaced(path: str) -> os.stat_result | None:
    """Return the state of the file that is replaced, None if there is none."""
    try:
        old = os.lstat(path)
    except OSError:
        return None
    return old if stat.S_ISREG(old.st_mode) else None


def _sync(file: int, place: Place) -> None:
    """Wait until the content is on the disk, where the rename must not precede it."""
    try:
        os.fsync(file)
    except OSError as error:
        raise _output_error(place, error) from error


def _usual_permissions() -> int:
    """Return the permissions of a new file."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _is_special(path: str, follows_link: bool) -> bool:
    """Return True for a device, a pipe or a socket."""
    try:
        mode = (os.stat if follows_link else os.lstat)(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def _make_folder(path: str, place: Place) -> None:
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError as error:
        from convert.cli.paths import file_among_folders

        if file := file_among_folders(place.name):
            what = f"{file} is a file, not a folder; choose another"
            raise _not_written(place, what) from error
        raise _output_error(place, error) from error


@contextlib.contextmanager
def _written(place: Place, open_it: Callable[[], int]) -> Iterator[int]:
    """Open a file and close it; an error on closing counts if there is no other."""
    try:
        file = open_it()
    except OSError as error:
        raise _output_error(place, error) from error
    try:
        yield file
    except BaseException:
        with contextlib.suppress(OSError):
            os.close(file)
        raise
    try:
        os.close(file)
    except OSError as error:
        raise _output_error(place, error) from error


def _output_error(place: Place, error: OSError) -> OutputError:
    why = (error.strerror or str(error)).lower()
    return _not_written(place, f"{why}; choose another" if place.option else why)


def _not_written(place: Place, what: str) -> OutputError:
    """Return the error about a place; what to do ends with the option for it."""
    from convert.cli.display import shown_path

    how = f" with {place.option}" if place.option else ""
    return OutputError(f"cannot write {shown_path(place.name)}: {what}{how}")


def _wait_to_write(file: int) -> None:
    """Wait for a pipe that another program has set to non-blocking."""
    import select

    select.select([], [file], [])
