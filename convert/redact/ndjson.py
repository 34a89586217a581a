"""NDJSON without its secrets: only strings change, all else keeps its bytes.

A secret may be cut in two where a text is written in pieces. So a format says which
lines hold pieces of one text (`Groups`), and those are held until the text is complete.
If a secret spans two of them, the first gets the whole text without the secret and the
others are emptied. What breaks off at the end of a text goes on in the next (`Cuts`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from convert.redact import Redactor, Secret
from convert.redact.cuts import Cuts
from convert.redact.finding import outermost
from convert.redact.rewriting import Shape, rewrite
from convert.source.damaged import decode_again
from convert.source.ndjson import Decoding, E, EventBlock

# How many lines, and bytes, wait for a text that does not end.
_MOST_WAITING = 10_000
_MOST_BYTES = 16 << 20
_T = TypeVar("_T", bound=Struct)


class HeldLine(Struct, Generic[E]):
    """A line until nothing after it can change it."""

    event: E
    """The decoded line."""

    number: int
    """The number of the line, from 1."""

    raw: bytes
    """The bytes of the event."""

    texts: list[str] = []
    """The strings of the line that are pieces of a text, in order; set by `Groups`."""

    shape: Shape = Shape()
    """Where those strings are in the line; set by `Groups`."""

    voice: str = ""
    """Names those whose texts may go on in the next one; set by `Groups`."""

    is_suspect: bool = True
    """True if a string of the line may hold a secret."""

    whole: E | None = None
    """The line decoded with its texts; set by `Groups`."""

    holder: Any = None
    """A mark that `Groups` may set to find the group of the line again."""

    is_ready: bool = False
    """True once the line has been redacted."""

    @property
    def text(self) -> str:
        """The texts of the line, joined."""
        return "".join(self.texts)


class Groups(Protocol[_T]):
    """The part of redaction that a format knows: which lines hold pieces of one text.

    Each line is yielded exactly once, in a list with the lines that belong to it.
    """

    def prepare(self, lines: list[HeldLine[_T]]) -> None:
        """Look at the lines of a block before they are taken."""

    def take(self, line: HeldLine[_T]) -> Iterable[list[HeldLine[_T]]]:
        """Read a line and yield the groups that are complete with it."""

    def release(self, line: HeldLine[_T]) -> Iterable[list[HeldLine[_T]]]:
        """Yield the groups that are open and hold back a line, which waits too long."""

    def end(self) -> Iterable[list[HeldLine[_T]]]:
        """Yield the groups that are open when the log ends."""


class EachAlone(Struct):
    """The groups of a format that never splits a text over several lines."""

    shape: Shape
    """The meaning of the strings of each line."""

    def prepare(self, lines: list[HeldLine[E]]) -> None:
        """Do nothing."""

    def take(self, line: HeldLine[E]) -> list[list[HeldLine[E]]]:
        """Yield the line."""
        line.shape = self.shape
        return [[line]]

    def release(self, line: HeldLine[E]) -> list[list[HeldLine[E]]]:
        """Yield nothing."""
        return []

    def end(self) -> list[list[Any]]:
        """Yield nothing."""
        return []


def redacted(
    blocks: Iterable[EventBlock[E]],
    decoding: Decoding[E],
    groups: Groups[E],
    redactor: Redactor,
) -> Iterator[EventBlock[E]]:
    """Yield the events of a log without their secrets, in order."""
    redaction = _Redaction(decoding, groups, redactor)
    last = 0
    for block in blocks:
        last = block.last
        raws = [block.raw(index) for index in range(len(block.events))]
        suspected = redactor.suspected(raws)
        lines = [*map(HeldLine, block.events, block.numbers, raws)]
        for line, is_suspect in zip(lines, suspected, strict=True):
            line.is_suspect = bool(is_suspect)
        redaction.take(lines)
        yield redaction.ready(last)
    redaction.end()
    yield redaction.ready(last)


class _Redaction(Generic[E]):
    """The lines from the first one that is not ready to the last one read."""

    def __init__(
        self, decoding: Decoding[E], groups: Groups[E], redactor: Redactor
    ) -> None:
        self._decoding = decoding
        self._groups = groups
        self._redactor = redactor
        self._cuts = Cuts()
        self._queue: deque[HeldLine[E]] = deque()
        self._bytes = 0

    def take(self, lines: list[HeldLine[E]]) -> None:
        """Read the lines of a block and redact what is complete with them."""
        self._groups.prepare(lines)
        for line in lines:
            self._take(line)

    def _take(self, line: HeldLine[E]) -> None:
        self._queue.append(line)
        self._bytes += len(line.raw)
        for group in self._groups.take(line):
            self._settle(group)
        if len(self._queue) > _MOST_WAITING or self._bytes > _MOST_BYTES:
            for group in self._groups.release(self._queue[0]):
                self._settle(group)

    def end(self) -> None:
        """Redact what is open when the log has ended."""
        for group in self._groups.end():
            self._settle(group)
        for line in self._queue:
            if not line.is_ready:
                self._settle([line])

    def ready(self, last: int) -> EventBlock[E]:
        """Return the lines before the first one that is not ready."""
        lines: list[HeldLine[E]] = []
        while self._queue and self._queue[0].is_ready:
            lines.append(self._queue.popleft())
            self._bytes -= len(lines[-1].raw)
        events = [line.event for line in lines]
        return EventBlock(
            events,
            [line.number for line in lines],
            last,
            self._decoding.significant(events),
            raws=[line.raw for line in lines],
        )

    def _settle(self, group: list[HeldLine[E]]) -> None:
        """Redact lines each alone, or as one text if that would miss a secret."""
        texts = [text for line in group for text in line.texts]
        voice = group[0].voice
        pieces: list[str] | None = None
        if len(texts) > 1 or voice:
            text = "".join(texts)
            is_suspect = any(line.is_suspect for line in group)
            cuts = self._cuts.find(voice, text, is_suspect) if voice else []
            # Most texts are whole, and those are looked at with their line.
            secrets = self._redactor.find(text) if cuts or len(texts) > 1 else []
            alone = self._find_alone(texts) if secrets or cuts else []
            if cuts or secrets != alone:
                # A secret at the end of a text may be none with the next one.
                for text_alone in texts:
                    self._redactor.learn(text_alone)
                secrets = outermost([*secrets, *alone, *cuts])
                pieces = [self._redactor.replace(text, secrets)]
        for line in group:
            self._rewrite(line, pieces)

    def _find_alone(self, texts: list[str]) -> list[Secret]:
        """Find the secrets in each of some texts; their offsets are those in all."""
        found = []
        at = 0
        for text in texts:
            for begin, end, name in self._redactor.find(text):
                found.append(Secret(begin + at, end + at, name))
            at += len(text)
        return found

    def _rewrite(self, line: HeldLine[E], pieces: list[str] | None) -> None:
        """Redact the strings of a line; `pieces` replace its texts unless None."""
        line.is_ready = True
        if pieces is None and not self._may_hold_secret(line):
            return
        raw = rewrite(line.raw, self._redactor, line.shape, pieces)
        if raw != line.raw:
            self._bytes += len(raw) - len(line.raw)
            line.raw = raw
            line.event = decode_again(raw, self._decoding) or line.event
        elif pieces is None:
            self._redactor.known.add_clean(raw)

    def _may_hold_secret(self, line: HeldLine[E]) -> bool:
        known = self._redactor.known
        return (
            not known.is_clean(line.raw) if line.is_suspect else known.is_in(line.raw)
        )
