"""Where logs are: the files of a folder, and objects at URLs.

A folder is walked as ripgrep does it: hidden files and links are skipped, and so is
anything that is neither a file nor a folder. The objects below a URL are found
likewise. A session of Claude Code is one log: the files of its subagents are in a
folder of its name.

The core reads, writes and finds objects only by the functions of this module, which are
rows of a wing.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from convert import registry
from convert.errors import nearest
from convert.wording import compiled
from convert.wording.paths import inside, is_over_http, is_url, shown, stem_of


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
        return _look_up("look_up_one", path)
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return State(found.st_size, str(found.st_mtime_ns))


def state_now(path: str) -> State | None:
    """Return the state of a file or an object, which is always looked up."""
    return _look_up("look_up_anew", path) if is_url(path) else state_of(path)


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
        """The most parts of a path that it matches; None for any number."""
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


def object_pieces(url: str, name: str = "it") -> Generator[bytes, None, None]:
    """Yield the bytes of an object; errors call it `name`."""
    pieces: Generator[bytes, None, None] = registry.row("objects", "object_pieces")(
        url, name
    )
    return pieces


def has_below(url: str) -> bool:
    """Return True for a URL of a folder: it ends in a slash, or others are below it."""
    found: bool = registry.row("objects", "has_below")(url)
    return found


def _look_up(row: str, url: str) -> State | None:
    """Return the state of an object; None if it cannot be found."""
    state: State | None = registry.row("objects", row)(url).state
    return state


def paths_below(url: str, deepest: int | None = None) -> tuple[list[str], str]:
    """Return the paths of the objects below a URL, and the reason if there are none.

    `deepest` is the most parts of such a path.
    """
    found: tuple[list[str], str] = registry.row("objects", "paths_below")(url, deepest)
    return found


def look_up(urls: Iterable[str]) -> None:
    """Look up many objects at once, since each has to be waited for."""
    registry.row("objects", "look_up")(urls)


def forget() -> None:
    """Forget everything that has been looked up, since it may have changed."""
    if (forget_all := registry.loaded_row("objects", "forget")) is not None:
        forget_all()


def check_place(url: str, option: str = "-o") -> None:
    """Raise OutputError for a URL that certainly cannot be written to."""
    registry.row("objects", "check_place")(url, option)


class Upload(Protocol):
    """An object that is being written.

    It must be committed or discarded; `discard` does nothing after `commit`.
    """

    def write(self, content: bytes | memoryview) -> None:
        """Add bytes; each part is uploaded when it is full."""

    def commit(self) -> None:
        """Let the object appear under its name."""

    def discard(self) -> None:
        """Give up the object, and its uploaded parts."""


def upload(url: str, option: str) -> Upload:
    """Begin to write an object; raises OutputError, which names the `option`."""
    begun: Upload = registry.row("objects", "upload")(url, option)
    return begun


_SUBAGENTS = "subagents"
_ADVICE = "make it readable, or exclude it"


class Walk:
    """Finds the files in folders, and counts those that it skips.

    `other` is a folder for something else, such as the one that is written to, whose
    files are skipped.
    """

    def __init__(self, other: str = "") -> None:
        self._other = os.path.realpath(other) if other and not is_url(other) else other
        self.links: list[str] = []
        self.specials: list[str] = []
        """The pipes, sockets and devices."""

        self.left_out = 0
        """How many files lie in the other folder."""

        self.has_hidden = False
        """There is a hidden file or folder, whose name begins with a dot."""

        self.failures: dict[str, str] = {}
        """The reasons why folders cannot be read, with advice, by their paths."""

    def files(self, folder: str) -> list[tuple[str, ...]]:
        """Return the path of each log or other file in a folder, as its parts."""
        return without_subagents([*self.every_file(folder)])

    def every_file(self, folder: str, part: str = "") -> Iterator[tuple[str, ...]]:
        """Yield the path of each file in a folder, those of subagents included."""
        if is_url(folder):
            yield from self._below(folder)
            return
        for entry in self._entries(os.path.join(folder, part)):
            if entry.is_dir(follow_symlinks=False):
                below = os.path.join(part, entry.name)
                if os.path.realpath(entry.path) == self._other:
                    self.left_out += sum(1 for _ in Walk().every_file(entry.path))
                else:
                    yield from self.every_file(folder, below)
            elif entry.is_file(follow_symlinks=False):
                yield (*filter(None, part.split(os.sep)), entry.name)
            elif entry.is_symlink():
                self.links.append(entry.path)
            else:
                self.specials.append(entry.path)

    def matches(self, pattern: Pattern) -> Iterator[tuple[str, ...]]:
        """Yield the path of each object that a glob in a URL matches, as its parts."""
        paths, failure = paths_below(pattern.folder, pattern.deepest)
        chosen = chosen_by(pattern, paths)
        if not (chosen or failure):
            failure = "no object matches; check the URL"
        yield from self._objects(pattern.folder, chosen, pattern.url, failure)

    def _below(self, url: str) -> Iterator[tuple[str, ...]]:
        """Yield the path of each object below a URL, as its parts."""
        paths, failure = paths_below(url)
        if not (paths or failure):
            failure = "there is nothing below it; check the URL"
        yield from self._objects(url, paths, url, failure)

    def _objects(
        self, folder: str, paths: list[str], url: str, failure: str
    ) -> Iterator[tuple[str, ...]]:
        """Yield paths except those that are skipped; note why there are none."""
        if failure:
            self.failures[url] = failure
        other = inside(self._other, folder)
        for path in paths:
            if other and path.startswith(f"{other}/"):
                self.left_out += 1
            elif not any(part.startswith(".") for part in path.split("/")):
                yield tuple(path.split("/"))

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        """Return the visible entries of a folder; none if it cannot be read."""
        try:
            with os.scandir(path) as entries:
                every = [*entries]
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self.failures[path] = f"{why}; {_ADVICE}"
            return []
        visible = [entry for entry in every if not entry.name.startswith(".")]
        self.has_hidden = self.has_hidden or len(visible) < len(every)
        return visible


def chosen_by(pattern: Pattern, paths: Iterable[str]) -> list[str]:
    """Return the paths below its folder that a glob chooses; raises UsageError."""
    from convert.source.globs import Globs

    return [*filter(Globs((pattern.glob,), shown(pattern.folder)).choose, paths)]


def without_subagents(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return paths without those of subagents whose session is among them."""
    if not any(_SUBAGENTS in path for path in paths):
        return paths
    logs = {(*path[:-1], stem_of(path[-1])) for path in paths}
    return [
        path
        for path in paths
        if _SUBAGENTS not in path[1:-1]
        or not (path[-1].startswith("agent-") or path[-1] == "journal.jsonl")
        or path[: path.index(_SUBAGENTS, 1)] not in logs
    ]


# A larger folder is not searched for a name.
_MOST_NAMES = 10_000


def similar_path(path: str) -> str | None:
    """Return a path that exists and differs in one similar name; None if none does."""
    folder, name = os.path.split(path.rstrip("/"))
    if folder and not os.path.isdir(folder):
        near = similar_path(folder)
        found = near and os.path.join(near, name)
        return found if found and os.path.lexists(found) else near
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.name for entry in itertools.islice(entries, _MOST_NAMES)]
    except OSError:
        return None
    found = nearest(name, names, 0.75)
    return found and os.path.join(folder, found)
