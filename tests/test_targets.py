"""The targets that `--detail` and transcripts name."""

from __future__ import annotations

from typing import Any

from convert.model import ToolCall
from convert.tools import target_line, tools
from support.matrix import each


@each(
    ("kind", "arguments", "target"),
    [
        ("grep", {"pattern": "a  b", "path": "/w/src"}, "a b in src"),
        ("grep", {"pattern": "a"}, "a"),
        ("glob", {"targetDirectory": "/w/src"}, "src"),
        ("task", {"description": "Look", "prompt": "Look at it"}, "Look"),
        ("task", {"description": " ", "prompt": "Look at it"}, "Look at it"),
        (
            "task",
            {"subagentType": {"custom": {"name": "scout"}}, "prompt": "a"},
            "scout a",
        ),
        ("task", {"subagentType": {"unspecified": {}}, "prompt": "a"}, "a"),
        ("prManagement", {"updatePr": {"title": "Fix"}}, "Fix"),
        ("prManagement", {"createPr": "Fix"}, ""),
        ("sendMessage", {"text": {"content": "Hi\nAda"}}, "Hi Ada"),
        ("readLints", {"paths": ["/w/a.py", 5, "/w/b.py"]}, "a.py b.py"),
        ("setActiveBranch", {"branchName": 7}, ""),
    ],
)
def test_a_target_is_one_line(
    kind: str, arguments: dict[str, Any], target: str
) -> None:
    call = ToolCall(run=1, line=1, number=1, id="", kind=kind, arguments=arguments)

    assert target_line(call, "/w") == target


def test_only_kinds_without_a_subject_have_another_target() -> None:
    both = [kind for kind, row in tools().items() if row.subject and row.target]

    assert both == []
