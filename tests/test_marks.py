"""The lines that `runconv run` adds to a log, and the turns that it asks for."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert import read
from convert.agents import opencode
from convert.agents.codex import exec_reader
from convert.errors import InputError, ignore
from convert.model import EVERYTHING, End, Event, Needs, ToolCall, Turn
from convert.model.events import Approved
from convert.options import Options, Reading
from convert.pipeline import Conversion, convert_log
from convert.source.lines import blocks
from convert.source.marks import START, Marks, Try, end_mark, stderr_marks
from support.conversions import few, logs_to_convert
from support.matrix import each

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
        many = stderr_marks(b"warning\n" * 50_000 + b"x" * 50_000 + b"\nError: no key")

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


@each("path", LOGS)
def test_a_log_with_marks_has_the_events_of_the_one_without(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
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
