"""Where the time of a run went, which calls it repeats, and which files it touches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.facts import (
    FileCalls,
    ReadAndEdited,
    RunFigures,
    SameCalls,
    TimedCall,
    TimeSpent,
    joined_spans,
    moments_of,
    run_length,
    span_in,
    total_length,
)
from convert.facts.time_spent import time_spent
from convert.model import OK, UNFINISHED, End, Outcome, ToolCall

FAILED = Outcome("error", exit_code=1)
LENGTH = 1000
CALLS = st.lists(
    st.builds(
        TimedCall,
        st.sampled_from(["look", "edit", "run", "other"]),
        st.integers(0, LENGTH + 50),
        st.none() | st.integers(0, LENGTH + 50),
    ),
    min_size=1,
)


def call(number: int, outcome: Outcome = OK, **members: Any) -> ToolCall:
    usual = {"kind": "shell", "arguments": {"command": "pytest"}}
    return ToolCall(
        run=1, line=number, number=number, id="", outcome=outcome, **usual | members
    )


@given(CALLS)
def test_the_time_of_the_agent_is_the_time_without_a_call(
    calls: list[TimedCall],
) -> None:
    spent = time_spent(calls, LENGTH)
    spans = [span_in(made.started, made.ended, LENGTH) for made in calls]

    assert spent.agent == LENGTH - total_length(joined_spans(spans))
    assert spent.in_parallel is not None
    assert spent.in_parallel <= total_length(joined_spans(spans))
    assert 1 <= (spent.at_once or 0) <= len(calls)
    lengths = [end - begin for begin, end in spent.pauses or []]
    assert lengths == sorted(lengths, reverse=True)


@given(CALLS)
def test_calls_are_in_parallel_where_time_is_counted_twice(
    calls: list[TimedCall],
) -> None:
    spent = time_spent(calls, LENGTH)
    spans = [span_in(made.started, made.ended, LENGTH) for made in calls]

    moments = range(LENGTH)
    open_at = [sum(begin <= at < end for begin, end in spans) for at in moments]

    assert spent.in_parallel == sum(number > 1 for number in open_at)
    assert spent.at_once == max(1, *open_at)


def test_commands_count_each_for_itself() -> None:
    calls = [TimedCall("run", 0, 400), TimedCall("run", 100, 500)]

    spent = time_spent([*calls, TimedCall("look", 600, 700)], LENGTH)

    assert spent.commands == 800
    assert spent.pauses == [(700, 1000), (500, 600)]
    assert (spent.at_once, spent.in_parallel) == (2, 300)


@pytest.mark.parametrize(
    ("calls", "length"),
    [([], 5), ([TimedCall("run", 0, 1)], None), ([TimedCall("run", None, None)], 5)],
)
def test_nothing_is_known_without_times(
    calls: list[TimedCall], length: int | None
) -> None:
    assert time_spent(calls, length) == TimeSpent()


@pytest.mark.parametrize(
    ("outcome", "ended"), [(OK, 30), (FAILED, 30), (UNFINISHED, None)]
)
def test_a_call_that_never_ended_has_no_end(
    outcome: Outcome, ended: int | None
) -> None:
    made = call(1, outcome, since_start_ms=10, duration_ms=20)

    assert moments_of(made) == (10, ended)


def test_a_call_that_ended_at_no_known_time_was_open_for_no_known_time() -> None:
    made = ToolCall(run=1, line=1, number=1, id="", kind="shell", outcome=OK)
    made.since_start_ms = 10

    assert moments_of(made) == (None, None)


@pytest.mark.parametrize(
    ("began", "ended", "duration", "length"),
    [(5, 25, 10, 20), (5, 25, 90, 90), (None, None, 7, 7), (25, 5, None, 0)],
)
def test_the_length_is_the_span_or_that_of_the_agent(
    began: int | None, ended: int | None, duration: int | None, length: int
) -> None:
    end = End(run=1, line=1, state="success", started_ms=began, ended_ms=ended)

    assert run_length(end, duration) == length


def test_a_call_is_the_same_apart_from_noise() -> None:
    same = SameCalls()
    arguments = {"command": "pytest", "toolCallId": "x", "timeout": 5}

    same.add(call(1, FAILED))
    same.add(call(3, arguments=arguments))
    same.add(call(2, arguments={"command": "ls"}))
    same.add(call(4))

    assert (same.repeats, same.retries) == (2, 1)


def test_a_call_with_arguments_nested_deeply_is_like_no_other() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    same = SameCalls()

    same.add(call(1, arguments={"x": deep}))
    same.add(call(2, arguments={"x": deep}))

    assert same.repeats == 0


def test_outcomes_by_tool_count_the_steps_of_subagents() -> None:
    figures = RunFigures()

    figures.add(call(2, FAILED))
    figures.add(call(1))
    figures.add(call(3, kind="task", steps=[call(1, FAILED, kind="read")]))
    figures.add(call(2, is_repeated=True))

    assert figures.outcomes_by_tool == {
        ("shell", "ok"): 2,
        ("task", "ok"): 1,
        ("read", "error"): 1,
    }
    assert figures.figures.tools == {"read": 1, "shell": 2, "task": 1}


def test_files_count_by_their_reads_and_edits() -> None:
    files = ReadAndEdited("/home/dev")

    for number, (kind, outcome) in enumerate(
        [("read", OK), ("read", FAILED), ("edit", OK), ("edit", FAILED), ("grep", OK)],
        1,
    ):
        arguments = {"path": "/home/dev/a.py"}
        files.add(call(number, outcome, kind=kind, arguments=arguments))

    assert files.files == {"a.py": FileCalls(1, 1, 1, first=1, last=4)}


@pytest.mark.parametrize(
    ("environment", "found"),
    [("LOCAL", {"a.py": FileCalls(reads=1)}), ("SUBAGENT_CLOUD", {})],
)
def test_files_of_a_subagent_count_unless_they_are_elsewhere(
    environment: str, found: dict[str, FileCalls]
) -> None:
    files = ReadAndEdited("/home/dev")
    step = call(1, kind="read", arguments={"path": "/home/dev/a.py"})

    files.add(
        call(2, kind="task", arguments={"environment": environment}, steps=[step])
    )

    assert files.files == found


def test_where_only_ends_are_known_a_pause_is_between_two_of_them() -> None:
    calls = [
        TimedCall("run", None, 400),
        TimedCall("look", None, 0),
        TimedCall("edit", None, 900),
        TimedCall("run", None, None, is_open=True),
    ]

    assert time_spent(calls, LENGTH) == TimeSpent(pauses=[(400, 900), (0, 400)])


def test_an_end_that_is_not_known_leaves_the_times_out() -> None:
    calls = [TimedCall("run", None, 400), TimedCall("look", None, None)]

    assert time_spent(calls, LENGTH) == TimeSpent()
