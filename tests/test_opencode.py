"""The reader of opencode's logs."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import convert
from convert.agents import recognise_opencode
from convert.model import Outcome, Tokens
from convert.source import Certainty
from support.golden import GOLDEN
from support.matrix import each

BUG_FIX = GOLDEN / "opencode-bug-fix" / "opencode.ndjson"


def line(type: str, at: int = 0, session: str = "ses_1", **members: Any) -> bytes:
    event = {"type": type, "timestamp": 1000 + at, "sessionID": session, **members}
    return json.dumps(event).encode() + b"\n"


def part(type: str, at: int = 0, session: str = "ses_1", **members: Any) -> bytes:
    return line(type, at, session, part=members)


def tool(name: str, state: dict[str, Any], id: str = "prt_1") -> bytes:
    return part("tool_use", id=id, tool=name, callID="call_1", state=state)


def completed(name: str, output: str, id: str = "prt_1", **metadata: Any) -> bytes:
    state = {"status": "completed", "input": {}, "output": output}
    return tool(name, {**state, "metadata": metadata}, id)


def run_of(*lines: bytes) -> convert.Run:
    [run] = convert.read_runs([b"".join(lines)], warn=unexpected)
    return run


def unexpected(line: int | None, what: str, action: str) -> None:
    raise AssertionError(f"{line}: {what}, {action}")


@pytest.mark.parametrize(
    ("record", "certainty"),
    [
        ({"sessionID": "s", "part": {}}, Certainty.CERTAIN),
        ({"sessionID": "s", "type": "error", "error": {}}, Certainty.CERTAIN),
        ({"sessionID": "s", "type": "done", "reason": "idle"}, Certainty.CERTAIN),
        ({"sessionId": "s", "part": {}}, Certainty.NONE),
        ({"session_id": "s", "type": "error", "error": {}}, Certainty.NONE),
    ],
)
def test_keys_tell_a_log(record: dict[str, Any], certainty: int) -> None:
    assert recognise_opencode([record], False) == certainty


@each(
    ("lines", "state", "reason"),
    [
        ([part("step_finish", reason="stop")], "success", ""),
        ([part("step_finish", reason="tool-calls")], "cut", ""),
        ([part("step_finish", reason="stop"), part("step_start")], "cut", ""),
        ([part("text", text="Hm")], "cut", ""),
        ([part("step_finish", reason="tool-calls"), line("done")], "success", ""),
        ([line("done", rejected=["bash", 3])], "error", "permission refused: bash"),
        (
            [
                line("error", error={"data": {"message": "no"}}),
                line("error", error="x"),
            ],
            "error",
            "no\nx",
        ),
        ([line("error", error={"name": "Aborted"})], "error", "Aborted"),
        ([line("error", error=[1])], "error", "[1]"),
    ],
)
def test_how_a_run_ended(lines: list[bytes], state: str, reason: str) -> None:
    run = run_of(part("step_start"), *lines)

    assert (run.state, run.reason) == (state, reason)
    assert (run.result is None) == (state == "cut")


def test_another_session_and_a_done_begin_another_run() -> None:
    log = [
        part("text", session="a", text="1"),
        part("text", session="b", text="2"),
        line("done", session="b"),
        part("text", session="b", text="3"),
    ]

    runs = [*convert.read_runs(log)]

    assert [(run.session, run.text) for run in runs] == [
        ("a", "1"),
        ("b", "2"),
        ("b", "3"),
    ]


@pytest.mark.parametrize(
    ("usage", "output"),
    [
        ({"input": 5, "output": 7, "reasoning": 3}, 7),
        ({"total": 12, "input": 5, "output": 7, "reasoning": 3}, 7),
        (
            {
                "total": 17,
                "input": 5,
                "output": 7,
                "reasoning": 3,
                "cache": {"read": 2},
            },
            10,
        ),
        ({"total": 20, "input": 5, "output": 7, "reasoning": 3}, 7),
        # Without a total, only reasoning that is more than the output is separate.
        ({"output": 2, "reasoning": 200}, 202),
        ({"output": 7, "reasoning": 3}, 7),
    ],
)
def test_reasoning_counts_as_output(usage: dict[str, Any], output: int) -> None:
    run = run_of(part("step_finish", reason="stop", tokens=usage))

    assert run.result is not None
    assert run.result.tokens is not None
    assert run.result.tokens.output == output


def test_tokens_that_are_not_recorded_are_none() -> None:
    counted = part("step_finish", id="1", reason="stop", tokens={"input": 4})
    uncounted = part("step_finish", id="2", reason="stop")

    run = run_of(counted, uncounted, counted)

    assert run.result is not None
    assert run.result.tokens == Tokens(input=4)


@pytest.mark.parametrize("to", ["text", "markdown"])
def test_a_part_that_comes_again_counts_once(to: str) -> None:
    log = BUG_FIX.read_bytes().splitlines(keepends=True)

    twice = b"".join(convert.convert([*log[:4], *log[1:4], *log[4:]], to))

    assert twice == b"".join(convert.convert(log, to))


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"status": "completed", "metadata": {"exit": 0}}, Outcome("ok")),
        (
            {"status": "completed", "metadata": {"exit": 2}},
            Outcome("error", exit_code=2),
        ),
        (
            {"status": "completed", "output": "x", "metadata": {"exit": None}},
            Outcome("ok"),
        ),
        (
            {
                "status": "completed",
                "output": "x\n\n<bash_metadata>\ntoo long\n</bash_metadata>",
                "metadata": {"exit": None},
            },
            Outcome("error", message="too long"),
        ),
        ({"status": "error", "error": "no"}, Outcome("error", message="no")),
        (
            {"status": "error", "error": {"a": 1}},
            Outcome("error", message='{"a":1}'),
        ),
        (
            {"status": "error", "error": {"message": "gone"}},
            Outcome("error", message="gone"),
        ),
        (
            {"status": "completed", "metadata": {"exit": "1"}},
            Outcome("error", exit_code=1),
        ),
        ({"status": "running"}, Outcome("unfinished")),
        ({}, Outcome("unfinished")),
    ],
)
@pytest.mark.parametrize("to", ["text", "json"])
def test_outcomes_do_not_depend_on_the_needs(
    state: dict[str, Any], outcome: Outcome, to: str
) -> None:
    run = run_of(tool("bash", state))
    [shown] = [
        text.decode() for text in convert.convert([tool("bash", state)], "text") if text
    ][:1]

    assert [call.outcome for call in run.calls] == [outcome]
    assert ("(" in shown.split("\n")[0]) == (outcome.status != "ok")


@pytest.mark.parametrize("id", ["prt_1", "prt_2"])
@pytest.mark.parametrize("to", ["text", "markdown"])
def test_a_call_that_goes_on_and_ends_is_one_call(id: str, to: str) -> None:
    running = tool("bash", {"status": "running", "input": {"command": "ls"}})
    pending = tool("bash", {"status": "pending", "input": {}})
    ended = completed("bash", "a", id, exit=0)
    whole = [pending, running, ended, ended]

    [call] = run_of(*whole).calls
    shown = b"".join(convert.convert([b"".join(whole)], to))

    assert call.outcome == Outcome("ok")
    assert call.output == {"interleavedOutput": "a", "exitCode": 0}
    assert shown.count(b"Ran ") == 1


TRIMMED = "Index: a\n===\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n if x:\n-    y\n+    z\n"


@pytest.mark.parametrize(
    ("old", "diff"),
    [
        # The indentation of the texts, put back in front of each line.
        ("        y", "@@ -1,2 +1,2 @@\n     if x:\n-        y\n+        z\n"),
        # It is not known.
        ("y", "@@ -1,2 +1,2 @@\n if x:\n-    y\n+    z\n"),
    ],
)
def test_a_diff_gets_its_indentation_back(old: str, diff: str) -> None:
    state = {
        "status": "completed",
        "input": {
            "filePath": "a",
            "oldString": old,
            "newString": old.replace("y", "z"),
        },
        "output": "Edit applied successfully.",
        "metadata": {"diff": TRIMMED},
    }

    [call] = run_of(tool("edit", state)).calls

    assert call.output["diffString"] == f"--- a/a\n+++ b/a\n{diff}"
    assert (call.output["linesAdded"], call.output["linesRemoved"]) == (1, 1)


@each(
    ("output", "name"),
    itertools.product(
        [
            "",
            "\n\n\n",
            "Found 1 matches",
            "Found 1 matches\n  Line 1: x",
            "Found 1 matches\na.py:\n  Line x: y",
            "<content>\n</content>",
            "<file>\n00001| x\n00003| y\n</file>",
            "<path>a</path>\n<type>file</type>\n<content>x",
        ],
        ["read", "grep", "glob", "list", "bash", "edit"],
    ),
)
def test_no_output_breaks_the_reader(name: str, output: str) -> None:
    [call] = run_of(completed(name, output)).calls

    assert call.outcome == Outcome("ok")


@pytest.mark.parametrize("name", ["timestamp", "sessionID", "part", "error"])
@pytest.mark.parametrize("value", [True, "s", [1], {"text": 3}])
def test_a_member_of_another_type_does_not_lose_the_line(
    name: str, value: object
) -> None:
    event = {"type": "text", "sessionID": "s", "part": {"text": "a"}, name: value}
    log = [part("step_start", session="s"), json.dumps(event).encode()]
    # An error has no form that is expected.
    is_lost = name != "error" and (name, value) != ("sessionID", "s")
    lost = "text" if name == "part" and isinstance(value, dict) else name
    warnings: list[str] = []

    [run] = convert.read_runs(log, warn=lambda _, what, action: warnings.append(what))

    assert run.state == "cut"
    assert run.text == (None if name == "part" else "a")
    assert warnings == ([f"unexpected type of {lost}"] if is_lost else [])
