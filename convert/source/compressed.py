"""Compressed logs, expanded as they arrive, and up to the damage of a part.

gzip, bzip2 and xz are in the standard library, zstd is from Python 3.14 on; before
that it takes the package backports.zstd.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from convert.errors import InputError, Warn
from convert.source.lines import BLOCK, MAGIC

if TYPE_CHECKING:
    import bz2
    import lzma
    import zlib


_Decompressor: TypeAlias = "bz2.BZ2Decompressor | lzma.LZMADecompressor | _Gunzip"
# The memory that an xz or zstd file may require; xz -9 requires half of it.
_MOST_MEMORY = 128 << 20
_SLICE = 1024
# As many bytes of a part are kept, to expand them again up to its damage.
_MOST_KEPT = 16 << 20
_LONGEST_MAGIC = max(len(magic) for known in MAGIC.values() for magic in known)


def expanded(chunks: Iterable[bytes], name: str, warn: Warn) -> Iterator[bytes]:
    """Expand an archive of one part, or of several in a row."""
    make, damage = _decompressor(name)
    archive = _Input(chunks)
    has_any = False
    while True:
        part = _Part(make, damage)
        try:
            is_whole = yield from part.expand(archive)
        except damage as error:
            if "memory" in str(error).lower():
                raise InputError(
                    f"needs too much memory to expand; unpack it with {name} first"
                ) from error
            if not (has_any or part.has_any):
                raise InputError(
                    f"damaged {name} archive; get the file again"
                ) from error
            warn(None, f"damaged {name} archive", "read up to the damage")
            return
        has_any = has_any or part.has_any
        if not is_whole:
            warn(None, f"incomplete {name} archive", "read up to its end")
            return
        head = _next_head(archive)
        if not head.startswith(MAGIC[name]):
            if head:
                warn(None, f"bytes after the end of the {name} archive", "skipped")
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


class _Part:
    """One part of an archive, which is expanded up to its damage.

    A part of more than `_MOST_KEPT` bytes is expanded to where the damaged slice
    begins; such slices begin at fixed places, so that nothing depends on how the bytes
    arrive.
    """

    def __init__(
        self, make: Callable[[], _Decompressor], damage: type[Exception]
    ) -> None:
        self._damage = damage
        self._decompressor = make()
        # To expand a slice again: its kept bytes, and a decompressor for its beginning.
        self._restored = make
        self._kept: bytearray | None = bytearray()
        self._expanded = 0
        self.has_any = False

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
                    self.has_any = True
                    yield piece
            except self._damage:
                if self._kept is not None:
                    yield from self._again(bytes(self._kept), len(data))
                raise
        archive.put_back(len(self._decompressor.unused_data))
        return True

    def _keep_less(self) -> None:
        """Drop the kept bytes if expansion can start here again, or at the limit."""
        if self._kept is None:
            return
        if isinstance(self._decompressor, _Gunzip) and len(self._kept) >= BLOCK:
            self._restored = self._decompressor.copy().copy
            self._kept.clear()
            self._expanded = 0
        elif len(self._kept) >= _MOST_KEPT:
            self._kept = None

    def _again(self, kept: bytes, last: int) -> Iterator[bytes]:
        """Expand the kept bytes again, and yield those that follow the known ones.

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
                        self.has_any = True
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
            wanted = min(known, BLOCK) or most
            piece = decompressor.decompress(data, wanted)
            known -= min(known, len(piece))
            if piece:
                yield piece
            # The decompressor of bzip2 asks for input although it has more to return.
            if decompressor.needs_input and len(piece) < wanted:
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


def _decompressor(name: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Return the constructor of a decompressor, and its error for damaged data.

    The one of zstd has no type of its own on some versions of Python.
    """
    if name == "gzip":
        import zlib

        with_header = 31
        return lambda: _Gunzip(zlib.decompressobj(with_header)), zlib.error
    if name == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    if name == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY), lzma.LZMAError
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
