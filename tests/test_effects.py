"""Edits in a comparison: their changes, in any spelling, under any name."""

from __future__ import annotations

import json
from typing import Any

import pytest

import convert
from convert.diff import Comparison, respelled
from convert.wording import unified_diff
from support.edits import Call, edited, log_of, wrote
from support.matrix import each

BEFORE = "def a():\n    x = 1\n\n\n\ndef b():\n    x = 1\n"
FIRST = BEFORE.replace("x = 1", "x = 2", 1)
SECOND = BEFORE[:-2] + "2\n"


def compare(
    a: list[Call], b: list[Call], other_directory: str = "", **settings: Any
) -> Comparison:
    one, other = log_of(*a), log_of(*b)
    if other_directory:
        other = log_of(*b, directory=other_directory)
    return convert.compare([one], [other], settings=convert.Settings(**settings))


def categories(compared: Comparison) -> list[str]:
    """Return the categories of the findings about calls and their arguments."""
    found = [finding.category for finding in compared.findings]
    return [name for name in found if name not in ("files", "output")]


def failed(path: str, after: str) -> Call:
    return "edit", {"path": path, "streamContent": after}, {"error": {"error": "no"}}


def passed(path: str, text: str) -> Call:
    """Return an edit for which only the input of the tool is recorded."""
    return "edit", {"path": path, "streamContent": text}, {"success": {}}


def replacing(path: str, before: str, after: str) -> Call:
    """Return an edit that was given a fragment, at a place that only contents show."""
    kind, arguments, result = edited(path, before, after)
    return kind, arguments | {"streamContent": "    x = 2\n"}, result


def test_the_same_fragment_at_another_place_is_another_edit() -> None:
    compared = compare(
        [replacing("a.py", BEFORE, FIRST)], [replacing("a.py", BEFORE, SECOND)]
    )

    assert categories(compared) == ["args"]
    assert compared.severity == "major"


def test_another_fragment_with_the_same_effect_is_the_same_edit() -> None:
    kind, arguments, result = edited("a.py", BEFORE, FIRST)
    whole = kind, arguments | {"streamContent": FIRST}, result

    assert not compare([replacing("a.py", BEFORE, FIRST)], [whole]).findings


def test_a_write_and_an_edit_that_makes_the_file_differ_only_in_name() -> None:
    compared = compare([wrote("a.py", "x\n")], [edited("a.py", None, "x\n")])

    assert categories(compared) == ["tool"]
    assert not compared.is_different
    (finding,) = compared.findings
    assert (finding.severity, finding.from_, finding.to) == ("info", "write", "edit")
    assert compared.counts.same == 1


def test_a_write_and_an_edit_of_another_content_differ() -> None:
    compared = compare([wrote("a.py", "x\n")], [edited("a.py", None, "y\n")])

    assert categories(compared) == ["tool", "args"]


@pytest.mark.parametrize("args", ["subject", "ignore"])
def test_less_of_the_arguments_counts_if_asked_for(args: str) -> None:
    one, other = [wrote("a.py", "x\n")], [edited("a.py", None, "y\n")]

    assert not compare(one, other, args=args).is_different


def test_an_edit_that_failed_is_the_one_that_ended_well_elsewhere() -> None:
    compared = compare([failed("a.py", "y\n")], [edited("a.py", "x\n", "y\n")])

    assert categories(compared) == ["outcome"]


def test_an_edit_made_again_after_it_failed_is_a_retry() -> None:
    again = [failed("a.py", "y\n"), edited("a.py", "x\n", "y\n")]

    compared = compare([edited("a.py", "x\n", "y\n")], again)

    assert compared.figures[1].retries == 1
    assert (compared.counts.same, compared.counts.added) == (1, 1)


def test_what_was_passed_counts_if_one_log_has_nothing_else() -> None:
    one = [edited("b.py", "x\n", "y\n"), edited("a.py", "x\n", "y\n")]
    other = [passed("b.py", "y\n"), passed("a.py", "y\n")]

    assert not compare(one, other).is_different
    assert categories(compare(one, [*other, passed("a.py", "z\n")])) == ["added"]
    assert categories(compare(one, [passed("b.py", "z\n"), other[1]])) == ["args"]


def test_the_recorded_diff_counts_where_contents_are_not_recorded() -> None:
    diff = unified_diff(BEFORE, FIRST, "a.py")
    recorded = "edit", {"path": "a.py"}, {"success": {"diffString": diff}}

    assert not compare([edited("a.py", BEFORE, FIRST)], [recorded]).is_different
    assert compare([edited("a.py", BEFORE, SECOND)], [recorded]).is_different


def test_the_directory_of_the_run_in_a_content_is_noise() -> None:
    here, there = "/home/dev/shop", "/srv/job/7"
    one, other = (
        [edited(f"{home}/a.sh", "cd /\n", f"{home}/run\n{home}/x\r\n")]
        for home in (here, there)
    )

    assert not compare(one, other, there).is_different
    assert compare(one, other, there, raw=True).is_different


def test_a_scrub_sees_lines_without_marks() -> None:
    one, other = ([edited("a", "x\n", f"made {day}\nz\n")] for day in ("Mon", "Sun"))

    assert compare(one, other).is_different
    assert not compare(one, other, scrub=("(?m)^made ...$=>made",)).is_different
    assert not compare(one, other, scrub=("(?s)made.*=>",)).is_different


def test_the_effect_is_ignored_by_its_name_or_that_of_the_text_passed() -> None:
    one, other = ([edited("a", "x\n", f"{n}\n")] for n in (1, 2))

    for name in ("edit.effect", "edit.streamContent", "*.effect"):
        assert not compare(one, other, ignore_arg=(name,)).is_different
    assert compare(one, other, ignore_arg=("write.effect",)).is_different


def test_the_text_passed_counts_as_well_if_a_setting_keeps_it() -> None:
    kind, arguments, result = edited("a.py", BEFORE, FIRST)
    whole = kind, arguments | {"streamContent": FIRST}, result
    part = replacing("a.py", BEFORE, FIRST)

    assert compare([part], [whole], keep_arg=("edit.streamContent",)).is_different


def test_an_id_that_the_run_made_is_noise_in_the_files_that_it_writes() -> None:
    ids = (
        "7c9e6679-aaaa-4bbb-8ccc-000000000001",
        "1b4e28ba-aaaa-4bbb-8ccc-00000000002",
    )
    one, other = (
        [
            ("shell", {"command": "new"}, {"success": {"stdout": f"made {id}x"[:-1]}}),
            edited("a", "x\n", f"id = {id}\n"),
        ]
        for id in (ids[0], ids[1] + "0")
    )

    assert not compare(one, other).is_different
    assert compare(one[1:], other[1:]).is_different


def test_a_frame_that_comes_again_changes_the_effect_only_if_it_records_one() -> None:
    log = log_of(edited("a.py", BEFORE, FIRST)).decode().splitlines()
    event = json.loads(log[1])
    call = event["tool_call"]["editToolCall"]
    del call["args"]["streamContent"], call["result"]["success"]["diffString"]

    def again(result: Any) -> list[bytes]:
        body = {"editToolCall": call | {"result": result}}
        repeated = json.dumps(event | {"tool_call": body})
        return [f"{line}\n".encode() for line in (*log[:2], repeated, log[2])]

    def is_different(a: Any, b: Any) -> bool:
        return convert.compare(again(a), again(b)).is_different

    usual, bare = call["result"], {"success": {"message": "done"}}
    other = {"success": usual["success"] | {"afterFullFileContent": SECOND}}
    assert not is_different(usual, bare)
    assert is_different(usual, other)
    assert is_different(usual, {"error": {"error": "no"}})


def test_an_edit_that_turns_out_to_have_failed_has_no_effect() -> None:
    kind, arguments, result = edited("a.py", BEFORE, FIRST)
    error = {"error": {"error": "no"}}
    log, failed_log = (
        log_of((kind, arguments, result)),
        log_of((kind, arguments, error)),
    )
    repeated = [*log.splitlines(True)[:2], *failed_log.splitlines(True)[1:]]

    assert categories(convert.compare(repeated, [failed_log])) == []


@each(
    ("effect", "expected"),
    [
        ("", ""),
        ("-x\n+x\n", "-y\n+y\n"),
        (" \n+\n", " \n+\n"),
        ("++x\n+-x\n @@x\n@@\n-x\n", "++y\n+-y\n @@y\n@@\n-y\n"),
        (
            "+x\n\\ No newline at end of file x\n",
            "+y\n\\ No newline at end of file x\n",
        ),
        ("empty file\n", "empty file\n"),
    ],
)
def test_a_spelling_changes_no_marks(effect: str, expected: str) -> None:
    assert respelled(effect, lambda text: text.replace("x", "y")) == expected


def test_a_spelling_may_join_and_split_lines() -> None:
    assert respelled("+a\n+b\n", lambda text: text.replace("\n", "")) == "+ab\n"
    assert respelled("-a\n-b\n", lambda text: text.replace("a", "a\nc")) == (
        "-a\n-c\n-b\n"
    )
