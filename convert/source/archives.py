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
# A damaged slice loses everything that it expands to.
_SLICE = 1024
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
            return _within(most, _expanded(chunks, kind, warn))
    return chunks


def _within(most: int, chunks: Iterable[bytes]) -> Iterator[bytes]:
    expanded = 0
    for chunk in chunks:
        expanded += len(chunk)
        if expanded > most:
            raise InputError(
                f"expands to more than {size(most)}; --max-input raises the limit"
            )
        yield chunk


def _expanded(chunks: Iterator[bytes], kind: _Kind, warn: Warn) -> Iterator[bytes]:
    """Expand an archive of one part, or of several in a row."""
    make, damage = kind.opened()
    rest: bytes | None = next(chunks)
    is_first = True
    while rest:
        has_begun = False
        try:
            part = _part(make(), itertools.chain([rest], chunks))
            piece = next(part, b"")
            has_begun = True
            yield piece
            rest = yield from part
        except damage as error:
            if "memory" in str(error).lower():
                raise InputError(
                    f"needs too much memory to expand; unpack it with {kind.name} first"
                ) from error
            is_after = not (is_first or has_begun)
            if is_after:
                warn(None, _AFTER.format(kind.name), "skipped")
            else:
                warn(None, _DAMAGED.format(kind.name), _AS_FAR)
            return
        if rest is None:
            warn(None, f"incomplete {kind.name} archive", _AS_FAR)
            return
        is_first = False
        # Some programs fill the last block with zeros.
        rest = rest.lstrip(b"\0") or next(filter(None, map(_unfilled, chunks)), b"")
        if rest and not kind.may_begin(rest):
            warn(None, _AFTER.format(kind.name), "skipped")
            return


def _unfilled(chunk: bytes) -> bytes:
    return chunk.lstrip(b"\0")


def _part(
    decompressor: _Decompressor, chunks: Iterable[bytes]
) -> Generator[bytes, None, bytes | None]:
    """Expand one part; return the bytes after its end, None if it is incomplete."""
    for chunk in chunks:
        for at in range(0, len(chunk), _SLICE):
            yield decompressor.decompress(chunk[at : at + _SLICE], BLOCK)
            while not (decompressor.eof or decompressor.needs_input):
                yield decompressor.decompress(b"", BLOCK)
            if decompressor.eof:
                return decompressor.unused_data + chunk[at + _SLICE :]
    return None


class _Gunzip:
    """A decompressor of gzip with the interface of the others."""

    def __init__(self, inflating: zlib._Decompress) -> None:
        self._inflating = inflating
        self.needs_input = True

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
