"""Recognition of a log: as soon as it is possible, in time linear in its size."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import convert
from convert.errors import InputError
from convert.formats import agents, candidates
from convert.source import blocks, nesting, sniff
from convert.source import detection as first_records
from support.golden import GOLDEN
from support.in_process import run
from support.matrix import matrix, part
from support.processes import environment

_INIT = {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/x"}
_CALL = {"type": "thinking", "subtype": "delta", "text": "Hm", "session_id": "s"}


def _spread(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event, indent=2).encode() + b"\n" for event in events)


def _lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


# Values that never end and hold the beginnings of others, one for each shape.
_OPEN: dict[str, Callable[[int], bytes]] = {
    "objects": lambda n: b'{\n"a":[\n' * n + b"1,1,\n" * 20 * n + b"x\n",
    "and types": lambda n: b'{\n"a":[\n' * n + b'x\n"type"\n' * n,
    "braces": lambda n: b"{\n" * 9 * n,
    "prefixes": lambda n: b'x {"type":' * 3 * n + b"\n",
    "prefixes on lines": lambda n: b'x {"type":[\n' * 3 * n,
    "lists": lambda n: b"[\n" * 9 * n + b"x\n",
    "strings": lambda n: b'{\n"\\"\n' * 3 * n,
    "deep": lambda n: b'{"a":' * 9 * n + b"\n",
    "deep on lines": lambda n: b'{\n"a":\n' * 3 * n + b"1" + b"}" * 3 * n,
    "events": lambda n: b'{"type":"x"}' * 3 * n,
    "torn events": lambda n: b'{"type":"x","a":[\n' * 3 * n,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", part(_OPEN, 3))
def test_recognition_reads_a_log_a_few_times(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_records, "_PIECE", 1000)
    read = 0

    def counted(decoder: json.JSONDecoder, text: str, begin: int) -> Any:
        nonlocal read
        try:
            value, end, is_flat = decode(decoder, text, begin)
        except ValueError as error:
            read += getattr(error, "pos", len(text)) - begin
            raise
        read += end - begin
        return value, end, is_flat

    decode = nesting.raw_decode
    monkeypatch.setattr(first_records, "raw_decode", counted)
    log = _OPEN[shape](500)

    with contextlib.suppress(convert.InputError):
        sniff([log], candidates(), {}, agents)

    assert read <= 6 * len(log) + 1000


_LOGS = {
    "clean": _lines(_INIT, _CALL),
    "spread": _spread(_INIT, _CALL),
    "array": b"[\n" + _spread(_INIT).rstrip() + b",\n" + _spread(_CALL) + b"]\n",
    "after a damaged value": b'{\n"a":[\n1,\nx\n' + _lines(_INIT, _CALL),
    "after many": b'{\n"a":[\n' * 40 + b"x\n" + _spread(_INIT, _CALL),
    "after torn events": b'{"type":"x\n' * 300 + _lines(_INIT, _CALL),
    "after noise": b"npm warn\n" * 300 + _lines(_INIT, _CALL),
    "deep": _lines(_INIT | {"a": json.loads("[" * 900 + "]" * 900)}, _CALL),
    "text": b"Read file\nDone.\n",
    "json": b'{"type":"result","subtype":"success","result":"x","duration_ms":1}',
    "invalid": b"\xff\n{\n\xe2\x82\n" + _lines(_INIT),
    "cut": _spread(_INIT)[:-30],
    "another's": b'{"role":"user","message":{}}\n' * 5,
}


def _recognised(pieces: list[bytes]) -> str:
    try:
        return sniff(blocks(pieces, 1 << 20), candidates(), {}, agents)[0]
    except convert.InputError as error:
        return error.message


@matrix(log=_LOGS, size=[1, 3, 17, 1000])
def test_a_log_is_recognised_however_it_arrives(log: str, size: int) -> None:
    whole = _LOGS[log]
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]

    assert _recognised(pieces) == _recognised([whole])


@pytest.mark.parametrize(
    ("log", "lines"), [("clean", 2), ("spread", 12), ("array", 13), ("deep", 2)]
)
def test_a_live_log_is_recognised_as_soon_as_an_event_tells(
    log: str, lines: int
) -> None:
    taken = 0

    def arriving() -> Iterator[bytes]:
        nonlocal taken
        for line in (_LOGS[log] + b"npm warn\n" * 99).splitlines(keepends=True):
            taken += 1
            yield line

    name, _ = sniff(arriving(), candidates(), {}, agents)

    assert (name, taken) == ("stream-json", lines)


def _outputs() -> Iterator[str]:
    """The outputs that people read, of a log and of two."""
    one, other = (
        GOLDEN / "example-logs" / f"{name}.ndjson" for name in ("baseline", "candidate")
    )
    compared = convert.compare(one, other)
    yield from (convert.report(compared, name) for name in ("table", "markdown"))
    for options in ({}, {"front_matter": True}, {"at_end": True}):
        pieces = convert.convert(one, "markdown", **options)
        yield b"".join(pieces).decode()
    yield from (
        b"".join(convert.convert(one, to)).decode() for to in ("summary", "html")
    )
    yield run(["show", one.name], one.parent, environment()).stdout.decode()


def test_an_output_for_people_is_no_log() -> None:
    for text in _outputs():
        with pytest.raises(InputError, match="that runconv wrote; name a log"):
            list(convert.read([text.encode()]))


def test_an_answer_with_headings_is_a_log() -> None:
    answer = b"# How to start\n\n## Run\n\nmake run\n\n## Answer\n\n42\n"

    [found] = convert.read_runs([answer])

    assert found.answer.encode() == answer
