"""How the formats recognise their logs: by records, or by the beginning.

`cursor` and `agents.recognition` know the records of agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from convert.source.lines import REFUSED

Record = dict[str, Any]


class Certainty:
    """How sure a format is that a log is its own: numbers, as in `CallDetail`."""

    NONE = 0
    """It is not."""

    READABLE = 1
    """It reads any text that is not JSON."""

    LIKELY = 2
    """It may be, unless it looks like the log of another tool."""

    CERTAIN = 3
    """No other tool writes such records."""


Recognise = Callable[[list[Record], bool], int]
Candidates = Mapping[str, Recognise]


class Opening(Struct, frozen=True):
    """How the logs of a format begin, however damaged the rest is."""

    member: bytes
    """Occurs there, and in few other logs."""

    pattern: bytes
    """Matches the beginning; compiled when a log holds the member."""

    def begins(self, log: bytes) -> bool:
        """Return True if a log with this beginning has it."""
        return self.member in log and re.match(self.pattern, log) is not None


Openings = Mapping[str, Opening]
Agents = Callable[[], list[str]]
# This many bytes may be an opening.
_LONGEST_OPENING = 1000


def by_opening(held: list[bytes], openings: Openings) -> str:
    """Return the format whose logs all begin like this; "" if there is none."""
    if sum(map(len, held[:-1])) > _LONGEST_OPENING:
        return ""
    head = b"".join(held)[:_LONGEST_OPENING]
    return next((name for name, each in openings.items() if each.begins(head)), "")


def by_first_line(line: bytes, candidates: Candidates) -> str:
    """Return the format that is certain of the first line; "" if none is.

    As a rule one is, and then nothing about other formats has to be imported.
    """
    try:
        record = msgspec.json.decode(line)
    except REFUSED:
        return ""
    if line.endswith(b"\n") and isinstance(record, dict):
        for name, recognise in candidates.items():
            if recognise([record], False) == Certainty.CERTAIN:
                return name
    return ""
