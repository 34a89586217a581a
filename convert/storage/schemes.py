"""The schemes of URLs that are known, and the libraries that they need."""

from __future__ import annotations

from msgspec import Struct

from convert.storage.addresses import scheme_of

_EXTRA = "pip install 'runconv[remote]'"


class Scheme(Struct, frozen=True):
    """A kind of store."""

    names: tuple[str, ...]
    """The schemes of its URLs; fsspec knows it by the first."""

    bucket: str
    """The word for what holds its objects."""

    install: str
    """The command that installs its library."""

    credentials: str = ""
    """Where its library finds credentials."""

    is_writable: bool = True
    """It takes outputs and lists folders."""


_S3 = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
_GS = "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login"
_AZ = "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"
SCHEMES = (
    Scheme(("s3", "s3a"), "bucket", _EXTRA, _S3),
    Scheme(("gs", "gcs"), "bucket", f"{_EXTRA} gcsfs", _GS),
    Scheme(("az", "abfs", "abfss"), "container", f"{_EXTRA} adlfs", _AZ),
    Scheme(("https", "http"), "host", _EXTRA, is_writable=False),
    Scheme(("memory",), "folder", _EXTRA),
)


def scheme_for(url: str) -> Scheme | None:
    """Return the row of a URL; None for a scheme that is not known."""
    name = scheme_of(url)
    return next((row for row in SCHEMES if name in row.names), None)


def unknown_scheme(url: str) -> str:
    """Say that a scheme is not known, and which are."""
    names = ", ".join(f"{row.names[0]}://" for row in SCHEMES)
    return f"'{scheme_of(url)}://' is no scheme that is known; choose from {names}"


def nameless(url: str, row: Scheme) -> str:
    """Say that a URL names nothing, and how to write one."""
    example = f"{scheme_of(url)}://{row.bucket.upper()}/NAME"
    return f"it names no {row.bucket}; write it as in {example}"
