"""Texts of which only a part is shown: their ends, or some lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from convert.wording import compiled
from convert.wording.numbers import byte_count, count, line_count, size

# An omission that is no larger is not made: its note takes about as much room. The
# bytes are those of a piece of a line, and of each whole line.
_FEW_LINES = 3
_FEW_BYTES = 160
_FEW_BYTES_OF_LINE = 240
_FENCE = r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$"


class Clip(Struct, frozen=True):
    """A text, or its head and its tail."""

    head: str
    """The beginning, or the whole text if nothing is omitted."""

    lines: int
    """Number of lines in head and tail."""

    bytes: int
    """Number of bytes of UTF-8 in head and tail."""

    tail: str = ""
    """The end; empty if nothing is omitted."""

    omitted_lines: int = 0
    """Number of line feeds between head and tail."""

    omitted_bytes: int = 0
    """Number of bytes of UTF-8 between head and tail."""

    opener: str = ""
    """The line that opens a code fence around the start of the tail, if there is one.

    Only Markdown has it.
    """

    @property
    def note(self) -> str:
        """The note that replaces the middle; empty if nothing is omitted."""
        if not self.omitted_bytes:
            return ""
        return omission(self.omitted_lines, self.omitted_bytes)

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield the parts shown, each with a note on an omission before it."""
        yield "", self.head
        yield self.note, self.tail


def omission(lines: int, bytes_: int) -> str:
    """Say how much of a text is omitted; empty if nothing is."""
    if not bytes_:
        return ""
    omitted = size(bytes_)
    if lines:
        omitted = f"{count(lines, 'line')} ({omitted})"
    return f"… {omitted} left out of this page …"


def is_small(lines: int, bytes_: int) -> bool:
    """Return True for an omission that is not worth a note."""
    few_bytes = lines * _FEW_BYTES_OF_LINE or _FEW_BYTES
    return lines <= _FEW_LINES and bytes_ <= few_bytes


def whole(text: str) -> Clip:
    """Measure a text and omit nothing.

    Call it once for each text: to measure a long one takes longer than to write it.
    """
    length = len(text) if text.isascii() else byte_count(text)
    return Clip(text, line_count(text), length)


def clip(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Keep as much as fits, half of it from the head and half from the tail.

    The cut is between lines unless a line takes more than half of the room. A text
    stays whole if next to nothing of it would go. Clipping twice is the same as
    clipping once to the smaller size.
    """
    is_whole = not text.omitted_bytes
    if is_whole and text.bytes <= most_bytes and text.lines <= most_lines:
        return text
    head = _head(text.head, most_lines - most_lines // 2, most_bytes // 2)
    ending = text.head if is_whole else text.tail
    tail = _tail(ending, most_lines // 2, most_bytes // 2)
    kept_feeds = head.count("\n") + tail.count("\n")
    kept_bytes = byte_count(head) + byte_count(tail)
    # Both ends of a line that is cut count as lines, but it has one line feed.
    omitted_lines = text.lines - _open_ends(text.head, text.tail) - kept_feeds
    omitted_bytes = text.bytes - kept_bytes
    if is_whole and is_small(omitted_lines, omitted_bytes):
        return text
    return Clip(
        head,
        kept_feeds + _open_ends(head, tail),
        kept_bytes,
        tail,
        text.omitted_lines + omitted_lines,
        text.omitted_bytes + omitted_bytes,
        text.opener,
    )


def _open_ends(head: str, tail: str) -> int:
    """Count which of two texts end without a line feed: neither, one or both."""
    return (head[-1:] not in ("", "\n")) + (tail[-1:] not in ("", "\n"))


def clip_markdown(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Clip Markdown, where the tail may begin inside a code fence."""
    clipped = clip(text, most_lines, most_bytes)
    if clipped.omitted_bytes == text.omitted_bytes:
        return clipped
    ending = text.tail if text.omitted_bytes else text.head
    skipped = ending[: len(ending) - len(clipped.tail)]
    return replace(clipped, opener=_open_fence(f"{text.opener}\n{skipped}"))


def _open_fence(text: str) -> str:
    """Return the line that opens the code fence still open at the end of a text."""
    opener = mark = ""
    for match in compiled(_FENCE, re.MULTILINE).finditer(text):
        if not opener:
            if match["mark"][0] == "~" or "`" not in match["info"]:
                opener, mark = match[0].strip(), match["mark"]
        elif match["mark"].startswith(mark) and not match["info"].strip():
            opener = ""
    return opener


def _head(text: str, most_lines: int, most_bytes: int) -> str:
    head = text[:most_bytes]
    if not head.isascii():
        head = head.encode(errors="replace")[:most_bytes].decode(errors="ignore")
    parts = head.split("\n", most_lines)
    if len(parts) > most_lines:
        return head[: len(head) - len(parts[-1])]
    if len(head) == len(text):
        return head
    kept = head[: head.rfind("\n") + 1]
    return kept if 2 * byte_count(kept) >= most_bytes else head


def _tail(text: str, most_lines: int, most_bytes: int) -> str:
    if not most_bytes or not most_lines:
        return ""
    tail = text[-most_bytes:]
    if not tail.isascii():
        tail = tail.encode(errors="replace")[-most_bytes:].decode(errors="ignore")
    parts = tail.removesuffix("\n").rsplit("\n", most_lines)
    if len(parts) > most_lines:
        return tail[len(parts[0]) + 1 :]
    if len(tail) == len(text) or text[-len(tail) - 1] == "\n":
        return tail
    kept = tail[tail.find("\n") + 1 :]
    return kept if 2 * byte_count(kept) >= most_bytes else tail


# Lines that name an error come first, with some lines around them, and the end of the
# output; the beginning has the room that is left.
class Excerpt(Struct, frozen=True):
    """Consecutive lines of a text."""

    text: str
    """The lines, with their line feeds."""

    omitted_lines: int
    """How many lines are omitted before them."""

    omitted_bytes: int
    """How many bytes these take."""


class Excerpts(Struct, frozen=True):
    """A text of which only some lines are shown."""

    excerpts: list[Excerpt]
    """The lines that are shown; the last one may be empty, after an omission."""

    lines: int
    """How many lines are shown."""

    bytes: int
    """How many bytes these take."""

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield the parts shown, each with a note on an omission before it."""
        for excerpt in self.excerpts:
            note = omission(excerpt.omitted_lines, excerpt.omitted_bytes)
            yield note, excerpt.text
