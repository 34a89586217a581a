"""Small logs that once broke a promise, as `scripts/fuzz` found them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

import convert
from convert.diff import REPORTS
from convert.formats import writers
from convert.options import Reading
from support.conversions import lines_of_text
from support.matrix import each, part
from support.promises import converted

INIT = b'{"type":"system","subtype":"init","session_id":"s"}'
AGAIN = b'{"type":"system","subtype":"init","session_id":"s","cwd":"/home"}'
OTHER = b'{"type":"tool_call","session_id":"t"}'
STAMPED = b'{"type":"novelty","session_id":"s","timestamp_ms":7}'
CALL = b'{"type":"tool_call","tool_call":{"readToolCall":{"args":{}}},"timestamp_ms":5}'

LOGS = {
    "a session begins again while another is open": (
        INIT + b"\n" + OTHER + b"\n" + STAMPED + b"\n" + AGAIN + b"\n"
    ),
    "a run without a session begins beside an ended one": b"\n".join(
        [
            INIT,
            OTHER,
            b'{"type":"system","subtype":"init"}',
            b'{"type":"novelty","session_id":"t"}',
            b'{"type":"novelty","timestamp_ms":7}',
            b'{"type":"assistant","message":{"content":[]}}',
            b"",
        ]
    ),
    "two events on a line make up for an empty one": (
        b"\n" + CALL + b'{"type":"novelty"}\n'
    ),
    "two runs on the first line": INIT + INIT + b"\n",
    "two runs with carriage returns": INIT + b"\r" + INIT + b"\r",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("log", part(LOGS.values(), 3), ids=part(LOGS, 3))
@pytest.mark.parametrize("target", writers())
def test_pieces_make_no_difference(target: str, log: bytes) -> None:
    options = {"front_matter": True, "partial": True}

    whole = converted([log], target, options)

    assert converted(log.splitlines(keepends=True), target, options) == whole
    assert converted([log[at : at + 1] for at in range(len(log))], target, options) == (
        whole
    )


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_events_are_on_lines_of_the_log(log: bytes) -> None:
    lines = [event.line for event in convert.read([log])]

    assert lines == sorted(lines)
    assert min(lines) >= 1
    assert max(lines) <= max(log.count(b"\n"), 1)


def _called(subtype: str = "", **body: Any) -> bytes:
    call = {"type": "tool_call", "call_id": "c", "session_id": "s", "subtype": subtype}
    return json.dumps(call | {"tool_call": body}).encode() + b"\n"


@each("arguments", [9, "text", [1], None, {}, {"path": "\ud83d"}, {"path": "a"}])
def test_a_call_is_one_in_every_format(arguments: Any) -> None:
    log = _called(readToolCall={"args": arguments})
    log += _called("started", readToolCall={"args": {"path": "a"}})

    (run,) = convert.read_runs([log])

    text = b"".join(convert.convert([log]))
    assert text.count(b"\n") == lines_of_text(run)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_unicode_whatever_a_tool_is_called(name: str) -> None:
    log = _called(function={"name": "\ud83d", "arguments": "{}"})

    report = convert.report(convert.compare([log], [log]), name, verbose=True)

    assert "\ud83d" not in report
    if name == "json":
        msgspec.json.decode(report)


TOKEN = "ghp_" + "a7B9" * 9


@pytest.mark.parametrize(
    "texts",
    [
        [TOKEN, f"x {TOKEN}"],
        [f"It is {TOKEN}", f"s and {TOKEN[:20]}"],
        [f"{TOKEN} is", "it", TOKEN],
    ],
)
@pytest.mark.parametrize("is_one_message", [True, False])
def test_a_token_is_one_whatever_text_follows(
    texts: list[str], is_one_message: bool
) -> None:
    messages = [texts] if is_one_message else [[text] for text in texts]
    log = b"".join(_said(parts) for parts in messages)

    written = converted([log], "stream-json", {"reading": Reading(redact=True)})

    assert TOKEN.encode() not in written.written
    assert written.written.count(b"[redacted GitHub token]") >= 1


def test_a_diff_in_a_transcript_has_no_control_characters() -> None:
    changed = {"beforeFullFileContent": "a\x9b\n", "afterFullFileContent": "a\x7f\n"}
    log = _called("completed", editToolCall={"result": {"success": changed}})

    written = b"".join(convert.convert([log], "markdown")).decode()

    assert "-a\\x9b\n+a\u2421\n" in written


def test_a_secret_is_known_as_each_text_has_it() -> None:
    texts = [f"Again: {PASSWORD} and on", f"API_KEY={PASSWORD}", "日本語"]
    log = b"".join(_said([text]) for text in texts)

    written = b"".join(
        convert.convert(log, "stream-json", reading=Reading(redact=True))
    )

    assert PASSWORD.encode() not in written


PASSWORD = "fc3fd6c65fa3b3ff-1051c33e"


def test_a_pattern_that_takes_more_does_not_hide_a_secret() -> None:
    log = _said([f"https://bob:{PASSWORD}@git.example/r.git"])
    log += _said([f"Again: {PASSWORD}"])
    reading = Reading(redact_patterns=(r"\w{1,20}@",))

    written = b"".join(convert.convert(log, "stream-json", reading=reading))

    assert PASSWORD.encode() not in written


@each("target", writers())
def test_arguments_of_a_function_may_be_half_an_emoji(target: str) -> None:
    log = _called("completed", function={"name": "f", "arguments": "\ud83d"})

    written = b"".join(convert.convert([log], target, partial=True))

    assert written or target in ("answer", "patch")


def _said(texts: list[str]) -> bytes:
    content = [{"type": "text", "text": text} for text in texts]
    event = {"type": "assistant", "message": {"content": content}}
    return json.dumps(event | {"session_id": "s", "timestamp_ms": 5}).encode() + b"\n"
