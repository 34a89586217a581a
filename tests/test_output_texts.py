"""The output of a call, as the text that a model reads."""

from __future__ import annotations

from typing import Any

import pytest

from convert.agents import output_of_text, text_of_output, text_of_result
from convert.model import OK, Event, Outcome, Segment, ToolCall
from convert.tools import tools
from support.matrix import each


def a_call(kind: str, output: Any, outcome: Outcome = OK) -> ToolCall:
    call = ToolCall(run=1, line=1, number=1, id="a", kind=kind, outcome=outcome)
    call.output = output
    return call


MATCHES = [
    {"lineNumber": 2, "content": "def total():", "isContextLine": True},
    {"lineNumber": 3, "content": "    return 1"},
]
IN_FILE = {"content": {"matches": [{"file": "a.py", "matches": MATCHES}]}}


@each(
    ("kind", "output", "text"),
    [
        ("shell", {"stdout": "a\n", "stderr": "b"}, "a\nb"),
        ("shell", {"stdout": "a", "stderr": "b"}, "a\nb"),
        ("shell", {"stdout": "", "stderr": "b", "interleavedOutput": "ab"}, "ab"),
        ("shell", {"exitCode": 0}, ""),
        ("shell", {"isBackground": True}, '{"isBackground":true}'),
        ("read", {"content": "x = 1\n", "totalLines": 1}, "x = 1\n"),
        ("edit", {"message": "", "diffString": "-a\n+b"}, "-a\n+b"),
        ("glob", {"files": ["a.py", "b.py"]}, "a.py\nb.py"),
        ("grep", {"workspaceResults": {"/r": IN_FILE}},
         "a.py-2-def total():\na.py:3:    return 1"),
        ("grep", {"workspaceResults": {"/r": {"files": {"files": ["a"]}}}}, "a"),
        ("grep", {"workspaceResults": {"": {"count": {"counts": [
            {"file": "a", "count": 2}]}}}}, "a:2"),
        ("grep", {"workspaceResults": {"": {"files": {"files": []}}}}, ""),
        ("mcp", {"content": [{"text": {"text": "3"}}, {"type": "text", "text": "4"}]},
         "3\n4"),
        ("mcp", {"content": [{"image": {"data": "iVBO", "mimeType": "image/png"}}]},
         "(image/png)"),
        ("webSearch", {"references": [{"title": "T", "url": "u"}, {"chunk": "c"}]},
         "T\nu\nc"),
        ("webFetch", {"markdown": "# Page"}, "# Page"),
        ("readLints", {"totalFiles": 0}, '{"totalFiles":0}'),
        ("read", None, ""),
        ("read", "only text", "only text"),
    ],
)  # fmt: skip
def test_the_text_of_an_output(kind: str, output: Any, text: str) -> None:
    assert text_of_output(a_call(kind, output)) == text


@each("kind", tools())
def test_a_text_that_became_an_output_is_that_text_again(kind: str) -> None:
    assert text_of_output(a_call(kind, output_of_text(kind, "3 passed"))) == "3 passed"


@each("kind", tools())
def test_no_value_of_another_type_is_refused(kind: str) -> None:
    names = ("stdout", "files", "content", "workspaceResults", "references", "message")
    for value in (None, 3, [None], [[]], {}, {"": 3}, {"": {"content": 3}}, ["a", 1]):
        for output in (value, dict.fromkeys(names, value)):
            assert isinstance(text_of_output(a_call(kind, output)), str)


@pytest.mark.parametrize(
    ("kind", "output", "outcome", "text"),
    [
        ("shell", {"stdout": ""}, Outcome("error", exit_code=2), "Exit code 2"),
        ("shell", {"stdout": "a"}, Outcome("error", arm="timeout"), "timed out\na"),
        ("mcp", {"content": "declined"}, Outcome("error"), "declined"),
        ("read", {"error": "gone"}, Outcome("error", message="gone"), "gone"),
        ("shell", {"reason": ""}, Outcome("rejected"), ""),
    ],
)
def test_the_text_of_a_failure(
    kind: str, output: Any, outcome: Outcome, text: str
) -> None:
    assert text_of_result(a_call(kind, output, outcome)) == text


def test_a_subagent_returns_its_answer() -> None:
    call = a_call("task", {"agentId": "a7"})
    steps: list[Event] = [Segment(run=0, line=1, text="Only there.")]
    call.steps = [a_call("read", None), *steps]

    assert text_of_output(call) == "Only there."
