"""Where logs and outputs are: on this machine, or at a URL.

A path that begins with a scheme, as in `s3://bucket/run.ndjson`, is a URL. All others
are paths of this machine, and so is what `file://` names.

addresses    the parts of URLs and their names, which show no credentials
schemes      the schemes that are known, and the libraries that they need
remote       the filesystem of a URL: what is there, and what is below it
listing      what listings found out about objects
reading      the bytes of an object; writing: an object that is whole or does not exist
errors       the errors of the libraries in our words

fsspec and the libraries of stores are imported for URLs alone.
"""

from __future__ import annotations

import os
import re
import sys

from msgspec import Struct

_SCHEME = r"(?!file://)[A-Za-z][A-Za-z0-9+.-]+://"


class State(Struct, frozen=True):
    """By what a log is known to be unchanged."""

    size: int
    """Its size in bytes."""

    version: str
    """When it was changed last, in ns since 1970, or the name of its content."""


def is_url(path: str) -> bool:
    """Return True for a URL; a drive of Windows is no scheme, and a file no URL."""
    return "://" in path and re.match(_SCHEME, path, re.IGNORECASE) is not None


def is_of_process(path: str) -> bool:
    """Return True for a URL that no other process can read or write."""
    return path[:9].lower() == "memory://"


def is_connected() -> bool:
    """Return True if this process is connected to a store, which survives no fork."""
    module = sys.modules.get("fsspec.asyn")
    return module is not None and module.iothread[0] is not None


def forget() -> None:
    """Forget what was found out about objects, since they may have changed."""
    if stores := sys.modules.get("convert.source.stores"):
        stores.forget()


def local_path(path: str) -> str:
    """Return the path of a file of this machine that a URL names, or what it is."""
    if path[:7].lower() != "file://":
        return path
    from convert.storage.addresses import path_of_file

    return path_of_file(path)


def shown(path: str) -> str:
    """Return a path as people see it: a URL without credentials."""
    if not is_url(path):
        return path
    from convert.storage.addresses import without_credentials

    return without_credentials(path)


def base_name(path: str) -> str:
    """Return the last part of a path, without the query of a URL."""
    if not is_url(path):
        return os.path.basename(path)
    from convert.storage.addresses import parts_of

    return next((part for part in reversed(parts_of(path)) if part), "")


def joined(folder: str, *parts: str) -> str:
    """Return a path in a folder of this machine or at a URL."""
    if not is_url(folder):
        return os.path.join(folder, *parts)
    return "/".join([folder.removesuffix("/"), *parts])


def size_of(path: str) -> int:
    """Return the size of a log in bytes; 0 if it cannot be found."""
    found = state_of(path)
    return found.size if found else 0


def state_of(path: str) -> State | None:
    """Return the state of a log; None if it cannot be found.

    A URL that a listing of this command has found is not looked up again.
    """
    if is_url(path):
        from convert.source.stores import state_at

        return state_at(path)
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return State(found.st_size, str(found.st_mtime_ns))


def state_now(path: str) -> State | None:
    """Return the state of a file or an object, which is looked up in any case."""
    if is_url(path):
        from convert.source.stores import state_now_at

        return state_now_at(path)
    return state_of(path)


def is_folder(path: str) -> bool:
    """Return True for a folder, or a URL that has others below it.

    Errors show when a URL is read.
    """
    if is_url(path):
        from convert.source.stores import has_below

        return has_below(path)
    return os.path.isdir(path)
