"""The logs of one version: those in a folder and in the folders below."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from convert.source.folders import Walk
from convert.source.globs import Globs
from convert.storage import base_name, is_url, joined, shown
from convert.wording.paths import spelled


class Folder(Struct, frozen=True):
    """A folder of logs, and files that may be logs."""

    path: str

    logs: dict[str, str]
    """Their paths inside the folder, with slashes, by those that open them."""

    links: list[str]
    """The links in it, which are left out."""

    specials: list[str]
    """The pipes, sockets and devices in it, which are left out."""

    failures: dict[str, str]
    """The messages about folders that cannot be read, by their paths inside."""

    left_out: int = 0
    """How many files lie in the folder of the other side, which count there alone."""

    def without(self, paths: Collection[str]) -> Folder:
        """Return the folder without some of its files."""
        logs = {path: inside for path, inside in self.logs.items() if path not in paths}
        return replace(self, logs=logs)


def folder_of(path: str, other: str, globs: Globs) -> Folder:
    """Return the folder of one side with the files that globs choose."""
    walk = Walk(other)
    found = ("/".join(parts) for parts in sorted(walk.files(path)))
    logs = {
        joined(path, *inside.split("/")): inside
        for inside in found
        if globs.choose(inside)
    }
    failures = {
        _inside(failed, path): f"cannot read the folder {spelled(failed)}: {why}"
        for failed, why in walk.failures.items()
    }
    links, specials = sorted(walk.links), sorted(walk.specials)
    return Folder(path, logs, links, specials, failures, walk.left_out)


def names_of(folders: Sequence[str]) -> tuple[str, ...]:
    """Return the names of versions: the last parts of their paths, if these differ."""
    names = [*map(_last_part, folders)]
    times = Counter(names)
    return tuple(
        spelled(name if times[name] == 1 else _normal(folder))
        for name, folder in zip(names, folders, strict=True)
    )


def _last_part(folder: str) -> str:
    return base_name(folder if is_url(folder) else os.path.abspath(folder))


def _normal(folder: str) -> str:
    if is_url(folder):
        return shown(folder).rstrip("/")
    return os.path.normpath(folder).replace(os.sep, "/")


def _inside(path: str, folder: str) -> str:
    if is_url(path):
        return ""
    inside = os.path.relpath(path, folder).replace(os.sep, "/")
    return "" if inside == "." else spelled(inside)
