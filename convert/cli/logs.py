"""The logs that a command line names."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from convert.errors import InputError, UsageError


def check_logs(logs: list[str]) -> None:
    """Refuse to read standard input more than once."""
    if logs.count("-") > 1:
        raise UsageError("standard input can be read only once; name - once")


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
