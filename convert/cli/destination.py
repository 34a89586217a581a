"""Where output goes: standard output, or a file that is whole or does not exist.

Such a file is one of `new_files`.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator

from convert.errors import OutputError

# Makes lines harmless to the terminal or the runner that displays them.
Show = Callable[[str], str]

_BUFFER_SIZE = 1 << 16


class Place:
    """Where output goes, for messages, and the option that names it, if one does."""

    def __init__(self, name: str, option: str = "") -> None:
        self.name = name
        self.option = option


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
    write = writing_to(file, place)
    return Destination(write, show, is_terminal=os.isatty(file))


def writing_to(
    file: int, place: Place, *, may_be_pipe: bool = True
) -> Callable[[bytes], None]:
    """Return what writes to an open file; raises OutputError.

    Raises BrokenPipeError for a pipe whose reader has gone, which is no trouble.
    """

    def write(content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(file, rest) :]
            except BlockingIOError:
                _wait_to_write(file)
            except OSError as error:
                if may_be_pipe and isinstance(error, BrokenPipeError):
                    raise
                raise output_error(place, error) from error

    return write


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
        with written(place, lambda: os.dup(int(number))) as file:
            yield from _through(open_destination(file, place, show_on(file)))
    elif _is_special(path, follows_link):
        if not follows_link:
            # Nobody may ever read it, and the user has not named it.
            what = "it is a pipe or a device; remove it, or choose another"
            raise _not_written(place, what)
        with written(place, lambda: os.open(path, os.O_WRONLY | BINARY)) as file:
            show = show_on(file) if os.isatty(file) else None
            yield from _through(open_destination(file, place, show))
    else:
        from convert.cli.new_files import new_file

        yield from new_file(place, os.path.realpath(path) if follows_link else path)


_OPEN_ALREADY = (
    r"/dev/(?P<stream>stdout|stderr)|/(?:dev|proc/self)/fd/(?P<number>\d{1,9})"
)
_STREAMS = {"stdout": "1", "stderr": "2"}
BINARY = getattr(os, "O_BINARY", 0)


def _through(destination: Destination) -> Iterator[Destination]:
    yield destination
    destination.flush()


def _uploaded(url: str, option: str) -> Iterator[Destination]:
    """Upload an object, which a signal must not leave half done."""
    from convert.cli.signals import held_signals
    from convert.source.stores import upload as begin

    upload = begin(url, option)

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


def _is_special(path: str, follows_link: bool) -> bool:
    """Return True for a device, a pipe or a socket."""
    try:
        mode = (os.stat if follows_link else os.lstat)(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def make_folder(path: str, place: Place) -> None:
    """Make the folder of a file; raises OutputError."""
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError as error:
        from convert.cli.paths import file_among_folders

        if file := file_among_folders(place.name):
            what = f"{file} is a file, not a folder; choose another"
            raise _not_written(place, what) from error
        raise output_error(place, error) from error


@contextlib.contextmanager
def written(place: Place, open_it: Callable[[], int]) -> Iterator[int]:
    """Open a file and close it; an error on closing counts if there is no other."""
    try:
        file = open_it()
    except OSError as error:
        raise output_error(place, error) from error
    try:
        yield file
    except BaseException:
        with contextlib.suppress(OSError):
            os.close(file)
        raise
    try:
        os.close(file)
    except OSError as error:
        raise output_error(place, error) from error


def output_error(place: Place, error: OSError) -> OutputError:
    """Return the error about a place that cannot be written to, and what to do."""
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
