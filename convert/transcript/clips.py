"""Text of which the middle may be left out."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from convert.wording.numbers import byte_count, count, line_count, size

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$", re.MULTILINE)


class Clip(Struct, frozen=True):
    """A text, or its head and tail and how much of it stood between them.

    `lines` and bytes of UTF-8 are those that are left. `omitted_lines` counts line
    feeds, `omitted_bytes` bytes of UTF-8. `opener` is the line that opens the fence in
    which the tail of a Markdown text stands, if any.
    """

    head: str
    lines: int
    bytes: int
    tail: str = ""
    omitted_lines: int = 0
    omitted_bytes: int = 0
    opener: str = ""

    @property
    def note(self) -> str:
        """What stands for the middle; empty where nothing is left out."""
        if not self.omitted_bytes:
            return ""
        omitted = size(self.omitted_bytes)
        if self.omitted_lines:
            omitted = f"{count(self.omitted_lines, 'line')} ({omitted})"
        return f"… {omitted} omitted …"


def whole(text: str) -> Clip:
    """A text of which nothing is left out.

    Measured once: a long text takes longer to measure than all else that is shown.
    """
    return Clip(text, line_count(text), byte_count(text))


def clip(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Leave as much as fits, half of it from the head and half from the tail.

    A text is cut between lines, and between characters only where a line takes more
    than half of the room. To clip twice is to clip once to the smaller size.
    """
    is_whole = not text.omitted_bytes
    if is_whole and text.bytes <= most_bytes and text.lines <= most_lines:
        return text
    head = _head(text.head, most_lines - most_lines // 2, most_bytes // 2)
    before = text.head if is_whole else text.tail
    tail = _tail(before, most_lines // 2, most_bytes // 2)
    left_lines = line_count(head) + line_count(tail)
    left_bytes = byte_count(head) + byte_count(tail)
    # Of a line that is cut, both ends are lines; its line feed is one.
    line_feeds = text.lines - _open_ends(text.head, text.tail)
    left_line_feeds = left_lines - _open_ends(head, tail)
    return Clip(
        head,
        left_lines,
        left_bytes,
        tail,
        text.omitted_lines + line_feeds - left_line_feeds,
        text.omitted_bytes + text.bytes - left_bytes,
        text.opener,
    )


def _open_ends(head: str, tail: str) -> int:
    """How many of two texts end inside a line."""
    return (head[-1:] not in ("", "\n")) + (tail[-1:] not in ("", "\n"))


def clip_markdown(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Clip a text in which the tail may begin inside a fence."""
    clipped = clip(text, most_lines, most_bytes)
    if clipped.omitted_bytes == text.omitted_bytes:
        return clipped
    before = text.tail if text.omitted_bytes else text.head
    skipped = before[: len(before) - len(clipped.tail)]
    return replace(clipped, opener=_open_fence(f"{text.opener}\n{skipped}"))


def _open_fence(text: str) -> str:
    """The line that opens the fence which is open where a text ends."""
    opener = mark = ""
    for match in _FENCE.finditer(text):
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
