"""The lines of a log that belong to one tool call."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.model import ToolCall
from convert.options import Options
from support.matrix import each, part

INIT = b'{"type":"system","subtype":"init","cwd":"/w","session_id":"s"}\n'
END = b'{"type":"result","subtype":"success","result":"","session_id":"s"}\n'


def line(subtype: str, call_id: str = "", path: str = "", **more: Any) -> bytes:
    tool, result = more.pop("tool", "read"), more.pop("result", None)
    body: dict[str, Any] = {"args": {"path": path}} if path else {}
    if "argument" in more:
        body.setdefault("args", {})["toolCallId"] = more.pop("argument")
    if subtype == "completed":
        body["result"] = result or {"success": {}}
    if step := more.pop("step", ""):
        more["model_call_id"] = step
    inner = {"toolCallId": more.pop("inner")} if "inner" in more else {}
    members = {"type": "tool_call", "subtype": subtype, "session_id": "s", **more}
    if call_id:
        members["call_id"] = call_id
    members["tool_call"] = {f"{tool}ToolCall": body, **inner}
    return json.dumps(members).encode() + b"\n"


def query(body: dict[str, Any], number: int = 0, name: str = "shell") -> bytes:
    members = {"id": number, f"{name}RequestQuery": body}
    head = {"type": "interaction_query", "subtype": "request", "session_id": "s"}
    return json.dumps({**head, "query": members}).encode() + b"\n"


def answer(body: dict[str, Any], number: int = 0, name: str = "shell") -> bytes:
    members = {"id": number, f"{name}RequestResponse": body}
    head = {"type": "interaction_query", "subtype": "response", "session_id": "s"}
    return json.dumps({**head, "response": members}).encode() + b"\n"


def calls_of(*lines: bytes) -> list[tuple[str, str]]:
    """The calls of a log, each with its path or command and how it ended."""
    [run] = convert.read_runs([INIT, *lines, END])
    assert [call.number for call in run.calls] == [*range(1, len(run.calls) + 1)]
    return [(_target(call), _status(call)) for call in run.calls]


def _target(call: ToolCall) -> str:
    arguments = call.arguments or {}
    return str(arguments.get("path", arguments.get("command", "")))


def _status(call: ToolCall) -> str:
    return call.outcome.status if call.outcome else "open"


def started(*args: str, **more: Any) -> bytes:
    return line("started", *args, **more)


def completed(*args: str, **more: Any) -> bytes:
    return line("completed", *args, **more)


SURROGATE = b'"other": "\\ud83d", '
NO = {"rejected": {"reason": "no"}}
LOGS = {
    "repeated lines": [
        [started("1", "a"), started("1", "a"), completed("1", "a")] * 1,
        [("a", "ok")],
    ],
    "completed again": [
        [started("1", "a"), completed("1", "a"), completed("1", "a")],
        [("a", "ok")],
    ],
    "started after the end": [
        [started("1", "a"), completed("1", "a"), started("1", "a"), completed("1")],
        [("a", "ok"), ("a", "ok")],
    ],
    "other arguments": [
        [started("1", "a"), started("1", "b"), completed("1", "a")],
        [("a", "ok"), ("b", "unfinished")],
    ],
    "another tool": [
        [started("1", "a"), started("1", "a", tool="ls"), completed("1", tool="ls")],
        [("a", "unfinished"), ("a", "ok")],
    ],
    "another response": [
        [started("1", "a", step="x"), started("1", "a", step="y")],
        [("a", "unfinished"), ("a", "unfinished")],
    ],
    "the lost attempt stays open when the last line of the second comes again": [
        [
            started("1", "a", step="x"),
            started("1", "a", step="y"),
            *[completed("1", "a", step="y")] * 2,
        ],
        [("a", "unfinished"), ("a", "ok")],
    ],
    "three at once, whose lines repeat some arguments or none": [
        [
            *[started("1", path) for path in "abc"],
            completed("1", "b"),
            completed("1", result=NO),
            completed("1", "a"),
        ],
        [("a", "ok"), ("b", "ok"), ("c", "rejected")],
    ],
    "completed alone in another response": [
        [completed("1", "a", step="x"), completed("1", "a", step="y")],
        [("a", "ok"), ("a", "ok")],
    ],
    "the id inside": [
        [
            *[started(path="a", inner="1"), started(path="b", inner="2")],
            *[completed(inner="2", result=NO), completed(inner="1")],
        ],
        [("a", "ok"), ("b", "rejected")],
    ],
    "the id among the arguments": [
        [
            *[started(path="a", argument="1"), started(path="a", argument="2")],
            *[completed(path="b", argument="2"), completed(argument="1", result=NO)],
        ],
        [("a", "rejected"), ("b", "ok")],
    ],
    "no id at all": [
        [started(path="a"), started(path="b"), completed(path="b"), completed()],
        [("a", "ok"), ("b", "ok")],
    ],
    "no id, and nothing that fits": [
        [started(path="a"), completed(path="b"), completed(path="a", tool="ls")],
        [("a", "unfinished"), ("b", "ok"), ("a", "ok")],
    ],
}


@each("name", LOGS)
def test_lines_belong_to_the_call_that_they_are_like(name: str) -> None:
    lines, expected = LOGS[name]

    assert calls_of(*lines) == expected


@each("name", LOGS)
def test_all_targets_show_the_same_calls(name: str) -> None:
    log = [INIT, *LOGS[name][0], END]
    expected = len(LOGS[name][1])

    for options in (Options(), Options(detail=True), Options(detail=True, answer=True)):
        text = b"".join(convert.convert(log, "text", options=options))
        assert len([it for it in text.splitlines() if it]) == expected
    markdown = b"".join(convert.convert(log, "markdown"))
    assert markdown.count(b"\n### ") == expected
    assert not convert.compare(b"".join(log), b"".join(log)).is_different


RM = {"args": {"command": "rm x", "toolCallId": "q"}}
CALL = [started("q", "a", tool="shell"), completed("q", "a", tool="shell")]
QUERIES = {
    "refused": ([query(RM), answer(NO)], [("rm x", "rejected")]),
    "made": ([query(RM), answer({"result": {"success": {}}})], [("rm x", "ok")]),
    "approved only": ([query(RM), answer({"approved": {}})], [("rm x", "unfinished")]),
    "not answered": ([query(RM)], [("rm x", "unfinished")]),
    "asked before the call": ([query(RM), answer(NO), *CALL], [("a", "ok")]),
    "asked during the call": ([CALL[0], query(RM), answer(NO), CALL[1]], [("a", "ok")]),
    "refused during the call": ([CALL[0], query(RM), answer(NO)], [("a", "rejected")]),
    "only completed": ([query(RM), answer(NO), CALL[1]], [("a", "ok")]),
    "without an id": (
        [query({"args": {"path": "a"}}), answer(NO), *CALL],
        [("a", "ok")],
    ),
    "without an id or a call": (
        [query({"args": {"path": "a"}}), answer(NO)],
        [("a", "rejected")],
    ),
    "settled before its lines come": (
        [
            *[query(RM), answer(NO)],
            *[started("1", "b", step="x"), completed("1", step="x")],
            *[started("2", "c", step="y"), completed("2", step="y"), *CALL],
        ],
        [("a", "ok"), ("b", "ok"), ("c", "ok")],
    ),
    "about no call": ([query({}), query({"args": 1}), b'{"type":"x"}\n'], []),
}


@each("name", QUERIES)
def test_a_query_is_the_call_that_it_asks_about(name: str) -> None:
    lines, expected = QUERIES[name]
    if name == "about no call":
        lines = [query({"args": 1})]

    assert calls_of(*lines) == expected


def test_an_answered_query_is_shown_once_no_line_of_its_call_can_come() -> None:
    log = [INIT, query(RM), answer(NO)]
    for number in "123":
        log += [started(number, number, step=number), completed(number, step=number)]

    shown = convert.convert(iter(log), "text")

    assert [next(shown) for _ in range(3)] == [
        b"Read file\n",
        b"Run terminal command (rejected: no)\n",
        b"Read file\n",
    ]


def test_a_step_of_a_subagent_may_have_the_id_of_another_call() -> None:
    one, other = (
        b"".join([INIT, completed("1", "a"), subagent("1", path), END])
        for path in ("b", "c")
    )

    assert convert.compare(one, other).is_different


def subagent(step_id: str, path: str) -> bytes:
    body = {"args": {"path": path}, "result": {"success": {}}}
    step = {"toolCall": {"readToolCall": body, "toolCallId": step_id}}
    result = {"success": {"conversationSteps": [step]}}
    return completed("2", tool="task", result=result)


# Where the deepest value is that a decoder accepts depends on the stack.
@pytest.mark.exhaustive
@each(
    ("depth", "junk"),
    itertools.product(part(range(100, 1100, 10), 5), [b"", SURROGATE]),
)
def test_arguments_of_any_depth_tell_calls_apart(depth: int, junk: bytes) -> None:
    nested = b'"path":"a","nested":' + b"[" * depth + b"]" * depth
    first, again, last = (
        made.replace(b'"path": "a"', nested).replace(b'"type"', junk + b'"type"')
        for made in (started("1", "a"), started("2", "b"), completed("1", "a"))
    )

    text = b"".join(convert.convert([INIT, first, again, last, END], "text"))

    assert text == b"Read file\nRead file (unfinished)\n"


@each("stamp", [b"1e400", b"-1", b"9" * 5000, b"1e300"])
def test_a_timestamp_that_cannot_be_one_counts_as_none(stamp: bytes) -> None:
    log = [INIT, started("1", "a"), completed("1", "a")]
    stamped = [
        one.replace(b'"type"', b'"timestamp_ms":%b,"type"' % stamp) for one in log
    ]

    shown = b"".join(convert.convert(stamped, "markdown"))

    assert shown == b"".join(convert.convert(log, "markdown"))


def test_open_calls_do_not_keep_the_blocks_that_they_came_in() -> None:
    other = b'{"type":"other","session_id":"s","text":"%b"}\n' % (b"x" * 200_000)
    held = []

    def log() -> Iterator[bytes]:
        yield INIT
        for number in range(40):
            yield started(str(number), "a") + other
            held.append(tracemalloc.get_traced_memory()[0])
        yield END

    tracemalloc.start()
    text = b"".join(convert.convert(log(), "text"))
    tracemalloc.stop()

    assert text.count(b"unfinished") == 40
    assert held[-1] - held[9] < 1_000_000


made = st.lists(
    st.tuples(
        st.sampled_from(["started", "completed", "progress", ""]),
        st.sampled_from(["", "1", "2"]),
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(["", "x", "y"]),
        st.sampled_from(["read", "ls"]),
    ),
    max_size=12,
)


@given(made)
def test_every_target_and_the_live_output_agree_on_the_calls(
    lines: list[tuple[str, str, str, str, str]],
) -> None:
    log = [
        line(sub, call_id, path, step=step, tool=tool)
        for sub, call_id, path, step, tool in lines
    ]

    calls = calls_of(*log)

    bare = b"".join(convert.convert([INIT, *log, END], "text"))
    detailed = b"".join(convert.convert([INIT, *log, END], "text", detail=True))
    assert len(bare.splitlines()) == len(detailed.splitlines()) == len(calls)
    assert bare.count(b"(unfinished)") == [it for _, it in calls].count("unfinished")


def test_a_result_of_another_type_ends_a_call_in_every_format() -> None:
    for result, shown in [(None, "Read file (unfinished)"), ("", "Read file")]:
        body = {"args": {"path": "a"}, "result": result}
        call = {"type": "tool_call", "tool_call": {"readToolCall": body}}
        log = INIT + json.dumps(call).encode() + b"\n" + END

        text = b"".join(convert.convert(log, "text"))
        markdown = b"".join(convert.convert(log, "markdown"))

        assert text.decode().splitlines() == [shown]
        assert (b"unfinished" in markdown) == ("unfinished" in shown)
