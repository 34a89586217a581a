"""stream-json that is made of the events of other logs reads back as the same runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import convert
from convert.agents import AgentRun, call_of, mcp_call
from convert.cursor import write
from convert.errors import ignore
from convert.model import (
    EVERYTHING,
    OK,
    End,
    EndOfLog,
    Event,
    Image,
    Outcome,
    Prompt,
    Result,
    Segment,
    Tokens,
    ToolCall,
    collect,
)
from convert.options import Options
from support.conversions import FEW_LOGS
from support.golden import identify
from support.matrix import each, part, reject
from support.same_runs import events_in, runs_in, without_an_end, written

# Runs whose lines say more than their events, and why.
NOT_THE_SAME = {
    "atif-damaged/odd.jsonl": "a log that holds a run twice is taken for a doubled one",
    "calls-that-say-little-at-the-end/input.ndjson": "a query names the arguments of"
    " a call later than its start",
    "codex-rollout-declined/codex.jsonl": "an error that nothing follows is a failure",
    "why-runs-end/logs/codex-session-cut-by-the-user.jsonl": "likewise",
    "recap-or-repetition-is-settled-by-the-result/twice.ndjson": "the text is halved",
}
LS = call_of("Bash", {"command": "ls"})


def events(session: str = "s", first_ms: int | None = None) -> list[Event]:
    """A run of another agent with a bit of everything."""
    made: list[Event] = []
    run = AgentRun(1, EVERYTHING, made.append, agent="Codex")
    run.set_facts(
        session=session, directory="/srv/shop", model="gpt-5.1", version="0.130"
    )
    if first_ms is not None:
        run.stamp(first_ms)
    run.prompt(1, "Fix it.", [Image("image/png", 9)])
    run.thinking(2, "The tests first.", started_ms=first_ms)
    run.text(3, "I look.")
    run.thinking(4, "Where is it?")
    run.text(5, "Now.")
    at = None if first_ms is None else first_ms + 500
    one = run.begin_call(6, "a", LS, started_ms=at, response_id="r1")
    other = run.begin_call(7, "a", LS, started_ms=at, response_id="r1")
    ended = None if at is None else at + 20
    run.end_call(8, other, Outcome("error", exit_code=2), {"stderr": "no"})
    run.end_call(9, one, OK, {"stdout": "a.py", "exitCode": 0}, ended_ms=ended)
    run.end_call(10, run.begin_call(10, "", mcp_call("db", "query", {"q": 1})))
    made_file = call_of("Write", {"file_path": "b.py", "content": "x"})
    run.end_call(
        11, run.begin_call(11, "w", made_file), OK, {"message": "ok"}, is_new_file=True
    )
    grep = run.begin_call(11, "g", LS)
    # The agent takes this code for an answer and not for a failure.
    run.end_call(12, grep, OK, {"stdout": "", "exitCode": 1})
    task = run.begin_call(12, "t", call_of("Task", {"prompt": "Look."}))
    run.step(12, "t", "I look.", thinking=False)
    inner = run.begin_call(13, "i", call_of("Read", {"file_path": "a"}), parent="t")
    run.end_call(13, inner, Outcome("rejected", message="Not that one"))
    run.end_call(14, task, OK, {"content": "It is there."})
    run.amend_call(15, "i", Outcome("rejected", message="Not that one"))
    run.incident(16, "retry", "", attempt=2, details={"a": 1})
    run.begin_call(17, "open", call_of("Skill", {"skill": "pdf"}))
    run.result(18, text="Done.", is_error=True, duration_ms=900, tokens=Tokens(5, 6, 7))
    run.finish(18, "error", "no credit")
    return [*made, EndOfLog(run=0, line=18)]


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
def test_the_events_of_a_golden_log_read_back_as_the_same_runs(path: Path) -> None:
    found = events_in(path.read_bytes())
    if found is None or identify(path) in NOT_THE_SAME:
        reject()
    expected = runs_in(found)

    made, _ = written(found, "stream-json")

    read_back = runs_in(events_in(made, "stream-json") or [])
    assert sorted(read_back, key=_session) == sorted(
        map(without_an_end, expected),
        # Such runs end in another order.
        key=_session,
    )
    unsaid = sum(run["state"] is None for run in expected)
    assert made.count(b'"subtype":"end_not_recorded"') == unsaid


def _session(run: dict[str, Any]) -> str:
    return str(run["session"])


@pytest.mark.parametrize("session", ["s", ""])
@pytest.mark.parametrize("first_ms", [None, 1_793_180_000_000])
def test_a_run_of_another_agent_reads_back(session: str, first_ms: int | None) -> None:
    made, notices = written(events(session, first_ms), "stream-json")
    [run] = runs_in(events_in(made, "stream-json") or [])

    [expected] = runs_in(events(session, first_ms))
    assert run == expected
    assert notices == [
        "stream-json drops the agent's name, the sizes of pictures and the names of its"
        " tools, for which it has no place"
    ]


def test_the_times_of_another_agent_read_back() -> None:
    first_ms = 1_793_180_000_000

    made, _ = written(events(first_ms=first_ms), "stream-json")
    [run] = collect(events_in(made, "stream-json") or [])

    one = run.calls[0]
    assert (one.started_ms, one.since_start_ms) == (first_ms + 500, 500)
    assert [one.duration_ms, *(call.duration_ms for call in run.calls[1:])] == [
        20, *[None] * 7,
    ]  # fmt: skip


def test_runs_of_one_session_stay_apart() -> None:
    made: list[Event] = []
    for number in (1, 2):
        run = AgentRun(number, EVERYTHING, made.append, agent="Claude Code")
        run.set_facts(session="s")
        run.text(number, f"Answer {number}")
        run.finish(number, "cut", has_result=False)

    lines, _ = written(made, "stream-json")

    runs = runs_in(events_in(lines, "stream-json") or [])
    assert [run["texts"] for run in runs] == [["Answer 1"], ["Answer 2"]]


def test_lines_appear_as_events_arrive() -> None:
    arriving = events()
    seen: list[int] = []

    def feed() -> Any:
        for event in arriving:
            yield event
            seen.append(len(lines))

    lines: list[bytes] = []
    for line in write(feed(), Options(), ignore):
        lines.append(line)

    # The start waits only for the prompt, and the result for the end.
    assert seen[:3] == [0, 2, 4]
    assert seen[-1] == len(lines)


@pytest.mark.parametrize(
    "value",
    ["half an emoji: \ud83d", {"\ud83d": 1}, [[[[]]]] * 2],
)
def test_a_value_that_json_cannot_hold_stops_nothing(value: Any) -> None:
    deep: Any = value
    for _ in range(3000):
        deep = [deep]
    call = ToolCall(run=1, line=1, number=1, id="a", kind="mcp", outcome=OK)
    call.arguments, call.output = {"value": deep}, {"content": value}
    begin, *_, end = events()
    prompt = Prompt(run=1, line=1, text="Go")

    made, _ = written(
        [begin, prompt, call, Segment(run=1, line=2, text="So"), end], "stream-json"
    )

    assert [json.loads(line)["type"] for line in made.splitlines()] == [
        "system", "user", "tool_call", "tool_call", "assistant",
    ]  # fmt: skip


def test_a_call_that_is_asked_for_before_its_run_begins_is_written() -> None:
    log = b'{"type":"interaction_query","subtype":"request","query":{"readArgs":{}}}'

    made, _ = written(events_in(log, "stream-json") or [], "stream-json")

    assert b"read" in made.lower()


@pytest.mark.parametrize(("texts", "kept"), [([], "All."), (["Some."], "Some.")])
def test_the_text_of_a_result_is_kept_where_no_other_text_is(
    texts: list[str], kept: str
) -> None:
    begin, *_, last = events()
    said = [Segment(run=1, line=2, text=text) for text in texts]
    result = Result(run=1, line=3, text="All.")
    end = End(run=1, line=3, state=None)

    made, _ = written([begin, *said, result, end, last], "stream-json")

    [run] = convert.read_runs([made])
    assert [segment.text for segment in run.segments] == [kept]
