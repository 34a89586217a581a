"""The last line of text about a run, and its parts."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.cursor import read_run_end, run_end_line
from convert.errors import ignore
from convert.facts.run_reasons import reason_in_words, set_reason_kind
from convert.model import End, Event
from convert.options import Options, Reading
from convert.pipeline import Conversion, convert_log
from convert.tools import LANGUAGES, read_phrase
from convert.wording import duration, one_line
from support.matrix import each

CUTS = st.builds(
    End,
    run=st.just(1),
    line=st.just(0),
    state=st.just("cut"),
    interrupted=st.sampled_from(["", "reconnecting", "retry"]),
    span_ms=st.none() | st.integers(0, 10**11),
)
UNFINISHED = st.builds(
    End,
    run=st.just(1),
    line=st.just(0),
    state=st.just("unfinished"),
    span_ms=st.none() | st.integers(0, 10**11),
)
FAILED = st.builds(
    End, run=st.just(1), line=st.just(0), state=st.just("error"), reason=st.text()
)


@given(CUTS | UNFINISHED | FAILED, st.sampled_from(LANGUAGES))
def test_a_line_reads_back_and_is_written_again(end: End, language: str) -> None:
    line = run_end_line(end, language)

    read = read_run_end(line)
    assert read is not None
    assert "\n" not in line
    assert run_end_line(read, language) == line
    assert read.state == end.state
    assert read.interrupted == end.interrupted


@given(st.integers(0, 10**11), st.sampled_from(LANGUAGES))
def test_the_time_of_a_line_is_that_of_the_run(span: int, language: str) -> None:
    end = End(run=1, line=0, state="cut", span_ms=span)

    read = read_run_end(run_end_line(end, language))

    assert read is not None
    assert read.span_ms is not None
    assert duration(read.span_ms) == duration(span)


@each(
    ("language", "state"),
    itertools.product(LANGUAGES, ["cut", "unfinished", "error"]),
)
def test_an_end_is_no_action_line(language: str, state: str) -> None:
    end = End(run=1, line=0, state=state, reason="no quota", span_ms=16_000)

    assert read_phrase(run_end_line(end, language)) is None


@pytest.mark.parametrize("state", ["success", None])
def test_a_good_end_and_an_unknown_one_have_no_line(state: str | None) -> None:
    assert run_end_line(End(run=1, line=0, state=state)) == ""


@each(
    ("status", "kind"),
    [
        *((402, "quota"), (429, "quota"), (401, "authentication"), (408, "network")),
        *((499, "agent"), (500, "network"), (599, "network"), (600, "agent")),
    ],
)
def test_a_status_of_http_is_a_kind_of_reason(status: int, kind: str) -> None:
    end = End(run=1, line=0, state="error", reason="no")

    assert set_reason_kind(end, [status]).reason_kind == kind
    assert set_reason_kind(end, [str(status)]).reason_kind == kind


@given(st.text())
def test_other_text_is_no_end(text: str) -> None:
    assert read_run_end(text) is None or one_line(text) != text


@each(
    ("text", "state"),
    [
        ("Run failed: no quota\n", "error"),
        ("Read file\nRun failed: no quota\n", "error"),
        ("Read file\nI tried.\n\nRun failed: no quota\n", "error"),
        # An answer that begins or ends like that.
        ("Run failed: no quota\nI raised the limit.\n", None),
        ("I raised the limit.\nRun failed: no quota\n", None),
        ("I raised the limit.\n\nRun failed: no quota\n", None),
        ("Read file\nI saw this:\nRun failed: no quota\n", None),
        ("Read file\n\nRun failed: no quota\n\n", None),
        ("Run failed: no quota\n\n", None),
        ("Read file\nRun failed: no quota\nso I raised it.\n", "error"),
        ("Read file\nI saw this:\nRun failed: no quota\nRead file\n", None),
    ],
)
def test_an_end_counts_below_action_lines(text: str, state: str | None) -> None:
    (run,) = convert.read_runs(text.encode())

    assert run.state == state
    assert run.reason == ("no quota" if state else "")
    assert run.text is None or "quota" not in run.text or state is None


def test_an_action_line_after_an_end_begins_another_run() -> None:
    text = b"Read file\nRun failed: no quota\nEdited file\nRun cut off: no result\n"

    first, second = convert.read_runs(text)

    assert [call.number for call in (*first.calls, *second.calls)] == [1, 1]
    assert (first.state, second.state) == ("error", "cut")
    assert (first.first_line, second.first_line) == (1, 3)
    assert b"".join(convert.convert(text, "text")) == text


@pytest.mark.parametrize(
    "text",
    [
        "Read file\nRun failed: a\nRun failed: b\n",
        "Read file\nRun failed: a\nRun cut off: no result\nRun failed: b\n",
        "Run failed: a\nRun failed: b\n",
        "Read file\n\nI tried.\n\nRun failed: a\nRun failed: b\n",
        "Read file\nRun failed: a\n\nI tried.\n\nRun failed: b\n",
    ],
)
def test_each_of_several_ends_is_that_of_a_run(text: str) -> None:
    runs = [*convert.read_runs(text.encode())]

    assert [run.reason for run in runs if run.reason] == ["a", "b"]
    assert len(runs) == text.count("Run ")
    assert [(run.first_line, run.last_line) for run in runs[1:]] == [
        (one.last_line + 1, other.last_line) for one, other in itertools.pairwise(runs)
    ]
    assert (
        b"".join(convert.convert(text.encode(), "text", answer=True)).decode() == text
    )


LAST_LINES = st.sampled_from(["Done.\n", "\n", "Run failed: 3 tests\n", "Run failed\n"])


ANSWERS = st.lists(LAST_LINES).map(lambda lines: "".join(lines).strip("\n"))


@given(ANSWERS.filter(bool), st.sampled_from([None, "success", "error"]))
def test_an_answer_and_an_end_survive_the_round_trip(
    answer: str, state: str | None
) -> None:
    text = b"".join(convert.convert(log_of(answer, state), "text", answer=True))
    (run,) = convert.read_runs(text)

    assert (run.text or "") == answer
    assert run.state == (None if state == "success" else state or "cut")
    assert b"".join(convert.convert(text, "text", answer=True)) == text


def log_of(answer: str, state: str | None) -> bytes:
    """Return a run with one call and an answer; without a state it has no result."""
    read = {"readToolCall": {"args": {"path": "a"}, "result": {"success": {}}}}
    lines: list[dict[str, object]] = [
        {"type": "tool_call", "subtype": "completed", "tool_call": read},
        {"type": "assistant", "message": answer},
        {"type": "result", "is_error": state == "error", "result": answer},
    ]
    lines = lines if state else lines[:2]
    return b"".join(
        json.dumps(line | {"session_id": "s"}).encode() + b"\n" for line in lines
    )


@pytest.mark.parametrize("subtype", ["success", "", "error", "error_max_turns"])
@pytest.mark.parametrize(
    ("flag", "is_set"),
    [
        *(("true", True), ("1", True), ("1.0", True), ('"true"', True)),
        *(("false", False), ("0", False), ('"False"', False), ('""', False)),
    ],
)
def test_no_result_that_says_it_failed_is_a_success(
    flag: str, is_set: bool, subtype: str
) -> None:
    line = f'{{"type":"result","subtype":"{subtype}","is_error":{flag},"result":"x"}}'

    [run] = convert.read_runs([line.encode()])

    assert run.state == ("error" if is_set or "error" in subtype else "success")


@each(
    ("subtype", "state"),
    [
        ("error_max_turns", "error"),
        ("Canceled", "error"),
        ("cancelled", "error"),
        ("aborted", "error"),
        ("interrupted", "error"),
        ("incomplete", "error"),
        ("timed_out", "error"),
        ("timeout", "error"),
        ("success", "success"),
        ("success_with_notes", "success"),
    ],
)
def test_a_subtype_tells_that_a_run_was_stopped(subtype: str, state: str) -> None:
    line = {"type": "result", "subtype": subtype, "is_error": False, "result": "Hi."}

    events = convert.read([json.dumps(line).encode()])

    assert [event.state for event in events if isinstance(event, End)] == [state]


@each(
    ("said", "recorded", "reason", "kind"),
    [
        (["I try.", "No disk."], "I try.No disk.", "No disk.", "agent"),
        (["I try.", "No disk.", "\n"], "I try.No disk.\n", "No disk.", "agent"),
        (
            ["No quota in it.", "No disk."],
            "No quota in it.No disk.",
            "No disk.",
            "agent",
        ),
        (["No disk."], "No disk.", "No disk.", "agent"),
        (["I try.", "No disk."], "No disk.", "No disk.", "agent"),
        (["No disk."], "Error: No disk.", "Error: No disk.", "agent"),
        (["I try.", "No disk."], "Over quota.", "Over quota.", "quota"),
    ],
)
def test_the_reason_is_the_last_of_joined_messages(
    said: list[str], recorded: str, reason: str, kind: str
) -> None:
    [run] = convert.read_runs(failed_log(said, recorded))

    assert (reason_in_words(run), run.reason_kind) == (reason, kind)
    assert run.reason == recorded.strip()


@each(
    ("target", "shown"),
    [("text", "I try.No disk."), ("json", ""), ("stream-json", ""), ("patch", "")],
)
def test_no_target_but_the_end_has_the_last_words(target: str, shown: str) -> None:
    log = failed_log(["I try.", "No disk."], "I try.No disk.")
    ends: list[Event] = []
    job = Conversion("auto", target, None, Reading(), Options())

    made = b"".join(convert_log(log, job, ignore, ends.append, has_last_words=True))

    assert [end.last_words for end in ends if isinstance(end, End)] == ["No disk."]
    assert made == b"".join(convert.convert(log, target))
    assert shown in made.decode()


def test_a_result_without_a_text_gets_each_message_once() -> None:
    log = failed_log(["I try.", "No disk."], None)
    job = Conversion("auto", "json", None, Reading(), Options())

    made = convert_log(log, job, ignore, has_last_words=True)

    assert json.loads(b"".join(made))["result"] == "I try.No disk."


def failed_log(said: list[str], recorded: str | None) -> bytes:
    """Return a run that fails: each message follows a call."""
    call = {"readToolCall": {"args": {"path": "a"}, "result": {"success": {}}}}
    lines: list[dict[str, object]] = [{"type": "system", "subtype": "init"}]
    for text in said:
        lines.append({"type": "tool_call", "subtype": "completed", "tool_call": call})
        lines.append({"type": "assistant", "message": {"content": text}})
    lines.append({"type": "result", "is_error": True, "result": recorded})
    return b"".join(
        json.dumps(line | {"session_id": "s"}).encode() + b"\n" for line in lines
    )
