"""A transcript that is no longer than a host takes.

What gives way, in this order: long output, and texts that take more than their share;
then all that the oldest calls show, those that went well first; then long texts; then
what stands in the middle. What is left out is said. Nothing is kept that cannot be
shown any more, so memory holds the limit and not the log.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from msgspec.structs import replace

from convert.formats.markdown.render import render
from convert.transcript.clips import clip
from convert.transcript.figures import count
from convert.transcript.pieces import Call, Changes, Folded, Piece, Text, Title
from convert.transcript.shortening import fit

# Of the limit, what texts may take before they are shortened.
_SHARE = 0.75
# How short a text or an output may get, and what is said of the whole.
_LEAST = 250
_NOTES = 400
_MOST_FILES = 20
_WHAT: dict[type[Piece], str] = {Call: "call", Text: "text", Title: "run"}


class _Entry:
    """A piece that is kept, and the bytes that it takes."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        said = render(piece)
        # With its empty line, and with what a runner's log adds to it.
        self.size = len(said.encode(errors="replace")) + 1
        self.size += said.count("::") + said.count("##[")


class Limited:
    """The pieces of a transcript, shortened as far as a number of bytes asks for."""

    def __init__(self, most: int) -> None:
        self._most = most
        halves = (most >> power for power in range(1, 64))
        self._call_caps = [cap for cap in halves if cap >= _LEAST]
        self._text_caps = list(self._call_caps)
        self._call_cap = self._text_cap = most
        self._bare = 0
        self._left_out: Counter[str] = Counter()
        self._clear()

    def _clear(self) -> None:
        self._head: list[_Entry] = []
        self._tail: deque[_Entry] = deque()
        self._head_size = self._total = self._texts = 0
        # Calls that show something: those that went well, and the others.
        self._full: tuple[deque[_Entry], deque[_Entry]] = deque(), deque()

    def add(self, piece: Piece) -> None:
        """Take a piece and make room for it."""
        self._append(piece)
        self._make_room(self._most - _NOTES)

    def rendered(self, taken: int) -> Iterator[str]:
        """Give the blocks, when `taken` of the bytes are used for something else."""
        self._make_room(self._most - _NOTES - taken)
        for entry in self._head:
            yield render(entry.piece)
        if self._left_out:
            yield f"… {_listed(self._left_out)} omitted …\n"
        for entry in self._tail:
            yield render(entry.piece)
        if self._bare:
            calls = count(self._bare, "call")
            yield f"To keep to {self._most:,} bytes, what {calls} gave is left out.\n"

    def _append(self, piece: Piece) -> None:
        entry = _Entry(self._shortened(piece))
        self._total += entry.size
        if isinstance(piece, Text | Folded):
            self._texts += entry.size
        elif isinstance(piece, Call) and piece.parts:
            self._full[not piece.is_ok].append(entry)
        if not self._tail and self._head_size + entry.size <= self._most // 2 - _NOTES:
            self._head.append(entry)
            self._head_size += entry.size
        else:
            self._tail.append(entry)

    def _shortened(self, piece: Piece) -> Piece:
        match piece:
            case Call():
                return fit(piece, self._call_cap)
            case Text(text=text) | Folded(text=text):
                return replace(piece, text=clip(text, self._text_cap, self._text_cap))
            case Changes(changes=changes) if self._text_cap < self._most:
                omitted = piece.omitted + len(changes[_MOST_FILES:])
                return Changes(changes[:_MOST_FILES], omitted)
        return piece

    def _make_room(self, most: int) -> None:
        while self._total > most:
            is_text_long = self._texts > _SHARE * self._most
            if self._text_caps and is_text_long:
                self._text_cap = self._text_caps.pop(0)
            elif self._call_caps:
                self._call_cap = self._call_caps.pop(0)
            elif full := self._full[0] or self._full[1]:
                self._strip(full.popleft())
                continue
            elif self._text_caps:
                self._text_cap = self._text_caps.pop(0)
            else:
                self._drop(most)
                return
            entries = [*self._head, *self._tail]
            self._clear()
            for entry in entries:
                self._append(entry.piece)

    def _strip(self, entry: _Entry) -> None:
        """Leave of a call its heading."""
        if isinstance(entry.piece, Call):
            bare = _Entry(replace(entry.piece, parts=[], is_bare=True))
            self._total -= entry.size - bare.size
            entry.piece, entry.size = bare.piece, bare.size
            self._bare += 1

    def _drop(self, most: int) -> None:
        """Leave out what stands behind the beginning, until the rest fits."""
        while self._total > most and (self._tail or self._head):
            entry = self._tail.popleft() if self._tail else self._head.pop()
            self._total -= entry.size
            self._bare -= isinstance(entry.piece, Call) and entry.piece.is_bare
            self._left_out[_WHAT.get(type(entry.piece), "")] += 1


def _listed(left_out: Counter[str]) -> str:
    named = [count(left_out[what], what) for what in _WHAT.values() if left_out[what]]
    return ", ".join(named) or "something"
