"""Text of which the middle may be left out."""

from __future__ import annotations

from msgspec import Struct

from convert.transcript.figures import count, length, lines, size


class Clip(Struct, frozen=True):
    """A text, or its head and tail and how much of it stood between them.

    `omitted_lines` counts line feeds, `omitted_bytes` bytes of UTF-8.
    """

    head: str
    tail: str = ""
    omitted_lines: int = 0
    omitted_bytes: int = 0

    @property
    def lines(self) -> int:
        """How many lines are left."""
        return lines(self.head) + lines(self.tail)

    @property
    def bytes(self) -> int:
        """How many bytes of UTF-8 are left."""
        return length(self.head) + length(self.tail)

    @property
    def note(self) -> str:
        """What stands for the middle; empty where nothing is left out."""
        if not self.omitted_bytes:
            return ""
        omitted = size(self.omitted_bytes)
        if self.omitted_lines:
            omitted = f"{count(self.omitted_lines, 'line')} ({omitted})"
        return f"… {omitted} omitted …"


def clip(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Leave as much as fits, half of it from the head and half from the tail.

    A text is cut between lines where the number of lines tells, else between
    characters. To clip twice is to clip once to the smaller size.
    """
    if not text.omitted_bytes:
        if text.bytes <= most_bytes and text.lines <= most_lines:
            return text
        head, tail = text.head, text.head
    else:
        head, tail = text.head, text.tail
    head = _head(head, most_lines - most_lines // 2, most_bytes // 2)
    tail = _tail(tail, most_lines // 2, most_bytes // 2)
    if text.omitted_bytes:
        between = text.head[len(head) :], text.tail[: len(text.tail) - len(tail)]
    else:
        between = text.head[len(head) : len(text.head) - len(tail)], ""
    return Clip(
        head,
        tail,
        text.omitted_lines + sum(part.count("\n") for part in between),
        text.omitted_bytes + sum(map(length, between)),
    )


def _head(text: str, most_lines: int, most_bytes: int) -> str:
    text = (
        text[:most_bytes].encode(errors="replace")[:most_bytes].decode(errors="ignore")
    )
    end = -1
    for _ in range(most_lines):
        end = text.find("\n", end + 1)
        if end < 0:
            return text
    return text[: end + 1]


def _tail(text: str, most_lines: int, most_bytes: int) -> str:
    if not most_bytes:
        return ""
    cut = text[-most_bytes:].encode(errors="replace")[-most_bytes:]
    text = cut.decode(errors="ignore")
    begin = len(text) - text.endswith("\n")
    for _ in range(most_lines):
        begin = text.rfind("\n", 0, begin)
        if begin < 0:
            return text
    return text[begin + 1 :]
