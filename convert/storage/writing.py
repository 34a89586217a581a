"""An object that appears under its name once it is complete, or not at all.

A large one is uploaded in parts, which the store puts together at the end. Until then,
an object that has the name already stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from convert.errors import OutputError, UsageError
from convert.storage import is_of_process, shown
from convert.storage.addresses import is_over_http
from convert.storage.errors import (
    is_out_of_reach,
    library_errors,
    output_error,
    writing,
)
from convert.storage.listing import unreachable
from convert.storage.remote import filesystem_of, look_at_bucket
from convert.storage.schemes import scheme_for

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

# The size of a part; a store takes 10,000 of them.
_PART = 8 << 20


def check_place(url: str, option: str = "-o") -> None:
    """Raise OutputError for a URL that surely cannot be written to."""
    _filesystem_for(url, option)
    row = scheme_for(url)
    if row is None or is_of_process(url):
        return
    if why := unreachable(url):
        what = f"{why}, or choose another with {option}"
        raise OutputError(f"cannot write {shown(url)}: {what}")
    try:
        look_at_bucket(url)
    except FileNotFoundError as error:
        what = f"there is no such {row.bucket}; make it, or choose another"
        raise OutputError(f"cannot write {shown(url)}: {what} with {option}") from error
    except library_errors() as error:
        # Who may write need not be allowed to look.
        if is_out_of_reach(error):
            raise output_error(error, url, option) from error


def _filesystem_for(url: str, option: str) -> tuple[AbstractFileSystem, str]:
    """Return the filesystem of a URL that its scheme allows to write to."""
    if is_over_http(url):
        what = "nothing is written over http; choose another"
        raise OutputError(f"cannot write {shown(url)}: {what} with {option}")
    try:
        with writing(url, option):
            return filesystem_of(url)
    except UsageError as error:
        raise OutputError(f"cannot write {shown(url)}: {error.message}") from error


def remove(url: str, option: str = "-o") -> None:
    """Remove an object; raises OutputError if it stays."""
    files, path = _filesystem_for(url, option)
    with writing(url, option):
        files.rm_file(path)


class Upload:
    """An object that is being written.

    It must be committed or discarded; `discard` does nothing after `commit`.
    """

    def __init__(self, url: str, option: str) -> None:
        self._url = url
        self._option = option
        self._is_open = True
        self._files, self._path = _filesystem_for(url, option)
        with writing(url, option):
            self._file = self._opened()

    def _opened(self) -> Any:
        from fsspec.spec import AbstractBufferedFile

        if self._files.protocol == "memory":
            # It would hold an object under its name from the start.
            from io import BytesIO

            return BytesIO()
        file = self._files.open(self._path, "wb", block_size=_PART)
        assert isinstance(file, AbstractBufferedFile)
        return file

    def write(self, content: bytes | memoryview) -> None:
        """Add bytes, of which a part is uploaded when it is full."""
        with writing(self._url, self._option):
            self._file.write(content)

    def commit(self) -> None:
        """Let the object appear under its name."""
        with writing(self._url, self._option):
            if self._files.protocol == "memory":
                self._files.pipe_file(self._path, self._file.getvalue())
            else:
                self._file.close()
        self._is_open = False

    def discard(self) -> None:
        """Give up the object, and what has been uploaded of it."""
        if not self._is_open:
            return
        self._is_open = False
        if self._files.protocol != "memory":
            try:
                self._file.discard()
            except library_errors():
                # The store could not be reached, which has been said.
                pass
            # Otherwise it would be completed when Python removes it.
            self._file.closed = True
