"""Which format a log is in, by its bytes and never by its name.

The formats are asked in turn; each knows its own records. A log of a tool that no
format reads is named (`look_alikes`) and not converted wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from convert.errors import InputError
from convert.source.lines import Gap, lines_of
from convert.source.ndjson import REFUSED

if TYPE_CHECKING:
    from convert.source.judge import Judgement

Record = dict[str, Any]


class Certainty(IntEnum):
    """How sure a format is that a log is its own."""

    NONE = 0
    """It is not."""

    READABLE = 1
    """It reads any text that is not JSON."""

    LIKELY = 2
    """It may be, unless it looks like the log of another tool."""

    CERTAIN = 3
    """No other tool writes such records."""


Recognise = Callable[[list[Record], bool], Certainty]
"""Looks at the first JSON objects of a log, and if they are in prose."""

Candidates = Mapping[str, Recognise]
"""The formats that a log may be in, by their names; the first one wins a tie."""


class Opening(Struct, frozen=True):
    """How the logs of a format begin, however damaged the rest is."""

    member: bytes
    """Stands there, and in few other logs."""

    pattern: bytes
    """Matches the beginning; compiled when a log holds the member."""

    def begins(self, log: bytes) -> bool:
        """Return True if a log, of which this is the first part, begins so."""
        return self.member in log and re.match(self.pattern, log) is not None


Openings = Mapping[str, Opening]
"""How the logs of some formats begin, by their names."""

Agents = Callable[[], list[str]]
"""Returns the agents whose logs are read, for a message on a log that is none."""

# This many bytes may be an opening.
_LONGEST_OPENING = 1000


def sniff(
    blocks: Iterable[bytes], candidates: Candidates, openings: Openings, agents: Agents
) -> tuple[str, Iterator[bytes]]:
    """Return the format of a log and its blocks, those that were looked at included.

    Reads no further than it must: the first event of a live log is enough as a rule.
    Raises InputError if no format fits.
    """
    blocks = iter(blocks)
    held: list[bytes] = []
    looking: Judgement | None = None
    for block in blocks:
        held.append(block)
        if name := _by_opening(held, openings):
            return name, _again(held, blocks)
        # Line by line, so that the answer does not depend on how a log arrives.
        for line in lines_of(block):
            if looking is None:
                if name := _by_first_line(line, candidates):
                    return name, _again(held, blocks)
                looking = _looking(candidates, agents)
            if name := looking.take(line):
                return name, _again(held, blocks)
    gaps = [block for block in held if isinstance(block, Gap)]
    if gaps and not b"".join(held).strip():
        reason = gaps[0].reason
        raise InputError(f"nothing to read but a line {reason}; raise the limit")
    looking = looking or _looking(candidates, agents)
    return looking.end(), _again(held, ())


def _again(held: list[bytes], blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks that were looked at, and forget each, then the others."""
    held.reverse()
    while held:
        yield held.pop()
    yield from blocks


def _looking(candidates: Candidates, agents: Agents) -> Judgement:
    # As a rule the first line is enough, and then none of this is needed.
    from convert.source.judge import Judgement

    return Judgement(candidates, agents)


def _by_opening(held: list[bytes], openings: Openings) -> str:
    """Return the format of which each log begins like this; "" if there is none."""
    if sum(map(len, held[:-1])) > _LONGEST_OPENING:
        return ""
    head = b"".join(held)[:_LONGEST_OPENING]
    return next((name for name, each in openings.items() if each.begins(head)), "")


def _by_first_line(line: bytes, candidates: Candidates) -> str:
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
