"""Paths of a log as people read them: below the directory of the run, or its home.

macOS has two names for some directories, and Windows takes `\\` for `/` and
ignores the case of letters. The logs of both mix the spellings.
"""

from __future__ import annotations

import functools
import posixpath

from msgspec import Struct

from convert.wording import compiled
from convert.wording.escapes import truncate

# A component of a path in running text.
NAME = r"[^/\\\s\"'`:;,]+"
# The home of a user at the start of a directory.
HOME = rf"(?:/(?:home|Users)/{NAME}|/root|[A-Za-z]:[/\\]Users[/\\]{NAME})(?=[/\\]|$)"
_ALIASES = ("/private/tmp/", "/private/var/")
# The longest name that file systems allow, in characters.
_LONGEST_NAME = 255


def relative(path: str, directory: str) -> str:
    """Return a path relative to a directory if it is inside, else unchanged."""
    return _below(path, directory, ".") or path


class Place(Struct, frozen=True):
    """The place of a file, whatever the spelling of its path."""

    key: str
    """Equal for two spellings of one path."""

    name: str | None
    """The path inside the directory of the run; None if the file is outside."""


@functools.lru_cache(maxsize=4096)
def place_of(path: str, directory: str) -> Place:
    """Return the place of a file of a run in a directory, which may be ""."""
    path = _with_drive(path, directory)
    is_windows = has_drive(path) or has_drive(directory)
    if is_windows or not directory:
        path, directory = path.replace("\\", "/"), directory.replace("\\", "/")
    base = without_alias(posixpath.normpath(directory)) if directory else ""
    if not is_absolute(path):
        path = posixpath.join(directory, path)
    full = without_alias(posixpath.normpath(path))
    key = full.lower() if is_windows else full
    return Place(key, _inside(full, base, is_windows))


def _with_drive(path: str, directory: str) -> str:
    """Return a path that Git Bash begins with `/c/` with its drive."""
    is_drive = path[:1] == "/" == path[2:3] and path[1].isalpha()
    return f"{path[1]}:{path[2:]}" if is_drive and has_drive(directory) else path


def _inside(path: str, base: str, is_windows: bool) -> str | None:
    """Return a path relative to a directory; None if it is not inside."""
    if not base:
        is_outside = is_absolute(path) or path.split("/")[0] == ".."
        return None if is_outside else path
    above = base.rstrip("/") + "/"
    begin = path[: len(above)]
    is_inside = begin.lower() == above.lower() if is_windows else begin == above
    return path[len(above) :] if is_inside else None


def is_absolute(path: str) -> bool:
    """Return True for a path that does not depend on the directory of the run."""
    return path[:1] == "/" or path[:2] == "~/" or has_drive(path)


@functools.lru_cache(maxsize=4096)
def readable_path(path: str, directory: str) -> str:
    """Return a path for people, in a run with a directory, which may be "".

    It is relative to the directory or has `~` for the home around that. A leading `./`
    is dropped, and a path of Windows has slashes.
    """
    path = _with_drive(path, directory)
    if "\\" in path and (has_drive(directory) or has_drive(path) or path[0] == "."):
        path = path.replace("\\", "/")
    if path[:1] != "/" and path[1:2] != ":":
        return path.removeprefix("./") or "."
    inside = _below(path, directory, ".")
    if inside is None and (home := _home_of(directory)):
        below = _below(path, home, "")
        inside = None if below is None else f"~/{below}".rstrip("/")
    return path if inside is None else inside


@functools.lru_cache(maxsize=256)
def _home_of(directory: str) -> str:
    """Return the home around a directory; "" if there is none."""
    home = compiled(HOME).match(directory)
    return home[0] if home else ""


def shorten_path(path: str, longest: int) -> str:
    """Cut the middle of a path, between components; its name stays whole."""
    if len(path) <= longest:
        return path
    parts = path.replace("\\", "/").split("/")
    name = truncate(parts.pop(), _LONGEST_NAME)
    room = longest - len(name) - len("…/")
    head = _fitting(parts, room // 2)
    tail = _fitting(
        parts[len(head) :][::-1], room - sum(len(part) + 1 for part in head)
    )
    return "/".join([*head, "…", *tail[::-1], name])


def _fitting(parts: list[str], room: int) -> list[str]:
    """Return the first components that fit, each with its slash."""
    fitting = []
    for part in parts:
        room -= len(part) + 1
        if room < 0:
            break
        fitting.append(part)
    return fitting


def has_drive(path: str) -> bool:
    """Return True for a path of Windows that names its drive or its server."""
    return path[1:3] in (":\\", ":/") or path[:2] == "\\\\"


def without_alias(path: str) -> str:
    """Return a path without the second name that macOS has for two directories."""
    if f"{path}/".startswith(_ALIASES):
        return path.removeprefix("/private")
    return path


def _below(path: str, directory: str, itself: str) -> str | None:
    """Return a path relative to a directory around it; None if it is not inside."""
    base = _base_of(directory)
    if path.startswith("/private"):
        path = without_alias(path)
    if base[1:2] == ":":
        is_inside = _comparable(path).startswith(_comparable(base))
        separators = "/\\"
    else:
        is_inside = base != "" and path.startswith(base)
        separators = "/"
    if not is_inside:
        return None
    rest = path[len(base) :]
    below = rest.lstrip(separators)
    if not below:
        return itself
    return below if len(below) < len(rest) else None


@functools.lru_cache(maxsize=256)
def _base_of(directory: str) -> str:
    """Return the common beginning of the paths in a directory."""
    return without_alias(directory.rstrip("/\\"))


def _comparable(path: str) -> str:
    # Not casefold, which may change the length, and the prefix is cut off by length.
    return path.replace("\\", "/").lower()
