"""The lines that `runconv run` adds to a log, and the log without them.

    {"type":"runconv","subtype":"start"}
    {"type":"runconv","subtype":"stderr","text":"npm warn deprecated"}
    {"type":"runconv","subtype":"end","exit_code":1,"reason":"Error: no key"}

The first line of a log that has such marks is one, so that any other log is read at no
cost. A try, which is one start of the agent, has a mark before its first line and after
its last. The lines between them are those of the agent, byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from convert.model.json_lines import json_bytes
from convert.source.lines import MARKED, REFUSED, Gap, lines_in

_HEAD = b'{"type":"runconv",'
START = MARKED + b"}\n"
"""The mark before the first line of a try."""

_STDERR = _HEAD + b'"subtype":"stderr","text":'
# A mark of standard error and those that follow it are found at once. Of other marks,
# an unknown one and the torn last line say nothing.
_STDERR_LINE = re.escape(_STDERR) + rb".*+(?:\n|\Z)"
_MARKS = (
    rb"^(?:(?P<stderr>(?:%s)++)|%s(?:\"subtype\":\"(?P<kind>start|end)\")?.*+(?:\n|\Z))"
) % (_STDERR_LINE, re.escape(_HEAD))
# How many of the last lines of standard error are kept, and of how many bytes in JSON.
_KEPT = 20
_LONGEST = 1 << 15


def stderr_marks(lines: bytes) -> bytes:
    """Return the marks of whole lines of standard error; the last may be incomplete.

    Invalid UTF-8 is replaced.
    """
    texts = lines.removesuffix(b"\n").decode(errors="replace").split("\n")
    return b"".join([_STDERR + json_bytes(text) + b"}\n" for text in texts])


def without_forged(lines: bytes) -> bytes:
    """Return lines of the agent, where one that is like a mark begins with a blank.

    A blank there changes no JSON.
    """
    if _HEAD not in lines:
        return lines
    return re.sub(rb"^(?=%s)" % re.escape(_HEAD), b" ", lines, flags=re.MULTILINE)


class EndMark(Struct, frozen=True, omit_defaults=True):
    """How a try ended: by itself, or by a signal of others, or because it was ended."""

    exit_code: int | None = None
    """The status with which the agent exited; None unless it did so by itself."""

    signal: str = ""
    """The signal that ended the agent, such as `SIGKILL`, unless runconv sent it."""

    stopped: str = ""
    """Why runconv ended it: `result`, `stall`, `limit`, `closed` or `signal`."""

    reason: str = ""
    """Why the try has no successful result, in words; "" if it has one."""


def end_mark(
    *,
    exit_code: int | None = None,
    signal: str = "",
    stopped: str = "",
    reason: str = "",
) -> bytes:
    """Return the mark after the last line of a try; see `EndMark`."""
    members = json_bytes(EndMark(exit_code, signal, stopped, reason))[1:]
    return _HEAD + b'"subtype":"end"' + (b"," * (members != b"}")) + members + b"\n"


_END = msgspec.json.Decoder(EndMark)
_TEXT = msgspec.json.Decoder(dict[str, str])


class Try(Gap):
    """The end of a try, between the blocks of a log without marks: an empty block.

    It is there as soon as the try is over, so that nobody waits for the next one.
    """

    is_marked = True
    """It has a mark at its beginning; any other lines follow the last try."""

    first = 0
    """The number of its first line in the log with marks."""

    last = 0
    """The number of its last one."""

    lines = 0
    """How many lines it has apart from its marks."""

    end: EndMark | None = None
    """How it ended; None if the log breaks off before that."""

    last_errors: Sequence[str] = ()
    """The last lines of standard error, if no line of the agent follows them."""


class Marks:
    """The marks of a log: blocks go in, blocks without marks come out."""

    def __init__(self) -> None:
        self.stderr_lines = 0
        """How many lines of standard error the log holds so far."""

        self._lines = self._removed = 0
        # The numbers of lines without marks from which on lines have others in the log,
        # and how many marks are before each.
        self._places: list[int] = []
        self._marks_before: list[int] = []
        self._try: Try | None = None
        self._errors: deque[bytes] = deque(maxlen=_KEPT)

    @property
    def lines(self) -> int:
        """How many lines the log has so far, marks included."""
        return self._lines + self._removed

    def line(self, number: int) -> int:
        """Return the number in the log of a line that has one without the marks."""
        at = bisect_right(self._places, number) - 1
        return number + (self._marks_before[at] if at >= 0 else 0)

    def removed(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield blocks without marks, and a `Try` after the last one of each try.

        Marks are removed as they come, and no line waits for another.
        """
        find = re.compile(_MARKS, re.MULTILINE).finditer
        for block in blocks:
            at = 0
            for found in find(block) if _HEAD in block else ():
                if at < found.start():
                    yield from self._keep(block[at : found.start()])
                at = found.end()
                yield from self._remove(found)
            if at == 0:
                yield from self._keep(block)
            elif at < len(block):
                yield from self._keep(block[at:])
        yield from self._ended(None)

    def _keep(self, block: bytes) -> Iterator[bytes]:
        """Yield the lines of a block, which are no marks."""
        if self._try is None and not block.strip():
            # A blank line after the last mark begins no try.
            self._skip(lines_in(block))
            return
        self._begin()
        self._lines += lines_in(block)
        self._errors.clear()
        yield block

    def _remove(self, found: re.Match[bytes]) -> Iterator[bytes]:
        """Count a mark, or marks of standard error; yield the try that it ends."""
        if errors := found["stderr"]:
            count = lines_in(errors)
            self.stderr_lines += count
            self._errors.extend(
                errors.removesuffix(b"\n").rsplit(b"\n", _KEPT)[-_KEPT:]
            )
            self._skip(count)
        elif found["kind"] == b"start":
            yield from self._ended(None)
            self._begin(is_marked=True)
            self._skip(1)
        else:
            self._skip(1)
            if found["kind"] and (end := _end_in(found[0])):
                yield from self._ended(end)

    def _skip(self, count: int) -> None:
        """Count lines that are removed."""
        self._removed += count
        place = self._lines + 1
        if self._places[-1:] == [place]:
            self._marks_before[-1] = self._removed
        else:
            self._places.append(place)
            self._marks_before.append(self._removed)

    def _begin(self, *, is_marked: bool = False) -> None:
        """Begin a try unless one is open."""
        if self._try is None:
            self._try = Try()
            self._try.is_marked = is_marked
            self._try.first = self.lines + 1
            self._try.lines = -self._lines
            self._errors.clear()

    def _ended(self, end: EndMark | None) -> Iterator[Try]:
        """Yield the try that ends here, if one is open."""
        ended, self._try = self._try, None
        if ended is not None:
            ended.last = self.lines
            ended.lines += self._lines
            ended.end = end
            ended.last_errors = [*filter(None, map(_text_in, self._errors))]
            yield ended


def _end_in(line: bytes) -> EndMark | None:
    """Return the mark that a line is; None for a torn one."""
    try:
        return _END.decode(line)
    except REFUSED:
        return None


def _text_in(line: bytes) -> str:
    """Return a line of standard error; "" for a torn or a very long one."""
    try:
        return _TEXT.decode(line)["text"] if len(line) < _LONGEST else ""
    except REFUSED:
        return ""
