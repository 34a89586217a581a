"""The state kept while reading is bounded, so that memory does not grow with the log.

Each bound shows in the output, since forgotten entries count as new.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import convert
from convert.cursor import doubled_log, stream_json
from convert.model import ToolCall
from convert.options import Reading
from convert.source import blocks
from support.matrix import part


def line(kind: str, session: str, **members: Any) -> bytes:
    event = {"type": kind, **members, "session_id": session}
    return json.dumps(event).encode() + b"\n"


def init(session: str) -> bytes:
    return line("system", session, subtype="init")


def result(session: str) -> bytes:
    return line("result", session, subtype="success", result=".", duration_ms=5)


def thinking(session: str) -> bytes:
    return line("thinking", session, subtype="delta", text="Hm", timestamp_ms=7)


def read(call_id: str) -> bytes:
    body = {"readToolCall": {"args": {}, "result": {"success": {}}}}
    call: dict[str, Any] = {"subtype": "completed", "call_id": call_id}
    return line("tool_call", "s", **call, tool_call=body)


@pytest.mark.parametrize(("others", "runs"), [(999, 1000), (1000, 1002)])
def test_the_last_1000_sessions_that_ended_are_remembered(
    others: int, runs: int
) -> None:
    sessions = ["late", *map(str, range(others))]
    log = [part for name in sessions for part in (init(name), result(name))]

    read = list(convert.read_runs([*log, thinking("late")]))

    assert len(read) == runs


@pytest.mark.parametrize(("others", "repeated"), [(999, True), (2000, False)])
def test_at_least_the_last_1000_calls_that_ended_are_remembered(
    others: int, repeated: bool
) -> None:
    calls = map(read, ["late", *map(str, range(others)), "late"])

    *_, last = [e for e in convert.read([init("s"), *calls]) if type(e) is ToolCall]

    assert last.is_repeated == repeated


@pytest.mark.parametrize(("others", "is_dropped"), [(63, True), (64, False)])
def test_the_last_64_runs_are_watched_for_second_copies(
    others: int, is_dropped: bool
) -> None:
    doubled = [init("s"), thinking("s")]
    begun = [init(str(number)) for number in range(others)]

    shown = convert.convert([*doubled, *begun, *doubled], "stream-json")

    expected = [*doubled, *begun, *([] if is_dropped else doubled)]
    assert b"".join(shown) == b"".join(expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("most", [0, 300])
@pytest.mark.parametrize("seed", part(range(6), 3))
def test_second_copies_are_found_however_much_is_kept(
    most: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    parts = [init, thinking, thinking, thinking, result]
    log = [dice.choice(parts)(dice.choice("st")) for _ in range(300)]
    usual = b"".join(convert.convert(log, "stream-json"))

    monkeypatch.setattr(stream_json, "_MOST_KEPT", most)

    assert b"".join(convert.convert(log, "stream-json")) == usual
    assert usual != b"".join(log)


def test_no_line_is_looked_at_for_copies_if_no_run_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doubled_log, "_digest", None)
    run = [init("s"), thinking("s"), result("s")]

    shown = convert.convert([b"".join(run), *run, init("t")], "stream-json")

    assert b"".join(shown) == b"".join([*run, *run, init("t")])


@pytest.mark.parametrize(("others", "is_dropped"), [(254, True), (256, False)])
def test_256_lines_wait_until_it_is_clear_whether_they_are_second_copies(
    others: int, is_dropped: bool
) -> None:
    doubled = [init("s"), thinking("s")]
    between = [line("novelty", "t", number=number) for number in range(others)]

    shown = convert.convert(
        [*doubled, init("s"), *between, thinking("s")], "stream-json"
    )

    copies = [] if is_dropped else [init("s"), thinking("s")]
    expected = [*doubled, *copies[:1], *between, *copies[1:]]
    assert b"".join(shown) == b"".join(expected)


@pytest.mark.parametrize("end", [b"\n", b" \r\n"])
def test_long_lines_of_a_doubled_log_are_distinguished(end: bytes) -> None:
    texts = ["a" * 5000, "b" + "a" * 4999, "a" * 2000 + "b" * 40 + "a" * 2960]
    lines = [line("thinking", "s", text=text, timestamp_ms=7) for text in texts]
    lines.append(line("thinking", "s", text=texts[0], timestamp_ms=8))
    begun = [init("s"), thinking("s")]
    copies = [part.replace(b"\n", end) for part in lines]

    shown = convert.convert([*begun, *begun, *lines, *copies], "stream-json")

    assert b"".join(shown) == b"".join([*begun, *lines])


@pytest.mark.parametrize(("others", "is_dropped"), [(998, True), (999, False)])
def test_one_copy_may_be_1000_lines_ahead_of_the_other(
    others: int, is_dropped: bool
) -> None:
    first = [init("s"), thinking("s")]
    ahead = [line("thinking", "s", timestamp_ms=n + 8) for n in range(others)]

    shown = convert.convert([*first, *ahead, *first], "stream-json")

    copies = [] if is_dropped else first
    assert b"".join(shown) == b"".join([*first, *ahead, *copies])


def test_second_copies_are_dropped_after_the_result_as_well() -> None:
    begin = [init("s"), thinking("s")]
    end = [line("novelty", "s"), line("result", "s", subtype="success")]

    shown = convert.convert([*begin, *begin, *end, *end], "stream-json")

    assert b"".join(shown) == b"".join([*begin, *end])


@pytest.mark.parametrize(("others", "is_found"), [(999, True), (1000, False)])
def test_the_first_1000_secrets_are_looked_for_in_a_result(
    others: int, is_found: bool
) -> None:
    """A result omits the context of a secret in the texts, so a rule may miss it."""
    secrets = [f"secret-{number:06}" for number in [*range(others), 999_999]]
    log = [
        init("s"),
        line("novelty", "s", text="".join(f"<{secret}>" for secret in secrets)),
        line("result", "s", subtype="success", result=f"({secrets[-1]})"),
    ]
    reading = Reading(redact=True, redact_patterns=("<(secret-.{6})>",))

    shown = b"".join(convert.convert(log, "json", reading=reading)).decode()

    assert (secrets[-1] not in shown) == is_found


@pytest.mark.parametrize(("length", "is_kept"), [(100_000, True), (100_001, False)])
def test_a_line_may_be_as_long_as_allowed_without_its_line_feed(
    length: int, is_kept: bool
) -> None:
    pieces = [b"x" * 70_000, b"x" * (length - 70_000) + b"\n", b"y\n"]

    lines = b"".join(blocks(pieces, 100_000))

    assert lines == (b"x" * length if is_kept else b"") + b"\ny\n"
