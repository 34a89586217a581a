"""Refused calls: on which of them something depends."""

from __future__ import annotations

from typing import Any

from convert.facts import MAY_CHECK, RunFigures
from convert.model import OK, Event, Outcome, Segment, Start, ToolCall
from convert.tools import CHECKS

REFUSED = Outcome("rejected")


def call(number: int, kind: str, outcome: Outcome | None = OK, **more: Any) -> ToolCall:
    return ToolCall(
        run=1, line=number, number=number, id="", kind=kind, outcome=outcome, **more
    )


def shell(number: int, command: str, outcome: Outcome | None = OK) -> ToolCall:
    return call(number, "shell", outcome, arguments={"command": command})


def edit(number: int, outcome: Outcome | None = OK, path: str = "a.py") -> ToolCall:
    after = {"beforeFullFileContent": "x\n", "afterFullFileContent": f"{number}\n"}
    return call(number, "edit", outcome, arguments={"path": path}, output=after)


def unresolved(*events: Event) -> list[str]:
    figures = RunFigures()
    for event in [Start(run=1, line=1, directory="/app"), *events]:
        figures.add(event)
    return [*figures.unresolved_numbers()]


def test_each_known_check_may_be_one() -> None:
    missed = [name for name in CHECKS if not any(word in name for word in MAY_CHECK)]

    assert missed == []


def test_a_check_next_to_the_last_change_does_not_check_it() -> None:
    opened = [shell(2, "ruff check", None), edit(3, None)]
    refused = shell(1, "pytest", REFUSED)

    assert unresolved(refused, *opened, edit(3), shell(2, "ruff check")) == ["1"]
    assert unresolved(refused, edit(2), shell(3, "ruff check")) == []


def test_a_check_that_passed_before_the_refusal_counts() -> None:
    assert unresolved(edit(1), shell(2, "mypy"), shell(3, "pytest", REFUSED)) == []


def test_of_many_checks_the_first_that_passed_counts() -> None:
    others = [shell(2 + at, f"echo lint {at}") for at in range(60)]
    refused = shell(99, "pytest", REFUSED)

    assert unresolved(edit(1), *others, refused) == ["99"]
    assert unresolved(edit(1), *others, shell(80, "mypy"), refused) == []


def test_an_answer_names_a_file_by_its_whole_name() -> None:
    said = Segment(run=1, line=9, text="I changed data.py and pages of a.pyi.")

    assert unresolved(edit(1, REFUSED, "/app/a.py"), said) == []
    assert unresolved(edit(1, REFUSED, "/app/src/data.py"), said) == ["1"]


def test_words_before_the_last_call_are_no_answer() -> None:
    said = Segment(run=1, line=2, text="I'll change a.py.")

    assert unresolved(said, edit(1, REFUSED), Segment(run=1, line=9, text="No.")) == []
