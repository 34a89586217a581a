"""The sentence on how a run ended."""

from __future__ import annotations

import pytest

from convert.facts import RunFigures, Verdict
from convert.facts.verdict import says_all, verdict
from convert.model import (
    OK,
    UNFINISHED,
    End,
    Event,
    Level,
    Outcome,
    ReasonKind,
    Start,
    State,
    ToolCall,
)

FAILED = Outcome("error", exit_code=1)


def call(number: int, command: str, outcome: Outcome = OK) -> ToolCall:
    return ToolCall(
        run=1,
        line=number,
        number=number,
        id="",
        kind="shell",
        arguments={"command": command},
        outcome=outcome,
    )


PASSED = [call(1, "make"), call(2, "pytest")]
RESOLVED = [call(1, "make", FAILED), call(2, "make")]
TWO_RESOLVED = [call(1, "a", FAILED), call(2, "b", FAILED), call(3, "a"), call(4, "b")]
ONE_LEFT = [call(1, "make", FAILED), *PASSED[1:]]
SOME_LEFT = [*RESOLVED, call(3, "pytest", FAILED), call(4, "ruff", FAILED)]
ALL_LEFT = [call(1, "make", FAILED), call(2, "pytest", FAILED)]
OPEN = [call(1, "make"), call(2, "pytest", UNFINISHED)]
TWO_OPEN = [*OPEN, call(3, "ruff", UNFINISHED)]


def of(calls: list[ToolCall], state: State | None, level: Level = "calls") -> Verdict:
    run = RunFigures()
    events: list[Event] = [Start(run=1, line=1, level=level), *calls]
    end = End(run=1, line=9, state=state)
    for event in [*events, end]:
        run.add(event)
    return verdict(end, run)


@pytest.mark.parametrize(
    ("calls", "state", "expected"),
    [
        (PASSED, "cut", "The log breaks off after call 2; the run has no result."),
        ([], "cut", "The log breaks off before the first call; the run has no result."),
        (
            OPEN,
            "unfinished",
            "The log breaks off while call 2 was open; the run has no result.",
        ),
        (
            TWO_OPEN,
            "unfinished",
            "The log breaks off while calls 2 and 3 were open; the run has no result.",
        ),
        (PASSED, "error", "The agent reports an error."),
    ],
)
def test_a_run_without_success_is_bad(
    calls: list[ToolCall], state: State, expected: str
) -> None:
    assert of(calls, state) == Verdict(expected, "bad")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (None, "The agent reports an error."),
        ("", "The agent reports an error; the log records no reason."),
        ("Out of\nquota", "The agent reports an error: Out of quota"),
    ],
)
def test_an_error_has_its_reason(reason: str | None, expected: str) -> None:
    end = End(run=1, line=9, state="error")

    assert verdict(end, RunFigures(), reason).sentence == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("cut", "The run was cut off before the first call: no output for 10 min"),
        ("network", "The network ended the run: no output for 10 min"),
    ],
)
def test_a_cut_run_may_have_a_reason(kind: ReasonKind, expected: str) -> None:
    reason = "no output for\n10 min"
    end = End(run=1, line=9, state="cut", reason=reason, reason_kind=kind)

    assert verdict(end, RunFigures()) == Verdict(expected, "bad")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (ONE_LEFT, "The agent reports success; its one failure stays unresolved."),
        (ALL_LEFT, "The agent reports success; its 2 failures stay unresolved."),
        (SOME_LEFT, "The agent reports success; 2 of 3 failures stay unresolved."),
    ],
)
def test_a_success_with_failures_that_stay_is_a_warning(
    calls: list[ToolCall], expected: str
) -> None:
    assert of(calls, "success") == Verdict(expected, "warning")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], "Success. The run made no call."),
        (PASSED, "Success. No call failed."),
        (RESOLVED, "Success. 1 of 2 calls failed, and it was resolved."),
        (TWO_RESOLVED, "Success. 2 of 4 calls failed, and each was resolved."),
    ],
)
def test_a_success_whose_failures_were_resolved_is_good(
    calls: list[ToolCall], expected: str
) -> None:
    assert of(calls, "success") == Verdict(expected, "good")


def test_what_is_not_recorded_is_not_judged() -> None:
    nothing = "The log does not record how the run ended."

    assert of(ALL_LEFT, None, "text") == Verdict(nothing, "unknown")
    assert of([], "success", "result").sentence == "Success. The log records no calls."
    assert of(ONE_LEFT, "success", "text").sentence == "Success. 1 of 2 calls failed."


@pytest.mark.parametrize(
    ("answer", "reason", "expected"),
    [
        ("No disk.\n", "No disk.", True),
        ("No  disk.", "No disk.", True),
        ("I try. No disk.", "No disk.", False),
        ("No disk. " * 30, "No disk. " * 30, False),
        ("", "No disk.", False),
    ],
)
def test_a_verdict_says_all_of_a_short_answer(
    answer: str, reason: str, expected: bool
) -> None:
    assert (
        says_all(End(run=1, line=1, state="error", reason=reason), answer) is expected
    )
