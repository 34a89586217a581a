"""Failures that nothing expects: the system has no more to give, or there is a bug.

Each ends the command with the status for trouble and one line, because the status that
Python uses for a traceback is that of a verdict.
"""

from __future__ import annotations

import errno
import os
import traceback
from pathlib import Path

from convert.errors import RunconvError

_NO_MEMORY = "out of memory; convert parts of the log, or allow more memory"
_ADVICE = {
    errno.ENOMEM: _NO_MEMORY,
    errno.EMFILE: "too many open files; allow more, as with ulimit -n",
    errno.ENFILE: "too many open files in the system",
    errno.EAGAIN: "the system allows no more processes or threads",
}
_NO_THREAD = "can't start new thread"


def failure_in_words(error: Exception) -> str:
    """Say in one line what went wrong, and for a bug where."""
    match error:
        case RunconvError(message=message):
            return message
        case MemoryError():
            return _NO_MEMORY
        case OSError(errno=number) if number in _ADVICE:
            return _ADVICE[number]
        case RuntimeError() if str(error) == _NO_THREAD:
            return _ADVICE[errno.EAGAIN]
        case OSError(strerror=str(reason)):
            name = f"{os.fspath(error.filename)!r}: " if error.filename else ""
            return f"{name}{reason.lower()}"
    kind = type(error).__name__
    what = f"{kind}: {error}" if str(error) else kind
    return f"unexpected failure{_place(error)}: {what}; please report it as an issue"


def _place(error: Exception) -> str:
    """Return the place of a bug, as ` in align.py, line 7`."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    return f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}"
