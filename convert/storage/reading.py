"""The bytes of an object, read ahead in pieces, so that memory stays flat."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Protocol

from convert.errors import InputError, UsageError
from convert.source.lines import BLOCK
from convert.storage import State, joined, shown
from convert.storage.addresses import is_over_http, scheme_of
from convert.storage.errors import (
    CHANGED,
    is_out_of_reach,
    library_errors,
    reading,
)
from convert.storage.listing import problem_of
from convert.storage.remote import filesystem_of, info_at, state_in

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

    class _Readable(Protocol):
        def read(self, size: int) -> bytes:
            """Return so many bytes, or fewer at the end."""

        def close(self) -> None:
            """Close the object."""


# One request fetches so much while another such block is worked on, in bytes.
_FETCHED = 8 << 20
# Most logs are smaller, in bytes.
_SMALL = 1 << 20


def object_pieces(url: str, what: str = "it") -> Generator[bytes, None, None]:
    """Yield the bytes of an object.

    Raises InputError, which calls the object by `what`, for one that cannot be read and
    for one that changes meanwhile.
    """
    if problem := problem_of(url):
        raise InputError(f"cannot read {what}: {problem}")
    try:
        with reading(url, what):
            file, state = _opened(url)
    except UsageError as error:
        raise InputError(f"cannot read {what}: {error.message}") from error
    try:
        while True:
            with reading(url, what):
                fetched = file.read(_FETCHED)
            if not fetched:
                break
            yield from _cut(fetched)
        if state is not None:
            _check_unchanged(url, state, what)
    finally:
        file.close()


def content_at(url: str, what: str) -> bytes | None:
    """Return the content of a small object as it is now; None if there is none.

    Raises InputError for one that cannot be read.
    """
    try:
        with reading(url, what):
            files, path = filesystem_of(url)
            try:
                content: bytes = files.cat_file(path)
            except FileNotFoundError:
                return None
            return content
    except UsageError as error:
        raise InputError(f"cannot read {what}: {error.message}") from error


def _opened(url: str) -> tuple[_Readable, State | None]:
    """Return an open object, and its state if that may change while it is read."""
    files, path = filesystem_of(url)
    if scheme_of(url) == "memory":
        return io.BytesIO(files.cat_file(path)), None
    if is_over_http(url):
        # One response holds it all, also that of a server without ranges.
        return files.open(path, "rb", block_size=0), None
    small = _small_object(files, path)
    if small is not None:
        return io.BytesIO(small), None
    return _opened_in_blocks(files, path, url)


def _small_object(files: AbstractFileSystem, path: str) -> bytes | None:
    """Return the content of an object that is small; None for any other.

    That is one request, and one response cannot be of two objects. Why there is none is
    found out when it is opened.
    """
    try:
        content: bytes = files.cat_file(path, start=0, end=_SMALL)
    except PermissionError:
        raise
    except library_errors() as error:
        if is_out_of_reach(error):
            raise
        return None
    return content if len(content) < _SMALL else None


def _opened_in_blocks(
    files: AbstractFileSystem, path: str, url: str
) -> tuple[_Readable, State | None]:
    """Return an object that is fetched in blocks, the next one ahead."""
    file = files.open(
        path,
        "rb",
        block_size=_FETCHED,
        cache_type="background",
        cache_options={"maxblocks": 2},
    )
    if file.details["type"] == "directory":
        name = shown(joined(url, "NAME"))
        raise InputError(f"is a folder; name a log in it, as in {name}")
    state = state_in(file.details)
    # S3 refuses to send a block of another object than the one that was opened.
    is_sure = scheme_of(url) in ("s3", "s3a") and state.size <= _FETCHED
    return file, None if is_sure else state


def _cut(fetched: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces of the size in which files are read."""
    for at in range(0, len(fetched), BLOCK):
        yield fetched[at : at + BLOCK]


def _check_unchanged(url: str, state: State, what: str) -> None:
    with reading(url, what):
        if state_in(info_at(url)) != state:
            raise InputError(f"cannot read {what}: {CHANGED}")
