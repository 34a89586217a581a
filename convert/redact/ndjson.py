"""NDJSON without its secrets: only strings change, all else keeps its bytes.

A secret may be cut in two where a text is written in pieces. So a format says which
lines hold pieces of one text (`Groups`), and those are held until the text is complete.
If a secret spans two of them, the first gets the whole text without the secret and the
others are emptied. A secret cut off by the end of a text goes on in the next (`Cuts`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from convert.redact import Redactor, Secret
from convert.redact.cuts import Cuts, broken_off, continued
from convert.redact.finding import outermost
from convert.redact.rewriting import Shape, rewrite
from convert.source.damaged import decode_again
from convert.source.ndjson import Decoding, E, EventBlock

# How many lines, and bytes, wait for a text that does not end.
_MOST_WAITING = 10_000
_MOST_BYTES = 16 << 20
_T = TypeVar("_T", bound=Struct)


class HeldLines(Struct, Generic[E], gc=False):
    """Lines that follow each other until nothing after them can change them.

    They are pieces of one text, or a line alone.
    """

    events: list[E]
    """The decoded lines."""

    numbers: Sequence[int]
    """The number of each line, from 1."""

    raws: list[bytes]
    """The bytes of each event."""

    suspected: Sequence[int]
    """For each line if a string of it may hold a secret."""

    wholes: Sequence[E | None] = ()
    """The lines decoded with their texts, where they are; set by `Groups`."""

    texts: list[str] = []
    """The strings of the lines that are pieces of a text, in order; set by `Groups`."""

    shape: Shape = Shape()
    """Where those strings are in a line; set by `Groups`."""

    voice: str = ""
    """Names those whose texts may go on in the next one; set by `Groups`."""

    size: int = 0
    """The bytes of all events."""

    holder: Any = None
    """A mark that `Groups` may set to find the group of the lines again."""

    is_ready: bool = False
    """True once the lines have been redacted."""

    def part(self, begin: int, end: int) -> HeldLines[E]:
        """Return some of the lines."""
        raws = self.raws[begin:end]
        return HeldLines(
            self.events[begin:end],
            self.numbers[begin:end],
            raws,
            self.suspected[begin:end],
            self.wholes[begin:end],
            size=sum(map(len, raws)),
        )

    def alone(self) -> Iterator[HeldLines[E]]:
        """Yield each line alone."""
        for index in range(len(self.raws)):
            yield self.part(index, index + 1)


class Groups(Protocol[_T]):
    """The part of redaction that a format knows: which lines hold pieces of one text.

    Each line is yielded exactly once, in a list with the lines that belong to it.
    """

    def parts(self, lines: HeldLines[_T]) -> Iterable[HeldLines[_T]]:
        """Yield the lines of a block, together where they only go on with a text."""

    def take(self, lines: HeldLines[_T]) -> Iterable[list[HeldLines[_T]]]:
        """Read such lines and yield the groups that are complete with them."""

    def release(self, lines: HeldLines[_T]) -> Iterable[list[HeldLines[_T]]]:
        """Yield the groups that are open and hold back lines, which wait too long."""

    def end(self) -> Iterable[list[HeldLines[_T]]]:
        """Yield the groups that are open when the log ends."""


class EachAlone(Struct):
    """The groups of a format that never splits a text over several lines."""

    shape: Shape
    """The meaning of the strings of each line."""

    def parts(self, lines: HeldLines[E]) -> Iterator[HeldLines[E]]:
        """Yield each line alone."""
        return lines.alone()

    def take(self, lines: HeldLines[E]) -> list[list[HeldLines[E]]]:
        """Yield the line."""
        lines.shape = self.shape
        return [[lines]]

    def release(self, lines: HeldLines[E]) -> list[list[HeldLines[E]]]:
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
        raws = [*map(bytes.strip, map(block.line, range(len(block.events))))]
        suspected = redactor.suspected(raws)
        redaction.take(HeldLines(block.events, block.numbers, raws, suspected))
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
        self._queue: deque[HeldLines[E]] = deque()
        self._lines = 0
        self._bytes = 0

    def take(self, lines: HeldLines[E]) -> None:
        """Read the lines of a block and redact what is complete with them."""
        groups: list[list[HeldLines[E]]] = []
        for part in self._groups.parts(lines):
            if not self._waits_too_long(len(part.raws), part.size):
                groups += self._taken(part)
                continue
            self._settle(groups)
            groups = []
            for alone in part.alone():
                self._settle([*self._taken(alone)])
                if self._waits_too_long():
                    self._settle([*self._groups.release(self._queue[0])])
        self._settle(groups)

    def _taken(self, lines: HeldLines[E]) -> Iterable[list[HeldLines[E]]]:
        """Take lines and return the groups that are complete with them."""
        self._queue.append(lines)
        self._lines += len(lines.raws)
        self._bytes += lines.size
        return self._groups.take(lines)

    def _waits_too_long(self, lines: int = 0, size: int = 0) -> bool:
        """Return True if too much waits, or would with so much more."""
        return self._lines + lines > _MOST_WAITING or self._bytes + size > _MOST_BYTES

    def end(self) -> None:
        """Redact what is open when the log has ended."""
        self._settle([*self._groups.end()])
        self._settle([[lines] for lines in self._queue if not lines.is_ready])

    def ready(self, last: int) -> EventBlock[E]:
        """Return the lines before the first one that is not ready."""
        events: list[E] = []
        numbers: list[int] = []
        raws: list[bytes] = []
        while self._queue and self._queue[0].is_ready:
            lines = self._queue.popleft()
            events += lines.events
            numbers += lines.numbers
            raws += lines.raws
        self._lines -= len(raws)
        self._bytes -= sum(map(len, raws))
        significant = self._decoding.significant(events)
        return EventBlock(events, numbers, last, significant, raws=raws)

    def _settle(self, groups: list[list[HeldLines[E]]]) -> None:
        """Redact the lines of groups, whose texts are looked through together."""
        texts = [*map(self._text_of, groups)]
        suspected = self._redactor.suspected_texts(
            [before + text for before, text in texts]
        )
        for group, (before, text), is_suspect in zip(
            groups, texts, suspected, strict=True
        ):
            pieces = self._pieces(group, before, text, is_suspect) if text else None
            for lines in group:
                self._rewrite(lines, pieces)

    def _text_of(self, group: list[HeldLines[E]]) -> tuple[str, str]:
        """Return the text of a group, after the end of the one that it may go on with.

        Most other texts are whole, and those are looked at with their line.
        """
        voice = group[0].voice
        if not voice and len(group[0].texts) < 2:
            return "", ""
        text = "".join([text for lines in group for text in lines.texts])
        return self._cuts.turn(voice, text) if voice else "", text

    def _pieces(
        self, group: list[HeldLines[E]], before: str, text: str, is_suspect: int
    ) -> list[str] | None:
        """Return what replaces the texts of a group, unless each is redacted alone.

        That would miss a secret in what they are together, or in what is before it.
        """
        texts = [text for lines in group for text in lines.texts]
        cuts = broken_off(text) if group[0].voice else []
        if is_suspect:
            cuts = [*continued(before, text), *cuts]
        if not cuts and len(texts) < 2:
            return None
        redactor = self._redactor
        find = redactor.find if is_suspect else redactor.find_known
        secrets = find(text)
        alone = self._find_alone(texts) if secrets or cuts else []
        if not cuts and secrets == alone:
            return None
        # A secret at the end of a text may be none with the next one.
        for text_alone in texts:
            redactor.learn(text_alone)
        return [redactor.replace(text, outermost([*secrets, *alone, *cuts]))]

    def _find_alone(self, texts: list[str]) -> list[Secret]:
        """Find the secrets in each of some texts; their offsets are those in all."""
        found = []
        at = 0
        for text in texts:
            for begin, end, name in self._redactor.find(text):
                found.append(Secret(begin + at, end + at, name))
            at += len(text)
        return found

    def _rewrite(self, lines: HeldLines[E], pieces: list[str] | None) -> None:
        """Redact the strings of lines; `pieces` replace their texts unless None."""
        lines.is_ready = True
        if pieces is None and not any(lines.suspected):
            # They are looked through together, which takes less time.
            known = self._redactor.known
            if known.is_empty or not known.is_in(b"\n".join(lines.raws)):
                return
        for index in range(len(lines.raws)):
            self._rewrite_line(lines, index, pieces)

    def _rewrite_line(
        self, lines: HeldLines[E], index: int, pieces: list[str] | None
    ) -> None:
        """Redact the strings of a line and decode it again if that changes it."""
        before = lines.raws[index]
        if pieces is None and not self._may_hold_secret(lines, index):
            return
        raw = rewrite(before, self._redactor, lines.shape, pieces)
        if raw != before:
            self._bytes += len(raw) - len(before)
            lines.raws[index] = raw
            event = decode_again(raw, self._decoding)
            lines.events[index] = event or lines.events[index]
        elif pieces is None:
            self._redactor.known.add_clean(raw)

    def _may_hold_secret(self, lines: HeldLines[E], index: int) -> bool:
        known, raw = self._redactor.known, lines.raws[index]
        return not known.is_clean(raw) if lines.suspected[index] else known.is_in(raw)
