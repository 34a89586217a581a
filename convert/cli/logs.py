"""The logs that a command line names."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from convert.errors import InputError, UsageError


def check_logs(logs: list[str]) -> None:
    """Refuse to read standard input, or a pipe with a name, more than once."""
    if logs.count("-") > 1:
        raise UsageError("standard input can be read only once; name - once")
    pipes: set[tuple[int, int]] = set()
    for log in logs:
        try:
            found = os.stat(0 if log == "-" else log)
        except (OSError, ValueError):
            continue
        if stat.S_ISFIFO(found.st_mode):
            if (found.st_dev, found.st_ino) in pipes:
                raise UsageError(f"{log} can be read only once; name it once")
            pipes.add((found.st_dev, found.st_ino))


def shown(log: str) -> str:
    """How messages name a log."""
    return "<stdin>" if log == "-" else log


@contextlib.contextmanager
def opened(log: str) -> Iterator[int]:
    """Open a log to read; standard input is open already."""
    if log == "-":
        yield 0
        return
    try:
        file = os.open(log, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        what = f"cannot read it: {why}; check the path, or see runconv --help"
        raise InputError(what) from error
    try:
        yield file
    finally:
        os.close(file)
