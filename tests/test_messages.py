"""Runs as the messages of a chat, which programs for training read."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from convert.agents import AgentRun, call_of, mcp_call
from convert.model import EVERYTHING, OK, EndOfLog, Event, Image, Outcome, Tokens
from support.conversions import FEW_LOGS
from support.matrix import each, part, reject
from support.same_runs import events_in, runs_in, written

FILE = resources.files("convert.agents") / "messages.schema.json"
SCHEMA = jsonschema_rs.validator_for(json.loads(FILE.read_text("utf-8")))
LS = call_of("Bash", {"command": "ls"})


def a_run() -> tuple[AgentRun, list[Event]]:
    events: list[Event] = []
    return AgentRun(1, EVERYTHING, events.append, agent="Codex"), events


def messages(events: list[Event], **options: Any) -> list[dict[str, Any]]:
    """Return the messages of the only run."""
    made, _ = written([*events, EndOfLog(run=0, line=9)], "messages", **options)
    found: list[dict[str, Any]] = json.loads(made)["messages"]
    return found


def check_order(conversation: list[dict[str, Any]]) -> None:
    """Check that the results of a message come after it, one for each call."""
    due: list[str] = []
    seen = set()
    for message in conversation:
        if message["role"] == "tool":
            assert message["tool_call_id"] == due.pop(0)
            continue
        assert not due
        due = [call["id"] for call in message.get("tool_calls", ())]
        assert seen.isdisjoint(due)
        seen.update(due)
    assert not due


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
@pytest.mark.parametrize("arguments_as", ["string", "object"])
def test_a_golden_log_fits_the_schema(path: Path, arguments_as: str) -> None:
    found = events_in(path.read_bytes())
    if found is None:
        reject()
    options = {"arguments_as": arguments_as, "thinking": True}

    made, _ = written(found, "messages", **options)

    for line in made.splitlines():
        conversation = json.loads(line)
        SCHEMA.validate(conversation)
        check_order(conversation["messages"])
        tools = {
            tool["function"]["name"]: jsonschema_rs.validator_for(
                tool["function"]["parameters"]
            )
            for tool in conversation.get("tools", ())
        }
        for message in conversation["messages"]:
            for call in message.get("tool_calls", ()):
                arguments = call["function"]["arguments"]
                if arguments_as == "string":
                    arguments = json.loads(arguments)
                assert isinstance(arguments, dict)
                tools[call["function"]["name"]].validate(arguments)


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
def test_no_text_and_no_call_of_a_golden_log_is_missing(path: Path) -> None:
    found = events_in(path.read_bytes())
    if found is None:
        reject()
    runs = runs_in(found)

    made, _ = written(found, "messages")

    lines = [json.loads(line)["messages"] for line in made.splitlines()]
    said = [m["content"] or "" for line in lines for m in line if m["role"] != "tool"]
    calls = [c for line in lines for m in line for c in m.get("tool_calls", ())]
    texts = [text for run in runs for text in [*run["prompts"], *run["texts"]]]
    assert all(text in "\n".join(said) for text in texts)
    assert len(calls) == sum(
        call["outcome"] != "unfinished" and not call["parent"]
        for run in runs
        for call in run["calls"]
    )


def test_the_calls_of_a_response_are_one_message() -> None:
    run, events = a_run()
    run.prompt(1, "Look.", [Image("image/png", 9)])
    run.thinking(2, "Both.")
    run.text(3, "I look at both.")
    one = run.begin_call(4, "a\nb", LS, response_id="r")
    other = run.begin_call(5, "a\nb", mcp_call("db", "query", {"q": 1}))
    run.text(6, "Meanwhile.")
    run.end_call(7, other, OK, {"content": [{"type": "text", "text": "3"}]})
    run.end_call(8, one, Outcome("error", exit_code=2), {"stdout": "no"})
    run.finish(9, "success")

    user, both, first, second, last = messages(events, thinking=True)

    assert user == {"role": "user", "content": "Look."}
    assert both["reasoning_content"] == "Both."
    assert both["content"] == "I look at both."
    assert [call["id"] for call in both["tool_calls"]] == ["a_b", "call-2"]
    assert [call["function"]["name"] for call in both["tool_calls"]] == [
        "shell", "mcp__db__query",
    ]  # fmt: skip
    assert [call["function"]["arguments"] for call in both["tool_calls"]] == [
        '{"command":"ls"}', '{"q":1}',
    ]  # fmt: skip
    assert (first["tool_call_id"], first["content"]) == ("a_b", "Exit code 2\nno")
    assert (second["tool_call_id"], second["content"]) == ("call-2", "3")
    assert last == {"role": "assistant", "content": "Meanwhile."}


def the_tools(*arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tools of a run with calls of one tool."""
    run, events = a_run()
    for number, passed in enumerate(arguments):
        run.end_call(1, run.begin_call(1, f"c{number}", call_of("plot", passed)))
    run.finish(2, "success")
    made, _ = written([*events, EndOfLog(run=0, line=2)], "messages")
    tools: list[dict[str, Any]] = json.loads(made)["tools"]
    return tools


def test_the_tools_are_those_that_the_calls_show() -> None:
    [tool] = the_tools(
        {"x": 1, "at": {"a": True, "b": None}, "of": ["p", 2], "none": []},
        {"x": 1.5, "at": {"a": False}, "of": [], "title": "t"},
    )

    assert tool["type"] == "function"
    assert tool["function"]["name"] == "plot"
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "at": {
                "type": "object",
                "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}},
                "required": ["a"],
            },
            "none": {"type": "array"},
            "of": {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            },
            "title": {"type": "string"},
            "x": {"type": "number"},
        },
        "required": ["at", "of", "x"],
    }


def test_the_tools_do_not_depend_on_the_order_of_the_calls() -> None:
    one, other = {"a": 1, "b": "x"}, {"b": None, "c": []}

    assert json.dumps(the_tools(one, other)) == json.dumps(the_tools(other, one))


def test_values_nested_deeper_are_of_any_form() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = {"a": [deep]}

    [tool] = the_tools({"deep": deep})

    assert 5 < json.dumps(tool).count('"items"') < 20


def ids_of(*ids: str) -> list[str]:
    """Return the ids that calls get, which their results name as well."""
    run, events = a_run()
    for number, id in enumerate(ids):
        run.end_call(1, run.begin_call(1, id, call_of("plot", {"n": number})))
    run.finish(2, "success")
    said = messages(events)
    asked = [call["id"] for m in said for call in m.get("tool_calls", ())]
    assert asked == [m["tool_call_id"] for m in said if m["role"] == "tool"]
    return asked


def test_an_id_has_forty_characters_at_most_and_stays_the_same() -> None:
    long = f"call_{'x' * 40}"

    first, second, third = ids_of(long, f"{long}y", "a" * 40)

    assert third == "a" * 40
    assert len(first) == len(second) == 40
    assert first != second
    assert ids_of("other", long) == ["other", first]


def test_an_id_that_looks_like_one_of_ours_is_no_second_one() -> None:
    assert ids_of("call-2", "") == ["call-2", "call-2_"]


def a_conversation(*said: str) -> list[Event]:
    """Return a run in which these happen: a request, a call, an answer."""
    run, events = a_run()
    for number, what in enumerate(said):
        if what == "call":
            run.end_call(number, run.begin_call(number, "", LS))
        else:
            (run.prompt if what == "request" else run.text)(number, what)
    run.finish(9, "success")
    return [*events, EndOfLog(run=0, line=9)]


@pytest.mark.parametrize(
    ("said", "notice"),
    [
        (["request", "call", "answer"], ""),
        (["request", "answer", "call"], "1 without a final answer"),
        (["request"], "1 without a final answer"),
        (["call", "answer"], "1 without a request"),
        (["answer"], "1 without a request"),
    ],
)
def test_only_complete_conversations_are_written(said: list[str], notice: str) -> None:
    made, notices = written(a_conversation(*said), "messages", only="complete")

    assert bool(made) == (not notice)
    skipped = [each for each in notices if each.startswith("1 conversation skipped")]
    assert skipped == ([f"1 conversation skipped: {notice}, "] if notice else [])


def test_a_notice_names_skipped_reasoning() -> None:
    run, events = a_run()
    run.prompt(1, "Look.")
    run.thinking(2, "Both.")
    run.text(3, "Done.")
    run.finish(4, None)
    events.append(EndOfLog(run=0, line=4))

    assert written(events, "messages", thinking=True)[1] == []
    made, notices = written(events, "messages")

    assert [*json.loads(made)["messages"][1]] == ["role", "content"]
    assert notices == [
        "messages drops reasoning without --thinking, for which it has no place"
    ]


def test_a_notice_names_the_facts_that_a_log_loses() -> None:
    run, events = a_run()
    run.set_facts(session="s")
    run.begin_call(1, "open", LS)
    task = run.begin_call(2, "t", call_of("Task", {"prompt": "Look."}))
    inner = run.begin_call(3, "i", LS, parent="t")
    run.end_call(3, inner)
    run.end_call(4, task, OK, {"content": "Done."})
    run.result(5, text="Done.", tokens=Tokens(5))
    run.finish(5, "cut")

    made, notices = written([*events, EndOfLog(run=0, line=9)], "messages")

    assert [m["role"] for m in json.loads(made)["messages"]] == ["assistant", "tool"]
    assert notices == [
        "1 call without a result, skipped",
        "messages drops the session, the work of subagents, tokens and how runs ended,"
        " for which it has no place",
        "1 conversation without a user message, trainers may refuse that",
    ]


def test_a_run_without_a_message_is_skipped() -> None:
    run, events = a_run()
    run.finish(1, "cut", has_result=False)

    made, notices = written([*events, EndOfLog(run=0, line=1)], "messages")

    assert made == b""
    assert "the run that ends here has no message, skipped" in notices


def test_arguments_that_cursor_adds_are_skipped() -> None:
    run, events = a_run()
    arguments = {"command": "ls", "timeout": 5, "toolCallId": "x", "simpleCommands": []}
    run.end_call(1, run.begin_call(1, "a", call_of("Bash", arguments)))
    run.finish(2, "success")

    [said, _] = messages(events, arguments_as="object")

    function = said["tool_calls"][0]["function"]
    assert function["arguments"] == {"command": "ls", "timeout": 5}


def test_the_schema_refuses_messages_that_trainers_refuse() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}
    good = {"role": "assistant", "content": None, "tool_calls": [call]}
    for wrong in (
        {"role": "assistant"},
        {**good, "tool_calls": []},
        {**good, "tool_calls": [{**call, "id": "a\nb"}]},
        {"role": "system", "content": "x"},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": None},
    ):
        assert SCHEMA.is_valid({"messages": [good]})
        assert not SCHEMA.is_valid({"messages": [wrong]})
    assert not SCHEMA.is_valid({"messages": []})


def test_a_call_that_is_asked_for_before_its_run_begins_is_written() -> None:
    log = b'{"type":"interaction_query","subtype":"request","query":{"readArgs":{}}}'

    made, _ = written(events_in(log, "stream-json") or [], "messages")

    assert made == b""
