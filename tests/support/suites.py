"""Folders of logs, and the report of `runconv diff` on two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from convert.suite import compare_folders
from convert.suites import Suite
from support.in_process import Done, run
from support.runs import Made, Noise, one_by_one, tell

READ = Made("read", "a.py")
EDIT = Made("edit", "b.py")
FAILED = Made("shell", "c.py", "exit 1")

# The last words of a run that did not succeed, by the letter for how it ended.
_REASONS = {
    "f": "I could not do it",
    "q": "You've hit your usage limit",
    "n": "read ECONNRESET",
    "l": "Not logged in",
}

Logs = Mapping[str, bytes]


def log(*calls: Made, text: str = "Done.", ended: str = "s", seed: int = 0) -> bytes:
    """Return the log of a run with these calls.

    It succeeds (`s`), fails (`f`), or a usage limit (`q`), the network (`n`) or a lack
    of a login (`l`) ends it; or its log breaks off (`/`) or is no log at all (`!`).
    """
    if ended == "!":
        return b'{"type": "system"\n'
    *lines, last = tell(one_by_one([*calls]), Noise(seed), text).splitlines(True)
    if ended == "s":
        return b"".join([*lines, last])
    if ended == "/":
        return b"".join(lines)
    result = json.loads(last) | {"subtype": "error", "is_error": True}
    result["result"] = _REASONS[ended]
    return b"".join([*lines, json.dumps(result).encode(), b"\n"])


def runs(name: str, endings: str, *calls: Made) -> dict[str, bytes]:
    """Return the logs of a case with a run for each letter; see `log`."""
    return {
        f"{name}/{at}.ndjson": log(*(calls or (READ,)), ended=ending)
        for at, ending in enumerate(endings, 1)
    }


def cases(number: int, endings: str, *calls: Made) -> dict[str, bytes]:
    """Return the logs of so many equal cases, named by letters.

    Paths that differ only in numbers would be those of runs.
    """
    names = [letter * (1 + at // 26) for at, letter in enumerate(_letters(number))]
    return {
        path: content
        for name in names
        for path, content in runs(name, endings, *calls).items()
    }


def _letters(number: int) -> str:
    return (ascii_lowercase * (1 + number // 26))[:number]


def write(folder: Path, logs: Logs) -> Path:
    """Write logs by their paths in a folder."""
    for name, content in logs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def folders(place: Path, a: Logs, b: Logs) -> tuple[Path, Path]:
    """Write the logs of both versions into folders `a` and `b`."""
    return write(place / "a", a), write(place / "b", b)


def suite(place: Path, a: Logs, b: Logs, **more: Any) -> Suite:
    """Compare folders with these logs."""
    return compare_folders(*folders(place, a, b), **more)


def diff(place: Path, *options: str) -> Done:
    """Compare the folders `a` and `b` on the command line."""
    return run(["diff", "a", "b", *options], place, {})


def first_line(done: Done) -> str:
    """Return the sentence about the suite, which a command printed."""
    return done.stdout.decode().partition("\n")[0]


def words(compared: Suite) -> dict[str, str]:
    """Return how each case turned out, or how severe it is, in the order of reports."""
    return {
        case.name: case.severity if case.fate == "different" else case.fate
        for case in compared.cases
    }
