"""Files that are open before a log is read, such as standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

from convert.source.lines import chunks


class OpenFile:
    """An open file, such as standard input; a regular one can be read again.

    `before_read` is as in `chunks`.
    """

    def __init__(self, file: int, before_read: Callable[[], None]) -> None:
        self._file = file
        self._before_read = before_read
        self._has_begun = False
        self._begin: int | None = None
        if hasattr(os, "pread") and stat.S_ISREG(os.fstat(file).st_mode):
            self._begin = os.lseek(file, 0, os.SEEK_CUR)

    @property
    def can_be_read_again(self) -> bool:
        """True for a regular file, from the place where it stood."""
        return self._begin is not None

    def __iter__(self) -> Iterator[bytes]:
        again = self._begin if self._has_begun else None
        self._has_begun = True
        return chunks(self._file, self._before_read, again)

    def close(self) -> None:
        """Leave the file open, which was open before."""
