"""The globs in URLs, which no shell expands: a folder, of whose objects one chooses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from convert.source.globs import Globs
from convert.storage import shown
from convert.storage.addresses import is_over_http

_MAGIC = re.compile(r"[*?\[{\\]")
# A version of an object, as S3 names it.
_VERSION = re.compile(r"\?versionId=[^/]*$")


class Pattern(NamedTuple):
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
    found = _MAGIC.search(_VERSION.sub("", url))
    if found is None:
        return None
    folder = url[: found.start()].rpartition("/")[0]
    return Pattern(url, f"{folder}/", url[len(folder) :])


def chosen_by(pattern: Pattern, paths: Iterable[str]) -> list[str]:
    """Return the paths below its folder that a glob chooses; raises UsageError."""
    globs = Globs((pattern.glob,), shown(pattern.folder))
    return [*filter(globs.choose, paths)]
