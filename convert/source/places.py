"""The places of logs: folders, the states of files, and objects at URLs.

The core reads, writes and looks up objects by the functions of this module alone, which
are rows of a wing.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from typing import Protocol

from msgspec import Struct

from convert import wings
from convert.wording import compiled
from convert.wording.urls import is_over_http, is_url


def is_folder(path: str) -> bool:
    """Return True for a folder, or a URL that has others below it.

    Errors show when a URL is read.
    """
    return has_below(path) if is_url(path) else os.path.isdir(path)


class State(Struct, frozen=True):
    """The size and the version of a log, which show that it is unchanged."""

    size: int
    """Its size in bytes."""

    version: str
    """When it was changed last, in ns since 1970, or the name of its content."""


def size_of(path: str) -> int:
    """Return the size of a log in bytes; 0 if it cannot be found."""
    found = state_of(path)
    return found.size if found else 0


def state_of(path: str) -> State | None:
    """Return the state of a log; None if it cannot be found.

    A URL that a listing of this command has found is not looked up again.
    """
    if is_url(path):
        return state_at(path)
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return State(found.st_size, str(found.st_mtime_ns))


def state_now(path: str) -> State | None:
    """Return the state of a file or an object, which is always looked up."""
    if is_url(path):
        return state_now_at(path)
    return state_of(path)


_MAGIC = r"[*?\[{\\]"
# A version of an object, as S3 names it.
_VERSION = r"\?versionId=[^/]*$"


class Pattern(Struct, frozen=True):
    """The glob in a URL."""

    url: str

    folder: str
    """The part in front of the glob, which ends in a slash."""

    glob: str
    """It begins in a slash, for the top of the folder."""

    @property
    def deepest(self) -> int | None:
        """How many parts a path has at most that it matches; None for any number."""
        if "**" in self.glob or self.glob.endswith("/"):
            return None
        return self.glob.count("/")


def pattern_in(url: str) -> Pattern | None:
    """Return the glob in a URL; None if there is none.

    Over http, the characters of globs are those of any address.
    """
    if is_over_http(url):
        return None
    found = compiled(_MAGIC).search(compiled(_VERSION).sub("", url))
    if found is None:
        return None
    folder = url[: found.start()].rpartition("/")[0]
    return Pattern(url, f"{folder}/", url[len(folder) :])


def object_pieces(url: str, what: str = "it") -> Generator[bytes, None, None]:
    """Yield the bytes of an object; errors call it `what`."""
    pieces: Generator[bytes, None, None] = wings.row("objects", "object_pieces")(
        url, what
    )
    return pieces


def has_below(url: str) -> bool:
    """Return True for a URL of a folder: it ends in a slash, or others are below it."""
    found: bool = wings.row("objects", "has_below")(url)
    return found


def state_at(url: str) -> State | None:
    """Return the state of an object; None if it cannot be found."""
    state: State | None = wings.row("objects", "look_up_one")(url).state
    return state


def state_now_at(url: str) -> State | None:
    """Return the state of an object, which is looked up in any case."""
    state: State | None = wings.row("objects", "look_up_anew")(url).state
    return state


def paths_below(url: str, deepest: int | None = None) -> tuple[list[str], str]:
    """Return the paths of the objects below a URL, and why it cannot be listed.

    `deepest` is how many parts such a path has at most.
    """
    found: tuple[list[str], str] = wings.row("objects", "paths_below")(url, deepest)
    return found


def look_up(urls: Iterable[str]) -> None:
    """Look up many objects at once, since each has to be waited for."""
    wings.row("objects", "look_up")(urls)


def forget() -> None:
    """Forget everything that has been looked up, since it may have changed."""
    if (forget_all := wings.loaded_row("objects", "forget")) is not None:
        forget_all()


def check_place(url: str, option: str = "-o") -> None:
    """Raise OutputError for a URL that surely cannot be written to."""
    wings.row("objects", "check_place")(url, option)


class Upload(Protocol):
    """An object that is being written.

    It must be committed or discarded; `discard` does nothing after `commit`.
    """

    def write(self, content: bytes | memoryview) -> None:
        """Add bytes, of which a part is uploaded when it is full."""

    def commit(self) -> None:
        """Let the object appear under its name."""

    def discard(self) -> None:
        """Give up the object, and what has been uploaded of it."""


def upload(url: str, option: str) -> Upload:
    """Begin to write an object; raises OutputError, which names the `option`."""
    begun: Upload = wings.row("objects", "upload")(url, option)
    return begun
