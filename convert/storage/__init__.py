"""Where logs and outputs are: on this machine, or at a URL.

A path that begins with a scheme, as in `s3://bucket/run.ndjson`, is a URL. All others
are paths of this machine.
"""

from __future__ import annotations

import os
import re

from msgspec import Struct

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class State(Struct, frozen=True):
    """By what a log is known to be unchanged."""

    size: int
    """Its size in bytes."""

    version: str
    """When it was changed last, in ns since 1970, or the name of its content."""


def is_url(path: str) -> bool:
    """Return True for a URL; a drive of Windows is no scheme."""
    return _SCHEME.match(path) is not None


def size_of(path: str) -> int:
    """Return the size of a log in bytes; 0 if it cannot be found."""
    found = state_of(path)
    return found.size if found else 0


def state_of(path: str) -> State | None:
    """Return the state of a log; None if it cannot be found."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return State(found.st_size, str(found.st_mtime_ns))
