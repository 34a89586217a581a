"""Damaged archives: all before the damage is read, however the bytes arrive."""

from __future__ import annotations

import bz2
import functools
import gzip
import lzma
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

import convert
from convert.source import compressed as expansion
from convert.source import unpacked
from support.matrix import matrix, part

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHECKED = {zstd.CompressionParameter.checksum_flag: 1}
_KINDS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": functools.partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda log: bytes(zstd.compress(log, options=_CHECKED)),
}
_LOG = b"".join(b'{"type":"user","message":"%d"}\n' % (n**9) for n in range(8))


class Reading(NamedTuple):
    """The bytes and the warnings that come of an archive."""

    expanded: bytes
    warnings: list[str]


def read(archive: bytes, size: int, most: int = 1 << 30) -> Reading:
    """Read an archive that arrives in pieces of `size` bytes."""
    pieces = [archive[at : at + size] for at in range(0, len(archive), size)]
    warnings: list[str] = []
    expanded = b""
    try:
        for piece in unpacked(pieces, most, lambda _, why, __: warnings.append(why)):
            expanded += piece
    except convert.InputError as error:
        warnings.append(error.message)
    return Reading(expanded, warnings)


def damaged(archive: bytes) -> Iterator[bytes]:
    """Yield an archive with each of its bytes damaged, missing, and the last one."""
    for at in range(len(archive)):
        for byte in (archive[at] ^ 1, archive[at] ^ 128, 0, 255):
            yield archive[:at] + bytes([byte]) + archive[at + 1 :]
        yield archive[:at] + archive[at + 1 :]
        yield archive[:at]
        yield archive + archive[at:]


_WHOLE = {
    "one part": lambda compress: compress(_LOG),
    "two parts": lambda compress: compress(_LOG[:99]) + compress(_LOG[99:]),
    "zeros between": lambda compress: compress(_LOG) + bytes(9) + compress(_LOG),
}


@matrix(kind=_KINDS, whole=_WHOLE, kept=[0, 64, 1 << 20])
def test_the_pieces_of_a_damaged_archive_make_no_difference(
    kind: str, whole: str, kept: int
) -> None:
    archive = _WHOLE[whole](_KINDS[kind])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expansion, "_MOST_KEPT", kept)
        patch.setattr(expansion, "_SLICE", 16)
        patch.setattr(expansion, "BLOCK", 48)
        for one in part(damaged(archive), 12, 11):
            byte_by_byte = read(one, 1)
            for size in (3, 64, 1 << 20):
                assert read(one, size) == byte_by_byte


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("size", part([1 << 20, 16, 1], 3))
def test_an_archive_with_nothing_wrong_but_its_checksum_is_read_whole(
    kind: str, size: int
) -> None:
    log = _LOG * 999
    archive = bytearray(_KINDS[kind](log))
    at = {"gzip": -8, "bzip2": 10, "xz": -28, "zstd": -1}[kind]
    archive[at] ^= 1

    expanded, warnings = read(bytes(archive), size)

    # bzip2 compares the checksum before it returns the last byte.
    missing = 1 if kind == "bzip2" else 0
    assert expanded == log[: len(log) - missing]
    assert warnings == [f"damaged {kind} archive"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", part([1 << 20, 16, 1], 3))
@pytest.mark.parametrize("kind", _KINDS)
def test_an_archive_is_read_up_to_the_limit(kind: str, size: int) -> None:
    expanded, warnings = read(_bomb(kind), size, most=3000)

    assert expanded == (_LOG * 99)[:3000]
    assert warnings == ["expands to more than 3.0 kB; --max-input raises the limit"]


@functools.cache
def _bomb(kind: str) -> bytes:
    return _KINDS[kind](_LOG * 999)
