"""The filesystem of a URL, from fsspec: what is there, and what is below it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from convert.errors import UsageError
from convert.storage import State, is_of_process
from convert.storage.addresses import is_over_http
from convert.storage.errors import library_errors
from convert.storage.schemes import nameless, scheme_for, unknown_scheme

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

# How stores name the content of an object, the surest first.
_VERSIONS = ("ETag", "etag", "generation", "Content-MD5")
_TIMES = ("LastModified", "last_modified", "Last-Modified", "mtime", "created")
_LOGGING = (
    *("fsspec", "s3fs", "gcsfs", "adlfs", "aiohttp", "asyncio", "aiobotocore"),
    *("botocore", "urllib3", "azure", "msal", "google"),
)
# How long a server may be silent, in seconds.
_SILENCE = 60


def filesystem_of(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the filesystem of a URL, and the path that the URL has there.

    Raises UsageError for a URL that names nothing or has an unknown scheme, and
    ImportError for a library that is not there. fsspec keeps filesystems, for each
    process its own.
    """
    row = scheme_for(url)
    if row is None:
        raise UsageError(unknown_scheme(url))
    name = url.partition("://")[2]
    if not name.strip("/") or (name.startswith("/") and not is_of_process(url)):
        raise UsageError(nameless(url, row))
    import fsspec

    _keep_quiet()
    kind = fsspec.get_filesystem_class(row.names[0])
    options = {**kind._get_kwargs_from_urls(url), "use_listings_cache": False}
    if is_over_http(url):
        options["client_kwargs"] = _options_of_client()
    # fsspec cuts a slash at the end, which tells a folder.
    return kind(**options), kind._strip_protocol(url)


def _keep_quiet() -> None:
    """Keep what libraries log from standard error, unless a program has asked for it.

    They log each try to connect, with a traceback.
    """
    for name in _LOGGING:
        if not (logger := logging.getLogger(name)).handlers:
            logger.addHandler(logging.NullHandler())


def _options_of_client() -> dict[str, Any]:
    """Return the options of aiohttp: proxies are used, and a long download may be."""
    from aiohttp import ClientTimeout

    timeout = ClientTimeout(total=None, sock_connect=_SILENCE, sock_read=_SILENCE)
    return {"timeout": timeout, "trust_env": True}


def info_at(url: str) -> dict[str, Any]:
    """Return what a store tells of an object; raises an error of a library."""
    files, path = filesystem_of(url)
    info: dict[str, Any] = files.info(path)
    return info


def state_in(info: dict[str, Any]) -> State:
    """Return the state of an object of which a store tells this."""
    named = [*_VERSIONS, *_TIMES]
    version = next((info[name] for name in named if info.get(name)), "")
    if hasattr(version, "timestamp"):
        version = version.timestamp()
    return State(info.get("size") or 0, str(version))


def has_below(url: str) -> bool:
    """Return True for a URL of a folder: it ends in a slash, or others are below it."""
    if url.endswith("/"):
        return True
    if is_over_http(url):
        return False
    from convert.storage.listing import look_up_one

    return look_up_one(url).is_folder


def has_bucket(url: str) -> bool:
    """Return False if what should hold an object is surely missing."""
    try:
        look_at_bucket(url)
    except FileNotFoundError:
        return is_of_process(url)
    except UsageError:
        return True
    except library_errors():
        return True
    return True


def look_at_bucket(url: str) -> None:
    """Raise an error of a library if what holds an object is missing or hidden."""
    scheme, _, rest = url.partition("://")
    files, path = filesystem_of(f"{scheme}://{rest.lstrip('/').split('/')[0]}")
    files.info(path)


def below(url: str, deepest: int | None = None) -> Iterator[tuple[str, State]]:
    """Yield the path of each object below a URL, from there on, and its state.

    `deepest` is how many parts such a path has at most. Raises an error of a library.
    """
    files, path = filesystem_of(url)
    top = path.rstrip("/")
    for name, info in files.find(path, maxdepth=deepest, detail=True).items():
        inside = name.removeprefix(top).removeprefix("/")
        # Some programs make an empty object that stands for a folder.
        if inside and not inside.endswith("/") and info["type"] != "directory":
            yield inside, state_in(info)
