"""Paths and URLs as texts: their parts, and names that show no credentials.

A path that begins with a scheme, as in `s3://bucket/run.ndjson`, is a URL. All others
are paths of this machine, and so is a path that begins with `file://`. A name shows no
credentials: those before an `@`, and a query, which may be a signature.
"""

from __future__ import annotations

import itertools
import os
import re

from convert.wording import compiled

_SCHEME = r"(?!file://)[A-Za-z][A-Za-z0-9+.-]+://"


def is_url(path: str) -> bool:
    """Return True for a URL; a drive of Windows is no scheme, and a file no URL."""
    return "://" in path and re.match(_SCHEME, path, re.IGNORECASE) is not None


def is_of_process(path: str) -> bool:
    """Return True for a URL that no other process can read or write."""
    return path[:9].lower() == "memory://"


def local_path(path: str) -> str:
    """Return the path of a file that a `file://` URL names, or any other as it is."""
    if path[:7].lower() != "file://":
        return path
    from urllib.request import url2pathname

    return url2pathname(path.partition("://")[2].removeprefix("localhost"))


def shown(path: str) -> str:
    """Return a path as people see it: a URL without credentials."""
    if not is_url(path):
        return path
    return without_credentials(path)


def base_name(path: str) -> str:
    """Return the last part of a path, without the query of a URL."""
    if not is_url(path):
        return os.path.basename(path)
    return next((part for part in reversed(parts_of(path)) if part), "")


def joined(folder: str, *parts: str) -> str:
    """Return a path in a folder of this machine or at a URL."""
    if not is_url(folder):
        return os.path.join(folder, *parts)
    return "/".join([folder.removesuffix("/"), *parts])


_HIDDEN = "…"
# A secret key may hold a slash that should have been escaped. A host may have a port.
_USER = r"(?<=://)(?:[^/@\s]*:\S*@|[^/@\s]+@)"
_USER_OF_HOST = r"(?<=://)(?:[^/@\s]*:(?!\d+(?:/|$))\S*@|[^/@\s]+@)"
# In a key of a store, a question mark may be one.
_QUERY = r"\?[^?/=]+=.*"
_END = r"(?=[:;,.)\]]*(?:[\s'\"<>]|$))"
_IN_TEXT = rf"[A-Za-z][A-Za-z0-9+.-]+://[^\s'\"<>]+?{_END}"
# The same place by another name.
_ALIASES = {"s3a": "s3", "gcs": "gs", "abfs": "az", "abfss": "az"}


def scheme_of(url: str) -> str:
    """Return the scheme of a URL in small letters."""
    return url.partition("://")[0].lower()


def is_over_http(url: str) -> bool:
    """Return True for a URL whose server lists no folders and takes no outputs."""
    return scheme_of(url) in ("http", "https")


def without_credentials(url: str) -> str:
    """Return a URL that shows no credentials."""
    url = _with_user(url, f"{_HIDDEN}@")
    if is_over_http(url):
        head, _, query = url.partition("?")
        return f"{head}?{_HIDDEN}" if query else url
    return compiled(_QUERY, re.DOTALL).sub(f"?{_HIDDEN}", url)


def harmless(text: str) -> str:
    """Return a text whose URLs show no credentials."""
    if "://" not in text:
        return text
    return compiled(_IN_TEXT).sub(lambda found: without_credentials(found[0]), text)


def parts_of(url: str) -> list[str]:
    """Return the parts of a URL: its host or bucket, and those of its path."""
    return named(url).partition("://")[2].split("/")


def named(url: str) -> str:
    """Return a URL without anything that may be secret."""
    url = _with_user(url, "")
    if is_over_http(url):
        return re.split(r"[?#]", url, maxsplit=1)[0]
    return compiled(_QUERY, re.DOTALL).sub("", url)


def _with_user(url: str, user: str) -> str:
    """Return a URL with this instead of credentials before an `@`."""
    # The name before the @ is that of a container there.
    if scheme_of(url) in ("abfs", "abfss"):
        return url
    pattern = _USER_OF_HOST if is_over_http(url) else _USER
    return compiled(pattern).sub(user, url, count=1)


def identity(url: str) -> str:
    """Return the same for two URLs of one object."""
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    if scheme == "memory":
        rest = rest.lstrip("/")
    return f"{_ALIASES.get(scheme, scheme)}://{rest.rstrip('/')}"


def inside(path: str, folder: str) -> str | None:
    """Return where a path lies below a URL, "" for the same; None if outside."""
    if not is_url(path):
        return None
    one, other = identity(path), identity(folder)
    if one == other:
        return ""
    return one[len(other) + 1 :] if one.startswith(f"{other}/") else None


def shared_folder(paths: list[str]) -> str:
    """Return the beginning that the names of URLs share, to a slash; "" for none.

    A path of this machine shares none with a URL.
    """
    if not all(map(is_url, paths)):
        return ""
    names = [named(path) for path in paths]
    # All that lie between the least and the greatest begin as both of them do.
    pairs = zip(min(names).split("/")[:-1], max(names).split("/")[:-1], strict=False)
    shared = [
        one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    ]
    # The scheme, and nothing between the two slashes, is no folder.
    return "/".join([*shared, ""]) if len(shared) > 2 else ""


COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_LOGS = (".ndjson", ".jsonl", ".json", ".log", ".txt")


def stem_of(name: str) -> str:
    """Return the name of a log without its suffixes, also that of compression."""
    for suffixes in (COMPRESSED, _LOGS):
        without, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = without
    return name


def may_be_log(path: str) -> bool:
    """Return True if a path has a suffix of logs."""
    return stem_of(path) != path
