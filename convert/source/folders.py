"""The files in a folder and in the folders below.

A folder is walked as ripgrep does it: hidden files and links in it are left out, and
so is what is neither a file nor a folder. The objects below a URL are found likewise.
A session of Claude Code is one log: the files of its subagents are beside its own, in a
folder of its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.source.names import stem_of
from convert.storage import is_url, shown

if TYPE_CHECKING:
    from convert.source.stores import Pattern

_SUBAGENTS = "subagents"
_ADVICE = "make it readable, or leave it out"


class Walk:
    """Finds the files in folders, and counts what it leaves out.

    `other` is a folder for something else, such as the one that is written to, whose
    files are left out.
    """

    def __init__(self, other: str = "") -> None:
        self._other = os.path.realpath(other) if other and not is_url(other) else other
        self.links: list[str] = []
        self.specials: list[str] = []
        """The pipes, sockets and devices."""

        self.left_out = 0
        """How many files lie in the other folder."""

        self.failures: dict[str, str] = {}
        """Why folders cannot be read and what to do, by their paths."""

    def files(self, folder: str) -> list[tuple[str, ...]]:
        """Return the path of each log or other file in a folder, as its parts."""
        return _without_subagents([*self.every_file(folder)])

    def every_file(self, folder: str, inside: str = "") -> Iterator[tuple[str, ...]]:
        """Yield the path of each file in a folder, those of subagents included."""
        if is_url(folder):
            yield from self._below(folder)
            return
        for entry in self._entries(os.path.join(folder, inside)):
            if entry.is_dir(follow_symlinks=False):
                below = os.path.join(inside, entry.name)
                if os.path.realpath(entry.path) == self._other:
                    self.left_out += sum(1 for _ in Walk().every_file(entry.path))
                else:
                    yield from self.every_file(folder, below)
            elif entry.is_file(follow_symlinks=False):
                yield (*filter(None, inside.split(os.sep)), entry.name)
            elif entry.is_symlink():
                self.links.append(entry.path)
            else:
                self.specials.append(entry.path)

    def matches(self, pattern: Pattern) -> Iterator[tuple[str, ...]]:
        """Yield the path of each object that a glob in a URL means, as its parts."""
        from convert.source.stores import paths_below

        paths, failure = paths_below(pattern.folder, pattern.deepest)
        chosen = chosen_by(pattern, paths)
        if not (chosen or failure):
            failure = "no object matches; check the URL"
        yield from self._objects(pattern.folder, chosen, pattern.url, failure)

    def _below(self, url: str) -> Iterator[tuple[str, ...]]:
        """Yield the path of each object below a URL, as its parts."""
        from convert.source.stores import paths_below

        paths, failure = paths_below(url)
        if not (paths or failure):
            failure = "there is nothing below it; check the URL"
        yield from self._objects(url, paths, url, failure)

    def _objects(
        self, folder: str, paths: list[str], url: str, failure: str
    ) -> Iterator[tuple[str, ...]]:
        """Yield paths, but those that are left out; keep why there are none."""
        from convert.storage.addresses import inside

        if failure:
            self.failures[url] = failure
        other = inside(self._other, folder)
        for path in paths:
            if other and path.startswith(f"{other}/"):
                self.left_out += 1
            elif not any(part.startswith(".") for part in path.split("/")):
                yield tuple(path.split("/"))

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        """Return what is in a folder and not hidden; nothing if it cannot be read."""
        try:
            with os.scandir(path) as entries:
                return [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self.failures[path] = f"{why}; {_ADVICE}"
            return []


def chosen_by(pattern: Pattern, paths: Iterable[str]) -> list[str]:
    """Return the paths below its folder that a glob chooses; raises UsageError."""
    from convert.source.globs import Globs

    globs = Globs((pattern.glob,), shown(pattern.folder))
    return [*filter(globs.choose, paths)]


def _without_subagents(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return paths without those of subagents whose session is among them."""
    if not any(_SUBAGENTS in path for path in paths):
        return paths
    logs = {(*path[:-1], stem_of(path[-1])) for path in paths}
    return [path for path in paths if not _is_of_session(path, logs)]


def _is_of_session(path: tuple[str, ...], logs: set[tuple[str, ...]]) -> bool:
    """Tell if a file is of a subagent of one of these sessions, or a journal."""
    if _SUBAGENTS not in path[1:-1]:
        return False
    is_file = path[-1].startswith("agent-") or path[-1] == "journal.jsonl"
    return is_file and path[: path.index(_SUBAGENTS, 1)] in logs
