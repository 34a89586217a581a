"""The readers of Codex's logs: the output of `codex exec --json`, and session files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.agents import TokenCounts, Usage, recognition
from convert.model import Outcome, Run, Tokens
from convert.source import Certainty
from support.conversions import convert_all
from support.golden import GOLDEN

EXEC = sorted(GOLDEN.glob("codex-exec-*/codex.ndjson"))
ROLLOUTS = sorted(GOLDEN.glob("codex-rollout-*/codex.jsonl"))
Values = dict[str, Any]


def read(*records: Values) -> Run:
    """Return the run of a log with these lines."""
    [run] = convert.read_runs([json.dumps(each).encode() + b"\n" for each in records])
    return run


def records_in(path: Path) -> Iterator[Values]:
    for line in path.read_bytes().splitlines():
        if line.startswith(b"{") and line.endswith(b"}"):
            yield json.loads(line)


def item(kind: str, type: str = "item.completed", **members: Any) -> Values:
    return {"type": type, "item": {"id": "item_1", "type": kind, **members}}


def entry(kind: str, /, **payload: Any) -> Values:
    return {"timestamp": "2026-11-20T11:31:00.000Z", "type": kind, "payload": payload}


class TestRecognition:
    @pytest.mark.parametrize("path", EXEC, ids=lambda path: path.parent.name)
    def test_each_single_line_of_exec_is_recognised(self, path: Path) -> None:
        for record in records_in(path):
            if record["type"] not in ("error", "thread.renamed"):
                assert (
                    recognition.recognise_codex_exec([record], False)
                    == Certainty.CERTAIN
                )
            assert (
                recognition.recognise_codex_rollout([record], False) == Certainty.NONE
            )

    @pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: path.parent.name)
    def test_each_single_line_of_a_session_file_is_recognised(self, path: Path) -> None:
        for record in records_in(path):
            if record["type"] not in ("world_state", "hologram"):
                assert (
                    recognition.recognise_codex_rollout([record], False)
                    == Certainty.CERTAIN
                )
            assert recognition.recognise_codex_exec([record], False) == Certainty.NONE

    def test_the_order_of_keys_does_not_matter(self) -> None:
        turned = {"item": {"type": "reasoning", "id": "a"}, "type": "item.completed"}

        assert recognition.recognise_codex_exec([turned], False) == Certainty.CERTAIN

    @pytest.mark.parametrize("path", [EXEC[0], ROLLOUTS[0]], ids=["exec", "rollout"])
    def test_an_example_in_prose_is_none(self, path: Path) -> None:
        examples = list(records_in(path))[1:]

        for recognise in (
            recognition.recognise_codex_exec,
            recognition.recognise_codex_rollout,
        ):
            assert recognise(examples, True) == Certainty.NONE

    @pytest.mark.parametrize("path", [*EXEC, *ROLLOUTS], ids=lambda p: p.parent.name)
    def test_no_line_is_taken_for_another_agents(self, path: Path) -> None:
        start = next(convert.read(path))

        assert getattr(start, "agent", "") == "Codex"


def _calls_of_exec(records: list[Values]) -> int:
    """Count the calls that a log holds, as its items say."""
    count = thread = 0
    seen: set[Any] = set()
    for record in records:
        thread += record["type"] == "thread.started"
        inner = record.get("item", {})
        kind = inner.get("type") or inner.get("item_type")
        is_other = kind in ("agent_message", "assistant_message", "reasoning", "error")
        if not inner or is_other or kind == "hologram":
            continue
        if (thread, inner["id"]) not in seen:
            count += len(inner["changes"]) if kind == "file_change" else 1
        seen.add((thread, inner["id"]))
    return count


def _calls_of_rollout(records: list[Values]) -> int:
    """Count the calls that a file holds, as its items and lone events say."""
    count = 0
    seen: set[Any] = set()
    for record in records:
        payload = record["payload"]
        inner = payload.get("item", payload)
        kind = str(inner.get("type"))
        id = (
            inner.get("call_id")
            or inner.get("id")
            or inner.get("action", {}).get("url")
        )
        is_call = kind.endswith("_call") or kind in (
            *("exec_command_end", "mcp_tool_call_end", "patch_apply_end"),
            *("CommandExecution", "McpToolCall", "FileChange"),
        )
        if not is_call or id in seen:
            continue
        seen.add(id)
        given = str(inner.get("input") or inner.get("arguments")).replace("\\n", "\n")
        files = re.findall(
            r"^\*\*\* (?:Add|Update|Delete) File|^\*\*\* Move", given, re.M
        )
        count += len(files or inner.get("changes") or [0])
    return count


@pytest.mark.parametrize("path", [*EXEC, *ROLLOUTS], ids=lambda path: path.parent.name)
def test_each_call_of_a_log_is_shown(path: Path) -> None:
    count = _calls_of_exec if path in EXEC else _calls_of_rollout

    runs = list(convert.read_runs(path))

    assert sum(len(run.calls) for run in runs) == count(list(records_in(path)))


@pytest.mark.parametrize("path", [*EXEC, *ROLLOUTS], ids=lambda path: path.parent.name)
def test_the_answer_is_the_last_message(path: Path) -> None:
    for run in convert.read_runs(path):
        if run.result and run.has_result and run.segments:
            assert run.result.text == run.answer


class TestExec:
    def test_a_declined_command_was_never_run(self) -> None:
        run = read(
            item("command_execution", command="rm a", exit_code=-1, status="declined")
        )

        [call] = run.calls
        assert call.outcome is not None
        assert call.outcome.status == "rejected"

    @pytest.mark.parametrize(
        "failed",
        [
            item("command_execution", command="ls", exit_code=0, status="failed"),
            item("web_search", query="cart", status="failed"),
        ],
        ids=["command", "search"],
    )
    def test_a_call_whose_status_is_failed_has_failed(self, failed: Values) -> None:
        assert [call.outcome for call in read(failed).calls] == [Outcome("error")]

    def test_messages_that_have_begun_are_not_lost(self) -> None:
        run = read(item("agent_message", "item.updated", text="I'll lo"))

        assert (run.answer, run.state) == ("I'll lo", "cut")

    def test_ids_begin_again_with_a_turn(self) -> None:
        command = item("command_execution", command="ls", exit_code=0)

        run = read(command, command, {"type": "turn.started"}, command)

        assert len(run.calls) == 2

    def test_a_result_without_usage_has_no_tokens(self) -> None:
        run = read({"type": "turn.started"}, {"type": "turn.completed", "usage": None})

        assert run.result is not None
        assert run.result.tokens is None

    @pytest.mark.parametrize("end", ["turn.completed", "turn.failed"])
    def test_only_the_end_of_a_turn_ends_it(self, end: str) -> None:
        error = {"type": "error", "message": "Reconnecting... 1/5"}

        run = read({"type": "turn.started"}, error, {"type": end, "error": None})

        assert run.state == ("success" if end == "turn.completed" else "error")
        [retry] = run.incidents
        assert (retry.kind, retry.attempt) == ("retry", 1)

    def test_arguments_that_are_no_object_are_kept(self) -> None:
        run = read(item("mcp_tool_call", server="a", tool="b", arguments=["x"]))

        assert run.calls[0].arguments == {"arguments": ["x"]}


class TestSessionFile:
    @pytest.mark.parametrize("target", ["text", "markdown"])
    def test_contexts_are_no_prompts(self, target: str) -> None:
        log = [path.read_bytes() for path in ROLLOUTS if "bug-fix" in path.parent.name]

        shown = convert_all(log, target) or b""

        assert b"environment_context" not in shown
        assert b"permissions instructions" not in shown

    def test_a_call_in_a_script_names_the_script(self) -> None:
        made = entry(
            "response_item", type="custom_tool_call", name="exec", call_id="a", input=""
        )
        inner = entry(
            "event_msg",
            type="exec_command_end",
            call_id="b",
            command=["ls"],
            exit_code=0,
        )

        run = read(made, inner)

        assert [(call.kind, call.parent) for call in run.calls] == [
            ("function", ""),
            ("shell", "a"),
        ]

    def test_arguments_that_are_no_json_are_kept(self) -> None:
        run = read(
            entry("response_item", type="function_call", name="x", arguments="{oops")
        )

        assert run.calls[0].arguments == {"arguments": "{oops"}

    @pytest.mark.parametrize(
        ("name", "namespace", "shown"),
        [
            ("tracker__list", None, "tracker/list"),
            ("mcp__tracker__list", None, "tracker/list"),
            ("list_all", "mcp__tracker__", "tracker/list_all"),
            ("close_agent", None, "close_agent"),
            ("add", "calendar", "calendar.add"),
        ],
    )
    def test_the_name_of_a_tool(
        self, name: str, namespace: str | None, shown: str
    ) -> None:
        call = entry(
            "response_item", type="function_call", name=name, namespace=namespace
        )

        assert read(call).calls[0].name == shown

    def test_a_turn_that_goes_on_is_cut(self) -> None:
        run = read(
            entry("event_msg", type="task_started"),
            entry("event_msg", type="task_complete", last_agent_message="Yes."),
            entry("event_msg", type="task_started"),
        )

        assert run.state == "cut"

    def test_odd_values_lose_no_line(self) -> None:
        odd = {"timestamp": 3, "type": "event_msg"}
        run = read(
            {**odd, "payload": {"type": "agent_message", "message": 7}},
            {**odd, "payload": {"type": "item_completed", "item": [1]}},
            {**odd, "payload": {"type": "token_count", "info": []}},
            {**odd, "payload": {"type": "user_message", "message": "Go.", "images": 1}},
            {**odd, "payload": [1]},
            entry("response_item", type="function_call", name=1, arguments=2),
            entry("response_item", type="web_search_call", action="x"),
        )

        assert run.prompts == ["Go."]
        assert [call.kind for call in run.calls] == ["function", "webSearch"]

    @pytest.mark.parametrize(
        ("said", "state", "reason"),
        [(None, "error", "usage limit"), ("Done.", "success", "")],
    )
    def test_a_turn_that_says_nothing_after_an_error_has_failed(
        self, said: str | None, state: str, reason: str
    ) -> None:
        turn = [
            entry("event_msg", type="task_started"),
            entry("event_msg", type="error", message="usage limit"),
            entry("event_msg", type="task_complete", last_agent_message=said),
        ]

        run = read(*turn)
        resumed = read(*turn, turn[0], turn[2])

        assert (run.state, run.reason) == (state, reason)
        assert run.result is not None
        assert run.result.is_error == (state == "error")
        assert (resumed.state, resumed.reason) == ("success", "")

    def test_a_call_with_the_id_of_an_open_one_is_named(self) -> None:
        calls = [
            entry("response_item", type="function_call", name=name, call_id="a")
            for name in ("one", "one", "two")
        ]
        log = "".join(f"{json.dumps(each)}\n" for each in calls).encode()
        warnings: list[str] = []

        [run] = convert.read_runs(
            [log], warn=lambda _, what, *__: warnings.append(what)
        )

        assert [call.name for call in run.calls] == ["one"]
        assert warnings == ["a call with the id of an open call"]

    @pytest.mark.parametrize("is_late", [False, True])
    def test_an_event_tells_that_a_tool_of_a_server_failed(self, is_late: bool) -> None:
        result = {"content": [{"type": "text", "text": "no such issue"}]}
        name = {"type": "mcp_tool_call_end", "call_id": "a"}
        tool = {"server": "tracker", "tool": "get"}
        ended = [
            entry(
                "event_msg",
                **name,
                invocation=tool,
                result={"Ok": {**result, "isError": True}},
            ),
            entry(
                "response_item", type="function_call_output", call_id="a", output="x"
            ),
        ]
        made = entry(
            "response_item", type="function_call", name="tracker__get", call_id="a"
        )

        run = read(made, *(reversed(ended) if is_late else ended))

        assert [call.outcome for call in run.calls] == [
            Outcome("error", message="no such issue")
        ]

    @pytest.mark.parametrize("name", [["l"], {"a": 1}, None, 7])
    @pytest.mark.parametrize("target", ["text", "json"])
    def test_a_name_of_any_type_ends_no_log(self, name: Any, target: str) -> None:
        call = entry("response_item", type="function_call", name=name, call_id="a")
        line = json.dumps(call).encode() + b"\n"

        assert convert_all([line * 2], target, partial=True)


SAID = st.lists(st.tuples(st.sampled_from(["Yes.", "No."]), st.integers(0, 3)))


@given(SAID)
def test_a_text_counts_once_however_it_is_recorded(
    said: list[tuple[str, int]],
) -> None:
    lines: list[Values] = [entry("session_meta", id="s")]
    for text, form in said:
        content = [{"type": "output_text", "text": text}]
        as_item = {"type": "message", "role": "assistant", "content": content}
        twins = [
            entry("response_item", **as_item),
            entry("event_msg", type="agent_message", message=text),
        ]
        # A text with a twin, in either order, or two of only one kind.
        lines += [twins, twins[::-1], twins, twins[::-1]][form]

    run = read(*lines)

    assert run.texts == [text for text, _ in said]


def test_tokens_that_begin_again_are_added_up() -> None:
    counts = TokenCounts()
    for sums in [(100, 60, 10), (100, 60, 10), (300, 200, 30), (50, 20, 5), None]:
        counts.add(sums and Usage(sums[0], sums[1], None, sums[2]))

    assert counts.tokens == Tokens(350 - 220, 35, 220, None)
    assert TokenCounts().tokens is None
