"""Redaction of texts that repeat the words of its rules, where each place takes long.

Whatever is repeated, time grows like the size, at half a MB a second or more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import table

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tests"))
from convert.redact import Redactor
from support.secrets.hostile import mixed, repeated, units

# The characters of a text that is tried, and of one that was slow.
_SMALL, _LARGE = 4_000, 64_000
_SHOWN = 12
_MIXED = 200


class Figure(NamedTuple):
    """How long a text took."""

    seconds: float
    """The seconds of the processor for each MB."""

    what: str
    """The unit that the text repeats."""


def compare(only: str = "") -> None:
    """Print the slowest texts, at two sizes."""
    Redactor().find(repeated("password: token sk-ant-0123456789 ", _SMALL))
    tried = sorted(_tried(only), reverse=True)
    rows = [["seconds for each MB", f"{_SMALL / 1e3:g} kB", f"{_LARGE / 1e3:g} kB"]]
    for small in tried[:_SHOWN]:
        large = _seconds(_text(small.what, _LARGE))
        rows.append([f"`{small.what}`", f"{small.seconds:.2f}", f"{large:.2f}"])
    print(table(rows))
    slow = sum(figure.seconds > 1 for figure in tried)
    print(f"\n{slow} of {len(tried)} texts take more than a second for each MB")


def _tried(only: str) -> Iterator[Figure]:
    for what in [*units(), *(f"mix {seed}" for seed in range(_MIXED))]:
        if only in what:
            yield Figure(_seconds(_text(what, _SMALL)), what)


def _text(what: str, size: int) -> str:
    if what.startswith("mix "):
        return mixed(int(what.removeprefix("mix ")), size)
    return repeated(what, size)


def _seconds(text: str) -> float:
    start = time.process_time()
    Redactor().find(text)
    return (time.process_time() - start) / len(text) * 1e6
