"""Calls that may have changed files that the log does not name."""

from __future__ import annotations

from msgspec.structs import replace

from convert.facts import ChangedFiles, PossibleChanges, may_write
from convert.model import UNFINISHED, Outcome, ToolCall
from support.edits import call_of
from support.matrix import each

REJECTED, FAILED = Outcome("rejected"), Outcome("error", exit_code=1)
LOOK = call_of("shell", {"command": "git status --short"})
MAKE = call_of("shell", {"command": "make"})


def suspects(*calls: ToolCall) -> PossibleChanges | None:
    files = ChangedFiles()
    for number, call in enumerate(calls, 1):
        files.add(replace(call, number=number))
    return files.unnamed.possible_changes()


@each(
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
    assert (suspects(call) is not None) == expected
    assert (suspects(LOOK, call, LOOK) is not None) == expected


def test_of_very_many_commands_one_may_have_changed_something() -> None:
    commands = [call_of("shell", {"command": f"cat {n}"}) for n in range(101)]

    assert suspects(*commands[:100]) is None
    assert suspects(*commands, *commands) == PossibleChanges(["101", "202"], 2, True)


def test_the_first_calls_are_named_and_all_counted() -> None:
    inner = call_of("task", {}, steps=[replace(MAKE, number=2)])
    around = call_of("task", {}, steps=[LOOK, replace(inner, number=1)])
    other = call_of("shell", {"command": "touch x"})

    found = suspects(other, MAKE, LOOK, around, MAKE)

    assert found == PossibleChanges(["1", "2", "4.1.2"], 4, True)
    assert suspects(MAKE, call_of("mcp", {})) == PossibleChanges(["1", "2"], 2, False)


def test_suspects_are_named_in_words() -> None:
    assert PossibleChanges(["1", "2"], 2, True).words == "commands 1 and 2"
    assert PossibleChanges(["2.1"], 1, False).words == "call 2.1"
    assert (
        PossibleChanges(["1", "2", "5"], 9, False).words == "calls 1, 2, 5 and 6 more"
    )


def test_a_command_may_write_if_it_ran_and_acts() -> None:
    make = call_of("shell", {"command": "make"})

    assert may_write(make)
    assert may_write(call_of("shell", {"command": "make"}, outcome=UNFINISHED))
    assert not may_write(call_of("shell", {"command": "ls"}))
    rejected = Outcome("rejected")
    assert not may_write(call_of("shell", {"command": "x"}, outcome=rejected))
    assert not may_write(call_of("edit", {"path": "a"}))
