"""The figures of a run: worked examples, and properties of every log."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import asdict, replace

import convert
import convert.stats
from convert.diff import limits
from convert.facts import (
    Figures,
    RunFigures,
    by_parent,
    count_retries,
    total_figures,
)
from convert.model import (
    OK,
    UNFINISHED,
    End,
    Event,
    Outcome,
    Result,
    Segment,
    Start,
    Tokens,
    ToolCall,
)
from convert.options import Options
from convert.transcript import FactList, Piece, Title
from convert.transcript.run import pieces
from support.conversions import few, logs_to_convert
from support.golden import GOLDEN
from support.matrix import each, matrix, part, reject
from support.runs import Batch, Made, one_by_one, tell, trajectories

FAILED = Outcome("error", exit_code=1)
REJECTED = Outcome("rejected")
# A transcript shows a call as it ended first, a comparison as it ended last.
LOGS = [
    path
    for path in few(logs_to_convert(".ndjson", ".jsonl", ".json", ".txt"))
    if path.parent.name
    not in ("diff-a-call-that-completes-again", "claude-stream-denied")
]


def figures_of(events: Iterable[Event]) -> Figures:
    figures = RunFigures()
    for event in by_parent(events):
        figures.add(event)
    return figures.figures


def call(number: int, outcome: Outcome | None = OK, **members: Any) -> ToolCall:
    return ToolCall(
        run=1,
        line=number,
        number=number,
        id=f"c{number}",
        outcome=outcome,
        **{"kind": "read", **members},
    )


def ending(**members: Any) -> list[Event]:
    return [Result(run=1, line=9, **members), End(run=1, line=9, state="success")]


def test_each_figure_of_a_run() -> None:
    events = [
        Start(run=1, line=1),
        call(1, None),
        call(1),
        call(2, FAILED, kind="shell"),
        call(3, REJECTED, kind="mcp", name="jira/create"),
        call(4, UNFINISHED, kind="shell"),
        Segment(run=1, line=8, text="Done."),
        *ending(duration_ms=1200, tokens=Tokens(input=10, output=5, cache_read=90)),
    ]

    figures = figures_of(events)

    assert figures == Figures(
        duration_ms=1200,
        tokens=Tokens(input=10, output=5, cache_read=90),
        calls=4,
        errors=1,
        rejected=1,
        unfinished=1,
        unresolved=2,
        answers=0,
        hidden=0,
        tools={"mcp:jira/create": 1, "read": 1, "shell": 2},
    )
    assert figures.failed == 1
    assert figures.used_tokens == 15


def test_a_run_that_records_nothing_has_no_figures() -> None:
    assert figures_of([Start(run=1, line=1)]) == Figures()
    assert Figures().failed is None
    assert Figures().used_tokens is None


def test_a_run_without_calls_is_not_one_that_records_none() -> None:
    start = Start(run=1, line=1)
    cut = End(run=1, line=2, state="cut")
    silent = End(run=1, line=2, state=None)
    summary = Start(run=1, line=1, level="result")

    assert figures_of([start, cut]).calls == 0
    assert figures_of([start, silent]).calls is None
    assert figures_of([start, call(1), silent]).calls == 1
    assert figures_of([summary, *ending()]).calls is None


def test_a_later_frame_of_a_call_corrects_how_it_ended() -> None:
    again = call(1, OK, is_repeated=True)

    figures = figures_of([call(1, FAILED), again, *ending()])

    assert (figures.calls, figures.failed) == (1, 0)
    assert figures.tools == {"read": 1}


def test_calls_may_end_in_another_order_than_they_started() -> None:
    figures = figures_of([call(3, FAILED), call(1), call(2, FAILED), *ending()])

    assert (figures.calls, figures.failed) == (3, 2)


def test_figures_of_several_runs_are_sums_of_recorded_ones() -> None:
    one = figures_of([call(1), *ending(duration_ms=5, tokens=Tokens(input=1))])
    other = figures_of([call(1, FAILED), *ending(tokens=Tokens(input=2, output=3))])

    both = total_figures([one, other])

    assert both.duration_ms == 5
    assert both.tokens == Tokens(input=3, output=3)
    assert (both.calls, both.failed) == (2, 1)
    assert both.tools == {"read": 2}
    assert both.retries is None
    assert total_figures([]) == Figures()


@pytest.mark.parametrize(
    ("calls", "retries"),
    [
        ("", 0),
        ("a+ a+", 0),
        ("a- a+", 1),
        ("a- b+ a-  a+ a+", 2),
        ("a- b-", 0),
    ],
)
def test_a_retry_repeats_a_call_that_failed_the_last_time(
    calls: str, retries: int
) -> None:
    made = [(call[0], call[1] == "+") for call in calls.split()]

    assert count_retries(made) == retries


def test_calls_are_named_by_their_numbers_and_those_of_the_subagents_around_them() -> (
    None
):
    inner = [call(1), call(2, FAILED)]
    steps = [call(1, FAILED), call(2, kind="task", steps=inner), call(3, FAILED)]
    steps[0].id = "linked"
    linked = call(3, FAILED, parent="c2")
    linked.id = "linked"
    figures = RunFigures()

    events = [call(12, FAILED), linked, call(2, kind="task", steps=steps), call(1)]
    for event in by_parent(events):
        figures.add(event)

    assert [*figures.numbers("error")] == ["2.1", "2.2.2", "2.3", "12"]
    assert [*figures.numbers("rejected")] == []


def test_a_call_without_an_id_is_no_step_of_another() -> None:
    step = call(1, FAILED)
    step.id = ""
    nameless = call(2, parent="c1")
    nameless.id = ""

    figures = figures_of([call(1, kind="task", steps=[step]), nameless])

    assert (figures.calls, figures.failed) == (3, 1)


@given(trajectories)
def test_as_many_calls_are_named_as_counted(run: list[Batch]) -> None:
    figures = RunFigures()

    for event in convert.read([tell(run)]):
        figures.add(event)

    counted = figures.figures
    assert len([*figures.numbers("failed")]) == counted.failed
    assert len([*figures.numbers("rejected")]) == counted.rejected
    assert len([*figures.numbers("unfinished")]) == counted.unfinished
    assert len([*figures.unresolved_numbers()]) == counted.unresolved


@given(trajectories)
def test_figures_may_be_asked_for_after_each_event(run: list[Batch]) -> None:
    events = list(convert.read([tell(run)]))
    figures = RunFigures()

    for number, event in enumerate(events, 1):
        figures.add(event)
        assert figures.figures == figures_of(events[:number])


@given(trajectories)
def test_a_comparison_has_the_figures_of_the_transcript(run: list[Batch]) -> None:
    log = tell(run)

    assert figures_of_diff(log) == figures_of_transcript(log, "calls")


@matrix(path=part(LOGS, 8))
def test_golden_logs_have_the_same_figures_everywhere(path: Path) -> None:
    log = path.read_bytes()
    try:
        level = convert.compare([log], [log]).level
    except convert.RunconvError:
        reject()

    assert figures_of_diff(log) == figures_of_transcript(log, level)


def figures_of_diff(log: bytes) -> list[dict[str, Any]]:
    """The figures of each run in a comparison, by their names in a transcript."""
    found = []
    for run in convert.compare([log], [log]).runs:
        figures = run.figures[0]
        if figures.duration_ms is None and run.a:
            figures = replace(figures, duration_ms=run.a.length or None)
        found.append(named(figures))
    return found


def named(figures: Figures) -> dict[str, Any]:
    values = {
        "duration_ms": figures.duration_ms,
        "tool_calls": figures.calls,
        "tool_calls_failed": figures.failed,
        "tool_calls_rejected": figures.rejected,
        "tool_calls_unfinished": figures.unfinished,
        "tool_calls_unresolved": figures.unresolved,
        "tool_calls_hidden": figures.hidden or None,
        "cost_usd": figures.cost_usd,
    }
    if figures.tokens is not None:
        used = asdict(figures.tokens)
        final = [used.pop(name) for name in ("final", "responses")]
        values |= {f"tokens_{kind}": n for kind, n in used.items()}
        if final != [None, None]:
            values["tokens_output_is_final"] = False
    return {name: value for name, value in values.items() if value is not None}


def figures_of_transcript(log: bytes, level: str) -> list[dict[str, Any]]:
    """The figures of each run that a transcript shows.

    A comparison counts no calls if the level is `result`.
    """
    prefixes = ["duration", "tokens", "cost", *["tool_calls"][: level != "result"]]
    return [
        {k: v for k, v in measured(run).items() if k.startswith(tuple(prefixes))}
        for run in by_title(pieces(convert.read([log]), Options()))
    ]


def measured(run: dict[str, Any]) -> dict[str, Any]:
    """The facts of a run, with its timestamps for its duration."""
    span = run.get("timestamps_span_ms")
    return {"duration_ms": span} | run if span else run


def by_title(shown: Iterable[Piece]) -> list[dict[str, Any]]:
    """The facts of each run, which begins with a title."""
    runs: list[dict[str, Any]] = []
    for piece in shown:
        match piece:
            case Title():
                runs.append({})
            case FactList(facts=facts):
                for fact in facts:
                    runs[-1].update(fact.values)
    return runs


def test_retries_and_tools_are_those_of_the_comparison() -> None:
    make, read = Made("shell", "x", "exit 1"), Made("read", "a.py")
    log = tell(one_by_one([make, read, make, make._replace(ending="ok"), make]))

    figures, _ = convert.compare([log], [log]).runs[0].figures

    assert figures.retries == 2
    assert figures.failed == 3
    assert figures.tools == {"read": 1, "shell": 4}


@each("order", [*itertools.permutations(["error", "ok", "other"])])
def test_a_retry_in_a_batch_counts_in_any_order(order: tuple[str, ...]) -> None:
    tries = {"error": Made("read", "a.py", "error"), "ok": Made("read", "a.py")}
    calls = [tries.get(name, Made("read", "b.py")) for name in order]
    log = tell([Batch.of(*calls)])

    figures, _ = convert.compare([log], [log]).runs[0].figures

    assert figures.retries == 1


def test_the_calls_of_a_subagent_count_once() -> None:
    inner = call(1, kind="shell", outcome=FAILED)
    steps = [
        call(1),
        call(2, kind="task", steps=[inner]),
        Segment(run=0, line=1, text=""),
    ]
    steps[0].id, steps[1].id, inner.id = "linked", "", ""
    linked = call(2, parent="c1")
    linked.id = "linked"

    figures = figures_of(
        [Start(run=1, line=1), call(1, kind="task", steps=steps), linked]
    )

    assert figures.calls == 4
    assert figures.failed == 1
    assert figures.tools == {"read": 1, "shell": 1, "task": 2}


@each("name", ["stream.ndjson", "actions.txt", "fewer.txt", "whole.txt", "answer.txt"])
def test_a_limit_counts_the_calls_that_stats_counts(name: str) -> None:
    log = GOLDEN / "diff-formats-that-record-less" / name
    settings = convert.Settings(max_calls=0)

    (counted,) = convert.stats.of_logs([log]).runs
    compared = convert.compare(log, log, settings=settings)

    (limit,) = limits(compared.runs[0], settings)
    calls = counted.figures.calls
    assert limit.candidate == calls
    assert limit.is_exceeded == any(f.category == "calls" for f in compared.findings)
    assert limit.is_exceeded == bool(calls)
    assert limit.missing == ([] if calls else ["candidate"])
