"""Which path an output gets, and which it must not get."""

from __future__ import annotations

import contextlib
import os
import stat

from convert.errors import UsageError

_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_LOGS = (".ndjson", ".jsonl", ".json", ".log", ".txt")


def is_folder(path: str) -> bool:
    """Whether outputs go into a path by the names of their logs."""
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def paths_in(logs: list[str], folder: str, suffix: str) -> list[tuple[str, str]]:
    """A path in a folder for each log, all different and none of them a log.

    Raises UsageError where that cannot be.
    """
    paths: dict[str, str] = {}
    inputs = _identities(logs)
    for log in logs:
        if log == "-":
            raise UsageError(
                f"standard input has no name for a file in {folder};"
                " name a file with -o"
            )
        path = os.path.join(folder, _stem(os.path.basename(log)) + suffix)
        if path in paths:
            raise UsageError(
                f"{paths[path]} and {log} would both become {path};"
                " convert them into different folders"
            )
        _refuse(path, path, inputs)
        paths[path] = log
    return [(log, path) for path, log in paths.items()]


def refuse_input(output: str | int, name: str, logs: list[str]) -> None:
    """Raise UsageError if the output is one of the logs, under whatever name."""
    _refuse(output, name, _identities(logs))


def _identities(logs: list[str]) -> set[tuple[int, int]]:
    """Which files the logs are, whatever their names; those that can be read."""
    found = set()
    for log in logs:
        with contextlib.suppress(OSError, ValueError):
            state = os.stat(0 if log == "-" else log)
            found.add((state.st_dev, state.st_ino))
    return found


def _refuse(output: str | int, name: str, inputs: set[tuple[int, int]]) -> None:
    try:
        old = os.stat(output)
    except (OSError, ValueError):
        return
    is_kept = stat.S_ISREG(old.st_mode) or stat.S_ISFIFO(old.st_mode)
    if is_kept and (old.st_dev, old.st_ino) in inputs:
        raise UsageError(f"{name} is one of the logs to read; write to another file")


def _stem(name: str) -> str:
    """The name of a log without the suffixes that the output's own replaces."""
    for suffixes in (_COMPRESSED, _LOGS):
        stem, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = stem
    return name
