"""The paths below a URL, and states of objects, none looked up twice."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from convert.errors import UsageError
from convert.scale.storage.stores import (
    below,
    has_bucket,
    in_words,
    info_at,
    is_out_of_reach,
    library_errors,
    missing_at,
    state_in,
)
from convert.source.places import State
from convert.wording.urls import is_over_http, joined

# How many objects are looked up at once.
_AT_ONCE = 16


class Found(Struct, frozen=True):
    """The object or folder at a URL, as far as that can be found out."""

    state: State | None = None
    """The state of an object; None if there is none, or an error."""

    is_folder: bool = False
    """There are objects below it."""

    problem: str = ""
    """Why nothing can be found out; libraries tried that often enough."""

    is_out_of_reach: bool = False
    """The problem is that of the whole store."""


_FOUND: dict[str, Found] = {}


def forget() -> None:
    """Forget everything, at the beginning of a command."""
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
    """Return what is at a URL; problems show when it is read."""
    if url not in _FOUND:
        _FOUND[url] = _looked_up(url)
    return _FOUND[url]


def look_up_anew(url: str) -> Found:
    """Return what is at a URL now, whatever was there before."""
    return _looked_up(url)


def problem_of(url: str) -> str:
    """Return why an object cannot be read, as far as that is known; "" if it is not."""
    return _FOUND[url].problem if url in _FOUND else ""


def unreachable(url: str) -> str:
    """Return why the store of an object was out of reach when it was looked up."""
    found = _FOUND.get(url)
    return found.problem if found is not None and found.is_out_of_reach else ""


def look_up(urls: Iterable[str]) -> None:
    """Look up many objects at once, since each has to be waited for."""
    from concurrent.futures import ThreadPoolExecutor

    missing = [url for url in dict.fromkeys(urls) if url not in _FOUND]
    if len(missing) > 1:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            _FOUND.update(zip(missing, pool.map(_looked_up, missing), strict=True))


def _looked_up(url: str) -> Found:
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
    if url.endswith("/"):
        return True
    if is_over_http(url):
        return False
    return look_up_one(url).is_folder
