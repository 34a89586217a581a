"""Calls of subagents become steps of the calls that started them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from convert.facts import RunFigures, by_parent
from convert.model import OK, End, Event, Outcome, Segment, Start, ToolCall


def call(number: int, parent: str = "", **members: Any) -> ToolCall:
    usual: dict[str, Any] = {
        "run": 1,
        "line": number,
        "started_line": number,
        "id": f"id{number}",
        "kind": "task",
    }
    return ToolCall(number=number, parent=parent, **usual | members)


def ended(number: int, parent: str = "", **members: Any) -> ToolCall:
    return call(number, parent, **{"outcome": OK} | members)


def places(events: Iterable[Event]) -> list[str]:
    """Return the numbers and ids of the calls that end, each before those inside."""
    found = []
    for event in by_parent([*events, End(run=1, line=99, state=None)]):
        if isinstance(event, ToolCall) and event.outcome is not None:
            found += _places(event, event.shown_number)
    return found


def _places(around: ToolCall, number: str) -> list[str]:
    steps = [step for step in around.steps or () if isinstance(step, ToolCall)]
    inner = [_places(step, f"{number}.{step.number}") for step in steps]
    return [f"{number} {around.id}", *(each for found in inner for each in found)]


def test_calls_of_two_subagents_interleave() -> None:
    starts = [call(1), call(2), call(3, "id1"), call(4, "id2"), call(5, "id1")]
    ends = [ended(5, "id1"), ended(4, "id2"), ended(2), ended(3, "id1"), ended(1)]

    found = places([*starts, *ends, call(6), ended(6)])

    assert found == ["2 id2", "2.1 id4", "1 id1", "1.1 id3", "1.2 id5", "3 id6"]


def test_a_subagent_waits_for_its_open_calls() -> None:
    starts = [call(1), call(2, "id1")]

    found = places([*starts, ended(1), call(3), ended(3), ended(2, "id1")])

    assert found == ["2 id3", "1 id1", "1.1 id2"]


def test_a_call_that_comes_late_has_a_number_in_its_subagent() -> None:
    run = [call(1), call(2, "id1"), ended(2, "id1"), ended(1)]
    late = [call(3, "id1"), call(4), ended(4), ended(3, "id1")]

    assert places([*run, *late]) == ["1 id1", "1.1 id2", "2 id4", "1.2 id3"]
    figures = RunFigures()
    for event in by_parent([Start(run=1, line=1), *run, *late]):
        figures.add(event)
    assert figures.figures.calls == 4


def test_a_call_inside_one_whose_parent_is_not_in_the_log_is_there_once() -> None:
    run = [call(1, "gone"), call(2, "id1"), ended(2, "id1"), ended(1, "gone")]

    assert places(run) == ["1 id1", "1.1 id2"]


def test_a_recorded_step_of_a_call_that_never_ended_is_there_once() -> None:
    inside = [call(1), call(2, "id1"), ended(2, "id1")]
    other = ended(3, steps=[ended(1, id="id2")])

    assert places([*inside, call(3), other]) == ["2 id3", "2.1 id2"]


def test_a_call_whose_parent_is_not_in_the_log_is_of_the_run() -> None:
    assert places([call(1, "gone"), ended(1, "gone"), call(2), ended(2)]) == [
        "1 id1",
        "2 id2",
    ]
    # Without an event when a call starts, its parent may still come.
    assert places([ended(1, "gone"), ended(2)]) == ["1 id2", "2 id1"]


def test_calls_inside_each_other_are_all_kept() -> None:
    starts = [call(1, "id2"), call(2, "id1"), call(3, "id3")]
    ends = [ended(1, "id2"), ended(2, "id1"), ended(3, "id3")]

    for events in ([*starts, *ends], ends):
        assert sorted(each.split()[1] for each in places(events)) == [
            "id1",
            "id2",
            "id3",
        ]


def test_a_step_that_is_also_a_call_counts_once() -> None:
    text = Segment(run=0, line=1, text="Look")
    steps: list[Event] = [
        ended(1, id="first", kind="read"),
        text,
        ended(2, id="second", kind="read"),
    ]
    own = [call(1), call(2, "id1", id="second"), ended(2, "id1", id="second")]

    found = places([*own, ended(1, steps=steps)])
    late = places([call(1), ended(1, steps=steps), *own[1:]])

    assert found == late == ["1 id1", "1.1 first", "1.2 second"]


def test_a_later_line_corrects_a_call_of_a_subagent() -> None:
    refused = Outcome("rejected")
    frame = ended(2, "id1", outcome=refused, is_repeated=True)
    run = [call(1), call(2, "id1"), ended(2, "id1")]

    [_, whole] = by_parent([*run, frame, ended(1)])
    *_, later = by_parent([*run, ended(1), frame])

    assert isinstance(whole, ToolCall)
    assert isinstance(later, ToolCall)
    [step] = whole.steps or []
    assert isinstance(step, ToolCall)
    assert step.outcome == later.outcome == refused
    assert later.shown_number == "1.1"


def test_calls_nested_very_deeply_are_all_kept() -> None:
    deep = [call(1), *(call(at, f"id{at - 1}") for at in range(2, 400))]
    ends = [*(ended(at, f"id{at - 1}") for at in range(399, 1, -1)), ended(1)]

    assert len(places([*deep, *ends])) == len(places(ends)) == 399
