"""The incidents of a run, and why it stopped."""

from __future__ import annotations

import json
from typing import Any

import pytest

import convert
from convert.model import CallDetail, Incident, Run
from support.matrix import each, part

SESSION = "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"
INIT = {"type": "system", "subtype": "init", "session_id": SESSION, "cwd": "/srv"}
ASKED = {"type": "user", "message": "Hello", "session_id": SESSION}
STARTED = {
    "type": "tool_call",
    "subtype": "started",
    "call_id": "c1",
    "tool_call": {"readToolCall": {"args": {"path": "/srv/a"}}},
    "session_id": SESSION,
}
LIMIT = "ActionRequiredError: You've hit your usage limit"
RETRYING = {"type": "retry", "subtype": "starting", "session_id": SESSION}
LOST = {"type": "connection", "subtype": "reconnecting", "session_id": SESSION}
STAMPED = {
    "type": "assistant",
    "message": "Hi",
    "session_id": SESSION,
    "timestamp_ms": 1000,
}
ENDED = {"type": "result", "subtype": "success", "result": "", "session_id": SESSION}


def log_of(*lines: dict[str, Any] | str) -> bytes:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "".join(f"{text}\n" for text in texts).encode()


def run_of(*lines: dict[str, Any] | str) -> Run:
    (run,) = convert.read_runs(log_of(*lines))
    return run


@each(
    ("line", "state", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded"}, "error", "quota"),
        (RETRYING | {"code": "rate_limit_exceeded"}, "cut", "quota"),
        (RETRYING, "cut", "network"),
        (RETRYING | {"message": "usage limit"}, "cut", "quota"),
    ],
)
def test_an_incident_names_the_kind_of_the_reason(
    line: dict[str, Any], state: str, kind: str
) -> None:
    run = run_of(INIT, ASKED, line)

    assert (run.state, run.reason_kind) == (state, kind)


# Lines after which a run ends, in which state, and why.
ENDS: list[tuple[list[dict[str, Any] | str], str, str]] = [
    ([LIMIT], "error", LIMIT),
    ([STARTED, LIMIT], "error", LIMIT),
    ([LIMIT, LIMIT, "T: [internal] x"], "error", f"{LIMIT}; T: [internal] x"),
    ([LIMIT, STARTED], "unfinished", ""),
    ([LIMIT, ASKED], "cut", ""),
    ([STAMPED, LIMIT, STAMPED], "cut", ""),
    ([RETRYING, LIMIT, LOST], "error", LIMIT),
    ([{"type": "error", "error": {"message": "busy"}}], "error", "busy"),
    ([LIMIT, ENDED], "success", ""),
    ([LIMIT, ENDED | {"is_error": True}], "error", LIMIT),
    ([ENDED | {"is_error": True, "result": "busy"}], "error", "busy"),
    ([ENDED | {"is_error": True, "result": "one\ntwo"}], "error", ""),
]


@each(
    ("lines", "state", "reason", "to", "is_live"),
    [
        (*end, to, is_live)
        for end in ENDS
        for to in ("text", "json", "markdown", "answer", "stream-json")
        for is_live in (False, True)
    ],
)
def test_an_error_that_nothing_follows_is_the_reason(
    lines: list[dict[str, Any] | str], state: str, reason: str, to: str, is_live: bool
) -> None:
    from convert.formats import writers
    from convert.options import Options, Reading
    from convert.pipeline import events_of

    log = log_of(INIT, ASKED, *lines)
    pieces = log.splitlines(keepends=True) if is_live else [log]
    needs = writers()[to].needs(Options())

    events = list(events_of(pieces, "auto", needs, Reading(), lambda *_: None))

    ends = [event for event in events if type(event).__name__ == "End"]
    if state == "unfinished" and needs.calls == CallDetail.NONE:
        # Who does not read calls knows of none that is open.
        state = "cut"
    assert [(end.state, end.reason) for end in ends] == [(state, reason)]
    assert not (to == "stream-json" and any(isinstance(e, Incident) for e in events))


@pytest.mark.parametrize("to", ["text", "answer"])
def test_an_error_in_front_of_lines_that_are_passed_over_is_none(to: str) -> None:
    # Without an init, lines are not looked at one by one.
    log = log_of(ASKED, STAMPED, LIMIT, STAMPED)

    text = b"".join(convert.convert(log, to))

    assert b"Run failed" not in text
    assert to == "answer" or text == b"Run cut off after 0 ms: no result\n"


def test_an_incident_has_the_facts_of_its_line() -> None:
    line = RETRYING | {
        "attempt": 2,
        "endpoint_url": "https://api.example.com",
        "is_resume": True,
        "checkpoint_turn_count": 3,
        "backoff": 1.5,
    }

    (incident,) = run_of(INIT, ASKED, line).incidents

    assert (incident.kind, incident.status, incident.line) == ("retry", "starting", 3)
    assert (incident.attempt, incident.checkpoint_turn) == (2, 3)
    assert (incident.endpoint, incident.is_resume) == ("https://api.example.com", True)
    assert incident.details == {"backoff": 1.5}


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"retry","subtype":"\\ud800","attempt":-1,"is_resume":"yes"}',
        '{"type":"retry","attempt":1e999,"endpoint_url":7}',
        '{"type":"error","error":{"error":{"error":{"error":{"error":"x"}}}}}',
        '{"type":"error","message":["x"]}',
        '{"type":"connection","x":' + "[" * 3000 + "]" * 3000 + "}",
    ],
)
def test_odd_members_cost_nothing_but_themselves(line: str) -> None:
    (incident,) = run_of(INIT, line).incidents

    assert incident.attempt is None
    assert incident.is_resume is None
    assert incident.endpoint == ""


def test_incidents_in_front_of_a_run_belong_to_it() -> None:
    run = run_of(LOST, INIT, ASKED)

    assert [incident.kind for incident in run.incidents] == ["reconnecting"]
    assert run.first_line <= 2


def test_a_message_is_read_with_a_warning_and_no_secret() -> None:
    secret = "sk-" + "a1B2c3D4" * 6
    warnings = []

    text = b"".join(
        convert.convert(
            log_of(INIT, ASKED, f"{LIMIT}, key {secret}"),
            "text",
            reading=convert.Reading(redact=True),
            warn=lambda *warning: warnings.append(warning),
        )
    )

    assert text.startswith(b"Run failed: ActionRequiredError")
    assert secret.encode() not in text
    assert warnings == [(3, "not JSON", "read as a message of the agent")]


@pytest.mark.parametrize("late", [LIMIT, LOST, {"type": "error", "message": "busy"}])
def test_what_comes_after_the_end_is_named_and_ignored(
    late: dict[str, Any] | str,
) -> None:
    warnings = []
    log = log_of(INIT, ASKED, ENDED, late)

    (run,) = convert.read_runs(log, warn=lambda *warning: warnings.append(warning))

    assert (run.state, run.incidents) == ("success", [])
    assert [line for line, _, _ in warnings] == [4]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("stamps", "span"),
    part(
        [
            ([None, None], None),
            ([1_000], 0),
            ([1_000, 17_000], 16_000),
            ([None, 1_000, 17_000, None], 16_000),
            ([17_000, 1_000], 0),
        ],
        2,
    ),
)
@pytest.mark.parametrize("to", ["text", "markdown"])
@pytest.mark.parametrize(
    "tail", [{}, {"x": "\ud83d"}, {"x": {"y": '"timestamp_ms":5}'}}, {"z": [1]}]
)
def test_the_span_is_from_the_first_timestamp_to_the_last(
    stamps: list[int | None], span: int | None, to: str, tail: dict[str, Any]
) -> None:
    from convert.formats import writers
    from convert.options import Options, Reading
    from convert.pipeline import events_of

    lines = [
        RETRYING | ({} if stamp is None else {"timestamp_ms": stamp}) | tail
        for stamp in stamps
    ]
    log = log_of(INIT, ASKED, *lines)
    needs = writers()[to].needs(Options())

    for pieces in ([log], log.splitlines(keepends=True)):
        events = events_of(pieces, "auto", needs, Reading(), lambda *_: None)
        *_, end, _ = events
        assert end.span_ms == span


def test_spans_of_interleaved_sessions_are_their_own() -> None:
    other = {"session_id": "another"}
    log = log_of(
        INIT,
        RETRYING | {"timestamp_ms": 1000},
        INIT | other,
        RETRYING | other | {"timestamp_ms": 5000},
        RETRYING | {"timestamp_ms": 9000},
        RETRYING | other | {"timestamp_ms": 6000},
        INIT,
        RETRYING | {"timestamp_ms": 20_000},
    )

    assert [run.span_ms for run in convert.read_runs(log)] == [8000, 1000, 0]


def test_a_run_that_has_ended_does_not_lengthen_another() -> None:
    other = {"session_id": "another"}
    log = log_of(
        ASKED,
        STAMPED,
        ASKED | other,
        STAMPED | other | {"timestamp_ms": 7000},
        ENDED | other,
    )

    assert [run.span_ms for run in convert.read_runs(log)] == [None, 0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("to", part(["text", "json", "markdown", "stream-json"], 4))
def test_a_long_run_that_breaks_off_has_a_span(to: str) -> None:
    lines = [STAMPED | {"timestamp_ms": 1000 + at} for at in range(3000)]
    # A long block, then a short one whose lines are not read one by one.
    pieces = [log_of(INIT, ASKED, *lines, STARTED), log_of(lines[-1], lines[-1])]

    written = b"".join(convert.convert(pieces, to, partial=True))

    (run,) = convert.read_runs(pieces)
    assert run.span_ms == 2999
    assert to != "text" or b"after 3.0 s" in written


def test_spans_of_runs_in_a_row_are_their_own() -> None:
    log = log_of(
        INIT,
        STAMPED,
        STAMPED | {"timestamp_ms": 3000},
        INIT | {"cwd": "/srv/b"},
        STAMPED | {"timestamp_ms": 5000},
        ENDED,
        INIT | {"cwd": "/srv/c"},
        STAMPED | {"timestamp_ms": 8000},
        STAMPED | {"timestamp_ms": 8500},
    )

    assert [run.span_ms for run in convert.read_runs(log)] == [2000, None, 500]


def test_a_transcript_keeps_the_last_incidents_and_counts_the_others() -> None:
    lines = [LOST | {"attempt": attempt} for attempt in range(1, 31)]

    text = b"".join(convert.convert(log_of(INIT, ASKED, *lines), "markdown")).decode()

    assert "- 10 earlier ones omitted\n- connection lost, attempt 11\n" in text
    assert "attempt 10\n" not in text
    assert text.count("- connection lost") == 20


def test_an_ended_command_in_the_background_is_nothing_wrong() -> None:
    ended = INIT | {"subtype": "task_notification", "summary": "npm start"}

    text = b"".join(convert.convert(log_of(INIT, ASKED, ended, ENDED), "markdown"))

    assert b"What went wrong" not in text


def test_a_limit_keeps_the_last_incidents() -> None:
    lines = [{"type": "error", "message": f"{n} " + "x" * 490} for n in range(20)]
    log = log_of(INIT, ASKED | {"message": "y" * 9000}, *lines)

    text = b"".join(convert.convert(log, "markdown", max_bytes=4096)).decode()

    assert [n for n in range(20) if f"\n- {n} x" in text] == [17, 18, 19]
    assert "- 17 earlier ones omitted\n- 17 x" in text
    assert len(text.encode()) <= 4096


@pytest.mark.parametrize(
    ("stamps", "last"),
    [
        ([None], ""),
        ([1_000], " at 1970-01-01 00:00:01 UTC (+0:00)"),
        ([1_000, 17_000], " at 1970-01-01 00:00:17 UTC (+0:16)"),
        ([17_000, 1_000], " at 1970-01-01 00:00:01 UTC"),
        ([253_402_300_800_000], ""),
    ],
)
def test_a_run_that_broke_off_says_how_far_its_log_goes(
    stamps: list[int | None], last: str
) -> None:
    lines = [
        ASKED | ({} if stamp is None else {"timestamp_ms": stamp}) for stamp in stamps
    ]

    text = b"".join(convert.convert(log_of(INIT, *lines), "markdown")).decode()

    assert f"\n\n- the log breaks off{last}\n\n" in text


@pytest.mark.parametrize("last", [[], [LIMIT], [ENDED]])
def test_the_first_unfinished_calls_are_named_unless_the_run_succeeded(
    last: list[Any],
) -> None:
    calls = [STARTED | {"call_id": f"c{number}"} for number in range(30)]

    text = b"".join(convert.convert(log_of(INIT, ASKED, *calls, *last), "markdown"))

    listed = "".join(f"- {number}\\. Read a\n" for number in range(1, 11))
    listed = (
        f"\n*Unfinished calls:*\n\n{listed}- … 20 entries omitted from this page …\n"
    )
    assert (listed in text.decode()) == (last != [ENDED])
    assert b"30 unfinished: calls 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more)" in text


def test_text_after_a_message_on_one_line_is_no_message() -> None:
    log = log_of(INIT, ASKED, f"T: {json.dumps(RETRYING)}")

    (run,) = convert.read_runs(log)

    assert [incident.kind for incident in run.incidents] == ["retry"]


def test_the_last_incidents_in_front_of_a_run_are_kept() -> None:
    lines = [LOST | {"attempt": attempt} for attempt in range(1, 152)]
    warnings: list[str] = []

    log = log_of(*lines, INIT, ASKED, ENDED)
    (run,) = convert.read_runs(log, warn=lambda *parts: warnings.append(parts[1]))

    assert [incident.attempt for incident in run.incidents] == [*range(52, 152)]
    assert [incident.earlier for incident in run.incidents] == [51, *[0] * 99]
    assert warnings == ["151 incidents before the run"]
