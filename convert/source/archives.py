"""Compressed logs, told by their first bytes and expanded as they arrive.

gzip, bzip2 and xz are in the standard library, zstd is from Python 3.14 on; before
that it takes the package backports.zstd.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from convert.errors import InputError, Warn
from convert.source.lines import BLOCK
from convert.wording.numbers import size

if TYPE_CHECKING:
    import zlib

# The memory that an xz or zstd file may require; xz -9 requires half of it.
_MOST_MEMORY = 128 << 20
_SLICE = 1024
# As many bytes of a part are kept, to expand them again up to its damage.
_MOST_KEPT = 16 << 20
_AFTER = "bytes after the end of the {} archive"
_DAMAGED = "damaged {} archive"
_AS_FAR = "read as far as possible"


class _Decompressor(Protocol):
    """The interface that the decompressors of bz2, lzma and zstd share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Kind(Struct, frozen=True):
    """A kind of archive."""

    name: str
    """Its name, which is also that of its program."""

    magic: tuple[bytes, ...]
    """The bytes that such archives may begin with."""

    opened: Callable[[], tuple[Callable[[], _Decompressor], type[Exception]]]
    """Imports its decompressor; returns that and the error that it raises."""

    def may_begin(self, data: bytes) -> bool:
        """Return True if such an archive may begin with some bytes and more to come."""
        return any(data.startswith(magic[: len(data)]) for magic in self.magic)


def unpacked(chunks: Iterable[bytes], most: int, warn: Warn) -> Iterator[bytes]:
    """Expand an archive as far as possible; yield anything else as it is.

    Warns about an archive that is incomplete or damaged. Raises InputError if it
    expands to more than `most` bytes, or cannot be read here.
    """
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if head.startswith(_MAGIC) or not any(kind.may_begin(head) for kind in _KINDS):
            break
    chunks = itertools.chain([head], chunks)
    for kind in _KINDS:
        if head.startswith(kind.magic):
            return _within(most, _expanded(_Input(chunks), kind, warn))
    return chunks


def _within(most: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    left = most
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left < 0:
            raise InputError(
                f"expands to more than {size(most)}; --max-input raises the limit"
            )


class _Input:
    """The bytes of an archive, taken in slices."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._chunk = b""
        self._at = 0

    def take(self, most: int, least: int = 1) -> bytes:
        """Return the next bytes; fewer than `least` only at the end."""
        while len(self._chunk) - self._at < least:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            self._chunk = self._chunk[self._at :] + chunk
            self._at = 0
        taken = self._chunk[self._at : self._at + most]
        self._at += len(taken)
        return taken

    def put_back(self, count: int) -> None:
        """Let the last bytes that were taken be taken again."""
        self._at -= count


def _expanded(archive: _Input, kind: _Kind, warn: Warn) -> Iterator[bytes]:
    """Expand an archive of one part, or of several in a row."""
    make, damage = kind.opened()
    while True:
        try:
            is_whole = yield from _Part(make, damage).expand(archive)
        except damage as error:
            if "memory" in str(error).lower():
                raise InputError(
                    f"needs too much memory to expand; unpack it with {kind.name} first"
                ) from error
            warn(None, _DAMAGED.format(kind.name), _AS_FAR)
            return
        if not is_whole:
            warn(None, f"incomplete {kind.name} archive", _AS_FAR)
            return
        head = _next_head(archive)
        if not head.startswith(kind.magic):
            if head:
                warn(None, _AFTER.format(kind.name), "skipped")
            return


def _next_head(archive: _Input) -> bytes:
    """Return the first bytes of the next part; none at the end of the archive."""
    # Some programs fill the last block with zeros.
    rest = b""
    while not rest and (taken := archive.take(_SLICE)):
        rest = taken.lstrip(b"\0")
    archive.put_back(len(rest))
    head = archive.take(_LONGEST_MAGIC, least=_LONGEST_MAGIC)
    archive.put_back(len(head))
    return head


class _Part:
    """One part of an archive, of which all is expanded that comes before a damage.

    Of a part of more than `_MOST_KEPT` bytes it is all before the slice that is
    damaged; such slices begin at fixed places, so that nothing depends on how the bytes
    arrive.
    """

    def __init__(
        self, make: Callable[[], _Decompressor], damage: type[Exception]
    ) -> None:
        self._damage = damage
        self._decompressor = make()
        # To expand a slice again: what is kept, and a decompressor for its beginning.
        self._restored = make
        self._kept: bytearray | None = bytearray()
        self._expanded = 0

    def expand(self, archive: _Input) -> Generator[bytes, None, bool]:
        """Expand the part; return False if it is incomplete."""
        taken = 0
        while not self._decompressor.eof:
            self._keep_less()
            left = _SLICE - taken % _SLICE
            data = archive.take(left, least=left if self._kept is None else 1)
            if not data:
                return False
            taken += len(data)
            if self._kept is not None:
                self._kept += data
            try:
                for piece in _pieces(self._decompressor, [data]):
                    self._expanded += len(piece)
                    yield piece
            except self._damage:
                if self._kept is not None:
                    yield from self._again(bytes(self._kept), len(data))
                raise
        archive.put_back(len(self._decompressor.unused_data))
        return True

    def _keep_less(self) -> None:
        """Begin anew with what is kept if that is possible, else keep no more."""
        if self._kept is None:
            return
        if isinstance(self._decompressor, _Gunzip) and len(self._kept) >= BLOCK:
            self._restored = self._decompressor.copy().copy
            self._kept.clear()
            self._expanded = 0
        elif len(self._kept) >= _MOST_KEPT:
            self._kept = None

    def _again(self, kept: bytes, last: int) -> Iterator[bytes]:
        """Expand what is kept again, and yield what follows the bytes that are known.

        A call that fails loses all that it expands. So the `last` bytes are expanded
        one by one, and then the one that fails to a byte at a time.
        """
        begin = len(kept) - last
        slices = [kept[:begin], *(kept[at : at + 1] for at in range(begin, len(kept)))]
        known = self._expanded
        for most in (BLOCK, 1):
            at = 0
            try:
                for piece in _pieces(self._restored(), slices, known, most):
                    at += len(piece)
                    if at > known:
                        known = at
                        yield piece
            except self._damage:
                pass


def _pieces(
    decompressor: _Decompressor,
    slices: Iterable[bytes],
    known: int = 0,
    most: int = BLOCK,
) -> Iterator[bytes]:
    """Expand slices in pieces of up to `most` bytes, larger ones for those known."""
    for data in slices:
        while not decompressor.eof:
            asked = min(known, BLOCK) or most
            piece = decompressor.decompress(data, asked)
            known -= min(known, len(piece))
            if piece:
                yield piece
            # That of bzip2 asks for input although it has more to return.
            if decompressor.needs_input and len(piece) < asked:
                break
            data = b""


class _Gunzip:
    """A decompressor of gzip with the interface of the others."""

    def __init__(self, inflating: zlib._Decompress) -> None:
        self._inflating = inflating
        self.needs_input = True

    def copy(self) -> _Gunzip:
        """Return a decompressor in the same state."""
        return _Gunzip(self._inflating.copy())

    @property
    def eof(self) -> bool:
        return self._inflating.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflating.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        data = self._inflating.unconsumed_tail + data
        piece = self._inflating.decompress(data, max_length)
        is_full = len(piece) == max_length
        self.needs_input = not (is_full or self._inflating.unconsumed_tail)
        return piece


def _gzip() -> tuple[Callable[[], _Decompressor], type[Exception]]:
    import zlib

    with_header = 31
    return lambda: _Gunzip(zlib.decompressobj(with_header)), zlib.error


def _bzip2() -> tuple[Callable[[], _Decompressor], type[Exception]]:
    import bz2

    return bz2.BZ2Decompressor, OSError


def _xz() -> tuple[Callable[[], _Decompressor], type[Exception]]:
    import lzma

    return lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY), lzma.LZMAError


def _zstd() -> tuple[Callable[[], _Decompressor], type[Exception]]:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise InputError(
            "compressed with zstd, which needs Python 3.14 or backports.zstd;"
            " pip install 'runconv[zstd]', or unpack it first"
        ) from error
    # A longer window than zstd's own limit of 128 MB is refused.
    return zstd.ZstdDecompressor, zstd.ZstdError


# Frames of zstd that hold no data; parallel programs begin with one.
_SKIPPABLE = tuple(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60))
_KINDS = (
    _Kind("gzip", (b"\x1f\x8b\x08",), _gzip),
    _Kind("bzip2", tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)), _bzip2),
    _Kind("xz", (b"\xfd7zXZ\0",), _xz),
    _Kind("zstd", (b"\x28\xb5\x2f\xfd", *_SKIPPABLE), _zstd),
)
_MAGIC = tuple(magic for kind in _KINDS for magic in kind.magic)
_LONGEST_MAGIC = max(map(len, _MAGIC))
