"""Excerpts of a long diff: the changed lines before those around them.

Context goes first, then the middle of long runs of changes. The header of a hunk stays
with what is shown of the hunk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from convert.transcript.clips import Clip
from convert.transcript.excerpts import Excerpts, joined, lines_of
from convert.wording.numbers import byte_count

# Lines of context before and after a run of changes that are shown if there is room.
_MOST_CONTEXT = 10


def diff_excerpts(
    text: Clip | Excerpts, most_lines: int, most_bytes: int
) -> Clip | Excerpts:
    """Keep of a diff what tells most about the changes."""
    if text.lines <= most_lines and text.bytes <= most_bytes:
        return text
    lines = lines_of(text)
    diff = _Diff([line.text for line in lines])
    return joined(lines, diff.kept(most_lines, most_bytes))


class _Diff:
    """The lines of a diff, by what they are."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        # The header above each line; that of a file has its first line.
        self._above: list[int | None] = []
        self._runs: list[range] = []
        header: int | None = None
        first = next((at for at, line in enumerate(lines) if line[:2] == "@@"), 0)
        self._file_header = range(first)
        for at, line in enumerate(lines):
            if line.startswith("@@"):
                header = at
            self._above.append(0 if at < first else header)
            if at >= first and line[:1] in ("+", "-", "\\"):
                self._add_changed(at)

    def _add_changed(self, at: int) -> None:
        runs = self._runs
        if runs and runs[-1].stop == at:
            runs[-1] = range(runs[-1].start, at + 1)
        elif not self._lines[at].startswith("\\"):
            runs.append(range(at, at + 1))

    def kept(self, most_lines: int, most_bytes: int) -> set[int]:
        """Return the places of the lines that are kept, each with its header."""
        kept: set[int] = set()
        for place in self._preferred():
            above = self._above[place]
            places = {place, place if above is None else above} - kept
            length = sum(byte_count(self._lines[at]) for at in places)
            if len(kept) + len(places) <= most_lines and length <= most_bytes:
                most_bytes -= length
                kept |= places
            if len(kept) >= most_lines or not most_bytes:
                break
        return kept

    def _preferred(self) -> Iterator[int]:
        """Yield changed lines from the ends of their runs, then those around them."""
        longest = max(map(len, self._runs), default=0)
        for rank in range((longest + 1) // 2):
            for run in self._runs:
                if rank < (len(run) + 1) // 2:
                    yield from {run[rank], run[-1 - rank]}
        yield from self._file_header
        for distance, run in itertools.product(range(1, _MOST_CONTEXT + 1), self._runs):
            for place in (run.start - distance, run.stop - 1 + distance):
                if 0 <= place < len(self._lines) and self._lines[place][:1] == " ":
                    yield place
