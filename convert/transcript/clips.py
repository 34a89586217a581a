"""Text of which the middle may be left out."""

from __future__ import annotations

import functools
import re

from msgspec import Struct
from msgspec.structs import replace

from convert.figures import count, length, line_feeds, lines, size

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$", re.MULTILINE)


class Clip(Struct, frozen=True, dict=True):
    """A text, or its head and tail and how much of it stood between them.

    `omitted_lines` counts line feeds, `omitted_bytes` bytes of UTF-8. `opener` is the
    line that opens the fence in which the tail of a Markdown text stands, if any.
    """

    head: str
    tail: str = ""
    omitted_lines: int = 0
    omitted_bytes: int = 0
    opener: str = ""

    # Measured once: a long text takes longer to measure than all else that is shown.
    @functools.cached_property
    def lines(self) -> int:
        """How many lines are left."""
        return lines(self.head) + lines(self.tail)

    @functools.cached_property
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

    A text is cut between lines, and between characters only where a line takes more
    than half of the room. To clip twice is to clip once to the smaller size.
    """
    is_whole = not text.omitted_bytes
    if is_whole and text.bytes <= most_bytes and text.lines <= most_lines:
        return text
    head = _head(text.head, most_lines - most_lines // 2, most_bytes // 2)
    before = text.head if is_whole else text.tail
    tail = _tail(before, most_lines // 2, most_bytes // 2)
    left = line_feeds(head) + line_feeds(tail)
    return Clip(
        head,
        tail,
        text.omitted_lines + _line_feeds(text) - left,
        text.omitted_bytes + text.bytes - length(head) - length(tail),
        text.opener,
    )


def _line_feeds(text: Clip) -> int:
    """How many line feeds are left."""
    return text.lines - sum(
        part != "" and not part.endswith("\n") for part in (text.head, text.tail)
    )


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
    cut = text[:most_bytes].encode(errors="replace")[:most_bytes]
    head = cut.decode(errors="ignore")
    end = -1
    for _ in range(most_lines):
        end = head.find("\n", end + 1)
        if end < 0:
            break
    else:
        return head[: end + 1]
    if len(head) == len(text):
        return head
    kept = head[: head.rfind("\n") + 1]
    return kept if 2 * length(kept) >= most_bytes else head


def _tail(text: str, most_lines: int, most_bytes: int) -> str:
    if not most_bytes or not most_lines:
        return ""
    cut = text[-most_bytes:].encode(errors="replace")[-most_bytes:]
    tail = cut.decode(errors="ignore")
    begin = len(tail) - tail.endswith("\n")
    for _ in range(most_lines):
        begin = tail.rfind("\n", 0, begin)
        if begin < 0:
            break
    else:
        return tail[begin + 1 :]
    if len(tail) == len(text) or text[-len(tail) - 1] == "\n":
        return tail
    kept = tail[tail.find("\n") + 1 :]
    return kept if 2 * length(kept) >= most_bytes else tail
