"""The lines that `runconv run` adds to a log, and the turns that it asks for."""

from __future__ import annotations

import io
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from convert import convert, read, read_runs
from convert.agents import opencode
from convert.agents.codex import exec_reader
from convert.errors import InputError, ignore
from convert.model import EVERYTHING, End, EndOfLog, Event, Needs, Start, ToolCall, Turn
from convert.model.events import Approved
from convert.options import Options, Reading
from convert.pipeline import Conversion, convert_log, events_of
from convert.source.lines import blocks
from convert.source.marks import START, Marks, Try, end_mark, stderr_marks
from support.conversions import few, logs_to_convert
from support.matrix import each
from test_docs import ROOT

FAILED = end_mark(exit_code=1, reason="Error: no key")
MARKS = (START, stderr_marks(b"Error: no key\n"), FAILED)


def without_marks(log: bytes) -> tuple[list[bytes], list[Try], Marks]:
    marks = Marks()
    found = [*marks.removed(blocks([log], 1 << 20))]
    tries = [block for block in found if isinstance(block, Try)]
    lines = b"".join(block for block in found if not isinstance(block, Try))
    return lines.splitlines(keepends=True), tries, marks


class TestMarks:
    def test_a_line_of_standard_error_is_a_mark_and_others_are_replaced(self) -> None:
        marks = stderr_marks(b'npm "warn"\n\n\xff\x1b[31mred')

        texts = [json.loads(line)["text"] for line in marks.splitlines()]

        assert texts == ['npm "warn"', "", "\ufffd\x1b[31mred"]

    @given(st.lists(st.sampled_from([b"a\n", b"{}\n", b"\n", *MARKS])))
    def test_lines_keep_their_numbers(self, lines: list[bytes]) -> None:
        log = START + b"".join(lines)

        kept, tries, marks = without_marks(log)

        numbered = list(enumerate(log.splitlines(keepends=True), 1))
        expected = [
            (number, line) for number, line in numbered if line not in (*MARKS, b"\n")
        ]
        found = [(marks.line(at), line) for at, line in enumerate(kept, 1)]
        assert [each for each in found if each[1] != b"\n"] == expected
        assert marks.stderr_lines == lines.count(MARKS[1])
        assert sum(each.lines for each in tries) == len(kept)

    def test_a_try_says_how_it_ended(self) -> None:
        log = START + b"a\n" + FAILED + START + b"b\n" + MARKS[1] + MARKS[1][:-9]

        _, tries, marks = without_marks(log)

        assert [(each.first, each.last, each.lines) for each in tries] == [
            (1, 3, 1),
            (4, 7, 1),
        ]
        ends = [each.end and (each.end.exit_code, each.end.reason) for each in tries]
        assert ends == [(1, "Error: no key"), None]
        assert tries[1].last_errors == ["Error: no key"]
        assert marks.stderr_lines == 2

    def test_it_keeps_few_lines_of_standard_error(self) -> None:
        many = stderr_marks(b"warning\n" * 2000 + b"x" * 50_000 + b"\nError: no key")

        _, [ended], _ = without_marks(START + many)

        assert ended.last_errors == ["warning"] * 18 + ["Error: no key"]


def line(**members: object) -> bytes:
    return json.dumps(members).encode() + b"\n"


def step(kind: str, **part: object) -> bytes:
    return line(type=kind, timestamp=1, sessionID="ses_1", part=part)


CODEX = [
    (line(type="thread.started", thread_id="t"), []),
    (line(type="turn.started"), [False]),
    (line(type="error", message="stream error"), []),
    (line(type="turn.completed"), [True]),
    (line(type="turn.started"), [False]),
    (line(type="turn.failed", error={"message": "limit"}), [True]),
]
OPENCODE = [
    (step("step_start", id="1"), []),
    (step("step_finish", id="2", reason="tool-calls"), []),
    (step("step_start", id="3"), []),
    (step("text", id="4", text="Done."), []),
    (step("step_finish", id="5", reason="stop"), [True]),
    (step("text", id="6", text="More."), []),
    (step("step_start", id="7"), [False]),
    (line(type="error", sessionID="ses_1", error={"name": "APIError"}), [True]),
]


def is_end(event: Event) -> TypeGuard[End]:
    return isinstance(event, End)


SUFFIXES = (".ndjson", ".jsonl", ".json", ".txt")
LOGS = [
    path
    for path in few(logs_to_convert(*SUFFIXES))
    if not re.search(rb'\0|"runconv"', path.read_bytes())
]


def events_in(log: bytes | list[bytes]) -> list[Event] | str:
    """Return the events of a log, or why it is none."""
    try:
        return [*read(log)]
    except InputError as error:
        return error.message


def with_marks(lines: list[bytes], seed: int, end: bytes) -> tuple[bytes, list[int]]:
    """Put marks between lines; return the log, and the number of each line there."""
    dice = random.Random(seed)
    parts, numbers, number = [START], [], 2
    for line in lines:
        for _ in range(dice.choice([0, 0, 1, 3])):
            parts.append(stderr_marks(b"npm warn\n"))
            number += 1
        parts.append(line)
        numbers.append(number)
        number += 1
    if lines and not lines[-1].endswith(b"\n"):
        parts.append(b"\n")
    return b"".join([*parts, end]), numbers


def moved(events: list[Event], numbers: list[int]) -> list[Event]:
    """Give events the numbers of their lines in the log with marks."""
    for event in events:
        event.line = numbers[min(event.line, len(numbers)) - 1]
        if isinstance(event, ToolCall):
            event.started_line = event.started_line and numbers[event.started_line - 1]
            moved(event.steps or [], numbers)
        elif isinstance(event, Approved):
            event.file_lines = [numbers[at - 1] for at in event.file_lines]
    return events


def arrivals(lines: list[bytes]) -> list[tuple[type[Event], int]]:
    """Return the kind of each event, and how many lines had arrived when it came."""
    fed = 0

    def feed() -> Iterator[bytes]:
        nonlocal fed
        for line in lines:
            fed += 1
            yield line

    try:
        return [(type(event), fed) for event in read(feed())]
    except InputError:
        return []


@each("path", LOGS)
def test_a_log_with_marks_has_the_events_of_the_one_without(path: Path) -> None:
    lines = [*io.BytesIO(path.read_bytes())]
    log, numbers = with_marks(lines, len(lines), end_mark(stopped="result"))

    plain, marked = events_in(b"".join(lines)), events_in(log)

    if isinstance(plain, str):
        assert isinstance(marked, str) or marked[-2].state == "cut"
        return
    assert isinstance(marked, list)
    if max(event.line for event in plain) > len(lines):
        # Events in an array on one line have the numbers of lines that it lacks.
        return
    expected = moved(plain, numbers)
    expected[-1] = marked[-1]
    for event in itertools.takewhile(is_end, expected[-2::-1]):
        if event.state is None:
            # The mark records that the agent did not end by itself.
            event.state = event.reason_kind = "cut"
    assert marked == expected


@each("path", LOGS[::3])
def test_an_event_comes_with_its_line(path: Path) -> None:
    lines = [*io.BytesIO(path.read_bytes())]
    log, numbers = with_marks(lines, len(lines), end_mark(stopped="result"))

    plain, marked = arrivals(lines), arrivals([*io.BytesIO(log)])

    for (kind, fed), (other, fed_with_marks) in zip(plain, marked, strict=bool(plain)):
        assert kind is other
        # A failed end may wait for its reason, and an open run ends with its try.
        if kind is not End and fed < len(lines):
            assert fed_with_marks == numbers[fed - 1]


@each("path", [*(ROOT / "golden/log-of-a-run-with-marks").glob("*.ndjson")])
def test_a_log_with_marks_may_break_off_anywhere(path: Path) -> None:
    log = path.read_bytes()
    ends = [found.end() for found in re.finditer(rb"\n", log)]

    for end in (*ends, *(end - 9 for end in ends[1:])):
        for target in ("text", "json", "markdown"):
            made = [*convert(log[:end], target, partial=True, answer=True)]
            assert made or target == "text"


def last_end(log: bytes) -> End:
    """Return the end of the last run of a log."""
    return [event for event in read(log) if isinstance(event, End)][-1]


RESULT = {"type": "result", "subtype": "success", "result": "a", "session_id": "s"}
FAILED_TURN = b"".join(line for line, _ in CODEX[:2]) + line(type="turn.failed")


class TestTries:
    def test_a_failed_result_without_a_reason_takes_that_of_the_mark(self) -> None:
        end = last_end(START + FAILED_TURN + FAILED)

        assert (end.state, end.reason) == ("error", "Error: no key")
        assert end.reason_kind == "agent"

    def test_without_a_mark_the_last_message_counts(self) -> None:
        errors = stderr_marks(b"Error: no key\nError: fetch failed\nat main.js:1\n")

        ended, open_turn = (
            last_end(START + lines + errors) for lines in (FAILED_TURN, CODEX[0][0])
        )

        assert ended.reason == open_turn.reason == "Error: fetch failed"
        assert ended.reason_kind == open_turn.reason_kind == "network"
        assert open_turn.state == "error"

    def test_a_message_before_the_last_event_is_no_reason(self) -> None:
        end = last_end(START + MARKS[1] + CODEX[0][0] + CODEX[1][0])

        assert (end.state, end.reason) == ("cut", "")

    def test_a_failed_run_that_waits_for_its_reason_is_a_turn_at_once(self) -> None:
        failed = line(type="result", is_error=True, session_id="s", result="a\nb")
        fed: list[bytes] = []
        watched: list[tuple[str, int]] = []

        def feed() -> Iterator[bytes]:
            for piece in (START, failed, MARKS[1], FAILED):
                fed.append(piece)
                yield piece

        def watch(event: Event) -> None:
            watched.append((type(event).__name__, len(fed)))

        conversion = Conversion("stream-json", "text", None, Reading(), Options())
        text = [*convert_log(feed(), conversion, ignore, watch, has_turns=True)]

        assert watched == [("Start", 2), ("Turn", 2), ("End", 4), ("EndOfLog", 4)]
        assert text == [b"Run failed: Error: no key\n"]

    @pytest.mark.parametrize("is_error", [False, True])
    @pytest.mark.parametrize("indent", [None, 2])
    def test_a_result_alone_is_a_turn_as_soon_as_it_is_whole(
        self, indent: int | None, is_error: bool
    ) -> None:
        written = json.dumps(RESULT | {"is_error": is_error}, indent=indent) + "\n"
        pieces = [START, *io.BytesIO(written.encode()), MARKS[1], b"npm warn\n", FAILED]
        needs = replace(EVERYTHING, turns=True)
        fed: list[bytes] = []

        def feed() -> Iterator[bytes]:
            for piece in pieces:
                fed.append(piece)
                yield piece

        events = events_of(feed(), "auto", needs, Reading(), ignore)
        turn = next(events)
        lines = len(fed)

        assert isinstance(turn, Turn)
        assert (turn.is_over, turn.line, lines) == (True, lines, len(pieces) - 3)
        rest = [event for event in events if not isinstance(event, Turn)]
        assert rest == [*read(b"".join(pieces))]
        assert isinstance(rest[0], Start)
        assert rest[0].level == "result"

    def test_a_stream_may_begin_with_a_result(self) -> None:
        init = line(type="system", subtype="init", session_id="t", cwd="/x", model="m")
        delta = line(type="thinking", subtype="delta", text="Hm", session_id="t")
        pieces = [START, line(**RESULT), init, delta, FAILED]
        needs = replace(EVERYTHING, turns=True)

        events = [*events_of(iter(pieces), "auto", needs, Reading(), ignore)]
        rest = [event for event in events if not isinstance(event, Turn)]

        assert isinstance(events[0], Turn)
        assert rest == [*read(b"".join(pieces))]
        assert {e.level for e in events if isinstance(e, Start)} == {"calls"}

    def test_a_failed_run_next_to_an_open_one_is_no_turn(self) -> None:
        one, other = (
            line(type="system", subtype="init", session_id=id, cwd="/x", model="m")
            for id in ("s", "t")
        )
        failed = line(type="result", is_error=True, session_id="s")
        done = line(type="result", subtype="success", session_id="t", result="Done.")
        conversion = Conversion("stream-json", "text", None, Reading(), Options())
        watched: list[Event] = []
        log = START + one + other + failed + done

        [*convert_log(log, conversion, ignore, watched.append, has_turns=True)]

        kinds = [type(event) for event in watched]
        assert kinds == [Start, Start, End, End, EndOfLog]

    def test_a_warning_may_be_an_error(self) -> None:
        def warn(number: int | None, reason: str, action: str) -> None:
            raise InputError(reason, number)

        log = START + CODEX[0][0] + b"Terminated\n" + FAILED

        with pytest.raises(InputError, match="not JSON") as raised:
            [*read(log, warn=warn)]
        assert raised.value.line == 3

    @pytest.mark.parametrize("format", ["text", "claude-session", "codex-rollout"])
    def test_only_a_text_succeeds_because_its_agent_does(self, format: str) -> None:
        log = START + b"".join(line for line, _ in OPENCODE) + end_mark(exit_code=0)

        states = [event.state for event in read(log, format=format) if is_end(event)]

        assert states == ["success" if format == "text" else None]

    def test_marks_alone_are_a_failed_run_of_no_agent(self) -> None:
        start, end, end_of_log = read(b"".join(MARKS))

        assert isinstance(start, Start)
        assert isinstance(end, End)
        assert (start.agent, start.line) == ("", 1)
        assert (end.state, end.reason, end.line) == ("error", "Error: no key", 3)
        assert isinstance(end_of_log, EndOfLog)
        assert (end_of_log.line, end_of_log.stderr_lines) == (3, 1)

    def test_lines_below_the_last_mark_are_no_run_without_events(self) -> None:
        log = START + CODEX[0][0] + FAILED
        warned: list[int | None] = []

        events = [*read(log + b"\nTerminated\n", warn=lambda at, *_: warned.append(at))]

        assert events[:-1] == [*read(log)][:-1]
        assert (events[-1].line, warned) == (5, [5])

    def test_texts_of_two_tries_are_two_runs(self) -> None:
        log = START + b"Half\n" + FAILED + START + b"All.\n" + end_mark(exit_code=0)

        runs = [*read_runs(log)]

        assert [(run.state, run.text, run.first_line) for run in runs] == [
            ("error", "Half\n", 2),
            ("success", "All.\n", 5),
        ]

    def test_a_secret_of_one_try_is_one_in_the_next(self) -> None:
        said = line(type="item.completed", item={"type": "agent_message", "text": "%s"})
        first = CODEX[0][0] + said.replace(b"%s", b"export PASSWORD=k3bQ-9xT2mZ")
        reason = "k3bQ-9xT2mZ is wrong"
        log = START + first + FAILED + START + end_mark(exit_code=1, reason=reason)

        for each_log in (log, iter([log])):
            events = [*read(each_log, reading=Reading(redact=True))]

            ends = [event.reason for event in events if isinstance(event, End)]
            assert ends == ["Error: no key", "[redacted password] is wrong"]
            assert isinstance(events[-1], EndOfLog)
            assert events[-1].redacted == {"password": 2}


class TestTurns:
    @pytest.mark.parametrize("is_redacted", [False, True])
    @pytest.mark.parametrize("needs", [Needs(turns=True), Needs(raw=True, turns=True)])
    @pytest.mark.parametrize(
        ("read", "lines"), [(exec_reader.read, CODEX), (opencode.read, OPENCODE)]
    )
    def test_a_turn_is_reported_with_its_line(
        self,
        read: Callable[..., list[Event]],
        lines: list[tuple[bytes, list[bool]]],
        needs: Needs,
        is_redacted: bool,
    ) -> None:
        reading = Reading(redact=is_redacted)
        expected = [
            (number, is_over)
            for number, (_, turns) in enumerate(lines, 1)
            for is_over in turns
        ]

        pieces = [line for line, _ in lines]

        for log in ([b"".join(pieces)], pieces):
            events = read(iter(log), needs, reading, ignore)
            turns = [event for event in events if isinstance(event, Turn)]

            assert [(turn.line, turn.is_over) for turn in turns] == expected

    def test_nobody_gets_one_who_does_not_ask(self) -> None:
        log = iter([line for line, _ in CODEX])

        events = exec_reader.read(log, EVERYTHING, Reading(), ignore)

        assert not any(isinstance(event, Turn) for event in events)

    @pytest.mark.parametrize("target", ["stream-json", "claude-stream", "markdown"])
    def test_no_writer_gets_one(self, target: str) -> None:
        log = b"".join(line for line, _ in CODEX)
        conversion = Conversion("auto", target, None, Reading(), Options())
        watched: list[Event] = []

        plain = [*convert_log(log, conversion, ignore)]
        pieces = [*convert_log(log, conversion, ignore, watched.append, has_turns=True)]

        assert pieces == plain
        assert sum(isinstance(event, Turn) for event in watched) == 4
