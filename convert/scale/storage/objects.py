"""Objects: found below a URL, read ahead of need, and written whole or not at all.

Memory stays flat. A large object is uploaded in parts, which the store puts together at
the end. Until then, an object that has the name already stays as it is.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Generator, Iterable
from typing import IO, TYPE_CHECKING, Any

from msgspec import Struct

from convert.errors import InputError, OutputError, UsageError
from convert.scale.storage.stores import (
    CHANGED,
    below,
    filesystem_of,
    has_bucket,
    in_words,
    info_at,
    is_out_of_reach,
    library_errors,
    look_at_bucket,
    missing_at,
    output_error,
    reading,
    scheme_for,
    state_in,
    writing,
)
from convert.source.lines import BLOCK
from convert.source.places import State
from convert.wording.paths import (
    has_query,
    is_of_process,
    is_over_http,
    joined,
    scheme_of,
    shown,
)

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

# One request fetches so much while another such block is worked on, in bytes.
_FETCHED = 8 << 20
# Most logs are smaller, in bytes.
_SMALL = 1 << 20


def object_pieces(url: str, what: str = "it") -> Generator[bytes, None, None]:
    """Yield the bytes of an object.

    Raises InputError for an object that cannot be read or that changes meanwhile; the
    message names it as `what`.
    """
    if problem := _FOUND.get(url, Found()).problem:
        raise InputError(f"cannot read {what}: {problem}")
    with reading(url, what):
        file, state = _opened(url)
    with contextlib.closing(file):
        while True:
            with reading(url, what):
                fetched = file.read(_FETCHED)
            if not fetched:
                break
            # In pieces of the size in which files are read.
            for at in range(0, len(fetched), BLOCK):
                yield fetched[at : at + BLOCK]
        with reading(url, what):
            if state is not None and state_in(info_at(url)) != state:
                raise InputError(f"cannot read {what}: {CHANGED}")


def content_at(url: str, what: str) -> bytes | None:
    """Return the content of a small object as it is now; None if there is none.

    Raises InputError for one that cannot be read.
    """
    with reading(url, what):
        files, path = filesystem_of(url)
        try:
            content: bytes = files.cat_file(path)
        except FileNotFoundError:
            return None
        return content


def _opened(url: str) -> tuple[IO[bytes], State | None]:
    """Return an open object, and its state if that may change while it is read."""
    files, path = filesystem_of(url)
    if scheme_of(url) == "memory":
        return io.BytesIO(files.cat_file(path)), None
    if is_over_http(url):
        # One response holds the whole object, even from a server without ranges.
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
) -> tuple[IO[bytes], State | None]:
    """Return an object that is fetched in blocks, the next one ahead."""
    file = files.open(
        path,
        "rb",
        block_size=_FETCHED,
        cache_type="background",
        cache_options={"maxblocks": 2},
    )
    if file.details["type"] == "directory":
        raise InputError(
            f"is a folder; name a log in it, as in {shown(joined(url, 'NAME'))}"
        )
    state = state_in(file.details)
    # S3 refuses to send a block of another object than the one that was opened.
    is_sure = scheme_of(url) in ("s3", "s3a") and state.size <= _FETCHED
    return file, None if is_sure else state


# The size of a part; a store takes 10,000 of them.
_PART = 8 << 20


def check_place(url: str, option: str = "-o") -> None:
    """Raise OutputError for a URL that surely cannot be written to."""
    _filesystem_for(url, option)
    row = scheme_for(url)
    if row is None or is_of_process(url):
        return
    found = _FOUND.get(url, Found())
    if found.is_out_of_reach:
        raise OutputError(
            f"cannot write {shown(url)}: {found.problem}, or choose another with"
            f" {option}"
        )
    try:
        look_at_bucket(url)
    except FileNotFoundError as error:
        raise OutputError(
            f"cannot write {shown(url)}: there is no such {row.bucket}; make it, or"
            f" choose another with {option}"
        ) from error
    except library_errors() as error:
        # Not everybody who may write may look up an object.
        if is_out_of_reach(error):
            raise output_error(error, url, option) from error


def _filesystem_for(url: str, option: str) -> tuple[AbstractFileSystem, str]:
    """Return the filesystem of a URL that its scheme allows to write to."""
    if is_over_http(url):
        raise OutputError(
            f"cannot write {shown(url)}: nothing is written over http; choose another"
            f" with {option}"
        )
    if has_query(url):
        # As a version, the store would cut it off, and replace the object.
        raise OutputError(
            f"cannot write {shown(url)}: an output has no query; name the object"
            f" without one in {option}"
        )
    with writing(url, option):
        return filesystem_of(url)


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
        # In memory, fsspec would make the object under its name from the start.
        self._is_in_memory = self._files.protocol == "memory"
        with writing(url, option):
            self._file: Any = (
                io.BytesIO()
                if self._is_in_memory
                else self._files.open(self._path, "wb", block_size=_PART)
            )

    def write(self, content: bytes | memoryview) -> None:
        """Add bytes; each full part is uploaded."""
        with writing(self._url, self._option):
            self._file.write(content)

    def commit(self) -> None:
        """Let the object appear under its name."""
        with writing(self._url, self._option):
            if self._is_in_memory:
                self._files.pipe_file(self._path, self._file.getvalue())
            else:
                self._file.close()
        self._is_open = False

    def discard(self) -> None:
        """Give up the object, and the parts that were uploaded."""
        if not self._is_open:
            return
        self._is_open = False
        if not self._is_in_memory:
            # The store may be out of reach, which has been reported.
            with contextlib.suppress(*library_errors()):
                self._file.discard()
            # Otherwise, Python completes it when it removes the file.
            self._file.closed = True


# How many objects are looked up at once.
_AT_ONCE = 16


class Found(Struct, frozen=True):
    """The object or folder at a URL, or the reason why it is not known."""

    state: State | None = None
    """The state of an object; None if there is none, or an error."""

    is_folder: bool = False
    """There are objects below it."""

    problem: str = ""
    """The reason why nothing is known; libraries have tried several times."""

    is_out_of_reach: bool = False
    """The problem is that of the whole store."""


_FOUND: dict[str, Found] = {}


def forget() -> None:
    """Forget all objects, at the beginning of a command."""
    _FOUND.clear()


def paths_below(url: str, deepest: int | None = None) -> tuple[list[str], str]:
    """Return the paths of the objects below a URL, and why it cannot be listed.

    `deepest` is how many parts such a path has at most.
    """
    if is_over_http(url):
        return [], "no folder can be listed over http; name each log"
    try:
        found = dict(below(url, deepest))
    except UsageError as error:
        return [], error.message
    except library_errors() as error:
        return [], in_words(error, url)
    if not (found or has_bucket(url)):
        return [], missing_at(url)
    _FOUND.update({joined(url, path): Found(state) for path, state in found.items()})
    return sorted(found), ""


def look_up_one(url: str) -> Found:
    """Return the object or folder at a URL; reading it reports problems."""
    if url not in _FOUND:
        _FOUND[url] = look_up_anew(url)
    return _FOUND[url]


def look_up(urls: Iterable[str]) -> None:
    """Look up many objects at once, since each has to be waited for."""
    from concurrent.futures import ThreadPoolExecutor

    missing = [url for url in dict.fromkeys(urls) if url not in _FOUND]
    if len(missing) > 1:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            _FOUND.update(zip(missing, pool.map(look_up_anew, missing), strict=True))


def look_up_anew(url: str) -> Found:
    """Return the object or folder that is at a URL now."""
    try:
        info = info_at(url)
    except UsageError as error:
        return Found(problem=error.message)
    except library_errors() as error:
        return Found(
            problem=in_words(error, url), is_out_of_reach=is_out_of_reach(error)
        )
    if info["type"] == "directory":
        return Found(is_folder=True)
    return Found(state_in(info))


def has_below(url: str) -> bool:
    """Return True for a URL of a folder: it ends in a slash, or others are below it."""
    if is_over_http(url):
        return url.endswith("/")
    return url.endswith("/") or look_up_one(url).is_folder
