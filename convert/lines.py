"""Bytes to lines: blocks of whole lines, cut at line feeds alone.

A string in JSON may hold U+2028 and its like raw, so nothing here asks Python what a
line is.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator

from convert.errors import InputError

# Larger blocks are slower: the allocator maps and unmaps each of them.
BLOCK = 65536
BOM = b"\xef\xbb\xbf"
# Where an event begins, perhaps behind the prefix of a runner.
EVENT = re.compile(r'\{\s*"type"\s*:')
# Without a mark, JSON gives itself away by its first bracket.
_UTF16 = (
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
)


def chunks(file: int, before_read: Callable[[], None]) -> Iterator[bytes]:
    """Give the bytes of an open file as they arrive.

    `before_read` is called before each read, which may wait: the moment to write out
    what is ready.
    """
    while True:
        before_read()
        try:
            chunk = os.read(file, BLOCK)
        except IsADirectoryError as error:
            raise InputError(
                "is a folder; name the logs in it, as in FOLDER/*"
            ) from error
        except OSError as error:
            raise InputError(f"cannot read on: {error.strerror}".lower()) from error
        if not chunk:
            return
        yield chunk


def as_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Give UTF-16, as PowerShell writes it, as UTF-8; anything else as it is."""
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 2:
            break
    encoding = next((name for mark, name in _UTF16 if head.startswith(mark)), None)
    if encoding is None:
        yield head
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for chunk in itertools.chain([head], chunks):
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


def blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Cut a stream of bytes into blocks that end at a line feed, but for the last.

    A byte order mark at the start and the carriage returns of CRLF are gone.
    """
    tail: list[bytes] = []
    at_start = True
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if not end:
            # A list joined once: adding bytes up is quadratic for a line of 200 MB.
            tail.append(chunk)
            continue
        block = b"".join([*tail, chunk[:end]])
        tail = [chunk[end:]] if end < len(chunk) else []
        yield _clean(block, at_start)
        at_start = False
    if tail:
        yield _clean(b"".join(tail), at_start)


def _clean(block: bytes, is_first: bool) -> bytes:
    if is_first:
        block = block.removeprefix(BOM)
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"?'
_TOKEN = re.compile(_STRING + rb"|[{}\[\]]")
_WHITE = re.compile(rb"(" + _STRING + rb")|\s+")
# A bracket alone on its line, or an array around the first value.
_WRAPPING = rb"(?:\{[ \t]*$|\[[ \t]*(?:\{|$))"
_WRAPPED = re.compile(rb"^[ \t]*" + _WRAPPING, re.MULTILINE)
_OPENING = re.compile(_WRAPPING, re.MULTILINE)


def wrapped_from(block: bytes) -> int | None:
    """Where in a block JSON begins to be spread over lines or wrapped in an array."""
    match = _WRAPPED.search(block)
    return match.start() if match else None


def unwrap(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Put pretty-printed or array-wrapped JSON on lines: one value, one line.

    A value on one line keeps its bytes; of one that spans lines only the white space
    between its tokens goes. Empty lines stand for the lines it took, so that every
    value keeps the number of its first line.
    """
    unwrapping = _Unwrapping()
    for block in blocks(chunks):
        for line in io.BytesIO(block):
            unwrapping.take(line)
        yield unwrapping.out()
    unwrapping.end()
    yield unwrapping.out()


class _Unwrapping:
    """Finds where values begin and end, line by line.

    `base` is 1 inside an array around the values, else 0; a value is what opens at
    that depth. What stands between values and is no comma is kept as a line of its
    own, for the reader to report.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.depth = self.base = 0
        self.value: list[bytes] = []
        self.first_line = self.column = 0
        self.ready: list[bytes] = []
        self.ready_lines = 0

    def take(self, line: bytes) -> None:
        """Read one line, with its line feed if it has one."""
        self.lines += 1
        if self.value and self._begins_anew(line):
            self._give_up()
        at = 0
        for token in _TOKEN.finditer(line):
            if token[0] in b"{[":
                if self.depth == self.base:
                    begin = self._begin(line, at, token)
                    if begin is None:
                        break
                    at = begin
                self.depth += 1
            elif token[0] in b"}]" and self.depth:
                self.depth -= 1
                if self.depth < self.base:
                    at, self.base = token.end(), 0
                elif self.depth == self.base:
                    self._give([*self.value, line[at : token.end()]], self.first_line)
                    self.value, at = [], token.end()
        if self.depth > self.base:
            self.value.append(line[at:])
        else:
            self._between(line[at:])

    def end(self) -> None:
        """Give a value that never ended as the lines it stands on; the last is cut."""
        if self.value:
            self._give_up()
            self.ready.append(self.ready.pop().removesuffix(b"\n"))

    def out(self) -> bytes:
        """What is ready."""
        ready, self.ready = self.ready, []
        return b"".join(ready)

    def _begin(self, line: bytes, at: int, token: re.Match[bytes]) -> int | None:
        """Where a value begins with a bracket, or behind it if it wraps values.

        None in the middle of noise, where brackets open nothing.
        """
        between = line[at : token.start()]
        if not self.base:
            if between.strip(b" \t,"):
                return None
            if token[0] == b"[":
                self.base = int(bool(_OPENING.match(line, token.start())))
                return token.end() if self.base else None
        self._between(between)
        self.first_line, self.column = self.lines, token.start()
        return token.start()

    def _begins_anew(self, line: bytes) -> bool:
        """Whether a value starts on this line although the last one never ended.

        What a value holds is indented deeper than the value itself, unless nothing is
        indented: then only a bracket, a comma or a colon lets it go on, and no whole
        event can stand there.
        """
        column = len(line) - len(line.lstrip(b" \t"))
        if line[column : column + 1] != b"{":
            return False
        # What an event holds has no session of its own.
        is_outside = column <= self.column or b'"session_id"' in line
        if is_outside and _is_event(line):
            return True
        if column != self.column:
            return False
        is_indented = len(self.value) > 1 and not self.value[1][: column + 1].strip()
        return is_indented or self.value[-1].rstrip()[-1:] not in (b",", b":", b"[")

    def _give_up(self) -> None:
        """Give the lines of a value that never ended as they are."""
        for number, line in enumerate(self.value, self.first_line):
            if line.strip():
                self._give([line], number)
        self.value, self.depth = [], self.base

    def _between(self, rest: bytes) -> None:
        """Keep what stands between values, but for commas and white space."""
        if rest.strip(b" \t\r\n,"):
            self._give([rest], self.lines)

    def _give(self, value: list[bytes], first_line: int) -> None:
        joined = value[0].strip()
        if len(value) > 1:
            # Line by line, since no string goes on behind the end of one.
            joined = b"".join(_WHITE.sub(rb"\1", line) for line in value)
        missing = max(0, first_line - 1 - self.ready_lines)
        self.ready.append(b"\n" * missing + joined + b"\n")
        self.ready_lines += missing + 1


def is_json(text: str) -> bool:
    """Whether a text is one JSON value and nothing else."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_event(line: bytes) -> bool:
    """Whether a line is a whole event by itself, perhaps within an array."""
    try:
        value = json.loads(line.strip().removesuffix(b","))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)
