"""Files that are whole or do not exist: written, synced, and renamed.

A file is on the disk before it gets its name; otherwise, a crash may leave an empty one
of that name. On a loaded disk, to wait for that takes longer than to convert a small
log, so several files are synced together.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator

from convert.cli.destination import (
    BINARY,
    Destination,
    Place,
    make_folder,
    output_error,
    writing_to,
    written,
)

# How many threads sync files. The system puts those of all on the disk at once; with
# more threads, starting them takes longer than they save.
_THREADS = 4

_REFUSED = (FileNotFoundError, NotADirectoryError, PermissionError)


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

        That is what Linux does here, besides dropping pages that are there already; to
        wait for several files then takes a third of the time.
        """
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(self.number, 0, 0, os.POSIX_FADV_DONTNEED)

    def sync(self) -> None:
        """Wait until the content is on the disk; `check` tells if it is."""
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
    """Write to a temporary file beside a path, and rename it when it is complete."""
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
            # The cause, such as a folder that is none, is said already.
            with contextlib.suppress(*_REFUSED):
                os.unlink(temporary)


def _created(path: str, folder: str, place: Place) -> int:
    """Create a file in a folder, which is made if it is not there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
    try:
        return os.open(path, flags, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        make_folder(folder, place)
        return os.open(path, flags, 0o600)


def sync_together(files: Iterable[NewFile]) -> None:
    """Wait until the contents of complete files are on the disk.

    To sync the whole file system once is faster, but waits for what other programs
    have written, and does not tell which file has failed.
    """
    import threading

    waiting = deque(files)
    for file in waiting:
        file.begin_sync()

    def sync() -> None:
        with contextlib.suppress(IndexError):
            while True:
                waiting.popleft().sync()

    others = min(_THREADS, len(waiting)) - 1
    threads = [threading.Thread(target=sync) for _ in range(others)]
    try:
        # Where the system allows no more threads, this one syncs all.
        with contextlib.suppress(RuntimeError, MemoryError):
            for thread in threads:
                thread.start()
        sync()
    finally:
        # After a signal, no thread may use the number of a file that is closed.
        waiting.clear()
        for thread in threads:
            if thread.is_alive():
                thread.join()


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
        raise output_error(place, error) from error


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


def _usual_permissions() -> int:
    """Return the permissions of a new file."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
