"""The files in a folder and in the folders below.

A folder is walked as ripgrep does it: hidden files and links in it are left out, and
so is what is neither a file nor a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

_ADVICE = "make it readable, or leave it out"


class Walk:
    """Finds the files in folders, and counts what it leaves out.

    `other` is a folder for something else, such as the one that is written to, whose
    files are left out.
    """

    def __init__(self, other: str = "") -> None:
        self._other = os.path.realpath(other) if other else ""
        self.links: list[str] = []
        self.specials: list[str] = []
        """The pipes, sockets and devices."""

        self.left_out = 0
        """How many files lie in the other folder."""

        self.failures: dict[str, str] = {}
        """Why folders cannot be read and what to do, by their paths."""

    def files(self, folder: str, inside: str = "") -> Iterator[tuple[str, ...]]:
        """Yield the path of each file in a folder, as its parts."""
        for entry in self._entries(os.path.join(folder, inside)):
            if entry.is_dir(follow_symlinks=False):
                below = os.path.join(inside, entry.name)
                if os.path.realpath(entry.path) == self._other:
                    self.left_out += sum(1 for _ in Walk().files(entry.path))
                else:
                    yield from self.files(folder, below)
            elif entry.is_file(follow_symlinks=False):
                yield (*filter(None, inside.split(os.sep)), entry.name)
            elif entry.is_symlink():
                self.links.append(entry.path)
            else:
                self.specials.append(entry.path)

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        """Return what is in a folder and not hidden; nothing if it cannot be read."""
        try:
            with os.scandir(path) as entries:
                return [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self.failures[path] = f"{why}; {_ADVICE}"
            return []
