"""Failures that nothing expects: the system has no more to give, or there is a bug.

Each ends the command with the status for trouble and one line, because the status that
Python uses for a traceback is that of a verdict.
"""

from __future__ import annotations

import errno
import os
import sys
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
_TRACEBACK = "python -X dev -m convert"
_PACKAGE = Path(__file__).parent.parent


def failure_in_words(error: Exception) -> str:
    """Say in one line what went wrong, and for a bug where; raise it in dev mode."""
    if sys.flags.dev_mode:
        raise error
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
    advice = f"please report it as an issue, with what {_TRACEBACK} prints"
    return f"unexpected failure{_place(error)}: {what}; {advice}"


def _place(error: Exception) -> str:
    """Return the place of a bug, as ` in diff/align.py, line 7`.

    A library or the interpreter may have raised the error, so that the last place in
    this package tells more.
    """
    frames = [
        (Path(frame.filename), frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    ours = [
        (path.relative_to(_PACKAGE), line)
        for path, line in frames
        if path.is_relative_to(_PACKAGE)
    ]
    if ours:
        path, line = ours[-1]
        return f" in {path.as_posix()}, line {line}"
    return f" in {frames[-1][0].name}, line {frames[-1][1]}" if frames else ""
