"""Edits by their effect, and the changes of a run that last to its end."""

from __future__ import annotations

import itertools
import json
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import convert
from convert.facts import (
    ABSENT,
    UNRECORDED,
    ChangedFiles,
    FileChange,
    FileEdit,
    NetChange,
    NetChanges,
    edits_of,
    effect_of,
    file_changes_in,
)
from convert.facts import changed_files as net_changes
from convert.model import UNFINISHED, Outcome, ToolCall
from convert.wording import hunks_of, unified_diff
from support.edits import Call, call_of, changed, deleted, edited, log_of, wrote

texts = st.lists(st.sampled_from(["a\n", "ba\n", "\n", "c", "d\r\n"]), max_size=12).map(
    "".join
)
states = st.none() | texts
NUMBERS = "".join(f"{number}\n" for number in range(1, 40))


def net(*calls: Call, directory: str = "/w") -> list[NetChange]:
    changes = NetChanges(directory)
    (run,) = convert.read_runs(log_of(*calls, directory=directory))
    for call in run.calls:
        changes.add(call)
    return [*changes]


def files(*calls: Call) -> list[FileChange]:
    changes = NetChanges("/w")
    (run,) = convert.read_runs(log_of(*calls, directory="/w"))
    for call in run.calls:
        changes.add(call)
    return file_changes_in(changes)


def edit_in(*calls: Call) -> FileEdit:
    (run,) = convert.read_runs(log_of(*calls))
    (edit,) = edits_of(run.calls[-1])
    return edit


def recorded_as(diff: str) -> Call:
    """Return an edit for which only the diff is recorded."""
    return "edit", {"path": "a"}, {"success": {"diffString": diff}}


def effect(*calls: Call) -> str | None:
    return effect_of(edit_in(*calls))


class TestWhatAnEditRecords:
    def test_both_contents(self) -> None:
        assert edit_in(edited("a", "x", "y")) == FileEdit("a", "x", "y")

    def test_a_new_file(self) -> None:
        assert edit_in(edited("a", None, "y")) == FileEdit("a", ABSENT, "y")
        assert edit_in(edited("a", "", "y")) == FileEdit("a", "", "y")
        assert edit_in(wrote("a", "y")) == FileEdit("a", ABSENT, "y")

    def test_an_empty_content_is_that_of_a_file_unless_one_was_made(self) -> None:
        contents = {"beforeFullFileContent": "", "afterFullFileContent": "y"}
        members = {
            ("diffString", ""): "",
            ("diffString", "--- a/a\n"): "",
            ("diffString", "--- /dev/null\n"): ABSENT,
            ("message", "Wrote contents to a"): ABSENT,
        }

        for member, before in members.items():
            result = {"success": contents | dict([member])}
            assert edit_in(("edit", {"path": "a"}, result)) == FileEdit(
                "a", before, "y"
            )

    def test_a_new_file_of_which_only_the_argument_tells(self) -> None:
        result = {"success": {"message": "Wrote contents to a"}}

        edit = edit_in(("edit", {"path": "a", "streamContent": "y\n"}, result))

        assert edit == FileEdit("a", ABSENT, "y\n")

    def test_a_file_that_is_written_over(self) -> None:
        contents = {"beforeFullFileContent": "x", "afterFullFileContent": "y"}
        result = {"success": contents | {"message": "Wrote contents to a"}}

        assert edit_in(("edit", {"path": "a"}, result)) == FileEdit("a", "x", "y")

    def test_a_deleted_file(self) -> None:
        assert edit_in(deleted("a", "x")) == FileEdit("a", "x", ABSENT)
        assert edit_in(deleted("a", None)) == FileEdit("a", UNRECORDED, ABSENT)

    def test_a_diff_alone(self) -> None:
        edit = edit_in(recorded_as("-a\n+b"))

        assert edit == FileEdit("a", UNRECORDED, UNRECORDED, "-a\n+b")
        assert edit.counts == (1, 1)

    def test_a_fragment_alone(self) -> None:
        arguments = {"path": "a", "streamContent": "x"}

        edit = edit_in(("edit", arguments, {"success": {}}))

        assert edit == FileEdit("a", UNRECORDED, UNRECORDED)
        assert edit.counts is None

    def test_the_changes_of_another_agent(self) -> None:
        applied = [
            {"path": "a", "beforeContent": "x", "afterContent": "y"},
            {"path": "b", "changeType": "CHANGE_TYPE_CREATED", "afterContent": "z"},
            {"path": "c", "changeType": "CHANGE_TYPE_DELETED", "beforeContent": "z"},
            {"path": "d", "changeType": "CHANGE_TYPE_MODIFIED", "error": "conflict"},
            "no change",
        ]
        call = call_of("applyAgentDiff", {}, output={"appliedChanges": applied})

        assert edits_of(call) == [
            FileEdit("a", "x", "y"),
            FileEdit("b", ABSENT, "z"),
            FileEdit("c", "z", ABSENT),
        ]

    def test_the_changes_of_a_subagent(self) -> None:
        step = call_of("write", {"path": "a", "fileText": "x"})
        cloud = {"environment": "SUBAGENT_EXECUTION_ENVIRONMENT_CLOUD"}

        assert edits_of(call_of("task", {}, steps=[step])) == [
            FileEdit("a", ABSENT, "x")
        ]
        assert edits_of(call_of("task", cloud, steps=[step])) == []

    @pytest.mark.parametrize(
        "outcome", [Outcome("error"), Outcome("rejected"), UNFINISHED, None]
    )
    @pytest.mark.parametrize("kind", ["edit", "write", "delete"])
    def test_a_call_that_failed_changed_nothing(
        self, kind: str, outcome: Outcome | None
    ) -> None:
        output = {"beforeFullFileContent": "x", "afterFullFileContent": "y"}
        arguments = {"path": "a", "fileText": "y"}

        call = call_of(kind, arguments, output=output, outcome=outcome)

        assert edits_of(call) == []

    def test_members_of_another_type_are_not_recorded(self) -> None:
        output: dict[str, Any] = {
            "beforeFullFileContent": 3,
            "afterFullFileContent": [],
        }
        call = call_of("edit", {"path": "a"}, output=output | {"diffString": {}})

        assert edits_of(call) == [FileEdit("a", UNRECORDED, UNRECORDED)]
        assert edits_of(call_of("edit", {"path": 7})) == []


class TestTheEffect:
    def test_of_the_same_fragment_at_another_place_is_another(self) -> None:
        before = "def a():\n    x = 1\n\n\n\ndef b():\n    x = 1\n"
        first = before.replace("x = 1", "x = 2", 1)
        second = before[:-2] + "2\n"

        assert effect(edited("a", before, first)) != effect(edited("a", before, second))

    def test_does_not_depend_on_lines_far_away(self) -> None:
        one = effect(edited("a", NUMBERS, NUMBERS.replace("20\n", "x\n")))
        more = "0\n" + NUMBERS
        other = effect(edited("a", more, more.replace("20\n", "x\n")))
        near = NUMBERS.replace("18\n", "y\n")

        assert one == other
        assert one != effect(edited("a", near, near.replace("20\n", "x\n")))

    def test_of_a_written_file_is_that_of_an_edit_that_makes_it(self) -> None:
        assert effect(wrote("a", "x\n")) == effect(edited("a", None, "x\n"))
        assert effect(wrote("a", "x\n")) == effect(edited("a", "", "x\n"))
        assert effect(wrote("a", "x\n")) != effect(edited("a", "y\n", "x\n"))
        assert effect(wrote("a", "x\n")) != effect(wrote("a", "x"))

    def test_of_no_change_is_not_that_of_an_empty_file(self) -> None:
        assert effect(wrote("a", "")) != effect(edited("a", "x", "x"))

    def test_tells_lines_apart(self) -> None:
        assert effect(edited("a", "a", "b")) != effect(edited("a", "a+\tb", ""))

    def test_of_a_diff_is_that_of_contents(self) -> None:
        after = NUMBERS.replace("20\n", "x\n").replace("30\n", "")
        diff = unified_diff(NUMBERS, after, "a")
        bare = diff.partition("@@")[2]

        for recorded in (diff, f"@@{bare}", diff.rstrip("\n")):
            assert effect(recorded_as(recorded)) == effect(edited("a", NUMBERS, after))

    def test_of_a_diff_knows_the_end_of_the_file(self) -> None:
        diff = unified_diff("a\nb", "a\nc", "a")

        assert effect(recorded_as(diff)) == effect(edited("a", "a\nb", "a\nc"))

    def test_of_a_diff_that_makes_a_file_ignores_removed_lines(self) -> None:
        diff = "--- /dev/null\n+++ b//w/a\n@@ -1 +1 @@\n-\n+3"

        assert effect(recorded_as(diff)) == effect(wrote("a", "3\n"))

    def test_of_a_fragment_is_not_known(self) -> None:
        arguments = {"path": "a", "streamContent": "x"}

        assert effect(("edit", arguments, {"success": {}})) is None

    def test_of_a_diff_without_lines_is_not_known(self) -> None:
        result = {"diffString": "@@ -2 +2 @@", "afterFullFileContent": "b\n"}

        assert effect(("edit", {"path": "a"}, {"success": result})) is None

    def test_comes_after_marks_without_numbers(self) -> None:
        after = NUMBERS.replace("20\n", "x\n").removesuffix("\n")

        assert effect(edited("a", NUMBERS, after)) == (
            " 17\n 18\n 19\n-20\n+x\n 21\n 22\n 23\n"
            "@@\n 36\n 37\n 38\n-39\n+39\n\\ No newline at end of file\n"
        )

    @given(texts, texts, texts, texts)
    def test_of_two_edits_is_equal_only_if_their_hunks_are(
        self, before: str, after: str, other_before: str, other_after: str
    ) -> None:
        pairs = ((before, after), (other_before, other_after))
        one, other = ([hunk.lines for hunk in hunks_of(*pair)] for pair in pairs)
        effects = [effect_of(FileEdit("a", *pair)) for pair in pairs]

        is_empty = [not "".join(pair) for pair in pairs]
        assert (effects[0] == effects[1]) == (
            one == other and is_empty[0] == is_empty[1]
        )


class TestTheNetChange:
    @given(st.lists(states, min_size=2, max_size=5))
    def test_does_not_depend_on_the_number_of_steps(
        self, contents: list[str | None]
    ) -> None:
        pairs = [*itertools.pairwise(contents)]
        steps = [changed("a", *pair) for pair in pairs if pair != (None, None)]
        ends = contents[0], contents[-1]
        at_once = [changed("a", *ends)] if ends != (None, None) else []

        assert files(*steps) == files(*at_once)

    @pytest.mark.parametrize(
        ("calls", "status"),
        [
            ([edited("a", "x", "y")], "changed"),
            ([edited("a", None, "y")], "new"),
            ([edited("a", None, "y"), edited("a", "y", "z")], "new"),
            ([deleted("a", "x")], "deleted"),
            ([deleted("a", None)], "deleted"),
            ([edited("a", "x", "y"), edited("a", "y", "x")], "same"),
            ([edited("a", None, "y"), deleted("a", "y")], "same"),
            ([deleted("a", "x"), edited("a", None, "x")], "same"),
            ([deleted("a", "x"), edited("a", None, "y")], "changed"),
            ([deleted("a", "x"), wrote("a", "y")], "changed"),
            ([wrote("a", "x"), wrote("a", "y")], "new"),
            ([deleted("a", None), wrote("a", "y")], "unknown"),
            ([("edit", {"path": "a"}, {"success": {}})], "unknown"),
        ],
    )
    def test_has_a_status(self, calls: list[Call], status: str) -> None:
        (change,) = net(*calls)

        assert change.status == status

    def test_of_a_file_that_was_read_is_not_new(self) -> None:
        read = ("read", {"path": "/w/a"}, {"success": {"content": "x"}})
        missing = ("read", {"path": "/w/a"}, {"error": {"errorMessage": "gone"}})

        assert net(read, wrote("a", "y"))[0].status == "unknown"
        assert net(missing, wrote("a", "y"))[0].status == "new"
        assert files(read, wrote("a", "y")) == [FileChange("a", None, None)]

    def test_is_one_for_all_spellings_of_a_path(self) -> None:
        paths = ["a", "./a", "/w/a", "/w//a", "/w/x/../a"]
        windows = ["a", "C:\\w\\a", "c:/w/a", ".\\a", "C:\\W\\a"]

        steps = [edited(path, str(n), str(n + 1)) for n, path in enumerate(paths)]
        others = [edited(path, str(n), str(n + 1)) for n, path in enumerate(windows)]

        for changes in (net(*steps), net(*others, directory="c:\\w")):
            assert [
                (change.name, change.before, change.after) for change in changes
            ] == [("a", "0", "5")]

    def test_keeps_diffs_where_contents_are_not_recorded(self) -> None:
        first, second = map(recorded_as, ("-a\n+b", " x\n+c"))

        (change,) = net(first, second)

        assert change.diffs == ["-a\n+b", " x\n+c"]
        assert change.counts == (2, 1)
        assert net(edited("a", "1\n", "2\n"), second)[0].counts == (2, 1)
        assert net(second, edited("a", "1\n", "2\n"))[0].counts == (2, 1)
        assert net(edited("a", "1", "2"), second, edited("a", "3", "1"))[0].diffs == []

    def test_has_no_counts_where_a_change_has_none(self) -> None:
        unknown = ("edit", {"path": "a"}, {"success": {}})

        assert net(unknown, edited("a", "x", "y"))[0].counts is None
        assert net(edited("a", "x", "y"), unknown)[0].counts is None
        assert net(edited("a", "x", "y"), unknown, edited("a", "y", "z"))[0].counts == (
            1,
            1,
        )

    def test_that_is_none_is_not_listed(self) -> None:
        back = [edited("a", "x", "y"), edited("a", "y", "x")]

        assert files(*back, wrote("b", "y")) == [FileChange("b", 1, 0, "new")]

    def test_of_a_file_that_is_deleted_and_made_again(self) -> None:
        assert files(deleted("a", "x\n"), wrote("a", "y\nz\n")) == [
            FileChange("a", 2, 1)
        ]


def corrected(log: bytes, number: int, result: dict[str, Any]) -> bytes:
    """Add a further frame of a call, with another result, at the end of its run."""
    lines = log.splitlines(keepends=True)
    frame = json.loads(lines[number])
    (call,) = frame["tool_call"].values()
    call["result"] = result
    last = f"{json.dumps(frame)}\n".encode()
    return b"".join([*lines[:-1], last, lines[-1]])


def streamed(log: bytes) -> list[tuple[str, object, object]]:
    """Return the net changes of a log that is read event by event."""
    changes = NetChanges()
    for event in convert.read([log]):
        if isinstance(event, ToolCall):
            changes.add(event)
    return [(change.path, change.before, change.after) for change in changes]


@pytest.mark.parametrize(
    ("calls", "number", "expected"),
    [
        ([edited("a", "x", "y")], 1, []),
        ([edited("a", "x", "y"), edited("b", "1", "2")], 1, [("b", "1", "2")]),
        ([edited("a", "x", "y"), edited("a", "y", "z")], 2, [("a", "x", "y")]),
        ([edited("a", "x", "y"), edited("a", "x", "z")], 1, [("a", "x", "z")]),
        ([edited("a", "x", "y"), deleted("a", "y")], 2, [("a", "x", "y")]),
    ],
)
def test_a_call_that_failed_after_all_changed_nothing(
    calls: list[Call], number: int, expected: list[Any]
) -> None:
    log = corrected(log_of(*calls, directory=""), number, {"error": {"error": "no"}})

    assert streamed(log) == expected


def test_a_call_that_ended_well_after_all_changed_its_file() -> None:
    kind, arguments, result = edited("a", "x", "y")
    log = log_of((kind, arguments, {"error": {"error": "no"}}), directory="")

    assert streamed(log) == []
    assert streamed(corrected(log, 1, result)) == [("a", "x", "y")]


def test_a_further_frame_that_says_the_same_changes_nothing_more() -> None:
    first, second = edited("a", "x", "y"), edited("a", "y", "z")
    log = corrected(log_of(first, second, directory=""), 1, first[2])

    assert streamed(log) == [("a", "x", "z")]


def test_a_diff_that_was_not_applied_is_skipped() -> None:
    calls = [recorded_as(f"@@ -{line} +{line} @@\n-x\n+y\n") for line in (1, 5)]
    changes = NetChanges()

    for event in convert.read([corrected(log_of(*calls), 1, {"error": {}})]):
        if isinstance(event, ToolCall):
            changes.add(event)

    (change,) = changes
    assert change.counts == (1, 1)
    assert change.diffs == [calls[1][2]["success"]["diffString"]]


def test_a_step_that_the_log_also_records_as_a_call_changes_its_file_once() -> None:
    output = {"beforeFullFileContent": "x\n", "afterFullFileContent": "y\n"}
    step = call_of("edit", {"path": "a"}, output=output, id="linked")
    own = replace(step, number=2, parent="task")
    around = call_of("task", {}, steps=[step], id="task")

    for calls in ([own, around], [around, own]):
        files = ChangedFiles()
        for call in calls:
            files.add(call)
        (change,) = files.net
        assert change.counts == (1, 1)


def changes_of(log: bytes, most_bytes: int | None = None) -> list[Any]:
    """Return all that is known of the net changes of a log.

    No more contents than `most_bytes` stay in memory, if that is a number.
    """
    changes = NetChanges()
    with pytest.MonkeyPatch.context() as patch:
        if most_bytes is not None:
            patch.setattr(net_changes, "_MOST_BYTES", most_bytes)
        for event in convert.read([log]):
            if isinstance(event, ToolCall):
                changes.add(event)
    return [
        (each.path, each.before, each.after, each.status, each.counts, each.diffs)
        for each in changes
    ]


@given(st.lists(st.tuples(st.sampled_from("abc"), states, states), max_size=8))
def test_contents_are_the_same_in_memory_and_in_a_file(
    edits: list[tuple[str, str | None, str | None]],
) -> None:
    log = log_of(*itertools.starmap(changed, edits), directory="")
    if edits:
        log = corrected(log, len(edits), {"error": {"error": "no"}})

    assert changes_of(log, 0) == changes_of(log)


def test_half_an_emoji_is_the_same_in_a_file() -> None:
    call = call_of("write", {"path": "a", "fileText": "\ud83d"})
    changes = NetChanges()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net_changes, "_MOST_BYTES", 0)
        changes.add(call)

    (change,) = changes
    assert not [*change.contents_in_memory()]
    assert change.after == "\ud83d"


def test_contents_stay_in_memory_where_no_file_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_of(edited("a", "x", "y"), edited("b", None, "z"))
    expected = changes_of(log)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))

    assert changes_of(log, 0) == expected


def test_many_contents_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net_changes, "_MOST_BYTES", 100_000)
    changes = NetChanges()

    tracemalloc.start()
    for number in range(300):
        content = f"line {number}\n" * 500
        changes.add(call_of("write", {"path": f"{number}", "fileText": content}))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len([*changes]) == 300
    assert peak < 600_000
