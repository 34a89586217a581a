"""Calls that failed, and those that a later call recovers."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from convert.facts import Recoveries, RunFigures, by_parent
from convert.model import OK, UNFINISHED, Event, Outcome, Start, ToolCall

FAILED = Outcome("error", exit_code=1)
REJECTED = Outcome("rejected")


def shell(number: int, command: str, outcome: Outcome | None = OK) -> ToolCall:
    return call(number, outcome, kind="shell", arguments={"command": command})


def call(number: int, outcome: Outcome | None = OK, **members: Any) -> ToolCall:
    return ToolCall(
        run=1, line=number, number=number, id=f"c{number}", outcome=outcome, **members
    )


def unresolved(*events: Event, directory: str = "") -> list[str]:
    figures = RunFigures()
    for event in by_parent([Start(run=1, line=1, directory=directory), *events]):
        figures.add(event)
    return [*figures.unresolved_numbers()]


def test_the_same_command_that_passes_later_resolves_a_failure() -> None:
    events = [shell(1, "pytest", FAILED), shell(2, "ls", FAILED), shell(3, "pytest")]

    assert unresolved(*events) == ["2"]


def test_a_call_that_passed_before_resolves_nothing() -> None:
    assert unresolved(shell(1, "pytest"), shell(2, "pytest", FAILED)) == ["2"]


def test_a_path_and_a_command_mean_the_same_in_the_directory_of_the_run() -> None:
    events = [
        call(1, FAILED, kind="read", arguments={"path": "/app/a.py"}),
        call(2, kind="read", arguments={"path": "a.py"}),
        shell(3, "cd /app && make", FAILED),
        shell(4, "make"),
    ]

    assert unresolved(*events, directory="/app") == []


def test_another_tool_on_the_same_file_resolves_nothing() -> None:
    events = [
        call(1, FAILED, kind="edit", arguments={"path": "a.py"}),
        call(2, kind="read", arguments={"path": "a.py"}),
    ]

    assert unresolved(*events) == ["1"]


def test_a_later_call_that_ends_first_resolves_one_made_at_the_same_time() -> None:
    opened = [shell(1, "make", None), shell(2, "make", None)]

    assert unresolved(*opened, shell(2, "make"), shell(1, "make", FAILED)) == []
    assert unresolved(*opened, shell(1, "make"), shell(2, "make", FAILED)) == ["2"]


def test_a_failure_that_a_later_frame_corrects_is_none() -> None:
    corrected = shell(1, "make")
    corrected.is_repeated = True

    assert unresolved(shell(1, "make", FAILED), corrected) == []


def test_a_success_that_a_later_frame_corrects_is_a_failure() -> None:
    corrected = shell(1, "make", FAILED)
    corrected.is_repeated = True

    assert unresolved(shell(1, "make"), corrected) == ["1"]


def test_a_step_of_a_subagent_is_resolved_by_a_later_call_of_the_run() -> None:
    steps = [shell(1, "make", FAILED), shell(2, "ls", FAILED), shell(3, "ls")]
    task = call(1, kind="task", steps=steps)

    assert unresolved(task) == ["1.1"]
    assert unresolved(task, shell(2, "make")) == []


def test_a_step_that_the_log_records_as_a_call_too_counts_once() -> None:
    step = shell(1, "make", FAILED)
    linked = shell(2, "make", FAILED)
    step.id = linked.id = "linked"
    linked.parent = "c1"

    assert unresolved(call(1, kind="task", steps=[step]), linked) == ["1.1"]


def test_a_call_that_never_ends_is_unresolved() -> None:
    assert unresolved(shell(1, "make", None), shell(1, "make", UNFINISHED)) == ["1"]


def test_a_text_does_not_record_what_resolved_a_failure() -> None:
    events = [Start(run=1, line=1, level="text"), call(1, FAILED, kind="read")]

    figures = RunFigures()
    for event in events:
        figures.add(event)

    assert figures.figures.failed == 1
    assert figures.figures.unresolved is None


calls = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([OK, FAILED, REJECTED])),
    # More than are kept before their keys are asked for.
    max_size=40,
)


@given(calls, st.randoms(use_true_random=False))
def test_any_order_of_ends_leaves_what_the_order_of_starts_leaves(
    made: list[tuple[str, Outcome]], dice: Any
) -> None:
    failures = Recoveries()
    order = [*range(len(made))]
    dice.shuffle(order)

    for number in range(len(made)):
        failures.begin((number,))
    for number in order:
        command, outcome = made[number]
        failures.end((number,), shell(number, command, outcome))

    remaining = [
        (number,)
        for number, (command, outcome) in enumerate(made)
        if outcome != OK and (command, OK) not in made[number + 1 :]
    ]
    assert failures.unresolved == remaining
    for number, (command, outcome) in enumerate(made):
        resolver = failures.resolutions.get((number,))
        if outcome != OK and (number,) not in remaining:
            assert resolver is not None
            assert resolver > (number,)
            assert made[resolver[0]] == (command, OK)
        else:
            assert resolver is None
