"""Whether calls may have changed files that the log does not name."""

from __future__ import annotations

import pytest

from convert.facts.unnamed_changes import UnnamedChanges
from convert.model import UNFINISHED, Outcome, ToolCall
from support.edits import call_of

REJECTED, FAILED = Outcome("rejected"), Outcome("error", exit_code=1)
LOOK = call_of("shell", {"command": "git status --short"})
MAKE = call_of("shell", {"command": "make"})


def are_possible(*calls: ToolCall) -> bool:
    changes = UnnamedChanges()
    for call in calls:
        changes.add(call)
    return changes.are_possible


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (LOOK, False),
        (MAKE, True),
        (call_of("shell", {}), True),
        (call_of("shell", {"command": "make"}, outcome=FAILED), True),
        (call_of("shell", {"command": "make"}, outcome=UNFINISHED), True),
        (call_of("shell", {"command": "make"}, outcome=REJECTED), False),
        (call_of("shell", {"command": "ls " + "a" * 2000}), True),
        (call_of("read", {"path": "a"}), False),
        (call_of("edit", {"path": "a"}), False),
        (call_of("edit", {}), True),
        (call_of("edit", {}, outcome=FAILED), False),
        (call_of("edit", {"path": "a"}, outcome=UNFINISHED), True),
        (call_of("mcp", {}), True),
        (call_of("mcp", {}, outcome=REJECTED), False),
        (call_of("askQuestion", {}), False),
        (call_of("aKindToCome", {}), True),
        (call_of("task", {}), True),
        (call_of("task", {}, steps=[LOOK]), False),
        (call_of("task", {}, steps=[LOOK, MAKE]), True),
    ],
)
def test_a_call_may_have_changed_files_that_it_does_not_name(
    call: ToolCall, expected: bool
) -> None:
    assert are_possible(call) == expected
    assert are_possible(LOOK, call, LOOK) == expected


def test_of_very_many_commands_one_may_have_changed_something() -> None:
    commands = [call_of("shell", {"command": f"cat {n}"}) for n in range(101)]

    assert not are_possible(*commands[:100])
    assert are_possible(*commands)
