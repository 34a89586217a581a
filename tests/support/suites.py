"""Folders of logs, and what `runconv diff` says of two of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from convert.suite import compare_folders
from convert.suite.suite import Suite
from support.runs import Batch, Made, one_by_one, tell

READ = Made("read", "a.py")
EDIT = Made("edit", "b.py")
FAILED = Made("shell", "c.py", "exit 1")


def log(*calls: Made, text: str = "Done.") -> bytes:
    """Return the log of a run with these calls."""
    return tell(one_by_one([*calls]), text=text)


def write(folder: Path, logs: Mapping[str, bytes]) -> Path:
    """Write logs by their paths in a folder."""
    for name, content in logs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def folders(
    place: Path, a: Mapping[str, bytes], b: Mapping[str, bytes]
) -> tuple[Path, Path]:
    """Write the logs of both sides into folders `a` and `b`."""
    return write(place / "a", a), write(place / "b", b)


def suite(place: Path, a: Mapping[str, bytes], b: Mapping[str, bytes]) -> Suite:
    """Compare folders with these logs."""
    return compare_folders(*folders(place, a, b))


def words(compared: Suite) -> dict[str, str]:
    """Return the word for each case, in the order of reports."""
    return {case.name: case.word for case in compared.cases}


__all__ = ["EDIT", "FAILED", "READ", "Batch", "folders", "log", "suite", "words"]
