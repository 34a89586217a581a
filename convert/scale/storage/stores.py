"""The stores of URLs: their schemes, their filesystems, and their errors in our words.

The messages of the libraries may take twenty lines, and may quote credentials.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.errors import InputError, OutputError, RunconvError, UsageError
from convert.source.places import State
from convert.wording.paths import (
    is_of_process,
    is_over_http,
    scheme_of,
    shown,
    words_of_library,
)

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_EXTRA = "pip install 'runconv[remote]'"


class Scheme(Struct, frozen=True):
    """A kind of store."""

    names: tuple[str, ...]
    """The schemes of its URLs; fsspec knows it by the first."""

    bucket: str
    """The word for the place that holds its objects."""

    install: str
    """The command that installs its library."""

    credentials: str = ""
    """Where its library finds credentials."""


SCHEMES = (
    Scheme(
        ("s3", "s3a"),
        "bucket",
        _EXTRA,
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    ),
    Scheme(
        ("gs", "gcs"),
        "bucket",
        f"{_EXTRA} gcsfs",
        "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login",
    ),
    Scheme(
        ("az", "abfs", "abfss"),
        "container",
        f"{_EXTRA} adlfs",
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    ),
    Scheme(("https", "http"), "host", _EXTRA),
    Scheme(("memory",), "folder", _EXTRA),
)


def scheme_for(url: str) -> Scheme | None:
    """Return the row of a URL; None for a scheme that is not known."""
    name = scheme_of(url)
    return next((row for row in SCHEMES if name in row.names), None)


# How stores name the content of an object, the surest first.
_VERSIONS = (
    *("ETag", "etag", "generation", "Content-MD5"),
    *("LastModified", "last_modified", "Last-Modified", "mtime", "created"),
)
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
    if scheme_of(url) == "file":
        raise UsageError("a file has no user; write it as in file:///NAME")
    if row is None:
        names = ", ".join(f"{each.names[0]}://" for each in SCHEMES)
        raise UsageError(
            f"'{scheme_of(url)}://' is not a known scheme; choose from {names}"
        )
    name = url.partition("://")[2]
    if not name.strip("/") or (name.startswith("/") and not is_of_process(url)):
        raise UsageError(
            f"it names no {row.bucket}; write it as in"
            f" {scheme_of(url)}://{row.bucket.upper()}/NAME"
        )
    import fsspec

    # Libraries log each try to connect, with a traceback. Standard error stays free of
    # that, unless a program has asked for it.
    for logged in map(logging.getLogger, _LOGGING):
        if not logged.handlers:
            logged.addHandler(logging.NullHandler())
    kind = fsspec.get_filesystem_class(row.names[0])
    options = {**kind._get_kwargs_from_urls(url), "use_listings_cache": False}
    if is_over_http(url):
        from aiohttp import ClientTimeout

        # Proxies are used, and downloads may be long.
        timeout = ClientTimeout(total=None, sock_connect=_SILENCE, sock_read=_SILENCE)
        options["client_kwargs"] = {"timeout": timeout, "trust_env": True}
    # fsspec cuts a slash at the end, which marks a folder.
    return kind(**options), kind._strip_protocol(url)


def info_at(url: str) -> dict[str, Any]:
    """Return the facts of a store about an object; raises an error of a library."""
    files, path = filesystem_of(url)
    info: dict[str, Any] = files.info(path)
    return info


def state_in(info: dict[str, Any]) -> State:
    """Return the state of an object from the facts of a store."""
    version = next((info[name] for name in _VERSIONS if info.get(name)), "")
    if hasattr(version, "timestamp"):
        version = version.timestamp()
    return State(info.get("size") or 0, str(version))


def has_bucket(url: str) -> bool:
    """Return False if the bucket of an object is surely missing."""
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
    """Raise an error of a library if the bucket of an object is missing or hidden."""
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
        # Some programs make an empty object in place of a folder.
        if inside and not inside.endswith("/") and info["type"] != "directory":
            yield inside, state_in(info)


CHANGED = "it was changed while it was read; read it again"
# The errors of libraries that are no OSError, by their modules.
_OWN_ERRORS = {
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "aiohttp": ("ClientError",),
    "google.auth.exceptions": ("GoogleAuthError",),
    "gcsfs.retry": ("HttpError",),
    "azure.core.exceptions": ("AzureError",),
}
_NO_CREDENTIALS = {
    "NoCredentialsError",
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "TokenRetrievalError",
    "UnauthorizedSSOTokenError",
    "SSOTokenLoadError",
    "DefaultCredentialsError",
    "RefreshError",
    "ClientAuthenticationError",
    "CredentialUnavailableError",
}
_NO_CONNECTION = {
    "ConnectionError",
    "TimeoutError",
    "gaierror",
    "EndpointConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ConnectionClosedError",
    "ProxyConnectionError",
    "SSLError",
    "ServiceRequestError",
    "ServiceResponseError",
    "ClientConnectorError",
    "ClientConnectorDNSError",
    "ClientConnectorCertificateError",
    "ClientConnectorSSLError",
    "ServerDisconnectedError",
    "ServerTimeoutError",
    "ConnectionTimeoutError",
    "SocketTimeoutError",
    "ClientPayloadError",
    "TransportError",
}
_LONGEST = 200
_NOT_FOUND, _CONFLICT, _NO_RANGE, _DENIED = 404, 412, 416, (401, 403)
_SERVER = 500


def library_errors() -> tuple[type[BaseException], ...]:
    """Return the errors of the libraries that have been imported."""
    own = [
        getattr(sys.modules[module], name)
        for module, names in _OWN_ERRORS.items()
        if sys.modules.get(module) is not None
        for name in names
    ]
    return OSError, ValueError, ImportError, NotImplementedError, *own


@contextlib.contextmanager
def reading(url: str, what: str = "it") -> Iterator[None]:
    """Raise InputError for an error of a library; `what` names the object."""
    try:
        yield
    except UsageError as error:
        raise InputError(f"cannot read {what}: {error.message}") from error
    except RunconvError:
        raise
    except library_errors() as error:
        raise InputError(f"cannot read {what}: {in_words(error, url)}") from error


@contextlib.contextmanager
def writing(url: str, option: str) -> Iterator[None]:
    """Raise OutputError for an error of a library; `option` names the URL."""
    try:
        yield
    except UsageError as error:
        raise OutputError(f"cannot write {shown(url)}: {error.message}") from error
    except RunconvError:
        raise
    except library_errors() as error:
        raise output_error(error, url, option) from error
    except RuntimeError as error:
        # The library of Azure reports an error of a lower library in this way.
        if not isinstance(error.__cause__, library_errors()):
            raise
        raise output_error(error, url, option) from error


def output_error(error: BaseException, url: str, option: str) -> OutputError:
    """Return our error for one of a library; `option` names the URL."""
    return OutputError(
        f"cannot write {shown(url)}: {in_words(error, url)}, or choose another with"
        f" {option}"
    )


def is_out_of_reach(error: BaseException) -> bool:
    """Return True if no request to this store can succeed."""
    names = _names_of(error)
    return _has_no_credentials(error, names) or bool(names & _NO_CONNECTION)


def in_words(error: BaseException, url: str) -> str:
    """Describe an error of a library, and say how to fix it."""
    row, names = scheme_for(url), _names_of(error)
    status = _status_of(error) or 0
    advice = f"set {row.credentials}" if row and row.credentials else "name some"
    # The first that is true counts.
    reasons = (
        (
            isinstance(error, ImportError) and row is not None,
            f"a library is missing; install it with {row.install if row else ''}",
        ),
        (
            _has_no_credentials(error, names),
            f"there are no usable credentials; {advice}",
        ),
        (status in (_CONFLICT, _NO_RANGE) or "FileExpired" in names, CHANGED),
        (
            status in _DENIED or "PermissionError" in names,
            "the server denies access; check the credentials and their permissions",
        ),
        (
            status >= _SERVER,
            f"the server fails with status {status}; try again later",
        ),
        (
            not names.isdisjoint(_NO_CONNECTION),
            "the connection fails; check the address and the network",
        ),
    )
    if reason := next((reason for is_so, reason in reasons if is_so), ""):
        return reason
    if "FileNotFoundError" in names or status == _NOT_FOUND:
        return missing_at(url)
    return f"{_own_words(error, url)}; check the URL"


def _names_of(error: BaseException) -> set[str]:
    """Return the names of the classes of an error and of those that it comes from."""
    return {kind.__name__ for each in _causes(error) for kind in type(each).__mro__}


def _has_no_credentials(error: BaseException, names: set[str]) -> bool:
    return bool(names & _NO_CREDENTIALS) or "credentials" in str(error).lower()


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it was raised from."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _status_of(error: BaseException) -> int | None:
    """Return the status of the response of a server; None without a response."""
    for each in _causes(error):
        match getattr(each, "response", None):
            case {"ResponseMetadata": {"HTTPStatusCode": int(status)}}:
                return status
        for name in ("status", "status_code", "code"):
            match getattr(each, name, None):
                case int(status):
                    return status
    return None


def missing_at(url: str) -> str:
    """Say that an object is missing, or its bucket."""
    row = scheme_for(url)
    if row is None or is_over_http(url) or has_bucket(url):
        return "there is no such object; check the URL"
    return f"there is no such {row.bucket}; check the URL"


def _own_words(error: BaseException, url: str) -> str:
    """Return the words of a library, on one short line and without secrets."""
    from convert.redact.redactor import Redactor

    words = [str(word) for word in error.args if isinstance(word, str)]
    if isinstance(error, OSError) and error.strerror:
        words = [error.strerror]
    said = " ".join((words or [str(error) or type(error).__name__])[0].split())
    said = words_of_library(said, url) or "the library of the store refuses it"
    said = Redactor().text(said)
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    return said[:1].lower() + said[1:].rstrip(".")
