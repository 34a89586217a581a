"""Logs written as Claude Code's stream, for programs that read that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convert.agents import AgentRun, call_of, claude_call
from convert.agents.claude import stream_writer as waiting_lines
from convert.model import EVERYTHING, OK, EndOfLog, Event, Outcome, ToolCall
from convert.tools import FOREIGN, tools
from support.conversions import FEW_LOGS
from support.golden import identify
from support.matrix import each, part, reject
from support.same_runs import events_in, gists_in, without_an_end, written

# Runs that read back otherwise, and why.
NOT_THE_SAME = {
    "diff-commands-that-only-look/acts.ndjson": "the command in `bash -c` counts",
    "diff-commands-that-only-look/looks.ndjson": "likewise",
    "doubled-by-standard-error/resumed.ndjson": "a prompt alone is no run",
    "recap-or-repetition-is-settled-by-the-result/twice.ndjson": "the text is halved",
    "requests-like-claude-codes-own/input.ndjson": "the request is skipped",
    "torn-event-in-front-of-another/input.ndjson": "a prompt alone is no run",
}
# Claude Code has one end of a call, and one set of arguments.
SAID_TWICE = (
    "calls-that-say-little-at-the-end",
    "diff-a-call-that-completes-again",
    "transcript-calls-that-end-twice",
)


def as_claude_has_it(run: dict[str, Any]) -> dict[str, Any]:
    """Return the rest of a run: kinds of only one agent become functions."""
    run = without_an_end(run)
    for call in run["calls"]:
        if call["kind"] != "shell":
            # Only commands have exit codes there.
            call["exit code"] = None
        name = call["kind"][:1].upper() + call["kind"][1:]
        is_known = call["kind"] in tools() or call["kind"] in FOREIGN
        if not is_known or call["kind"] == "sendMessage":
            call["kind"], call["name"] = "function", name
    return run


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
def test_a_golden_log_reads_back_as_the_same_runs(path: Path) -> None:
    found = events_in(path.read_bytes())
    where = identify(path)
    if found is None or where in NOT_THE_SAME or where.startswith(SAID_TWICE):
        reject()
    expected = [*map(as_claude_has_it, gists_in(found))]

    made, _ = written(found, "claude-stream")

    read = gists_in(events_in(made, "claude-stream") or [])
    # Runs that break off end in another order.
    assert sorted(read, key=_session) == sorted(expected, key=_session)


def _session(run: dict[str, Any]) -> str:
    return str(run["session"])


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
def test_a_golden_log_is_recognised_and_becomes_the_same_bytes_again(
    path: Path,
) -> None:
    found = events_in(path.read_bytes())
    if found is None:
        reject()
    made, _ = written(found, "claude-stream")

    again = events_in(made)
    assert again is not None
    assert written(events_in(path.read_bytes()) or [], "claude-stream")[0] == made
    ids = [json.loads(line)["uuid"] for line in made.splitlines()]
    assert len(ids) == len({*ids})


def lines(events: list[Event]) -> list[dict[str, Any]]:
    made, _ = written([*events, EndOfLog(run=0, line=9)], "claude-stream")
    return [json.loads(line) for line in made.splitlines()]


def a_run() -> tuple[AgentRun, list[Event]]:
    events: list[Event] = []
    run = AgentRun(1, EVERYTHING, events.append, agent="Cursor")
    run.set_facts(session="s", model="Composer 2.5")
    return run, events


def test_the_blocks_of_a_response_share_a_message() -> None:
    run, events = a_run()
    run.text(1, "I look.")
    one = run.begin_call(2, "a", call_of("Read", {"file_path": "a"}), response_id="r1")
    run.end_call(3, one)
    two = run.begin_call(4, "b", call_of("Read", {"file_path": "b"}), response_id="r1")
    run.end_call(5, two)
    run.end_call(6, run.begin_call(6, "c", call_of("Read"), response_id="r2"))
    run.text(7, "Done.")
    run.finish(8, "success")

    said = [
        line["message"]["id"] for line in lines(events) if line["type"] == "assistant"
    ]

    assert said[0] == said[1] == said[2]
    assert len({*said}) == 3
    assert lines(events)[-1]["num_turns"] == 3


def test_an_edit_waits_until_it_says_what_it_changed() -> None:
    run, events = a_run()
    edit = call_of("create", {"path": "a.py", "streamContent": "x = 2\n"})
    one = run.begin_call(1, "a", edit)
    other = run.begin_call(2, "b", call_of("Read", {"file_path": "b"}))
    run.end_call(3, other)
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    run.end_call(4, one, OK, {"diffString": diff})
    run.finish(5, "success")

    blocks = [line["message"]["content"][0] for line in lines(events)[1:-1]]

    assert [block.get("id", block.get("tool_use_id")) for block in blocks] == [
        "a", "b", "b", "a",
    ]  # fmt: skip
    assert blocks[0]["name"] == "Edit"
    assert blocks[0]["input"] == {
        "file_path": "a.py",
        "old_string": "x = 1\n",
        "new_string": "x = 2\n",
    }


def test_not_more_waits_than_memory_has_room_for(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(waiting_lines, "_MOST_WAITING", 5)
    run, events = a_run()
    run.begin_call(1, "a", call_of("create", {"path": "a.py", "streamContent": "x"}))
    for number in range(9):
        run.end_call(number, run.begin_call(number, f"r{number}", call_of("Read")))
    run.finish(10, "unfinished", has_result=False)

    # The run has not ended yet.
    made = lines(events[:-1])

    assert [line["type"] for line in made].count("user") >= 5
    assert made[1]["message"]["content"][0]["input"] == {
        "file_path": "a.py",
        "new_string": "x",
    }


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome("error", exit_code=2), "Exit code 2\nno such file"),
        (Outcome("error", signal="SIGTERM"), "terminated by SIGTERM\nno such file"),
        (Outcome("error", message="gone"), "gone\nno such file"),
        (
            Outcome("rejected", message="Not in this folder"),
            "Permission to use Bash has been denied: Not in this folder\nno such file",
        ),
        (OK, "no such file"),
    ],
)
def test_a_result_says_how_its_call_ended(outcome: Outcome, told: str) -> None:
    run, events = a_run()
    call = run.begin_call(1, "a", call_of("Bash", {"command": "ls"}))
    run.end_call(2, call, outcome, {"stdout": "", "stderr": "no such file"})
    run.finish(3, "success")

    *_, result, end = lines(events)

    block = result["message"]["content"][0]
    assert (block["content"], block["is_error"]) == (told, outcome != OK)
    denied = [each["tool_use_id"] for each in end["permission_denials"]]
    assert denied == ["a"] * (outcome.status == "rejected")


@each(
    ("name", "input"),
    [
        ("Read", {"file_path": "a.py", "offset": 3, "limit": 5}),
        ("Grep", {"pattern": "x", "path": "src", "-i": True, "-A": 2, "head_limit": 5}),
        ("Glob", {"pattern": "*.py", "path": "src"}),
        ("Write", {"file_path": "a.py", "content": ""}),
        (
            "Edit",
            {
                "file_path": "a",
                "old_string": "x",
                "new_string": "y",
                "replace_all": True,
            },
        ),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
        ),
        ("Task", {"prompt": "Look.", "subagent_type": "Explore"}),
        ("BashOutput", {"task_id": "3"}),
        ("WebFetch", {"prompt": "What is new?", "url": "https://example.org"}),
        ("mcp__tracker__list__open", {"path": "x"}),
        ("Skill", {"skill": "pdf"}),
        (
            "TodoWrite",
            {
                "todos": [
                    {"content": "Fix", "status": "in_progress", "activeForm": "Fix"}
                ]
            },
        ),
    ],
)
def test_a_call_of_claude_code_keeps_its_name_and_its_input(
    name: str, input: dict[str, Any]
) -> None:
    known = call_of(name, input)
    call = ToolCall(run=1, line=1, number=1, id="a", kind=known.kind)
    call.name, call.native, call.arguments = known.name, known.native, known.arguments

    assert claude_call(call) == (name, input)


@each("kind", [*tools(), "newThing", ""])
def test_no_argument_of_another_type_is_refused(kind: str) -> None:
    names = ("path", "streamContent", "strReplace", "multiStrReplace", "todos")
    names += ("questions", "subagentType", "globPattern")
    for value in (None, 3, [None], {"a": {}}, {}, ["a", 1]):
        call = ToolCall(run=1, line=1, number=1, id="a", kind=kind)
        call.arguments = dict.fromkeys(names, value)

        assert claude_call(call)[1]


def test_a_call_that_is_asked_for_before_its_run_begins_is_written() -> None:
    log = b'{"type":"interaction_query","subtype":"request","query":{"readArgs":{}}}'

    made, _ = written(events_in(log, "stream-json") or [], "claude-stream")

    assert b"read" in made.lower()


@pytest.mark.parametrize(
    ("lines", "name", "expected"),
    [
        (
            ["*** Update File: a", "@@ def f():", " x", "-y", "+z"],
            "Edit",
            {"old_string": "x\ny\n", "new_string": "x\nz\n"},
        ),
        (
            ["*** Update File: a", "@@", "-x", "@@", "-y", "+z"],
            "MultiEdit",
            {
                "edits": [
                    {"old_string": "x\n", "new_string": ""},
                    {"old_string": "y\n", "new_string": "z\n"},
                ]
            },
        ),
        (["*** Add File: a", "+x"], "Write", {"content": "x\n"}),
    ],
)
def test_a_patch_of_one_file_says_what_it_replaces(
    lines: list[str], name: str, expected: dict[str, Any]
) -> None:
    patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])

    made = input_of({"path": "a", "applyPatch": {"patchContent": patch}})

    assert made == (name, {"file_path": "a", **expected})


@pytest.mark.parametrize(
    "lines",
    [
        ["*** Update File: a", "@@", "+x"],
        ["*** Update File: a", "*** Move to: b", "@@", "-x", "+y"],
        ["*** Update File: a", "@@", "-x", "*** Update File: b", "@@", "-x"],
        ["damaged"],
    ],
)
def test_a_patch_that_no_edit_can_say_stays_as_it_was_passed(lines: list[str]) -> None:
    patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])

    made = input_of({"path": "a", "applyPatch": {"patchContent": patch}})

    assert made == ("Edit", {"file_path": "a", "patch": patch})


def input_of(arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    edit = ToolCall(run=1, line=1, number=1, id="1", kind="edit", arguments=arguments)
    return claude_call(edit)
