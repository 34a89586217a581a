"""A transcript of a limited number of bytes.

It drops content in this order: long output of calls that succeeded; texts that take
more than their share; all parts of the oldest of these calls, first of those that
changed no file; their headings, where several follow one another; then long output of
failures, long texts, and all parts of failures; then pieces in the middle. A note says
how much is dropped. Dropped content is freed, so memory grows with the limit and not
with the log.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from convert.transcript.pieces import (
    Block,
    CallSection,
    CollapsibleText,
    Correction,
    FileChanges,
    FoldedCalls,
    Items,
    Omitted,
    Piece,
    Text,
    Title,
)
from convert.transcript.room_of_parts import heading_only, shorten_to
from convert.transcript.shortened_texts import clip_markdown
from convert.wording.numbers import count, in_words
from convert.write.ended import sorted_pieces

if TYPE_CHECKING:
    from convert.write.front_matter import FrontMatter

# The share of the limit that texts may take before they are shortened.
_SHARE = 0.75
# Bytes that a text or an output may always take, and bytes reserved for notes.
_LEAST = 250
_NOTES = 500
_MOST_FILES = 20
_MOST_INCIDENTS = 3
# Each step of shortening lowers a limit to this share.
_STEP = 0.75
_NAMES: dict[type[Piece], str] = {
    CallSection: "call",
    Text: "text",
    CollapsibleText: "block of reasoning",
    Correction: "later ending",
    Title: "title",
    FileChanges: "list",
    Block: "list of problems",
}


AnyPiece = TypeVar("AnyPiece", bound=Piece)
Render = Callable[[Piece], str]
"""Writes a piece in Markdown."""


def limited(
    pieces: Iterable[Piece], most: int, render: Render, front_matter: FrontMatter | None
) -> Iterator[str]:
    """Yield blocks of at most `most` bytes, when the log has ended."""
    kept = _Limited(most, render)
    for piece in pieces:
        kept.add(piece)
    used = 0
    if front_matter is not None:
        head = front_matter.write(most // 4)
        used = len(head.encode()) + 1
        yield head
    yield from kept.rendered(used)


class _Entry:
    """A piece and the bytes that it takes."""

    def __init__(self, piece: Piece, render: Render) -> None:
        self.piece = piece
        block = render(piece)
        # With its empty line, and the spaces that escape commands in a runner's log.
        self.size = len(block.encode(errors="replace")) + 1
        self.size += block.count("::") + block.count("##[")


class _Limited:
    """The pieces of a transcript, shortened to a number of bytes."""

    def __init__(self, most: int, render: Render) -> None:
        self._most = most
        self._render = render
        self._most_of_call = self._most_of_failure = self._most_of_text = most
        self._dropped: Counter[str] = Counter()
        # The title of the last run that begins among dropped pieces; its size counts.
        self._title: _Entry | None = None
        self._clear()

    def _clear(self) -> None:
        self._head: list[_Entry] = []
        self._tail: deque[_Entry] = deque()
        self._head_size = self._total = self._texts = 0
        # How many calls may be folded with their neighbours.
        self._unfolded = 0
        # Calls with parts: that changed nothing, that changed files, that failed.
        self._full: list[deque[_Entry]] = [deque(), deque(), deque()]

    def add(self, piece: Piece) -> None:
        """Add a piece and make room for it."""
        self._append(piece)
        self._make_room(self._most - _NOTES)

    def rendered(self, used: int) -> Iterator[str]:
        """Yield the blocks; `used` bytes of the limit are taken by something else."""
        self._make_room(self._most - _NOTES - used)
        bare = 0
        contents: set[str] = set()
        for piece in sorted_pieces(self._kept()):
            yield piece if isinstance(piece, str) else self._render(piece)
            calls, named = _lost(piece)
            if calls and not bare:
                what = "parts of calls are omitted here and below"
                yield f"*To keep this page to {self._most:,} bytes, {what}.*\n"
            bare += calls
            contents |= named
        if contents:
            what = in_words(sorted(contents))
            verb = "appears without its" if bare == 1 else "appear without their"
            total = count(bare, "call")
            yield f"To keep to {self._most:,} bytes, {total} {verb} {what}.\n"

    def _kept(self) -> Iterator[Piece | str]:
        """Yield the pieces that are left, and a note in place of those dropped."""
        yield from (entry.piece for entry in self._head)
        if self._dropped:
            counts = [(self._dropped[name], name) for name in _NAMES.values()]
            named = ", ".join(count(total, name) for total, name in counts if total)
            yield f"… {named or 'something'} omitted from this page …\n"
        if self._title is not None and self._tail:
            # The pieces that follow belong to a run that began among dropped ones.
            yield self._title.piece
        yield from (entry.piece for entry in self._tail)

    def _append(self, piece: Piece) -> None:
        entry = _Entry(self._shortened(piece), self._render)
        self._total += entry.size
        if isinstance(piece, Text | CollapsibleText):
            self._texts += entry.size
        elif isinstance(piece, CallSection) and piece.parts:
            rank = (1 if piece.has_changed_files else 0) if piece.is_ok else 2
            self._full[rank].append(entry)
        if not self._tail and self._head_size + entry.size <= self._most // 2 - _NOTES:
            self._head.append(entry)
            self._head_size += entry.size
        else:
            self._tail.append(entry)

    def _shortened(self, piece: Piece) -> Piece:
        match piece:
            case CallSection():
                most = self._most_of_call if piece.is_ok else self._most_of_failure
                return shorten_to(piece, most)
            case Text(text=text) | CollapsibleText(text=text):
                cut = clip_markdown(text, self._most_of_text, self._most_of_text)
                return replace(piece, text=cut)
            case FileChanges(changes=changes) if self._most_of_text < self._most:
                omitted = piece.omitted + len(changes[_MOST_FILES:])
                return FileChanges(changes[:_MOST_FILES], omitted)
            case Block(part=Items() as part) if self._most_of_text < self._most:
                # The last entries say most.
                skipped = part.skipped + max(len(part.items) - _MOST_INCIDENTS, 0)
                items = part.items[-_MOST_INCIDENTS:]
                return Block(replace(part, items=items, skipped=skipped))
        return piece

    def _make_room(self, most: int) -> None:
        while self._total > most:
            *good, failed = self._full
            full = next(filter(None, good), None)
            is_text_long = self._texts > _SHARE * self._most
            # Enough calls may be folded to search them all.
            is_fold_due = not full and self._unfolded >= 2 + len(self._tail) // 8
            pieces = [*self._head, *self._tail] if is_fold_due else []
            if self._most_of_call > _LEAST:
                self._most_of_call = _lowered(self._most_of_call)
            elif self._most_of_text > _LEAST and is_text_long:
                self._most_of_text = _lowered(self._most_of_text)
            elif full:
                self._strip(full.popleft())
                continue
            elif pieces:
                self._again(folded(entry.piece for entry in pieces))
                self._unfolded = 0
                continue
            elif self._most_of_failure > _LEAST and failed:
                self._most_of_failure = _lowered(self._most_of_failure)
            elif self._most_of_text > _LEAST:
                self._most_of_text = _lowered(self._most_of_text)
            elif failed:
                self._strip(failed.popleft())
                continue
            else:
                self._drop(most)
                return
            self._again([entry.piece for entry in (*self._head, *self._tail)])

    def _again(self, pieces: list[Piece]) -> None:
        """Add all pieces once more, as the limits are now."""
        self._clear()
        for piece in pieces:
            self._append(piece)

    def _strip(self, entry: _Entry) -> None:
        """Drop all parts of a call."""
        if isinstance(entry.piece, CallSection):
            stripped = _Entry(heading_only(entry.piece), self._render)
            self._total -= entry.size - stripped.size
            entry.piece, entry.size = stripped.piece, stripped.size
            self._unfolded += can_be_folded(entry.piece)

    def _drop(self, most: int) -> None:
        """Drop pieces after the beginning until the rest fits."""
        while self._total > most and (self._tail or self._head):
            entry = self._tail.popleft() if self._tail else self._head.pop()
            self._total -= entry.size
            if isinstance(entry.piece, Title) and self._head:
                self._total += entry.size - (self._title.size if self._title else 0)
                self._title = entry
            if isinstance(entry.piece, FoldedCalls):
                self._dropped["call"] += entry.piece.calls
                continue
            self._dropped[_NAMES.get(type(entry.piece), "")] += 1


def _lost(piece: Piece | str) -> tuple[int, frozenset[str]]:
    """Return how many calls of a piece lost their parts, and the names of these."""
    match piece:
        case CallSection(omitted=Omitted(contents=contents)):
            return 1, contents
        case FoldedCalls(bare=bare, contents=contents):
            return bare, contents
    return 0, frozenset()


def _lowered(most: int) -> int:
    return max(int(most * _STEP), _LEAST)


def folded(pieces: Iterable[AnyPiece]) -> list[AnyPiece | FoldedCalls]:
    """Fold calls that follow one another and have nothing more to show."""
    folded: list[AnyPiece | FoldedCalls] = []
    for is_foldable, group in itertools.groupby(pieces, can_be_folded):
        run = [*group]
        calls = [piece for piece in run if isinstance(piece, CallSection | FoldedCalls)]
        folded += [fold(calls)] if is_foldable and len(run) > 1 else run
    return folded


def can_be_folded(piece: object) -> bool:
    """Return True for a call without parts that succeeded and changed no file."""
    match piece:
        case FoldedCalls():
            return True
        case CallSection(parts=[], has_changed_files=False, prefix=""):
            return piece.is_ok
    return False


def fold(pieces: Iterable[CallSection | FoldedCalls]) -> FoldedCalls:
    """Fold calls that follow one another into one."""
    kinds: Counter[str] = Counter()
    numbers: list[int] = []
    bare = 0
    contents: frozenset[str] = frozenset()
    for piece in pieces:
        if isinstance(piece, FoldedCalls):
            kinds.update(piece.kinds)
            numbers += [piece.first, piece.last]
        else:
            kinds[piece.kind] += 1
            numbers.append(piece.number)
        calls, named = _lost(piece)
        bare += calls
        contents |= named
    return FoldedCalls(numbers[0], numbers[-1], dict(kinds), bare, contents)
