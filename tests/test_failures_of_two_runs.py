"""The failures that stay unresolved, on the page of two runs."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

import convert
from convert.diff import ReportOptions
from convert.pages import Listed, pairs_of
from support.edits import Call, log_of
from support.matrix import each


def shell(command: str, code: int = 0, printed: str = "") -> Call:
    arm = "failure" if code else "success"
    return "shell", {"command": command}, {arm: {"exitCode": code, "stdout": printed}}


def page(a: list[Call], b: list[Call]) -> SimpleNamespace:
    [pair], _ = pairs_of(convert.compare([log_of(*a)], [log_of(*b)]), ReportOptions())
    return pair


def items(side: SimpleNamespace) -> list[Listed]:
    return [item for group in side.groups for item in group]


PASSED, FAILED, OTHER = shell("pytest"), shell("pytest", 1, "boom"), shell("make", 2)


@each(
    ("a", "b", "named"),
    [
        ([PASSED], [PASSED], []),
        ([FAILED, PASSED], [PASSED], []),
        ([FAILED], [PASSED], [["a1 shell pytest exit 1 boom"], []]),
        (
            [FAILED],
            [FAILED],
            [["a1 shell pytest exit 1 boom"], ["b1 shell pytest exit 1 boom"]],
        ),
        (
            [FAILED, OTHER],
            [PASSED, FAILED],
            [
                ["a2 shell make exit 2 ", "a1 shell pytest exit 1 boom"],
                ["b2 shell pytest exit 1 boom"],
            ],
        ),
        # `pytest | tail` ends well whatever its tests did.
        (
            [shell("pytest | tail", 0, "1 failed, 2 passed in 1s")],
            [],
            [["a1 shell pytest | tail 1 failed 1 failed, 2 passed in 1s"], []],
        ),
    ],
)
def test_both_runs_name_the_failures_that_nothing_resolved(
    a: list[Call], b: list[Call], named: list[list[str]]
) -> None:
    sides = page(a, b).unresolved

    assert [
        [f"{item.anchor} {item.words} {item.ends} {item.why}" for item in items(side)]
        for side in sides
    ] == named


def test_a_failure_that_comes_again_is_named_once() -> None:
    [one, _] = page([FAILED, OTHER, FAILED], []).unresolved

    assert one.total == 3
    assert [item.note for item in items(one)] == ["×2: calls 1 and 3", ""]


def test_the_figure_leads_to_the_list() -> None:
    facts = {fact.name: fact.anchor for fact in page([FAILED], [PASSED]).facts}
    assert facts["unresolved"] == "unresolved"

    facts = {fact.name: fact.anchor for fact in page([PASSED], [PASSED]).facts}
    assert facts["unresolved"] == ""


def new_failures(a: list[Call], b: list[Call]) -> list[str]:
    listed = [item for group in page(a, b).failed for item in group]
    return [f"{item.number} {item.words}: {item.note}" for item in listed]


@pytest.mark.parametrize(
    ("a", "b", "listed"),
    [
        ([], [OTHER], ["1 shell make: never passed later in B"]),
        ([], [OTHER, shell("make")], ["1 shell make: passed later in B: call 2"]),
        # The status says that nothing was found.
        ([], [shell("grep -q x a.py", 1)], []),
        (
            [FAILED],
            [FAILED, FAILED, OTHER],
            [
                "3 shell make: never passed later in B",
                "2 shell pytest: also fails in A: call 1; never passed later in B",
            ],
        ),
        (
            [*[FAILED] * 4, PASSED],
            [*[FAILED] * 5, PASSED],
            [
                "5 shell pytest: also fails in A: calls 1, 2, 3 and 1 more;"
                " passed later in B: call 6"
            ],
        ),
    ],
)
def test_a_new_failure_says_whether_the_baseline_fails_in_it_too(
    a: list[Call], b: list[Call], listed: list[str]
) -> None:
    assert new_failures(a, b) == listed


def step(command: str, code: int) -> dict[str, Any]:
    arm = "failure" if code else "success"
    call = {"args": {"command": command}, "result": {arm: {"exitCode": code}}}
    return {"toolCall": {"shellToolCall": call}}


@pytest.mark.parametrize(
    ("b", "anchor"),
    # Calls inside of equal calls have no rows.
    [([("make", 2)], "a1"), ([("ls", 0), ("make", 2)], "a1.1")],
)
def test_a_failure_inside_a_subagent_leads_to_a_row(
    b: list[tuple[str, int]], anchor: str
) -> None:
    calls: list[Call] = [
        ("task", {"prompt": "x"}, {"success": {"conversationSteps": steps}})
        for steps in ([step("make", 2)], [step(*each) for each in b])
    ]
    pair = page(calls[:1], calls[1:])

    [one, _] = pair.unresolved
    [item] = items(one)
    assert (item.anchor, item.number) == (anchor, "1.1")
    ids = {id for row in pair.rows for id in getattr(row, "ids", ())}
    assert anchor in ids


def test_messages_that_the_answer_joins_stand_apart() -> None:
    first, last = (
        {"type": "text", "text": text} for text in ("Now a.", "All is done.")
    )
    lines = log_of(PASSED).splitlines(keepends=True)
    said = [
        json.dumps({"type": "assistant", "message": {"content": [part]}}).encode()
        for part in (first, last)
    ]
    ended = lines[-1].replace(b"Done.", b"Now a.All is done.")
    log = [lines[0], said[0] + b"\n", *lines[1:-1], said[1] + b"\n", ended]

    [pair], _ = pairs_of(convert.compare(log, log), ReportOptions())

    assert pair.answers.both == "Now a.\n\nAll is done."
