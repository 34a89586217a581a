"""Damage that logs suffer in transit: each kind applied to each golden log.

Where nothing is lost, a damaged log converts like the clean one. Where a line is lost,
it converts like the log without that line, and a warning names the line.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import json
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.errors import warning
from convert.options import Reading
from convert.source import Decoding, coerce, flattened, members_of, ndjson, read_blocks
from support.conversions import (
    DOUBLED,
    FEW_LOGS,
    convert_all,
    is_clean,
    is_of_cursor,
)
from support.golden import identify
from support.matrix import matrix, part, reject

TARGETS = ["stream-json", "text", "markdown"]
# One of so many lines is torn at a time.
FIRST = range(1, 8)
EVERYTHING = {"detail": True, "answer": True, "partial": True, "tool_output": "full"}
_LONGEST = 100_000


READINGS = ["in blocks", "line by line"]


@pytest.fixture(autouse=True, params=READINGS)
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both ways of decoding lines."""
    if request.param == "line by line":
        monkeypatch.setattr(ndjson, "decode_block", lambda *_: None)


Lines = list[bytes]
Change = Callable[[Lines], bytes]


def clean_logs() -> list[Path]:
    """Return the golden logs whose lines are as the agent writes them."""
    return [
        path
        for path in part(FEW_LOGS, 3)
        if not identify(path).startswith(DOUBLED)
        and path.stat().st_size < _LONGEST
        and is_clean(path.read_bytes())
        and convert_all([path.read_bytes()], "stream-json")
    ]


CLEAN_LOGS = clean_logs()


def each(change: Callable[[bytes], bytes]) -> Change:
    """Change every line; `change` receives it without its line feed."""
    return lambda lines: b"".join(change(line.rstrip(b"\n")) + b"\n" for line in lines)


def whole(change: Callable[[bytes], bytes]) -> Change:
    """Change the log as a whole."""
    return lambda lines: change(b"".join(lines))


def as_utf16(encoding: str) -> Change:
    return whole(lambda log: log.decode().replace("\n", "\r\n").encode(encoding))


def wrapped(line: bytes) -> bytes:
    return json.dumps({"t_ms": 17, "line": line.decode()}).encode()


def by_docker(line: bytes) -> bytes:
    record = {"log": f"{line.decode()}\n", "stream": "stdout", "time": "2026-11-20"}
    return json.dumps(record).encode()


def zstandard(log: bytes) -> bytes:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return bytes(zstd.compress(log))


LOSSLESS: dict[str, Change] = {
    "byte order mark": whole(lambda log: b"\xef\xbb\xbf" + log),
    "UTF-16, little": as_utf16("utf-16"),
    "UTF-16, big": whole(lambda log: b"\xfe\xff" + log.decode().encode("utf-16-be")),
    "UTF-16, no mark": as_utf16("utf-16-le"),
    "CRLF": each(lambda line: line + b"\r"),
    "more carriage returns": each(lambda line: b"\r" + line + b"\r\r"),
    "no final line feed": whole(lambda log: log.removesuffix(b"\n")),
    "NUL runs": each(lambda line: b"\0" * 40 + line + b"\0\n" + b"\0" * 9),
    "empty lines": each(lambda line: b"\n" + line + b"\n  "),
    "blanks around": each(lambda line: b" \t" + line + b"\t "),
    "all on one line": whole(lambda log: log.replace(b"\n", b"")),
    "two on a line": lambda lines: b"".join(
        line if number % 2 else line.rstrip(b"\n") for number, line in enumerate(lines)
    ),
    "an array": lambda lines: b"[" + b",".join(lines) + b"]",
    "an array on lines": lambda lines: b"[\n" + b",".join(lines) + b"]\n",
    "gzip": whole(gzip.compress),
    "bzip2": whole(bz2.compress),
    "xz": whole(lzma.compress),
    "zstd": whole(zstandard),
    "each line compressed": lambda lines: b"".join(map(gzip.compress, lines)),
    "times of a runner": each(lambda line: b"2026-11-20T11:31:02.1234567Z " + line),
    "docker compose": each(lambda line: b"agent-1  | " + line),
    "an executor": each(
        lambda line: b"2026-09-09T05:20:29.639Z [worker] executor=cursor - " + line
    ),
    "stdout:": each(lambda line: b"stdout: " + line),
    "stderr:": each(lambda line: b"STDERR: " + line),
    "colours": each(lambda line: b"\x1b[33m" + line + b"\x1b[0m\x1b[K"),
    "a spinner": each(lambda line: "⠋ Working\r⠙ Working\r\x1b[2K".encode() + line),
    "a harness": each(wrapped),
    "docker": each(by_docker),
}

NOISE = [
    b"##[group]Run the agent",
    b"npm warn deprecated inflight@1.0.6: no longer supported",
    "⠋ Working".encode(),
    b"[1,2]",
    b"null",
    b"{}",
]
NOTES = ("not JSON, skipped", "not an event, skipped")


@functools.cache
def as_clean(path: Path, to: str) -> tuple[bytes | None, list[tuple[int, str]]]:
    """Return the output and warnings for a clean log."""
    return converted(path.read_bytes(), to)


def converted(log: bytes, to: str) -> tuple[bytes | None, list[tuple[int, str]]]:
    """Convert with all details; return the output and the warnings that name lines."""
    warnings: list[tuple[int, str]] = []

    def warn(line: int | None, reason: str, action: str) -> None:
        if line is not None:
            warnings.append((line, warning(reason, action)))

    try:
        shown = convert.convert([log], to, warn=warn, **EVERYTHING)  # type: ignore[arg-type]
        return b"".join(shown), warnings
    except convert.RunconvError:
        return None, warnings


@matrix(
    path=CLEAN_LOGS,
    damage=LOSSLESS,
    reading=READINGS,
    indirect=["reading"],
)
def test_damage_that_loses_nothing_changes_nothing(path: Path, damage: str) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = LOSSLESS[damage](lines)

    for to in TARGETS:
        expected, warnings = as_clean(path, to)
        shown, more_warnings = converted(damaged, to)

        assert shown == expected, to
        # Line by line they come in another order than block by block.
        assert sorted(what for _, what in more_warnings) == sorted(
            what for _, what in warnings
        )


@matrix(path=CLEAN_LOGS, to=TARGETS[1:], reading=READINGS, indirect=["reading"])
def test_a_pretty_printed_log_has_the_same_values(path: Path, to: str) -> None:
    lines = path.read_bytes().splitlines()
    try:
        values = [json.loads(line) for line in lines]
        same = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    except (ValueError, RecursionError):
        reject()
    pretty = b"".join(json.dumps(value, indent=2).encode() + b"\n" for value in values)

    assert converted(pretty, to)[0] == converted(same, to)[0]


@matrix(path=CLEAN_LOGS, reading=READINGS, indirect=["reading"])
def test_an_archive_that_breaks_off_is_read_as_far_as_it_goes(path: Path) -> None:
    log = path.read_bytes()
    archive = gzip.compress(log)
    cut = archive[: len(archive) * 2 // 3]
    left = zlib.decompressobj(31).decompress(cut)

    shown, _ = converted(cut, "stream-json")

    assert log.startswith(left)
    assert shown == converted(left, "stream-json")[0]


@matrix(path=CLEAN_LOGS, reading=READINGS, indirect=["reading"])
def test_a_log_that_comes_twice_is_read_once_or_as_it_is(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    log = b"".join(line.rstrip(b"\n") + b"\n" for line in lines for _ in range(2))

    if not is_of_cursor(log):
        reject()
    shown, warnings = converted(log, "stream-json")

    is_reported = any("appears twice" in what for _, what in warnings)
    once = as_clean(path, "stream-json")[0]
    # Lines before the init and after the result do not belong to the copies.
    inits = [at for at, line in enumerate(lines) if b'"init"' in line]
    results = [at for at, line in enumerate(lines) if b'"type":"result"' in line]
    is_one_run = inits == [0] and results in ([], [len(lines) - 1])
    assert shown == log or is_reported
    assert shown == once or not (is_reported and is_one_run)


@matrix(path=CLEAN_LOGS, reading=READINGS, indirect=["reading"])
def test_noise_between_the_lines_is_reported_and_skipped(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    noisy = [part for line in lines for part in [line, *NOISE]]
    numbers = [n for n, line in enumerate(noisy, 1) if line in NOISE]

    for to in TARGETS:
        expected, _ = as_clean(path, to)
        shown, warnings = converted(
            b"".join(line.rstrip(b"\n") + b"\n" for line in noisy), to
        )

        assert shown == expected, to
        skipped = [line for line, what in warnings if what in NOTES]
        assert skipped == numbers


@matrix(
    path=part(CLEAN_LOGS, 2),
    first=FIRST,
    reading=READINGS,
    indirect=["reading"],
)
def test_only_a_torn_line_is_lost_and_it_is_reported(path: Path, first: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)

    for number in range(first, len(lines) + 1, len(FIRST)):
        torn, without = lines.copy(), lines.copy()
        torn[number - 1] = torn[number - 1][: len(torn[number - 1]) // 2] + b"\n"
        without[number - 1] = b"\n"
        expected, _ = converted(b"".join(without), "markdown")
        shown, warnings = converted(b"".join(torn), "markdown")

        assert shown == expected
        assert shown is None or (number, "not JSON, skipped") in warnings


class Renamed(msgspec.Struct, rename={"session": "sessionID", "at": "time"}):
    session: str = ""
    at: int = 0


class Untyped(msgspec.Struct):
    version: str
    at: int = 0


def test_objects_of_a_format_may_have_another_member_than_a_type() -> None:
    decoding = Decoding(Untyped, msgspec.json.Decoder(Untyped), text_member="version")
    log = b'{"version": "1", "at": "x"}\n{"type": "1"}\n'
    found: list[tuple[object, ...]] = []

    [block] = read_blocks([log], decoding, 1000, lambda *what: found.append(what))

    assert block.events == [Untyped("1")]
    assert found == [
        (1, "unexpected type of at", "ignored"),
        (2, "not an event", "skipped"),
    ]


def test_a_member_by_another_name_is_not_lost_without_a_word() -> None:
    found: list[str] = []

    event = coerce(
        {"sessionID": "s", "time": "x"}, Renamed, 1, lambda _, *what: found.extend(what)
    )

    assert event == Renamed("s")
    assert found == ["unexpected type of time", "ignored"]


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
@pytest.mark.parametrize("more", [0, 1])
def test_a_line_of_the_length_that_is_allowed_is_read(size: int, more: int) -> None:
    event = b'{"type":"user","session_id":"s","message":"' + b"x" * 3000 + b'"}'
    log = b"\n".join([event, event + b" " * more, event])
    pieces = [log[at : at + size] for at in range(0, len(log), size)]
    reading = Reading(max_line=len(event))
    skipped = []

    shown = convert.convert(
        pieces,
        "stream-json",
        format="stream-json",
        reading=reading,
        warn=lambda line, *_: skipped.append(line),
    )

    assert b"".join(shown) == (event + b"\n") * (3 - more)
    assert skipped == [2] * more


@pytest.mark.parametrize("trailing", [b"\n", b"\r\n", b"x" * 100_000])
@pytest.mark.parametrize("make", [gzip.compress, bz2.compress, lzma.compress])
def test_bytes_after_an_archive_are_reported(
    make: Callable[[bytes], bytes], trailing: bytes
) -> None:
    warnings: list[str] = []
    pieces = [make(b"Read file\n"), trailing]

    shown = convert.convert(pieces, warn=lambda _, reason, __: warnings.append(reason))

    assert b"".join(shown) == b"Read file\n"
    assert len(warnings) == 1
    assert warnings[0].startswith("bytes after the end")


@pytest.mark.parametrize(
    "inner", ['{"a":1,}', "[1,]", '{"a" 1}', "{1:1}", "[1 2]", "[01]", '["\\x"]', "[}"]
)
def test_a_damaged_value_is_found_however_deep(inner: str) -> None:
    depth = 300
    text = "[" * depth + inner + "]" * depth

    with pytest.raises(ValueError, match="not JSON inside"):
        flattened(text)
    assert "nested" in flattened("[" * depth + '{"a":[1,{}]}' + "]" * depth)[0]


def test_blanks_around_an_event_are_removed_next_to_a_damaged_line() -> None:
    event = b'{"type":"system","subtype":"init","session_id":"s"}'
    log = b" \t" + event + b" \n{broken\n  " + event + b"\n"

    shown = convert.convert([log], "stream-json")

    assert b"".join(shown) == (event + b"\n") * 2


def test_two_events_on_a_line_of_invalid_utf_8_make_one_warning() -> None:
    event = b'{"type":"user","session_id":"s","message":"\xff"}'
    reasons: list[str] = []

    shown = convert.convert(
        [event + event + b"\n"],
        "stream-json",
        warn=lambda _, reason, __: reasons.append(reason),
    )

    assert b"".join(shown).count(b"\n") == 2
    assert reasons == ["invalid UTF-8"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_may_begin_with_an_array(encoding: str) -> None:
    events = [{"type": "result", "subtype": "success", "result": "Grüße"}]

    shown = convert.convert([json.dumps(events).encode(encoding)], "answer")

    assert b"".join(shown).decode() == "Grüße\n"


def test_a_later_part_of_an_archive_that_is_damaged_is_called_so() -> None:
    """It has begun, so it is no stray bytes after the archive."""
    part = gzip.compress(b"Read file\n" * 300, compresslevel=0)
    damaged = part[:-8] + bytes(8)
    warnings: list[str] = []

    shown = convert.convert(
        [part + damaged], warn=lambda _, reason, __: warnings.append(reason)
    )

    assert b"".join(shown).count(b"Read file\n") > 300
    assert warnings == ["damaged gzip archive"]


def test_an_archive_of_zstd_may_begin_with_a_frame_that_holds_nothing() -> None:
    frame = b"\x50\x2a\x4d\x18" + (8).to_bytes(4, "little") + b"skipped!"

    shown = convert.convert([frame + zstandard(b"Read file\n")])

    assert b"".join(shown) == b"Read file\n"


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_values, st.data())
def test_deep_json_is_distinguished_from_invalid_json(
    value: Any, data: st.DataObject
) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    put_in = data.draw(st.sampled_from(["", ",", ":", "}", "]", '"', "1", "\\", "x"]))
    changed = text[:at] + put_in + text[at + data.draw(st.integers(0, 1)) :]

    for inner in (text, changed):
        deep = "[" * 300 + inner + "]" * 300
        try:
            json.loads(deep, parse_constant=int)
            is_json = True
        except ValueError:
            is_json = False
        try:
            flat, end = flattened(deep)
            json.loads(flat)
            is_taken = end == len(deep)
        except ValueError:
            is_taken = False
        assert is_taken == is_json, inner


@pytest.mark.parametrize(
    ("refused", "value"),
    [
        ('"\\ud83d"', "\ud83d"),
        ("9" * 30, int("9" * 30)),
        ("9" * 5000, float("inf")),
        (" 1e400", float("inf")),
    ],
)
def test_a_line_that_is_refused_has_all_its_members(
    refused: str, value: object
) -> None:
    line = f' {{"type":"x","a":{refused},"b":[{{"c":1}}]}} \n'.encode()

    assert members_of(line) == {"type": "x", "a": value, "b": [{"c": 1}]}


def test_a_line_that_is_nested_deeply_has_its_other_members() -> None:
    deep = b"[" * 5000 + b"]" * 5000

    members = members_of(b'{"type":"x","a":' + deep + b',"b":2}')

    assert (members["type"], members["b"]) == ("x", 2)


@pytest.mark.parametrize("line", [b"[1]", b"1", b'{"a":NaN}', b'{"a":', b'{"a":1}}'])
def test_a_line_that_is_no_object_has_no_members(line: bytes) -> None:
    assert members_of(line) == {}
