"""A log that another program still writes: a file that grows, or a pipe."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from typing import Literal

from convert.errors import InputError
from convert.source.lines import BLOCK, chunks, open_file

# How often a file is checked, and a waiting line is redrawn, in seconds.
POLL = 0.2
# How long a file must stay as it is before it counts as complete or as gone.
PATIENCE = 3.0

Ending = Literal["complete", "truncated", "replaced", "gone"]
# Says what to do about an error while a file is opened.
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
    """Return when a file can be read; a system may know that of sockets alone."""
    if sys.platform == "win32":
        wait()
        return
    import select

    timeout = 0.0
    while not select.select([file], [], [], timeout)[0]:
        wait()
        timeout = POLL


class GrowingFile:
    """A regular file that another program writes, checked again and again.

    `wait` is called while there is nothing to read, and `is_complete` tells whether the
    log may have ended. `ending` says why the last log did.
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
                why = f"reading failed: {error.strerror}"
                raise InputError(why.lower()) from error
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
        """Tell why the log ends here; None if it goes on."""
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
