"""How the events of a log are written: lines, arrays, prefixes, noise, archives."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable
from typing import Any

from support.generated.values import raw_of

# So many inputs in seven are written as the agent does.
_PLAIN = 4
_PREFIXES = [
    *(b"2026-09-20T08:00:00Z ", b"[build] ", b"web_1  | ", b"data: ", b"\x1b[32m"),
    *(b"2026-09-20T08:00:00.0000000Z stdout F ", b"> ", b"\xef\xbb\xbf", b"\x1b[2K\r"),
]


def choose(number: int, dice: random.Random) -> str:
    """Return the name of a frame: each has its turn among the usual ones."""
    names = [*FRAMES]
    return "lines" if number % 7 < _PLAIN else names[number // 7 % len(names)]


def write(frame: str, events: list[Any], dice: random.Random) -> bytes:
    """Write events in a frame."""
    return FRAMES[frame](_lines(events, dice), dice)


def _lines(events: list[Any], dice: random.Random) -> list[bytes]:
    """Return each event as JSON, in a manner that they share."""
    is_ascii = dice.random() < 0.3
    separators = (", ", ": ") if dice.random() < 0.2 else (",", ":")
    is_shuffled = dice.random() < 0.1
    lines = []
    for event in events:
        if isinstance(event, bytes):
            lines.append(event)
            continue
        members = list(event.items())
        if is_shuffled:
            dice.shuffle(members)
        text = json.dumps(dict(members), ensure_ascii=is_ascii, separators=separators)
        lines.append(raw_of(text).encode(errors="surrogatepass"))
    return lines


def _joined(end: bytes) -> Callable[[list[bytes], random.Random], bytes]:
    return lambda lines, dice: b"".join(line + end for line in lines)


def _last_line_open(lines: list[bytes], dice: random.Random) -> bytes:
    return b"\n".join(lines)


def _cut(lines: list[bytes], dice: random.Random) -> bytes:
    log = b"\n".join(lines)
    return log[: dice.randint(0, len(log))]


def _array(lines: list[bytes], dice: random.Random) -> bytes:
    between = dice.choice([b",", b",\n", b", ", b"\n,"])
    end = dice.choice([b"]", b"]\n", b"", b",]"])
    return b"[" + dice.choice([b"", b"\n"]) + between.join(lines) + end


def _object(lines: list[bytes], dice: random.Random) -> bytes:
    name = dice.choice([b"events", b"messages", b"log", b"a"])
    return b'{"' + name + b'":[' + b",".join(lines) + b"]}\n"


def _spread(lines: list[bytes], dice: random.Random) -> bytes:
    """Write each event over lines, as `jq .` does."""
    spread = []
    for line in lines:
        try:
            text = json.dumps(json.loads(line), indent=dice.choice([1, 2]))
            spread.append(text.encode() + b"\n")
        except (ValueError, RecursionError):
            spread.append(line + b"\n")
    return b"".join(spread)


def _recorded(lines: list[bytes], dice: random.Random) -> bytes:
    """Put each event into the object of a recorder, as text or as it is."""
    is_text = dice.random() < 0.5
    kept = []
    for number, line in enumerate(lines):
        text = line.decode(errors="replace")
        inner = json.dumps(text) if is_text else text
        kept.append(f'{{"t":{number},"line":{inner}}}\n'.encode())
    return b"".join(kept)


def _prefixed(lines: list[bytes], dice: random.Random) -> bytes:
    prefix = dice.choice(_PREFIXES)
    return b"".join(prefix + line + b"\n" for line in lines)


def _text_in_front(lines: list[bytes], dice: random.Random) -> bytes:
    text = dice.choice(
        [b"npm warn\n", b"\n\n", b"{\n", b"[\n", b"Error: x\n", b"\x00\x00"]
    )
    return text * dice.choice([1, 3, 40]) + b"".join(line + b"\n" for line in lines)


def _doubled(lines: list[bytes], dice: random.Random) -> bytes:
    """Write every line twice, the second one somewhat later."""
    late: list[bytes] = []
    written = []
    for line in lines:
        written.append(line)
        late.append(line)
        while late and dice.random() < 0.7:
            written.append(late.pop(0))
    return b"".join(line + b"\n" for line in written + late)


def _two_on_a_line(lines: list[bytes], dice: random.Random) -> bytes:
    return (
        b"".join(line + dice.choice([b"", b" ", b"\n", b"\n"]) for line in lines)
        + b"\n"
    )


def _utf16(lines: list[bytes], dice: random.Random) -> bytes:
    text = b"\n".join(lines).decode(errors="replace")
    return text.encode(dice.choice(["utf-16", "utf-16-le", "utf-16-be"]))


def _archive(lines: list[bytes], dice: random.Random) -> bytes:
    """Compress the log, in parts, and now and then break it off."""
    pack = dice.choice([gzip.compress, bz2.compress, lzma.compress, _zstd])
    at = dice.randint(0, len(lines))
    parts = [
        b"".join(line + b"\n" for line in part) for part in (lines[:at], lines[at:])
    ]
    packed = b"".join(map(pack, parts))
    return packed[: dice.randint(0, len(packed))] if dice.random() < 0.2 else packed


def _zstd(log: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        from backports import zstd  # type: ignore[no-redef,unused-ignore]
    packed: bytes = zstd.compress(log)
    return packed


FRAMES: dict[str, Callable[[list[bytes], random.Random], bytes]] = {
    "lines": _joined(b"\n"),
    "carriage returns": _joined(b"\r\n"),
    "carriage returns alone": _joined(b"\r"),
    "empty lines": _joined(b"\n\n \n"),
    "last line open": _last_line_open,
    "cut": _cut,
    "array": _array,
    "object": _object,
    "spread": _spread,
    "recorded": _recorded,
    "prefixed": _prefixed,
    "text in front": _text_in_front,
    "doubled": _doubled,
    "two on a line": _two_on_a_line,
    "utf-16": _utf16,
    "archive": _archive,
}
