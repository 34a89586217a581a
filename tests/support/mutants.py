"""Broken logs: golden ones damaged at random, and random bytes."""

from __future__ import annotations

import bz2
import functools
import gzip
import json
import lzma
import random
from collections.abc import Callable, Iterator
from typing import Any

from support.golden import cases
from support.nested_mutants import archive, join_lines, nest, never_end

# Larger logs are slow and find no more bugs.
_LARGEST = 100_000
_USUAL = 2_000
_BYTES = [b"\0", b"\n", b"\r", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\xff"]
_PREFIXES = [
    b"\xef\xbb\xbf",
    b"npm warn\n",
    b"2025-11-03T10:00:00Z ",
    b"[",
    b"\x1f\x8b",
]
# A placeholder that is replaced by a raw value, which need not be valid JSON.
_HERE = "\0here\0"
_VALUES = [
    *("null", "true", "0", "-1", "1e400", "-0.0", "NaN", "Infinity", "9" * 400),
    *("9" * 5000, "18446744073709551616", '""', '"x"', '"\\ud800"', '"\\udc00\\ud800"'),
    *('"\\u0000\\u001b[2J\\n"', '"a\\r\\nb"', '"' + "`" * 50 + '"', '"../../x"'),
    *("[]", "{}", "[null]", '{"":null}', '[{"type":"text","text":1}]', '{"a":[{}]}'),
    *('"tool_call"', '"completed"', '"result"', "[" * 900 + "]" * 900),
    *('{"a":' * 3000 + "1" + "}" * 3000, "[" * 20_000),
]
_NAMES = [
    *("type", "subtype", "call_id", "tool_call", "args", "result", "message"),
    *("content", "text", "session_id", "timestamp_ms", "success", "error", "exitCode"),
    *("shellToolCall", "readToolCall", "mintedToolCall", "taskToolCall", "\ud800", ""),
]

Damage = Callable[[bytes, random.Random], bytes]


def made(seed: int, number: int) -> tuple[random.Random, bytes, bytes]:
    """Make an input by number: the dice for further choices, and two related logs."""
    dice = random.Random(f"{seed}/{number}")
    whole = original(dice)
    log = mutant(whole, dice)
    return dice, log, whole if dice.random() < 0.5 else mutant(whole, dice)


@functools.cache
def originals() -> list[bytes]:
    """Return the inputs of all golden cases, including compressed ones."""
    logs = (path.read_bytes() for case in cases() for path in case.inputs)
    return [log for log in logs if len(log) <= _LARGEST]


def original(dice: random.Random) -> bytes:
    """Choose a golden log, large ones more rarely."""
    return dice.choices(originals(), cum_weights=_weights())[0]


@functools.cache
def _weights() -> list[float]:
    total = 0.0
    return [
        total := total + min(1, _USUAL / max(len(log), 1)) ** 2 for log in originals()
    ]


def mutant(log: bytes, dice: random.Random) -> bytes:
    """Damage a log; occasionally return random bytes instead."""
    if dice.random() < 0.02:
        return dice.randbytes(dice.randrange(3000))
    for _ in range(min(dice.randint(1, 4), dice.randint(1, 8))):
        kind = dice.choice(_KINDS)
        log = dice.choice(kind)(log, dice)[: 2 * _LARGEST]
    if dice.random() < 0.15:
        log = dice.choice(_WRAPPING)(log, dice)
    return log


def _place(log: bytes, dice: random.Random) -> int:
    return dice.randint(0, len(log))


def _span(log: bytes, dice: random.Random) -> tuple[int, int]:
    """Choose a range of bytes, most often a short one."""
    begin = _place(log, dice)
    return begin, begin + int(dice.expovariate(1 / 200))


def _flip(log: bytes, dice: random.Random) -> bytes:
    damaged = bytearray(log)
    for _ in range(dice.randint(1, 8) if log else 0):
        damaged[dice.randrange(len(log))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def _insert(log: bytes, dice: random.Random) -> bytes:
    at = _place(log, dice)
    new = dice.choice(_BYTES) if dice.random() < 0.7 else dice.randbytes(4)
    return log[:at] + new + log[at:]


def _nul_run(log: bytes, dice: random.Random) -> bytes:
    at = _place(log, dice)
    return log[:at] + b"\0" * dice.choice([1, 16, 4096]) + log[at:]


def _delete(log: bytes, dice: random.Random) -> bytes:
    begin, end = _span(log, dice)
    return log[:begin] + log[end:]


def _repeat(log: bytes, dice: random.Random) -> bytes:
    begin, end = _span(log, dice)
    return log[:end] + log[begin:end] * dice.choice([1, 2, 20]) + log[end:]


def _swap(log: bytes, dice: random.Random) -> bytes:
    a, b, c = sorted(_place(log, dice) for _ in range(3))
    return log[:a] + log[b:c] + log[a:b] + log[c:]


def _cut(log: bytes, dice: random.Random) -> bytes:
    at = _place(log, dice)
    return log[:at] if dice.random() < 0.7 else log[at:]


def _splice(log: bytes, dice: random.Random) -> bytes:
    at = _place(log, dice)
    other = original(dice)
    begin = _place(other, dice)
    return log[:at] + other[begin : _place(other, dice)] + log[at:]


def _by_lines(
    change: Callable[[list[bytes], int, random.Random], None],
) -> Damage:
    """Apply a change of lines to a log, at a random line."""

    def damage(log: bytes, dice: random.Random) -> bytes:
        lines = log.splitlines(keepends=True)
        if lines:
            change(lines, dice.randrange(len(lines)), dice)
        return b"".join(lines)

    return damage


def _drop(lines: list[bytes], at: int, dice: random.Random) -> None:
    del lines[at : at + dice.choice([1, 1, 1, 5])]


def _duplicate(lines: list[bytes], at: int, dice: random.Random) -> None:
    lines.insert(dice.randint(0, len(lines)), lines[at])


def _exchange(lines: list[bytes], at: int, dice: random.Random) -> None:
    other = dice.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _join(lines: list[bytes], at: int, dice: random.Random) -> None:
    lines[at] = lines[at].rstrip(b"\r\n")


def _cut_line(lines: list[bytes], at: int, dice: random.Random) -> None:
    end = b"\n" if dice.random() < 0.7 else b""
    lines[at] = lines[at][: _place(lines[at], dice)] + end


def _noise(lines: list[bytes], at: int, dice: random.Random) -> None:
    lines.insert(at, dice.choice(_PREFIXES) + dice.choice([b"", b"\n"]))


def _wrap_event(lines: list[bytes], at: int, dice: random.Random) -> None:
    text = lines[at].decode(errors="replace")
    lines[at] = json.dumps({"t_ms": 17, "line": text}).encode() + b"\n"


def _mingle(lines: list[bytes], at: int, dice: random.Random) -> None:
    """Put the lines of another log between those of this one."""
    places = sorted(dice.randint(0, len(lines)) for _ in range(20))
    for place, line in zip(places, original(dice).splitlines(True), strict=False):
        lines.insert(place, line)


def _double(lines: list[bytes], at: int, dice: random.Random) -> None:
    """Write each line twice, as `2>&1` does, occasionally with a torn line."""
    late: list[bytes] = []
    doubled = []
    for line in lines:
        doubled.append(line)
        late.append(line)
        while late and dice.random() < 0.7:
            doubled.append(late.pop(0))
    lines[:] = doubled + late
    if dice.random() < 0.3:
        _cut_line(lines, dice.randrange(len(lines)), dice)


def _in_json(change: Callable[[Any, Any, random.Random], None]) -> Damage:
    """Apply a change to one member of the JSON on a line, by its container and key."""

    def damage(lines: list[bytes], at: int, dice: random.Random) -> None:
        try:
            value = json.loads(lines[at])
            members = list(_members(value))
            if members:
                change(*dice.choice(members), dice)
                text = json.dumps(value, ensure_ascii=dice.random() < 0.5)
                text = text.replace(json.dumps(_HERE), dice.choice(_VALUES))
                lines[at] = text.encode(errors="surrogatepass") + b"\n"
        except (ValueError, RecursionError):
            _cut_line(lines, at, dice)

    return _by_lines(damage)


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container within a value, with each of its keys."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _members(value[key])


def _replace_member(value: Any, key: Any, dice: random.Random) -> None:
    value[key] = _HERE


def _drop_member(value: Any, key: Any, dice: random.Random) -> None:
    del value[key]


def _rename_member(value: Any, key: Any, dice: random.Random) -> None:
    if isinstance(value, dict):
        value[dice.choice(_NAMES)] = value.pop(key)


def _copy_member(value: Any, key: Any, dice: random.Random) -> None:
    if isinstance(value, dict):
        value[dice.choice(_NAMES)] = value[key]
    else:
        value.extend([value[key]] * dice.choice([1, 30]))


def _twice_member(log: bytes, dice: random.Random) -> bytes:
    """Put a name into an object that may have it already."""
    name = json.dumps(dice.choice(_NAMES)).encode()
    member = b"{" + name + b":" + dice.choice(_VALUES[:25]).encode() + b","
    places = [at for at, byte in enumerate(log[:20_000]) if byte == ord("{")]
    at = dice.choice(places) if places else 0
    return log[:at] + member + log[at + 1 :]


def _spread(log: bytes, dice: random.Random) -> bytes:
    """Write each value over several lines, as `jq .` does."""
    spread = []
    for line in log.splitlines(keepends=True):
        try:
            spread.append(json.dumps(json.loads(line), indent=2).encode() + b"\n")
        except (ValueError, RecursionError):
            spread.append(line)
    return b"".join(spread)


def _array(log: bytes, dice: random.Random) -> bytes:
    return b"[" + b",".join(log.splitlines(keepends=True)) + b"]"


def _crlf(log: bytes, dice: random.Random) -> bytes:
    return log.replace(b"\n", b"\r\n")


def _mark(log: bytes, dice: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + log


def _prefix(log: bytes, dice: random.Random) -> bytes:
    prefix = dice.choice(_PREFIXES)
    return b"".join(prefix + line for line in log.splitlines(keepends=True))


def _utf16(log: bytes, dice: random.Random) -> bytes:
    encoding = dice.choice(["utf-16", "utf-16-le", "utf-16-be"])
    return log.decode(errors="replace").encode(encoding)


def _compress(log: bytes, dice: random.Random) -> bytes:
    packed = dice.choice([gzip.compress, bz2.compress, lzma.compress])(log)
    return packed if dice.random() < 0.5 else packed[: _place(packed, dice)]


def _compress_and_damage(log: bytes, dice: random.Random) -> bytes:
    return dice.choice([_flip, _delete, _insert, _repeat])(_compress(log, dice), dice)


_KINDS: list[list[Damage]] = [
    [_flip, _insert, _nul_run, _delete],
    [_repeat, _swap, _cut, _splice],
    [*map(_by_lines, [_drop, _duplicate, _exchange, _join, _cut_line])],
    [*map(_by_lines, [_noise, _wrap_event, _mingle, _double])],
    [_in_json(_replace_member)],
    [_in_json(_replace_member)],
    [*map(_in_json, [_drop_member, _rename_member, _copy_member]), _twice_member],
    [nest, nest, join_lines, never_end],
]
_WRAPPING: list[Damage] = [
    *(_spread, _array, _crlf, _mark, _prefix, _utf16),
    *(_compress, _compress_and_damage, archive),
]
