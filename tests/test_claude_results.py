"""The result of a call as Claude Code records it: outcomes by text, and outputs."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

import convert
from convert.agents import (
    call_of,
    content_without_numbers,
    known_names,
    matches_in,
    outcome_of_text,
    result_of,
)
from convert.model import OK, Outcome
from support.matrix import each

DENIED = "The user doesn't want to proceed with this tool use."


class TestOutcomes:
    @pytest.mark.parametrize(
        ("text", "outcome"),
        [
            ("Exit code 2\nls: cannot access", Outcome("error", exit_code=2)),
            ("Error: Exit code 1\nno", Outcome("error", exit_code=1)),
            ("Exit code 127", Outcome("error", exit_code=127)),
            ("Exit codes differ", Outcome("error", message="Exit codes differ")),
            (
                "<tool_use_error>File has not been read yet.</tool_use_error>",
                Outcome("error", message="File has not been read yet."),
            ),
            ("EISDIR: read", Outcome("error", message="EISDIR: read")),
            ("", Outcome("error")),
        ],
    )
    def test_errors(self, text: str, outcome: Outcome) -> None:
        assert outcome_of_text("shell", text, True) == outcome

    @pytest.mark.parametrize(
        "text",
        [
            DENIED,
            "This command requires approval",
            "This Bash command contains multiple operations.",
            "This PowerShell command contains a script block",
            "PreToolUse:Bash hook error: [guard.sh]: no",
            "Command contains process substitution",
            "Command invokes sudo",
            "Command spawns a shell",
            "Contains simple_expansion",
            "Claude requested permissions to write to a.py, but you haven't.",
            "Permission to use Bash with command rm has been denied.",
        ],
    )
    def test_refusals(self, text: str) -> None:
        for shown in (text, f"Error: {text}"):
            outcome = outcome_of_text("shell", shown, True)

            assert outcome == Outcome("rejected", message=text)

    def test_an_interrupted_call_says_so(self) -> None:
        text = "[Request interrupted by user for tool use]"

        outcome = outcome_of_text("shell", text, True)

        assert outcome == Outcome("rejected", arm="interrupted", message=text)

    def test_a_text_without_an_error_is_no_failure(self) -> None:
        assert outcome_of_text("shell", f"Exit code 1\n{DENIED}", False) == OK

    def test_only_commands_have_exit_codes(self) -> None:
        outcome = outcome_of_text("mcp", "Exit code 1\nno", True)

        assert outcome == Outcome("error", message="Exit code 1\nno")


PATCH = {
    "oldStart": 3,
    "oldLines": 2,
    "newStart": 3,
    "newLines": 2,
    "lines": [" def total():", "-    return 1", "+    return 2"],
}
DIFF = """\
--- a//src/cart.py
+++ b//src/cart.py
@@ -3,2 +3,2 @@
 def total():
-    return 1
+    return 2
"""


def found(name: str, content: Any, details: Any, arguments: Any = None) -> Any:
    return result_of(call_of(name, arguments or {}), content, False, details)


class TestOutputs:
    @pytest.mark.parametrize(
        ("details", "output"),
        [
            (
                {"stdout": "a", "stderr": "b", "interrupted": False, "isImage": False},
                {"stdout": "a", "stderr": "b"},
            ),
            (
                {"stdout": "", "stderr": "", "backgroundTaskId": "b1"},
                {"stdout": "", "stderr": "", "isBackground": True, "shellId": "b1"},
            ),
            (
                {"stdout": "", "stderr": "", "interrupted": True, "exit_code": 0},
                {"stdout": "", "stderr": "", "exitCode": 0, "aborted": True},
            ),
            ("Error: no", {"interleavedOutput": "shown"}),
            (None, {"interleavedOutput": "shown"}),
        ],
    )
    def test_command(self, details: Any, output: Any) -> None:
        assert found("Bash", "shown", details).output == output

    def test_a_command_that_failed(self) -> None:
        text = "Exit code 1\n1 failed"

        result = result_of(call_of("Bash", {}), text, True, f"Error: {text}")

        assert result.output == {"interleavedOutput": "1 failed", "exitCode": 1}

    def test_content_of_a_file(self) -> None:
        file = {"filePath": "/a", "content": "x\ny\n", "numLines": 2, "startLine": 5}
        file["totalLines"] = 9

        result = found("Read", "5→x\n6→y", {"type": "text", "file": file})

        assert result.output == {
            "content": "x\ny\n",
            "totalLines": 9,
            "readRange": {"startLine": 5, "endLine": 6},
        }

    def test_picture(self) -> None:
        details = {"type": "image", "file": {"base64": "iVBORw0K", "type": "image/png"}}

        assert found("Read", [], details).output == {"data": "iVBORw0K"}

    def test_edit(self) -> None:
        details = {
            "filePath": "/src/cart.py",
            "oldString": "return 1",
            "newString": "return 2",
            "originalFile": "\n\ndef total():\n    return 1\n",
            "structuredPatch": [PATCH],
            "userModified": False,
            "replaceAll": False,
        }

        result = found("Edit", "The file has been updated.", details)

        assert result.output == {
            "path": "/src/cart.py",
            "diffString": DIFF,
            "beforeFullFileContent": "\n\ndef total():\n    return 1\n",
            "afterFullFileContent": "\n\ndef total():\n    return 2\n",
            "linesAdded": 1,
            "linesRemoved": 1,
        }
        assert not result.is_new_file

    @pytest.mark.parametrize(
        "change",
        [
            {"userModified": True},
            {"oldString": "return"},
            {"oldString": "nowhere"},
            {"originalFile": None},
        ],
    )
    def test_a_content_that_is_not_certain_is_not_shown(self, change: Any) -> None:
        details = {
            "filePath": "/a",
            "oldString": "return 1",
            "newString": "return 2",
            "originalFile": "return 1\nreturn 3\n",
            "structuredPatch": [PATCH],
        }

        output = found("Edit", "", details | change).output

        assert "afterFullFileContent" not in output

    def test_several_edits(self) -> None:
        details = {
            "filePath": "/a",
            "edits": [
                {"old_string": "a", "new_string": "b", "replace_all": True},
                {"old_string": "b b", "new_string": "c"},
            ],
            "originalFileContents": "a a\n",
            "structuredPatch": [],
        }

        output = found("MultiEdit", "", details).output

        assert output["afterFullFileContent"] == "c\n"
        assert "diffString" not in output

    def test_new_file(self) -> None:
        details = {
            "type": "create",
            "filePath": "/a.py",
            "content": "x = 1\n",
            "structuredPatch": [],
        }

        result = found("Write", "File created successfully at: /a.py", details)

        assert result.is_new_file
        assert result.output["diffString"] == (
            "--- /dev/null\n+++ b//a.py\n@@ -0,0 +1 @@\n+x = 1\n"
        )
        assert result.output["afterFullFileContent"] == "x = 1\n"

    def test_without_an_object_no_output_of_an_edit_is_made_up(self) -> None:
        assert found("Edit", "The file /a.py has been updated.", None).output is None

    def test_the_text_of_a_write_makes_its_file_new(self) -> None:
        assert found("Write", "File created successfully at: /a.py", None).is_new_file
        assert not found("Read", "File created successfully at: /a", None).is_new_file

    def test_a_damaged_patch_is_no_diff(self) -> None:
        details = {"filePath": "/a", "structuredPatch": [PATCH, {"lines": [3]}]}

        assert found("Edit", "", details).output == {"path": "/a"}

    @pytest.mark.parametrize(
        ("details", "results"),
        [
            (
                {"mode": "files_with_matches", "numFiles": 2, "filenames": ["a", "b"]},
                {"files": {"files": ["a", "b"], "totalFiles": 2}},
            ),
            (
                {"mode": "count", "filenames": [], "content": "a.py:3\nC:\\b.py:1"},
                {
                    "count": {
                        "counts": [
                            {"file": "a.py", "count": 3},
                            {"file": "C:\\b.py", "count": 1},
                        ]
                    }
                },
            ),
            (
                {"mode": "content", "filenames": [], "content": "a.py:2:x"},
                {
                    "content": {
                        "matches": [
                            {
                                "file": "a.py",
                                "matches": [{"lineNumber": 2, "content": "x"}],
                            }
                        ]
                    }
                },
            ),
        ],
    )
    def test_search(self, details: Any, results: Any) -> None:
        output = found("Grep", "shown", details).output

        assert output == {"workspaceResults": {"": results}}

    def test_files(self) -> None:
        details = {
            "filenames": ["a"],
            "numFiles": 1,
            "truncated": True,
            "durationMs": 9,
        }

        result = found("Glob", "a", details)

        assert result.output == {
            "files": ["a"],
            "totalFiles": 1,
            "clientTruncated": True,
        }
        assert result.duration_ms == 9

    def test_web(self) -> None:
        page = {"title": "A", "url": "https://a.example"}
        details = {"results": [{"content": [page]}, "A text."], "durationSeconds": 1.5}

        searched = found("WebSearch", "shown", details)
        fetched = found("WebFetch", "x", {"result": "# A", "code": 200, "bytes": 3})

        assert searched.output == {"references": [page, {"chunk": "A text."}]}
        assert searched.duration_ms == 1500
        assert fetched.output == {"markdown": "# A"}

    def test_subagent(self) -> None:
        details = {
            "status": "completed",
            "agentId": "a1",
            "content": [{"type": "text", "text": "Three files."}],
            "totalDurationMs": 1200,
        }

        result = found("Agent", [], details)

        assert result.output == {
            "content": "Three files.",
            "durationMs": 1200,
            "agentId": "a1",
        }
        assert result.duration_ms == 1200

    def test_tasks(self) -> None:
        todos = [{"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}]

        output = found("TodoWrite", "ok", {"oldTodos": [], "newTodos": todos}).output

        assert output == {
            "todos": [{"content": "Fix", "status": "TODO_STATUS_IN_PROGRESS"}]
        }

    @pytest.mark.parametrize(
        ("answer", "given"),
        [
            ("A", {"selectedOptionIds": ["A"]}),
            ("A, B", {"selectedOptionIds": ["A", "B"]}),
            ("Neither", {"freeformText": "Neither"}),
        ],
    )
    def test_answers(self, answer: str, given: Any) -> None:
        asked = [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]
        details = {"questions": asked, "answers": {"Which?": answer}}

        result = found("AskUserQuestion", "", details, {"questions": asked})

        assert result.output == {"answers": [{"questionId": "0"} | given]}

    @pytest.mark.parametrize(
        ("status", "arm"), [("running", "stillRunning"), ("completed", "complete")]
    )
    def test_command_in_the_background(self, status: str, arm: str) -> None:
        details = {"shellId": "b1", "status": status, "exitCode": None, "stdout": "x"}

        result = found("BashOutput", "x", details)

        assert (result.arm, result.output) == (arm, {"content": "x"})

    @pytest.mark.parametrize(
        ("tool", "details", "outcome", "shown"),
        [
            (
                "BashOutput",
                {"status": "failed", "exitCode": 3, "stdout": "x"},
                Outcome("error", exit_code=3),
                b"(exit 3)",
            ),
            (
                "BashOutput",
                {"status": "failed", "stdout": "x"},
                Outcome("error", message="failed"),
                b"(error",
            ),
            (
                "Bash",
                {"stdout": "x", "stderr": "", "interrupted": True},
                Outcome("error", message="interrupted"),
                b"(error",
            ),
        ],
    )
    def test_failure_that_only_the_object_of_a_tool_tells(
        self, tool: str, details: Any, outcome: Outcome, shown: bytes
    ) -> None:
        result = found(tool, "x", details)
        use = {"type": "tool_use", "id": "1", "name": tool, "input": {}}
        back = {"type": "tool_result", "tool_use_id": "1", "content": "x"}
        lines = [
            {"type": "assistant", "message": {"content": [use]}, "session_id": "s"},
            {
                "type": "user",
                "message": {"content": [back]},
                "tool_use_result": details,
                "session_id": "s",
            },
        ]
        log = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

        text = b"".join(convert.convert([log]))

        assert result.outcome == outcome
        assert "x" in str(result.output)
        assert shown in text

    def test_tool_of_a_server(self) -> None:
        content = [
            {"type": "text", "text": "One."},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"},
            },
        ]

        output = found("mcp__tracker__list", content, None).output

        assert output == {
            "content": [
                {"type": "text", "text": "One."},
                {"type": "image", "data": "iVBO", "mimeType": "image/png"},
            ]
        }

    def test_a_picture_in_a_text_is_shown_by_its_size(self) -> None:
        content = [
            {
                "type": "image",
                "source": {"media_type": "image/png", "data": "iVBORw0K"},
            },
            {"type": "tool_reference", "tool_name": "WebFetch"},
        ]

        output = found("ToolSearch", content, None).output

        assert output == "(image/png, 6 B)\nWebFetch"


@each(
    ("name", "value"),
    product(
        [*sorted(known_names()), "Skill", "mcp__a__b"],
        [None, 3, "x", [3], {"a": 1}, [{}]],
    ),
)
def test_no_value_of_another_type_is_refused(name: str, value: Any) -> None:
    names = (
        "stdout file filePath structuredPatch content originalFile edits mode"
        " filenames numFiles results result newTodos tasks answers task type"
        " durationMs exitCode totalDurationMs backgroundTaskId status"
    )
    details = dict.fromkeys(names.split(), value)

    for content in ("text", [{"type": "text", "text": 3}, 4], None, 5):
        assert result_of(call_of(name, {"questions": value}), content, False, details)


class TestNumberedLines:
    @pytest.mark.parametrize(
        ("text", "content"),
        [
            ("     1→a\n     2→\n     3→b", "a\n\nb"),
            ("1\ta\n2\tb", "a\nb"),
            ("9→a\n10→b\n\n<system-reminder>\nx\n</system-reminder>\n", "a\nb"),
        ],
    )
    def test_numbers_are_taken_off(self, text: str, content: str) -> None:
        assert content_without_numbers(text)["content"] == content

    @pytest.mark.parametrize("text", ["", "a", "1→a\n3→b", "1→a\nb", "1\n2"])
    def test_any_other_text_stays(self, text: str) -> None:
        assert content_without_numbers(text) == {"content": text}


class TestFoundLines:
    def test_lines_around_a_match(self) -> None:
        content = "src/a-b.py-11-x\nsrc/a-b.py:12:y = 1\n--\nsrc/c.py:3:z"

        assert matches_in(content) == [
            {
                "file": "src/a-b.py",
                "matches": [
                    {"lineNumber": 11, "content": "x", "isContextLine": True},
                    {"lineNumber": 12, "content": "y = 1"},
                ],
            },
            {"file": "src/c.py", "matches": [{"lineNumber": 3, "content": "z"}]},
        ]

    def test_lines_around_a_match_in_a_directory_of_macos_with_two_names(self) -> None:
        content = "src/a.py:1:x\n/private/tmp/shop/src/a.py-2-see a.py:3: no"

        [found] = matches_in(content, "", "/tmp/shop")

        assert found["file"] == "src/a.py"
        assert [match["lineNumber"] for match in found["matches"]] == [1, 2]

    def test_one_file_is_not_named(self) -> None:
        assert matches_in("3:x: int\n4-y", "src/a.py") == [
            {
                "file": "src/a.py",
                "matches": [
                    {"lineNumber": 3, "content": "x: int"},
                    {"lineNumber": 4, "content": "y", "isContextLine": True},
                ],
            }
        ]

    def test_lines_without_numbers(self) -> None:
        assert matches_in("C:\\a.py:x = 1\nC:\\a.py-y") == [
            {
                "file": "C:\\a.py",
                "matches": [
                    {"content": "x = 1"},
                    {"content": "y", "isContextLine": True},
                ],
            }
        ]

    def test_a_line_of_no_file_stays(self) -> None:
        assert matches_in("[Truncated]", "src") == [
            {"file": "src", "matches": [{"content": "[Truncated]"}]}
        ]
