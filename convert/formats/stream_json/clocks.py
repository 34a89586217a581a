"""When runs began and ended, by the timestamps of their lines.

Most targets do not decode timestamps, which takes three hundredths of reading deltas.
So of each block only the first line of a run and the last one are looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import msgspec

from convert.formats.stream_json.open_runs import OpenRun, Runs
from convert.formats.stream_json.wire import Stamped, WireEvent, milliseconds
from convert.source.ndjson import REFUSED, EventBlock

_NAME = b'"timestamp_ms":'
# As the agent writes it, the last member of a line.
_LONGEST_END = 40


class Clocks:
    """Notes the first and the last timestamp of each run, block by block."""

    def __init__(self) -> None:
        # The event of the block up to which lines have been looked at.
        self._at = 0
        # Some line of the block may have a timestamp; None until it is looked at.
        self._has_stamps: bool | None = None

    def look(self, block: EventBlock[WireEvent], end: int, runs: Runs) -> None:
        """Look at the events of a block before `end`, as far as that has not been.

        To be called before a run begins or ends, so that the same runs are open at all
        of them, and for what has to know when the run began.
        """
        end = min(end, len(block.events))
        begin, self._at = self._at, max(self._at, end)
        if begin >= end or not runs.open:
            return
        if end == len(block.events) and len(runs.open) == 1 and _note_end(block, runs):
            return
        if self._has_stamps is None:
            self._has_stamps = _may_have_stamps(block)
        if not self._has_stamps:
            return
        if len(runs.open) > 1:
            _note_each(block, begin, end, runs)
            return
        run = next(iter(runs.open.values()))
        if run.first_ms is None:
            run.first_ms = _first(block, _forward(block, begin, end), run)
        last = _first(block, _backward(block, begin, end), run)
        run.last_ms = run.last_ms if last is None else last

    def next_block(self) -> None:
        """Begin with the first event of another block."""
        self._at = 0
        self._has_stamps = None


def _note_end(block: EventBlock[WireEvent], runs: Runs) -> bool:
    """Note the timestamp at the end of a block; False if more must be looked at."""
    run = next(iter(runs.open.values()))
    if run.first_ms is None or block.events[-1].session_id != run.session:
        return False
    stamp = _written_last(block.block)
    if stamp is not None:
        run.last_ms = stamp
    return stamp is not None


_Lines = Iterator[tuple[int, bytes]]


def _may_have_stamps(block: EventBlock[WireEvent]) -> bool:
    """Return True if a line may have a timestamp; logs of 2025 have none."""
    return not block.block or _NAME[:-1] in block.block


def _first(block: EventBlock[WireEvent], lines: _Lines, run: OpenRun) -> int | None:
    """Return the first timestamp of some lines that may be of a run."""
    for index, line in lines:
        if block.events[index].session_id not in ("", run.session):
            continue
        if (stamp := _stamp(line)) is not None:
            return stamp
    return None


def _note_each(block: EventBlock[WireEvent], begin: int, end: int, runs: Runs) -> None:
    """Look at each line, where several runs are open."""
    for index, line in _forward(block, begin, end):
        run = runs.open_of(block.events[index].session_id)
        if run is not None and (stamp := _stamp(line)) is not None:
            run.first_ms = stamp if run.first_ms is None else run.first_ms
            run.last_ms = stamp


def _stamp(line: bytes) -> int | None:
    if (stamp := _written_last(line)) is not None:
        return stamp
    try:
        return milliseconds(_stamped().decode(line).timestamp_ms)
    except REFUSED:
        # Half an emoji in another member, or another type.
        from convert.source.members import members_of

        found = members_of(line).get("timestamp_ms")
        return milliseconds(found) if type(found) in (int, float) else None


def _written_last(text: bytes) -> int | None:
    """Return the timestamp with which a line ends, as the agent writes it."""
    _, name, end = text[-_LONGEST_END:].rstrip().rpartition(_NAME)
    if name and end[-1:] == b"}" and (digits := end[:-1].strip()).isdigit():
        return milliseconds(int(digits))
    return None


@functools.cache
def _stamped() -> msgspec.json.Decoder[Stamped]:
    return msgspec.json.Decoder(Stamped)


def _forward(block: EventBlock[WireEvent], begin: int, end: int) -> _Lines:
    """Yield the lines of a block with their indices."""
    return ((index, block.line(index)) for index in range(begin, end))


def _backward(block: EventBlock[WireEvent], begin: int, end: int) -> _Lines:
    """Yield the same from the last line to the first."""
    return ((index, block.line(index)) for index in reversed(range(begin, end)))
