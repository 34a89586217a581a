"""Files that output is written to: whole or not there at all, synced, then renamed.

A file is on the disk before it gets its name; otherwise, a crash may leave an empty one
of that name. On a loaded disk, to wait for that takes longer than to convert a small
log, so several files are synced together. An open file, a device or a pipe is written
to directly.

Signals that end the command raise SystemExit, so that no unfinished file remains.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import NoReturn

from convert.cli.destination import (
    Destination,
    Place,
    _not_written,
    escape_for_display,
    file_among_folders,
    open_destination,
    output_error,
    writing_to,
)
from convert.source.places import upload as begin_upload
from convert.wording.escapes import ShownAs
from convert.wording.paths import is_url


@contextlib.contextmanager
def named_output(
    path: str,
    *,
    follows_link: bool,
    shown_as: ShownAs | None = None,
    option: str = "-o",
) -> Iterator[Destination]:
    """Yield a file that appears under its name once it is complete, or not at all.

    So does an object at a URL.

    With `follows_link`, which is for a path that the user typed, a link is followed,
    and a path that is open already (`/dev/stdout`), a device or a pipe is written to
    directly, escaped for a terminal as `shown_as` says. Without it, a link is replaced,
    and a device or a pipe is refused. `option` is the one that names the path.
    """
    place = Place(path, option)
    if is_url(path):
        yield from _uploaded(path, option)
    elif follows_link and (open_already := re.fullmatch(_OPEN_ALREADY, path)):
        streams = {"stdout": "1", "stderr": "2"}
        number = open_already["number"] or streams[open_already["stream"]]
        with written(place, lambda: os.dup(int(number))) as file:
            yield from _through(file, place, shown_as)
    elif _is_special(path, follows_link):
        if not follows_link:
            # Nobody may ever read it, and the user has not named it.
            raise _not_written(
                place, "it is a pipe or a device; remove it, or choose another"
            )
        with written(place, lambda: os.open(path, os.O_WRONLY | BINARY)) as file:
            yield from _through(file, place, shown_as if os.isatty(file) else None)
    else:
        yield from new_file(place, os.path.realpath(path) if follows_link else path)


def write_whole(path: str, pieces: Iterable[bytes], option: str = "-o") -> None:
    """Write a file or an object whole or not at all; none without any piece."""
    with named_output(path, follows_link=False, option=option) as output:
        for piece in pieces:
            output.write(piece)
        output.is_wanted = not output.is_empty


_OPEN_ALREADY = (
    r"/dev/(?P<stream>stdout|stderr)|/(?:dev|proc/self)/fd/(?P<number>\d{1,9})"
)
BINARY = getattr(os, "O_BINARY", 0)


def _through(
    file: int, place: Place, shown_as: ShownAs | None
) -> Iterator[Destination]:
    """Yield an open file as a destination."""
    show = escape_for_display(shown_as, file) if shown_as else None
    destination = open_destination(file, place, show)
    yield destination
    destination.flush()


def _uploaded(url: str, option: str) -> Iterator[Destination]:
    """Upload an object; no signal leaves a part of it."""
    upload = begin_upload(url, option)

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


class NewFile(Destination):
    """A file without its name yet, which it gets once it is complete.

    Only the owner may read it until then: the file that it replaces may be private.
    """

    def __init__(self, file: int, temporary: str, path: str, place: Place) -> None:
        super().__init__(writing_to(file, place, may_be_pipe=False))
        self.number = file
        """The number by which the system knows the open file."""
        self._temporary = temporary
        self._path = path
        self._place = place
        self._is_complete = False
        self._is_synced = False
        self._error: OSError | None = None

    def complete(self) -> None:
        """Write out the buffer, and set the owner and the permissions."""
        self.flush()
        if self.is_wanted and not self._is_complete:
            _inherit(self.number, self._temporary, self._path, self._place)
            self._is_complete = True

    def begin_sync(self) -> None:
        """Let the system begin to put the content on the disk, without a wait.

        Linux does that here, and drops the pages that are on the disk; waiting for
        several files then takes a third of the time.
        """
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(self.number, 0, 0, os.POSIX_FADV_DONTNEED)

    def sync(self) -> None:
        """Wait until the content is on the disk; `check` reports an error."""
        if not self._is_synced:
            try:
                os.fsync(self.number)
            except OSError as error:
                self._error = error
            self._is_synced = True

    def check(self) -> None:
        """Raise OutputError if the content could not be put on the disk."""
        if self._error is not None:
            raise output_error(self._place, self._error) from self._error


def new_file(place: Place, path: str) -> Iterator[NewFile]:
    """Write to a temporary file next to a path, and rename it when it is complete."""
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".runconv-{os.urandom(8).hex()}")
    is_renamed = False
    try:
        with written(place, lambda: _created(temporary, folder, place)) as number:
            file = NewFile(number, temporary, path, place)
            yield file
            file.complete()
            if file.is_wanted:
                file.sync()
                file.check()
        if file.is_wanted:
            try:
                os.replace(temporary, path)
                is_renamed = True
            except OSError as error:
                raise output_error(place, error) from error
    finally:
        if not is_renamed:
            # The cause, such as a file in place of a folder, has been reported.
            with contextlib.suppress(
                FileNotFoundError, NotADirectoryError, PermissionError
            ):
                os.unlink(temporary)


def _created(path: str, folder: str, place: Place) -> int:
    """Create a file in a folder, which is made if it is not there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
    try:
        return os.open(path, flags, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        try:
            if folder:
                os.makedirs(folder, exist_ok=True)
        except OSError as error:
            if file := file_among_folders(place.name):
                raise _not_written(
                    place, f"{file} is a file, not a folder; choose another"
                ) from error
            raise
        return os.open(path, flags, 0o600)


def _inherit(file: int, temporary: str, path: str, place: Place) -> None:
    """Give a file the owner and the permissions of the one that it replaces.

    Only root may give a file away. A file is changed by its number where the system
    can: its name may be that of another by then, in a folder that others write to.
    """
    target = file if os.chmod in os.supports_fd else temporary
    try:
        if (old := _replaced(path)) is None:
            mask = os.umask(0o077)
            os.umask(mask)
            mode = 0o666 & ~mask
        else:
            mode = old.st_mode & 0o777
            if hasattr(os, "fchown"):
                with contextlib.suppress(OSError):
                    _give(file, old.st_uid, old.st_gid)
        os.chmod(target, mode)
    except OSError as error:
        raise output_error(place, error) from error


def _give(file: int, user: int, group: int) -> None:
    """Change the owner and the group of a file where they differ."""
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


# The signals that ask a command to end.
ENDING = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]


def exit_on_signals() -> None:
    """Raise SystemExit when a signal asks the command to end."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit)
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _exit_soon


def _exit_soon(unraised: sys.UnraisableHookArgs) -> None:
    """End the command a little later where Python cannot raise SystemExit.

    It cannot in a callback, such as the one with which an import frees its lock; the
    command would go on, and no other signal would end it.
    """
    if isinstance(unraised.exc_value, SystemExit):
        code = unraised.exc_value.code
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(code))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    elif sys.flags.dev_mode:
        sys.__unraisablehook__(unraised)


@contextlib.contextmanager
def held_signals() -> Iterator[None]:
    """Let a block end before a signal ends the command; a second signal does at once.

    An upload that has begun is then known, so that it can be given up.
    """
    came: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if came:
            _exit(number, frame)
        came.append(number)

    held = [number for number in ENDING if signal.getsignal(number) is _exit]
    for number in held:
        signal.signal(number, hold)
    try:
        yield
    finally:
        # After a second signal, none is handled any more.
        if all(signal.getsignal(number) is hold for number in held):
            for number in held:
                signal.signal(number, _exit)
        if came:
            _exit(came[0], None)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the removal of unfinished files.
    for other in ENDING:
        signal.signal(other, _do_nothing)
    raise SystemExit(128 + number)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Replace SIG_IGN: Python prints an error if a signal is pending when it is set."""
