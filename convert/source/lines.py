"""Bytes to blocks of whole lines, cut only at line feeds.

A string in JSON may hold U+2028 and its like unescaped, so Python does not decide here
where a line ends.
"""

from __future__ import annotations

import codecs
import io
import itertools
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator

import msgspec

from convert.errors import InputError
from convert.wording.numbers import size
from convert.wording.paths import is_url

# The errors of msgspec for bytes or text that it refuses. Two are Python's own: the one
# for half an emoji and the like, and the one for values that are nested too deeply.
REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)
# Frames of zstd that hold no data; parallel programs begin with one.
_SKIPPABLE = tuple(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60))
# The names of the kinds, which are those of their programs, and their first bytes.
MAGIC = {
    "gzip": (b"\x1f\x8b\x08",),
    "bzip2": tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
    "xz": (b"\xfd7zXZ\0",),
    "zstd": (b"\x28\xb5\x2f\xfd", *_SKIPPABLE),
}
# Larger blocks are slower: the allocator maps and unmaps each of them.
BLOCK = 65536
# So many bytes at the end of a block are searched for the end of a line, then so many.
_SEARCHED = (BLOCK // 16, BLOCK // 2)
# So many bytes are checked as one text, which may take four times as many.
_CHECKED = 8192
# How many pieces of that size are kept before they are joined.
_FEW = 16
# Bytes around an event that mean nothing.
WHITE = b" \t\r\n\0"
BOM = b"\xef\xbb\xbf"
# A log in which `marks` are begins with this.
MARKED = b'{"type":"runconv","subtype":"start"'
# The begin of an event, and the largest width of a terminal that broke it into rows.
ROW = b'{"'
WIDEST = 1000


def chunks(
    file: int, before_read: Callable[[], None], begin: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of an open file as they arrive.

    `before_read` is called before each read that may wait, to write out ready output.
    Reading a regular file never waits. Such a file is read from `begin` on, or from
    its current position, which moves.
    """
    may_wait = not stat.S_ISREG(os.fstat(file).st_mode)
    at = begin
    if at is None and not may_wait and hasattr(os, "pread"):
        at = os.lseek(file, 0, os.SEEK_CUR)
    while True:
        if may_wait:
            before_read()
        try:
            count = BLOCK if at is None else _to_line_end(file, at)
            if begin is None or at is None:
                chunk = os.read(file, count)
            else:
                chunk = os.pread(file, count, at)
            if at is not None:
                at += len(chunk)
        except BlockingIOError:
            # Another program has set the pipe to non-blocking.
            import select

            select.select([file], [], [])
            continue
        except IsADirectoryError as error:
            raise InputError(
                "is a folder; name the logs in it, as in FOLDER/*"
            ) from error
        except OSError as error:
            raise InputError(f"reading failed: {error.strerror}".lower()) from error
        if not chunk:
            return
        yield chunk


def _to_line_end(file: int, at: int) -> int:
    """Return the size of the block of a regular file that ends with a line.

    It does not have to be cut out of a larger one, which saves 3 to 7 % of the
    instructions beyond the start. A block of a long line, or the last, has full size.
    """
    for count in _SEARCHED:
        end = os.pread(file, count, at + BLOCK - count)
        if len(end) < count:
            break
        if found := end.rfind(b"\n") + 1:
            return BLOCK - count + found
    return BLOCK


class File:
    """A regular file or an object at a URL, whose bytes can be read more than once.

    `path` is its path, or the URL of the object. A message about an error calls the
    file `name` and ends in the text that `advice` returns. `on_read` is called with the
    number of bytes of each piece.
    """

    def __init__(
        self,
        path: str,
        advice: Callable[[Exception], str],
        name: str = "it",
        on_read: Callable[[int], None] | None = None,
    ) -> None:
        self.path = path
        self._on_read = on_read
        self._advice = advice
        self._name = name
        self._open: list[Generator[bytes, None, None]] = []

    def __iter__(self) -> Iterator[bytes]:
        if is_url(self.path):
            from convert.source.places import object_pieces

            pieces = object_pieces(self.path, self._name)
        else:
            pieces = read_file(self.path, do_nothing, self._advice, self._name)
        self._open.append(pieces)
        return pieces if self._on_read is None else _counted(pieces, self._on_read)

    def reopened(self) -> File | None:
        """Return the file to be read once more, uncounted; None for an object.

        To fetch an object again takes longer than to keep its content.
        """
        if is_url(self.path):
            return None
        return File(self.path, self._advice, self._name)

    def close(self) -> None:
        """Close the file as often as it is open."""
        for pieces in self._open:
            pieces.close()


def _counted(
    pieces: Iterable[bytes], on_read: Callable[[int], None]
) -> Iterator[bytes]:
    """Yield pieces, and report the number of bytes of each."""
    for piece in pieces:
        on_read(len(piece))
        yield piece


def do_nothing() -> None:
    """Write nothing out before a read."""


def is_regular(path: str) -> bool:
    """Return True for the path of a regular file, or a URL."""
    if is_url(path):
        return True
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_file(
    path: str,
    before_read: Callable[[], None],
    advice: Callable[[Exception], str],
    name: str = "it",
) -> Generator[bytes, None, None]:
    """Open a file and yield its bytes; see `chunks` and `open_file`."""
    file = open_file(path, advice, name)
    try:
        yield from chunks(file, before_read)
    finally:
        os.close(file)


def open_file(path: str, advice: Callable[[Exception], str], name: str = "it") -> int:
    """Open a file to read it.

    A message about an error calls the file `name`, and ends in the text that `advice`
    returns.
    """
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"cannot read {name}: {why}{advice(error)}") from error


class Gap(bytes):
    """An empty line for one that is skipped: the others keep their numbers."""

    reason = ""
    """Why the line is skipped."""


def gap(longest: int, end: bytes) -> Gap:
    """Return the gap for a line that is too long, with its line feed if it has one."""
    skipped = Gap(end)
    skipped.reason = f"longer than {size(longest)} (--max-line)"
    return skipped


def blocks(chunks: Iterable[bytes], longest: int) -> Iterator[bytes]:
    """Cut a stream of bytes into blocks that end at a line feed, except the last.

    A byte order mark at the start is dropped. A line of more than `longest` bytes
    becomes a `Gap` and is not buffered.
    """
    tail: list[bytes | memoryview] = []
    held = 0
    at_start = True
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        begin = 0
        if end and held > min(BLOCK, longest):
            # A long line is a block of its own, so that it is not copied out of one.
            begin = chunk.find(b"\n") + 1
            tail.append(chunk[:begin])
            held += begin
            yield _held_line(tail, held, longest, at_start)
            at_start = False
        if begin < end:
            # A list joined once: adding bytes up is quadratic for a line of 200 MB.
            # A chunk that is a block is not copied.
            is_whole = end - begin == len(chunk)
            tail.append(chunk if is_whole else memoryview(chunk)[begin:end])
            block = b"".join(tail)
            tail.clear()
            if at_start:
                block = block.removeprefix(BOM)
                at_start = False
            if len(block) <= longest:
                yield block
            else:
                yield from _line_by_line(longest, block)
        if end:
            held = 0
        if end < len(chunk):
            _hold(tail, chunk[end:])
            held += len(chunk) - end
        if held > longest:
            tail.clear()
    if held:
        yield _held_line(tail, held, longest, at_start)


def _hold(tail: list[bytes | memoryview], chunk: bytes) -> None:
    """Buffer a piece of a line; many small pieces are joined to a large one.

    Small pieces would fragment the heap, which then stays as large as the line.
    """
    tail.append(chunk)
    if len(tail) >= _FEW and len(tail[-_FEW]) <= BLOCK:
        tail[-_FEW:] = [b"".join(tail[-_FEW:])]


def _held_line(
    tail: list[bytes | memoryview], held: int, longest: int, is_first: bool
) -> bytes:
    """Return a line that is buffered in pieces, and empty the buffer.

    If the line is too long, all pieces but the last have been dropped.
    """
    end = b"\n" if tail and bytes(tail[-1][-1:]) == b"\n" else b""
    line = b"".join(tail) if held - len(end) <= longest else None
    tail.clear()
    if line is None:
        return gap(longest, end)
    return line.removeprefix(BOM) if is_first else line


def _line_by_line(longest: int, block: bytes) -> Iterator[bytes]:
    """Yield a block line by line, because one of its lines may be too long."""
    for line in io.BytesIO(block):
        is_long = len(line) - line.endswith(b"\n") > longest
        yield gap(longest, b"\n") if is_long else line


def in_blocks(lines: list[bytes]) -> Iterator[bytes]:
    """Yield lines joined to blocks; each gap is a block of its own."""
    for is_gap, group in itertools.groupby(lines, lambda line: isinstance(line, Gap)):
        parts = list(group)
        yield from parts if is_gap else [b"".join(parts)]


def is_whole(line: bytes) -> bool:
    """Return True if a line is one value of JSON, whatever its texts are."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except REFUSED:
        return False
    return True


def lines_of(block: bytes) -> Iterable[bytes]:
    """Return the lines of a block with their line feeds."""
    return [block] if is_one_line(block) else io.BytesIO(block)


def is_one_line(block: bytes) -> bool:
    """Return True if a block is a single line."""
    return bool(block) and block.find(b"\n") in (-1, len(block) - 1)


def lines_in(block: bytes) -> int:
    """Return the number of lines of a block; the last may lack its line feed.

    `replace` finds a byte three times as fast as `count`, in 0.1 ns per byte.
    """
    if is_one_line(block):
        return 1
    ended = len(block) - len(block.replace(b"\n", b""))
    return ended + (not block.endswith(b"\n"))


def check_utf8(raw: bytes) -> None:
    """Raise UnicodeDecodeError for invalid UTF-8, which msgspec accepts where it skips.

    Decodes in pieces, because a single emoji makes a text take four bytes a character,
    and a large text is slow to get memory for.
    """
    if raw.isascii():
        return
    # An incremental decoder copies each piece, which takes 15 % longer.
    view = memoryview(raw)
    at = 0
    while at < len(raw):
        is_last = at + _CHECKED >= len(raw)
        _, valid = codecs.utf_8_decode(view[at : at + _CHECKED], "strict", is_last)
        at += valid


class OpenFile:
    """An open file, such as standard input; a regular one can be read again.

    `before_read` is as in `chunks`.
    """

    def __init__(self, file: int, before_read: Callable[[], None]) -> None:
        self._file = file
        self._before_read = before_read
        self._has_begun = False
        self._begin: int | None = None
        if hasattr(os, "pread") and stat.S_ISREG(os.fstat(file).st_mode):
            self._begin = os.lseek(file, 0, os.SEEK_CUR)

    def reopened(self) -> OpenFile | None:
        """Return a regular file, to be read from the same place; None for others."""
        return None if self._begin is None else self

    def __iter__(self) -> Iterator[bytes]:
        again = self._begin if self._has_begun else None
        self._has_begun = True
        return chunks(self._file, self._before_read, again)

    def close(self) -> None:
        """Leave the file open, which was open before."""
