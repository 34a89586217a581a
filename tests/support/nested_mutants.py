"""Logs with values nested to any depth, values that never end, and damaged archives."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
import sys

_SIMPLE = re.compile(rb'(?<=":)(?:"[^"\\]*"|-?\d+|true|false|null|\{\}|\[\])')
_OPENINGS = [
    b'{\n"a":[\n',
    b"{\n",
    b"[\n",
    b'{"type":[',
    b'{"type":"x","a":',
    b'{"a":[',
]
_FILLINGS = [b"1,1,\n", b"NaN,", b'"x",', b"x\n", b'x "type"\n', b"}\n", b"\n"]


def nest(log: bytes, dice: random.Random) -> bytes:
    """Put values of one depth in place of some that are not nested."""
    places = list(_SIMPLE.finditer(log))
    if not places:
        return log
    value = _nested(dice, _depth(dice))
    for place in sorted(
        dice.choices(places, k=dice.choice([1, 1, 3])), reverse=True, key=_begin
    ):
        log = log[: place.start()] + value + log[place.end() :]
    return log


def join_lines(log: bytes, dice: random.Random) -> bytes:
    """Put two events on a line, and an empty one or half an event after it."""
    lines = log.splitlines(keepends=True)
    at = dice.randrange(len(lines)) if lines else 0
    joined = b"".join(line.rstrip(b"\r\n") for line in lines[at : at + 2])
    after = dice.choice([b"\n\n", b"\n", b"\n{\n"])
    return b"".join([*lines[:at], joined, after, *lines[at + 2 :]])


def never_end(log: bytes, dice: random.Random) -> bytes:
    """Put the beginnings of many values in front of a log, or in it."""
    opening = dice.choice(_OPENINGS) * dice.choice([1, 30, 300])
    filling = dice.choice(_FILLINGS) * dice.choice([1, 100, 2000])
    lines = log.splitlines(keepends=True)
    at = dice.choice([0, 0, dice.randint(0, len(lines))])
    return b"".join([*lines[:at], opening, filling, *lines[at:]])


def archive(log: bytes, dice: random.Random) -> bytes:
    """Compress a log in parts and damage a byte, perhaps of a checksum, or the end."""
    pack = dice.choice([gzip.compress, bz2.compress, lzma.compress])
    cuts = sorted(dice.randint(0, len(log)) for _ in range(dice.choice([0, 1, 3])))
    ends = [*cuts, len(log)]
    parts = [log[a:b] for a, b in zip([0, *cuts], ends, strict=True)]
    packed = bytearray(b"".join(map(pack, parts)))
    at = dice.choice([-1, -4, -8, -28, 10, dice.randrange(len(packed))])
    at = max(at, -len(packed))
    match dice.randrange(4):
        case 0:
            packed[at] ^= 1 << dice.randrange(8)
        case 1:
            del packed[at:]
        case 2:
            packed += dice.choice([bytes(20), b"\n", bytes(packed[:9]), b"more"])
        case 3:
            packed[at:at] = bytes([dice.randrange(256)])
    return bytes(packed)


def _begin(place: re.Match[bytes]) -> int:
    return place.start()


def _depth(dice: random.Random) -> int:
    """Choose a depth around a limit of the program, of Python or of a library."""
    limit = sys.getrecursionlimit()
    return dice.choice(
        [
            dice.randint(1, 60),
            dice.randint(190, 210),
            dice.randint(limit - 80, limit),
            dice.randint(limit - 80, limit),
            3 * limit,
        ]
    )


def _nested(dice: random.Random, depth: int) -> bytes:
    inner = dice.choice([b"", b"1", b'"\\ud800"', b"NaN", b'{"type":"x"}', b'"'])
    if dice.random() < 0.5:
        return b"[" * depth + inner + b"]" * depth
    return b'{"a":' * depth + (inner or b"0") + b"}" * depth
