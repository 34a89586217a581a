"""Properties of every conversion, of golden logs and of generated ones."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import convert
from convert.cursor import AGENT
from convert.model import ToolCall
from support.conversions import (
    DOUBLED,
    FEW_LOGS,
    convert_all,
    convert_live,
    is_clean,
    is_of_cursor,
    lines_of_text,
)
from support.golden import identify
from support.logs import Manner, Story, manners, stories, tell
from support.matrix import each, is_exhaustive, matrix, part, reject

TARGETS = ["stream-json", "json", "text", "answer", "markdown", "patch"]

# Logs whose recorded result differs from the text of their events, and why.
NOT_THE_TEXT = {
    "cut-and-failed-runs-in-every-format/failed.ndjson": "the result is the error",
    "bytes-that-json-does-not-allow/input.ndjson": "a byte of the text is damaged",
    "recap-or-repetition-is-settled-by-the-result/once.ndjson": "cut by hand",
    "result-is-one-text-across-calls/other.ndjson": "the result is another text",
    "runs-that-end-in-an-error/input.ndjson": "the result is the error",
    "transcript-of-several-runs/input.ndjson": "one result is the error",
}


@matrix(path=part(FEW_LOGS, 6), to=TARGETS)
def test_a_golden_log_cut_after_any_line_converts(path: Path, to: str) -> None:
    lines = path.read_bytes().splitlines(keepends=True)[:40]
    whole = convert_live(lines, to, end=True)

    for end in part(range(len(lines) + 1), 3):
        assert whole.startswith(convert_live(lines[:end], to))
        convert_all(lines[:end], to)


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 6))
def test_a_golden_log_survives_the_round_trip(path: Path) -> None:
    log = path.read_bytes()

    cleaned = convert_all([log], "stream-json") if is_of_cursor(log) else None

    if cleaned is None:
        reject()
    assert is_clean(cleaned)
    assert convert_all([cleaned], "stream-json") == cleaned
    is_doubled = identify(path).startswith(DOUBLED)
    assert cleaned == log or is_doubled or not is_clean(log)


@matrix(path=part(FEW_LOGS, 6), to=TARGETS, size=[1, 7, 1000])
def test_a_golden_log_converts_alike_in_pieces_of_any_size(
    path: Path, to: str, size: int
) -> None:
    log = path.read_bytes()
    pieces = [log[at : at + size] for at in range(0, len(log), size)]

    assert convert_all(pieces, to) == whole(path, to)


@functools.cache
def whole(path: Path, to: str) -> bytes | None:
    """Return the output for a log that comes in one piece."""
    return convert_all([path.read_bytes()], to)


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 6))
def test_the_rebuilt_text_of_a_golden_log_is_the_recorded_one(path: Path) -> None:
    if identify(path) in NOT_THE_TEXT:
        reject()
    try:
        runs = list(convert.read_runs([path.read_bytes()]))
    except convert.RunconvError:
        reject()

    for run in runs:
        if run.result and run.result.text is not None and run.segments:
            # The result of other agents is the last text, and not all of them.
            is_all = run.agent == AGENT
            said = "".join(run.texts) if is_all else run.texts[-1]
            assert said == run.result.text


# In these, a call is not the same as an id; `test_calls` counts such calls.
_WITHOUT_AN_ID_FOR_EACH_CALL = {
    "an-id-comes-again",
    "calls-paired-without-call-ids",
    "queries-without-a-call",
    "transcript-with-thinking",
}


def has_an_id_for_each_call(path: Path) -> bool:
    log = path.read_bytes()
    has_ids = path.parent.name not in _WITHOUT_AN_ID_FOR_EACH_CALL
    return has_ids and is_clean(log) and is_of_cursor(log)


@pytest.mark.exhaustive
@each("path", [path for path in part(FEW_LOGS, 6) if has_an_id_for_each_call(path)])
def test_no_tool_call_of_a_golden_log_is_missing_from_text(path: Path) -> None:
    log = path.read_bytes()
    calls = set()
    for number, line in enumerate(log.split(b"\n")[:-1]):
        if re.match(rb'\{"type": ?"tool_call"', line):
            session, call_id = (
                re.search(rb'"%b": ?("(?:[^"\\]|\\.)*")' % key, line)
                for key in (b"session_id", b"call_id")
            )
            calls.add((session and session[1], call_id[1] if call_id else number))

    text = convert_all([log], "text")
    if text is None:
        reject()

    ends = sum(lines_of_text(run) - len(run.calls) for run in convert.read_runs(log))
    assert text.count(b"\n") == len(calls) + ends


@given(stories, manners)
def test_text_and_result_tell_the_story_of_the_run(
    story: Story, manner: Manner
) -> None:
    log = tell(story, manner)
    result = {k: v for k, v in json.loads(log[-1]).items() if k != "result"}
    without_text = [*log[:-1], json.dumps(result).encode()]

    text = convert_all(log, "text")
    rebuilt = convert_all(without_text, "json")

    finished = [line for line in story.lines if "unfinished" not in line]
    unfinished = [line for line in story.lines if "unfinished" in line]
    assert text == "".join(f"{line}\n" for line in finished + unfinished).encode()
    assert rebuilt is not None
    assert json.loads(rebuilt)["result"] == story.text
    assert convert_all(log, "json") == log[-1]


@given(stories, manners, manners)
def test_the_manner_of_a_log_changes_nothing(
    story: Story, one: Manner, other: Manner
) -> None:
    first, second = tell(story, one), tell(story, other)

    assert convert_all(first, "text", detail=True) == convert_all(
        second, "text", detail=True
    )
    assert convert_all(first, "answer") == convert_all(second, "answer")
    assert json.loads(convert_all(first, "json") or b"") == json.loads(
        convert_all(second, "json") or b""
    )


@given(stories, manners, st.data())
def test_live_output_is_a_prefix(
    story: Story, manner: Manner, data: st.DataObject
) -> None:
    log = tell(story, manner)
    to = data.draw(st.sampled_from(TARGETS))
    end = data.draw(st.integers(0, len(log)))

    live = convert_live(log[:end], to)

    assert (convert_all(log, to) or b"").startswith(live)


@given(stories, stories, manners, st.randoms(use_true_random=False))
def test_interleaved_sessions_are_distinguished(
    one: Story, other: Story, manner: Manner, dice: random.Random
) -> None:
    first = tell(one, manner, "session-1")
    second = tell(other, manner, "session-2")
    mixed = mingle([first, second], dice)

    runs = {run.session: run for run in convert.read_runs(mixed)}

    assert runs["session-1"].text == one.text
    assert runs["session-2"].text == other.text
    assert len(runs["session-1"].calls) == len(one.lines)
    assert convert_all(mixed, "stream-json") == b"".join(mixed)


def doubled(log: list[bytes], dice: random.Random) -> list[bytes]:
    """Write each line twice, with the copies in order and overlapping."""
    first = dice.randrange(1, len(log))
    rest = mingle([log[first:], log[1:]], dice)
    return [*log[:first], log[0], *rest]


def mingle(queues: list[list[bytes]], dice: random.Random) -> list[bytes]:
    """Interleave the lines of all queues, keeping the order within each."""
    queues = [queue.copy() for queue in queues]
    mixed = []
    while any(queues):
        queue = dice.choice([queue for queue in queues if queue])
        mixed.append(queue.pop(0))
    return mixed


def later(log: list[bytes]) -> list[bytes]:
    """Return the same lines with other times."""
    return [re.sub(rb'"(timestamp_ms|duration_ms)" ?: ?', rb'"\1":9', x) for x in log]


@given(stories, stories, manners, st.randoms(use_true_random=False))
def test_a_doubled_log_converts_like_a_single_one(
    one: Story, other: Story, manner: Manner, dice: random.Random
) -> None:
    resumed = later(tell(other, manner))
    first = doubled(tell(one, manner), dice)
    second = doubled(resumed, dice)
    warnings: list[str] = []

    once = convert.convert(
        first + second,
        "stream-json",
        warn=lambda _, reason, action: warnings.append(reason),
    )

    assert b"".join(once) == b"".join(tell(one, manner) + resumed)
    assert len(warnings) == 1


@given(stories, stories, manners, st.randoms(use_true_random=False))
def test_two_doubled_sessions_are_distinguished(
    one: Story, other: Story, manner: Manner, dice: random.Random
) -> None:
    first, second = tell(one, manner, "session-1"), tell(other, manner, "session-2")
    mixed = mingle([doubled(first, dice), doubled(second, dice)], dice)
    # The number of lines held back until it is clear is limited.
    assume(len(mixed) < 256)

    lines = (convert_all(mixed, "stream-json") or b"").splitlines(keepends=True)

    assert [line for line in lines if b"session-1" in line] == first
    assert [line for line in lines if b"session-2" in line] == second


@given(stories, manners)
def test_a_resumed_run_with_the_same_prompt_is_no_copy(
    story: Story, manner: Manner
) -> None:
    log = tell(story, manner)

    assert convert_all(log * 3, "stream-json") == b"".join(log * 3)
    for end in range(len(log) + 1):
        both = b"".join(log[:end] + later(log))
        assert convert_all([both], "stream-json") == both


@given(stories, manners)
def test_a_clean_log_comes_back_byte_for_byte(story: Story, manner: Manner) -> None:
    log = b"".join(tell(story, manner))

    assert convert_all([log], "stream-json") == log


NOTE = re.compile(
    r"(.*?) \((?:exit (-?[1-9]\d{0,9})|(error|rejected|unfinished)(?:: (.*))?)\)"
)
PARTS = [" (", ")", ": ", " ", " (error", " (rejected: ", " (unfinished", " (exit -1"]


@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_an_action_line_ends_in_the_first_note_that_reaches_its_end(
    parts: list[str],
) -> None:
    line = f"Read file: x{''.join(parts)})"

    [call] = [e for e in convert.read([line.encode()], "text") if type(e) is ToolCall]

    head, code, status, message = line, None, None, None
    if note := NOTE.fullmatch(line):
        head, code, status, message = note.groups()
    assert call.about == head.removeprefix("Read file: ")
    assert call.outcome is not None
    assert call.outcome.exit_code == (int(code) if code else None)
    assert call.outcome.status == (status or ("error" if code else "ok"))
    if status != "unfinished":
        assert call.outcome.message == (message or "")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("end", "status"), part([("", "ok"), (")", "error")], 2))
def test_a_hostile_action_line_takes_no_longer_than_another(
    end: str, status: str
) -> None:
    times = 1_000_000 if is_exhaustive else 200_000
    log = f"Read file: x{' (error:  (exit 1' * times}{end}".encode()

    [call] = [e for e in convert.read([log], "text") if type(e) is ToolCall]

    assert call.outcome is not None
    assert call.outcome.status == status


@given(st.lists(st.binary(max_size=40) | st.just(b'{"type":"user"}'), max_size=8))
def test_no_bytes_break_a_reader(lines: list[bytes]) -> None:
    log = b"\n".join(lines)

    for to in TARGETS:
        convert_all([log], to)
        with contextlib.suppress(convert.RunconvError):
            b"".join(convert.convert([log], to, format="stream-json"))
