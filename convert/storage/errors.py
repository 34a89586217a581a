"""The errors of fsspec and of the libraries of stores, in our words.

Their own words may take twenty lines, and may quote credentials.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from convert.errors import InputError, OutputError, RunconvError
from convert.storage import shown
from convert.storage.addresses import harmless, is_over_http
from convert.storage.schemes import scheme_for

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
    """Return the errors that the libraries raise which have been imported."""
    own = [
        getattr(sys.modules[module], name)
        for module, names in _OWN_ERRORS.items()
        if sys.modules.get(module) is not None
        for name in names
    ]
    return OSError, ValueError, ImportError, NotImplementedError, *own


@contextlib.contextmanager
def reading(url: str, what: str = "it") -> Iterator[None]:
    """Raise InputError for an error of a library; `what` is what cannot be read."""
    try:
        yield
    except RunconvError:
        raise
    except library_errors() as error:
        raise InputError(f"cannot read {what}: {in_words(error, url)}") from error


@contextlib.contextmanager
def writing(url: str, option: str) -> Iterator[None]:
    """Raise OutputError for an error of a library; `option` names the URL."""
    try:
        yield
    except RunconvError:
        raise
    except library_errors() as error:
        raise output_error(error, url, option) from error
    except RuntimeError as error:
        # So the library of Azure reports an error of the one below it.
        if not isinstance(error.__cause__, library_errors()):
            raise
        raise output_error(error, url, option) from error


def output_error(error: BaseException, url: str, option: str) -> OutputError:
    """Return our error for one of a library; `option` names the URL."""
    why = f"cannot write {shown(url)}: {in_words(error, url)}"
    return OutputError(f"{why}, or choose another with {option}")


def is_out_of_reach(error: BaseException) -> bool:
    """Return True if no request to this store can succeed."""
    names = _names_of(error)
    return _has_no_credentials(error, names) or bool(names & _NO_CONNECTION)


def in_words(error: BaseException, url: str) -> str:
    """Say what is wrong and what to do."""
    row = scheme_for(url)
    names = _names_of(error)
    status = _status_of(error)
    if isinstance(error, ImportError) and row is not None:
        return f"a library is missing; install it with {row.install}"
    if _has_no_credentials(error, names):
        where = f"set {row.credentials}" if row and row.credentials else "name some"
        return f"there are no credentials that can be used; {where}"
    if status in (_CONFLICT, _NO_RANGE) or "FileExpired" in names:
        return CHANGED
    if "PermissionError" in names or status in _DENIED:
        return "the server denies access; check the credentials and what they allow"
    if status is not None and status >= _SERVER:
        return f"the server fails with status {status}; try again later"
    if names & _NO_CONNECTION:
        return "the connection fails; check the address and the network"
    if "FileNotFoundError" in names or status == _NOT_FOUND:
        return missing_at(url)
    return f"{_own_words(error)}; check the URL"


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
    """Return the status of the response of a server; None if there is none."""
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
    """Say whether an object is missing, or what should hold it."""
    from convert.storage.remote import has_bucket

    row = scheme_for(url)
    if row is None or is_over_http(url) or has_bucket(url):
        return "there is no such object; check the URL"
    return f"there is no such {row.bucket}; check the URL"


def _own_words(error: BaseException) -> str:
    """Return what a library says, on one line of limited length and without secrets."""
    from convert.redact import Redactor

    words = [str(word) for word in error.args if isinstance(word, str)]
    if isinstance(error, OSError) and error.strerror:
        words = [error.strerror]
    said = " ".join((words or [str(error) or type(error).__name__])[0].split())
    said = Redactor().text(harmless(said))
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    return said[:1].lower() + said[1:].rstrip(".")
