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
from typing import Any

from convert.errors import InputError
from convert.figures import size

# Of a line, unless the user says otherwise.
LONGEST = 200_000_000
# Larger blocks are slower: the allocator maps and unmaps each of them.
BLOCK = 65536
# How many pieces of that size are kept before they are put together.
_FEW = 16
# What may stand around an event and means nothing.
WHITE = b" \t\r\n\0"
BOM = b"\xef\xbb\xbf"
# Where an event begins, perhaps behind the prefix of a runner.
EVENT = re.compile(r'\{\s*"type"\s*:')
EVENT_BYTES = re.compile(rb'\{\s*"type"\s*:')
# Without a mark, JSON gives itself away by its first bracket.
_UTF16 = (
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"[\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
    (b"\0[", "utf-16-be"),
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


class Gap(bytes):
    """A line that is left out, as an empty line: the others keep their numbers.

    `what` is what a reader says of it.
    """

    what = ""


def gap(longest: int, end: bytes) -> Gap:
    """A line longer than what is allowed, with its line feed if it has one."""
    left_out = Gap(end)
    left_out.what = f"longer than {size(longest)} (--max-line), skipped"
    return left_out


def blocks(chunks: Iterable[bytes], longest: int = LONGEST) -> Iterator[bytes]:
    """Cut a stream of bytes into blocks that end at a line feed, but for the last.

    A byte order mark at the start and the carriage returns of CRLF are gone. A line of
    more than `longest` bytes is a `Gap`, and is not held.
    """
    tail: list[bytes] = []
    held = 0
    at_start = True
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        begin = 0
        if end and held > min(BLOCK, longest):
            # A long line is a block of its own, so that nobody copies it out of one.
            begin = chunk.find(b"\n") + 1
            tail.append(chunk[:begin])
            held += begin
            yield _long(tail, held, longest, at_start)
            at_start = False
        if begin < end:
            # A list joined once: adding bytes up is quadratic for a line of 200 MB.
            tail.append(chunk[begin:end])
            block = b"".join(tail)
            tail.clear()
            yield from _within(longest, _clean(block, at_start))
            at_start = False
        if end:
            held = 0
        _hold(tail, chunk[end:])
        held += len(chunk) - end
        if held > longest:
            tail.clear()
    if held:
        yield _long(tail, held, longest, at_start)


def _hold(tail: list[bytes], chunk: bytes) -> None:
    """Keep a piece of a line, many small ones as a large one.

    Small pieces leave the heap as large as the line when they are freed.
    """
    tail.append(chunk)
    if len(tail) >= _FEW and len(tail[-_FEW]) <= BLOCK:
        tail[-_FEW:] = [b"".join(tail[-_FEW:])]


def _long(tail: list[bytes], held: int, longest: int, is_first: bool) -> bytes:
    """The line that stands in pieces, and nothing any more in the list of them.

    Pieces that are too many have been dropped, all but the last.
    """
    end = b"\n" if tail and tail[-1].endswith(b"\n") else b""
    line = b"".join(tail) if held - len(end) <= longest else None
    tail.clear()
    return gap(longest, end) if line is None else _clean(line, is_first)


def _clean(block: bytes, is_first: bool) -> bytes:
    if is_first:
        block = block.removeprefix(BOM)
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


def _within(longest: int, block: bytes) -> Iterator[bytes]:
    """Give a block whole, or line by line if one may be longer than what is allowed."""
    if len(block) <= longest:
        yield block
        return
    for line in io.BytesIO(block):
        is_long = len(line) - line.endswith(b"\n") > longest
        yield gap(longest, b"\n") if is_long else line


def is_one_line(block: bytes) -> bool:
    """Whether a block is one line and no more."""
    return bool(block) and block.find(b"\n") in (-1, len(block) - 1)


def is_json(text: str) -> bool:
    """Whether a text is one JSON value and nothing else."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def wrapped_event(value: dict[str, Any]) -> str | None:
    """The text of an event that a recorder put into an object of its own.

    A harness writes `{"t_ms": 17, "line": "{...}"}`, Docker `{"log": "{...}\\n", ...}`.
    """
    if isinstance(value.get("type"), str):
        return None
    texts = (text for text in value.values() if isinstance(text, str))
    return next(filter(EVENT.match, texts), None)
