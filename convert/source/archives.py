"""Compressed logs, told by their first bytes and expanded as they arrive.

gzip, bzip2 and xz are in the standard library, zstd is from Python 3.14 on; before
that it takes the package backports.zstd.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from convert.errors import InputError, Warn
from convert.wording.numbers import size

# Frames of zstd that hold no data; parallel programs begin with one.
_SKIPPABLE = tuple(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60))
# The names of the kinds, which are those of their programs, and their first bytes.
MAGIC = {
    "gzip": (b"\x1f\x8b\x08",),
    "bzip2": tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
    "xz": (b"\xfd7zXZ\0",),
    "zstd": (b"\x28\xb5\x2f\xfd", *_SKIPPABLE),
}
_EVERY_MAGIC = tuple(itertools.chain.from_iterable(MAGIC.values()))
_LONGEST = max(map(len, _EVERY_MAGIC))


def unpacked(chunks: Iterable[bytes], most: int, warn: Warn) -> Iterator[bytes]:
    """Expand an archive as far as possible; yield anything else as it is.

    Warns about an archive that is incomplete or damaged. Raises InputError if it
    expands to more than `most` bytes, or cannot be read here.
    """
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if head.startswith(_EVERY_MAGIC) or not _may_begin(head):
            break
    chunks = itertools.chain([head], chunks)
    if not head.startswith(_EVERY_MAGIC):
        return chunks
    # Few logs are archives.
    from convert.source.expansion import expanded

    name = next(name for name, magic in MAGIC.items() if head.startswith(magic))
    return _within(most, expanded(chunks, name, warn))


def _may_begin(data: bytes) -> bool:
    """Return True if an archive may begin with some bytes and more to come."""
    return len(data) < _LONGEST and any(
        magic.startswith(data) for magic in _EVERY_MAGIC
    )


def _within(most: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    left = most
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left < 0:
            raise InputError(
                f"expands to more than {size(most)}; --max-input raises the limit"
            )
