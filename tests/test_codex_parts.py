"""Codex's patches and outputs, taken apart; logs of other shapes have both as well."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convert.agents import calls_of_patch, changes_of, patch_in, tool_output
from convert.agents.codex import outputs
from convert.facts import ABSENT, edits_of, effect_of
from convert.model import OK, Outcome, ToolCall
from convert.wording import changed_lines, without_headers

PATCH = """*** Begin Patch
*** Add File: docs/new.md
+# New
+
*** Update File: src/cart.py
@@ def total(items):
     total = 0
-    return 0
+    return sum(items)
*** Delete File: old.py
*** Update File: a.py
*** Move to: b.py
-x
+y
*** End of File
*** End Patch
"""


def calls(patch: str) -> list[ToolCall]:
    return [
        ToolCall(
            run=1,
            line=1,
            number=1,
            id="",
            kind=each.call.kind,
            arguments=each.call.arguments,
            outcome=OK,
            output=each.output,
            is_new_file=each.is_new_file,
        )
        for each in calls_of_patch(patch)
    ]


class TestPatches:
    def test_each_file_is_a_call(self) -> None:
        found = [(call.kind, call.arguments["path"]) for call in calls(PATCH)]  # type: ignore[index]

        assert found == [
            ("edit", "docs/new.md"),
            ("edit", "src/cart.py"),
            ("delete", "old.py"),
            ("edit", "b.py"),
            ("delete", "a.py"),
        ]

    def test_a_new_file_has_its_content(self) -> None:
        [edit] = edits_of(calls(PATCH)[0])

        assert (edit.before, edit.after) == (ABSENT, "# New\n\n")

    def test_a_diff_has_headers_and_hunks_without_numbers(self) -> None:
        call = calls(PATCH)[1]

        assert call.output["diffString"] == (
            "--- a/src/cart.py\n+++ b/src/cart.py\n@@ def total(items):\n"
            "     total = 0\n-    return 0\n+    return sum(items)\n"
        )
        assert changed_lines(call.output["diffString"]) == (1, 1)
        assert effect_of(edits_of(call)[0]) == (
            "     total = 0\n-    return 0\n+    return sum(items)\n"
        )

    def test_the_first_hunk_may_lack_its_header(self) -> None:
        assert calls(PATCH)[3].output["diffString"] == (
            "--- a/b.py\n+++ b/b.py\n@@\n-x\n+y\n"
        )

    @pytest.mark.parametrize(
        "damaged",
        [
            PATCH.replace("*** End Patch", ""),
            PATCH.replace("+# New", "# New"),
            PATCH.replace("-    return 0", "*** Rename File: x"),
            "*** Begin Patch\n+x\n*** End Patch",
            "*** Begin Patch\n*** End Patch",
            "",
        ],
    )
    def test_a_damaged_patch_is_one_call_with_all_of_it(self, damaged: str) -> None:
        [call] = calls(damaged)

        assert call.kind == "edit"
        assert call.arguments == {"applyPatch": {"patchContent": damaged}}
        assert edits_of(call) == []

    def test_a_damaged_patch_of_one_file_has_its_path(self) -> None:
        [call] = calls("*** Begin Patch\n*** Update File: a.py\n@@\n-x")

        assert call.arguments is not None
        assert call.arguments["path"] == "a.py"

    @pytest.mark.parametrize(
        ("command", "directory"),
        [
            ("apply_patch <<'EOF'\n{}\nEOF", ""),
            ('cd "src/my shop" && apply_patch <<"PATCH"\n{}\nPATCH\n', "src/my shop"),
            ("applypatch <<EOF\n{}\nEOF", ""),
        ],
    )
    def test_a_command_may_apply_a_patch(self, command: str, directory: str) -> None:
        patch = PATCH.strip()

        assert patch_in(command.format(patch)) == (patch, directory)
        assert calls_of_patch(patch, directory=directory)[2].call.arguments == {
            "path": f"{directory}/old.py" if directory else "old.py"
        }

    @pytest.mark.parametrize(
        "command",
        [
            "ls",
            f"cat <<'EOF'\n{PATCH}\nEOF",
            f"apply_patch <<'EOF'\n{PATCH}\nEOF\npytest -q",
            ["bash", "-lc", "ls"],
        ],
    )
    def test_any_other_command_is_none(self, command: str | list[str]) -> None:
        assert patch_in(command) is None

    def test_a_patch_may_be_an_argument(self) -> None:
        assert patch_in(["apply_patch", PATCH]) == (PATCH, "")


NAMES = st.sampled_from(["a.py", "src/b c.py", "/srv/shop/é.md", "-x", "*** y"])
TEXTS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))
ADDED = st.tuples(st.just("Add"), st.lists(TEXTS.map("+{}".format), min_size=1))
HUNK = st.lists(
    st.one_of(*[TEXTS.map(f"{mark}{{}}".format) for mark in " +-"]), min_size=1
).map(lambda lines: ["@@", *lines])
UPDATED = st.tuples(
    st.just("Update"),
    st.lists(HUNK, min_size=1).map(lambda hunks: [*itertools.chain(*hunks)]),
)
NO_LINES: list[str] = []
DELETED = st.tuples(st.just("Delete"), st.just(NO_LINES))
PATCHES = st.lists(st.tuples(NAMES, st.one_of(ADDED, UPDATED, DELETED)), min_size=1)


@given(PATCHES)
def test_a_patch_says_each_file_and_each_line(
    files: list[tuple[str, tuple[str, list[str]]]],
) -> None:
    parts = [
        "\n".join([f"*** {verb} File: {name}", *lines]) for name, (verb, lines) in files
    ]
    patch = "\n".join(["*** Begin Patch", *parts, "*** End Patch"])

    changes = changes_of(patch)

    assert [(each.path, each.kind) for each in changes] == [
        (name, verb.lower()) for name, (verb, _) in files
    ]
    for change, (_, (_, lines)) in zip(changes, files, strict=True):
        shown = without_headers(change.diff).split("\n")
        marked = [line for line in shown if line and not line.startswith("@@")]
        assert marked == [line for line in lines if line != "@@"]
        if change.kind == "add":
            assert change.content == "".join(f"{line[1:]}\n" for line in lines)


EXITED = "Wall time: 1.5000 seconds\nProcess exited with code 2\n"
SCRIPT = "Script completed\nWall time 1.5 seconds\nOutput:\n"
FORMS = {
    "0.40": json.dumps(
        {"output": "no\n", "metadata": {"exit_code": 2, "duration_seconds": 1.5}}
    ),
    "0.66": "Exit code: 2\nWall time: 1.5 seconds\nOutput:\nno\n",
    "0.130": f"Chunk ID: 94bd74\n{EXITED}Original token count: 1\nOutput:\nno\n",
}


class TestOutputs:
    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_a_command_in_each_form(self, form: str) -> None:
        found = tool_output(form)

        assert found.outcome == Outcome("error", exit_code=2)
        assert found.shell == {"interleavedOutput": "no\n", "exitCode": 2}
        assert found.duration_ms == 1500

    def test_a_script(self) -> None:
        parts = [
            {"type": "input_text", "text": SCRIPT},
            {"type": "input_text", "text": "yes\n"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        ]

        found = tool_output(parts)

        assert (found.outcome, found.duration_ms) == (OK, 1500)
        assert found.text == "yes\n[input_image]\n"

    def test_a_process_that_goes_on(self) -> None:
        found = tool_output(
            EXITED.replace("exited with code", "running with session ID")
        )

        assert (found.outcome, found.arm) == (OK, "stillRunning")

    @pytest.mark.parametrize(
        ("text", "status", "arm"),
        [
            ("exec command rejected by user", "rejected", ""),
            ("patch rejected by user", "rejected", ""),
            ("approval policy is Never; reject command — you cannot", "rejected", ""),
            ("Script failed\nScript error:\nrejected by user", "rejected", ""),
            ("aborted by user after 2.3s", "rejected", "interrupted"),
            ("Wall time: 2.3 seconds\naborted by user", "rejected", "interrupted"),
            ("failed in sandbox: denied", "error", ""),
            ("execution error: Io(Os { code: 2 })", "error", ""),
            ("apply_patch verification failed: no such line", "error", ""),
            ("Script failed\nOutput:\nSyntaxError", "error", ""),
            ({"content": "no such tool", "success": False}, "error", ""),
            ("the user rejected by user nothing", "ok", ""),
            ({"content": "fine", "success": True}, "ok", ""),
            ({"other": 1}, "ok", ""),
            (None, "ok", ""),
        ],
    )
    def test_how_a_call_ended_by_its_text(
        self, text: Any, status: str, arm: str
    ) -> None:
        found = tool_output(text)

        assert (found.outcome.status, found.arm) == (status, arm)
        assert bool(found.outcome.message) == (status != "ok")

    @pytest.mark.parametrize("text", ['{"output"', '{"output":1}', "{", "Output", ""])
    def test_a_text_in_no_form_is_all_output(self, text: str) -> None:
        assert tool_output(text).text == text


_HEADS = [
    *("Exit code: 0\n", "Exit code: -1\n", "Chunk ID: 94bd74\n", "Chunk ID: a b\n"),
    *(
        "Wall time: 0.1 seconds\n",
        "Wall time 3 seconds\n",
        "Wall time: 1.5 seconds\r\n",
    ),
    *("Process exited with code 2\n", "Process running with session ID 7\n"),
    *("Original token count: 12\n", "Total output lines: 3\n", "Output:\n", "x\n"),
    *("failed in sandbox", "Script failed\n", "Output:"),
]


@given(st.lists(st.sampled_from(_HEADS), max_size=7))
@example([_HEADS[0], _HEADS[4], "Output:\n", "x\n"])
@example([_HEADS[0], _HEADS[4], _HEADS[7], "Output:\n"])
@example([_HEADS[2], _HEADS[4], _HEADS[7], _HEADS[9], "Output:\n", "Exit code: 1\n"])
def test_the_usual_heads_are_read_at_once_as_line_by_line(lines: list[str]) -> None:
    text = "".join(lines)

    assert tool_output(text) == outputs._of_text(text)


def test_most_heads_are_usual() -> None:
    heads = [
        "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n",
        "Chunk ID: 94bd74\nWall time: 0.0000 seconds\nProcess exited with code 0\n"
        "Original token count: 12\nOutput:\n",
    ]

    assert all(outputs._of_usual(head) for head in heads)
