"""Changes of two runs to files in the end, and which parts of a comparison decide."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import Comparison
from support.edits import Call, changed, deleted, edited, log_of, wrote
from support.matrix import each

texts = st.lists(st.sampled_from(["a\n", "b\n", "c"]), max_size=4).map("".join)
states = st.none() | texts


def compare(a: list[Call], b: list[Call], **settings: Any) -> Comparison:
    return convert.compare(
        [log_of(*a)], [log_of(*b)], settings=convert.Settings(**settings)
    )


def files(a: list[Call], b: list[Call], **settings: Any) -> dict[str, str]:
    (run,) = compare(a, b, **settings).runs
    return {file.path: file.status for file in run.files}


def steps(path: str, contents: list[str | None]) -> list[Call]:
    pairs = itertools.pairwise(contents)
    return [changed(path, *pair) for pair in pairs if pair != (None, None)]


def passed(path: str, text: str) -> Call:
    """Return an edit for which only the input of the tool is recorded."""
    return "edit", {"path": path, "streamContent": text}, {"success": {}}


def shell(command: str) -> Call:
    return "shell", {"command": command}, {"success": {"exitCode": 0}}


@given(st.lists(states, min_size=2, max_size=4))
def test_many_steps_change_the_same_as_one(contents: list[str | None]) -> None:
    at_once = steps("a", [contents[0], contents[-1]])

    compared = files(steps("a", contents), at_once)

    assert set(compared.values()) <= {"same"}
    assert not compare(steps("a", contents), at_once, judge=("files",)).is_different


@given(states, states, states)
def test_another_end_is_a_difference(
    before: str | None, after: str | None, other: str | None
) -> None:
    one, another = steps("a", [before, after]), steps("a", [before, other])

    compared = compare(one, another, judge=("files",))

    assert compared.is_different == (after != other)
    mirrored = compare(another, one, judge=("files",))
    assert mirrored.severity == compared.severity


@each(
    ("one", "other", "expected"),
    [
        ([edited("a", "x", "y")], [edited("a", "x", "y")], "same"),
        ([edited("a", "x", "y")], [edited("a", "x", "z")], "differs"),
        ([edited("a", "x", "y")], [], "only in A"),
        ([], [edited("a", "x", "y")], "only in B"),
        (
            [edited("a", "x", "y")],
            [edited("a", "x", "y"), edited("a", "y", "x")],
            "only in A",
        ),
        ([deleted("a", "x")], [edited("a", "x", "")], "deleted in A"),
        ([edited("a", "x", "")], [deleted("a", "x")], "deleted in B"),
        ([passed("a", "x")], [deleted("a", None)], "deleted in B"),
        ([], [deleted("a", "x")], "deleted in B"),
        ([edited("a", None, "x")], [wrote("a", "x"), deleted("a", "x")], "only in A"),
        ([deleted("a", "x")], [deleted("a", None)], "same"),
        ([wrote("a", "y")], [edited("a", None, "y")], "same"),
        ([edited("a", "x\r\n", "y\r\n")], [edited("a", "x\n", "y\n")], "same"),
        ([edited("./a", "x", "y")], [edited("/home/dev/shop/a", "x", "y")], "same"),
        (
            [edited("a", "x\n", "y\n")],
            [edited("a", "x\n" + "z\n" * 9, "y\n" + "z\n" * 9)],
            "differs",
        ),
        ([passed("a", "y")], [passed("a", "y")], "same"),
        ([passed("a", "y")], [passed("a", "z")], "not recorded"),
        ([passed("a", "y")], [], "only in A"),
        (
            [edited("a", "x", "y")],
            [("edit", {"path": "a"}, {"error": {}})],
            "only in A",
        ),
    ],
)
def test_a_file_is(one: list[Call], other: list[Call], expected: str) -> None:
    assert files(one, other) == {"a": expected}


def test_files_that_began_with_other_contents_are_compared_by_their_changes() -> None:
    far = "".join(f"{number}\n" for number in range(9))
    one = [edited("a", f"{far}x\n", f"{far}y\n")]
    other = [edited("a", f"old\n{far}x\n", f"old\n{far}y\n")]

    assert files(one, other) == {"a": "same"}


def test_an_edit_that_never_ended_may_have_changed_the_file() -> None:
    log = log_of(edited("a", "x", "y"))
    cut = log.replace(b'"completed"', b'"started"')

    (run,) = convert.compare([log], [cut]).runs

    assert [file.status for file in run.files] == ["not recorded"]


def test_an_id_that_the_run_made_is_noise_in_a_file() -> None:
    one, other = (
        [
            ("shell", {"command": "new"}, {"success": {"stdout": f"made {id}"}}),
            edited("a", "x\n", f"id = {id}\n"),
        ]
        for id in ("7c9e6679aa", "1b4e28ba99")
    )

    assert files(one, other) == {"a": "same"}
    assert files(one[1:], other[1:]) == {"a": "differs"}


def test_contents_count_as_little_as_the_arguments() -> None:
    one, other = [edited("a", "x", "y")], [edited("a", "x", "z")]

    assert files(one, other, args="subject") == {"a": "changed in both"}
    assert files(one, other, args="ignore") == {}
    for name in ("edit.effect", "*.streamContent", "write.fileText"):
        assert files(one, other, ignore_arg=(name,)) == {"a": "changed in both"}
    assert files(one, other, ignore_arg=("edit.path",)) == {"a": "differs"}


def test_a_file_that_differs_is_a_finding_even_if_every_call_has_a_partner() -> None:
    compared = compare([edited("a", "x", "y")], [edited("a", "x", "z")])

    found = [(f.category, f.severity, f.from_, f.to) for f in compared.findings]
    assert ("files", "major", "changed", "changed") in found


def test_a_file_that_is_not_recorded_is_judged_by_the_calls() -> None:
    one, other = [passed("a", "y")], [passed("a", "z")]

    assert [f.category for f in compare(one, other).findings] == ["args"]
    assert compare(one, other, judge=("files",)).is_different
    assert not compare(one, one, judge=("files",)).is_different


@each(
    ("settings", "is_different"),
    [
        ({"allow_extra": ("edit",)}, False),
        ({"match": "superset"}, False),
        ({"match": "subset"}, True),
        ({"ignore": ("added",)}, False),
        ({"ignore": ("files",)}, True),
        ({"judge": ("calls",)}, True),
        ({"judge": ("status", "result")}, False),
    ],
)
def test_a_file_that_an_allowed_call_changed_passes(
    settings: dict[str, Any], is_different: bool
) -> None:
    compared = compare([], [edited("a", "x", "y")], **settings)

    assert compared.is_different is is_different


def test_judge_names_the_findings_that_it_waives() -> None:
    compared = compare(
        [edited("a", "x", "y")], [edited("a", "x", "z")], judge=("status", "result")
    )

    assert {f.waived for f in compared.findings} == {"--judge status,result"}


def test_a_run_without_a_partner_counts_whatever_is_judged() -> None:
    log = log_of(edited("a", "x", "y"))
    settings = convert.Settings(judge=("files",))

    compared = convert.compare([log], [log + log], settings=settings)

    assert [f.category for f in compared.findings] == ["runs"]
    assert compared.is_different


@pytest.mark.parametrize(
    ("log", "format"),
    [
        (b'{"type":"result","subtype":"success","result":"Done."}\n', "json"),
        (b"Edited file: a.py\n\nDone.\n", "text"),
    ],
)
def test_what_no_log_records_cannot_be_judged(log: bytes, format: str) -> None:
    settings = convert.Settings(judge=("files",))

    with pytest.raises(convert.InputError, match=r"tool calls \(--judge files\)"):
        convert.compare([log], [log], format=format, settings=settings)


def test_the_summary_says_first_if_the_files_end_the_same() -> None:
    one = [edited("a", "x", "y"), shell("make")]
    other = [edited("a", "x", "z"), shell("make"), edited("a", "z", "y"), shell("make")]

    lines = convert.report(compare(one, other)).splitlines()

    at = lines.index("files   a same")
    commands = "commands that may have changed files: 1 -> 2 (make x1 -> x2)"
    assert lines[at + 1].strip() == commands
    assert lines[at + 2].startswith("calls ")


def test_the_summary_lists_the_files_that_differ_first() -> None:
    same = [edited(f"{number:02}", "x", "y") for number in range(12)]

    report = convert.report(compare(same, [*same, wrote("z", "x")]))

    assert "files   z created only in B; 00, 01, 02" in report
    assert "07, 08 same; … 3 more files\n" in report


@pytest.mark.parametrize(
    ("a", "b", "told", "signs"),
    [
        ([edited("f", "x", "y")], [], "changed only in A", ["-f  changed"]),
        ([], [wrote("f", "y")], "created only in B", ["+f  created"]),
        ([deleted("f", "x")], [], "deleted only in A", ["-f  deleted"]),
        (
            [edited("f", "x", "y")],
            [deleted("f", "x")],
            "changed in A, deleted in B",
            ["-f  changed", "+f  deleted"],
        ),
        (
            [edited("f", "x", "y")],
            [edited("f", "x", "z")],
            "differs",
            ["-f  changed", "+f  changed"],
        ),
    ],
)
def test_a_report_says_if_a_file_is_new_changed_or_deleted(
    a: list[Call], b: list[Call], told: str, signs: list[str]
) -> None:
    compared = compare(a, b)

    assert f"files   f {told}\n" in convert.report(compared)
    lines = convert.report(compared, "unified").splitlines()
    at = lines.index("@@ files @@")
    assert lines[at + 1 : at + 1 + len(signs)] == signs


def test_a_file_that_is_not_recorded_is_not_called_the_same() -> None:
    one, other = passed("a", "x"), shell("make")

    report = convert.report(compare([one], [one, other]))
    line = convert.report(compare([one], [one]))

    assert "files   a changed alike, content not recorded\n" in report
    assert "files same" not in line
    assert "; files not recorded, 1 edit compared by the arguments" in line


@each(
    ("ones", "others", "told"),
    [
        (["make"], ["make"], "1 (make)"),
        (["make"], ["make", "tox"], "1 -> 2 (tox only in B, make)"),
        (["a", "a"], ["a"], "2 -> 1 (a x2 -> x1)"),
        (["a\nb"], [], "1 -> 0 (a ⏎ b only in A)"),
        ([*"abcdef"], [], "6 -> 0 (a only in A, b only in A, c only in A, d only in A,"
         " e only in A, … 1 more command)"),
        ([f"{'x' * 60}1"], [f"{'x' * 60}2"],
         f"1 ({'x' * 49}… only in A, {'x' * 49}… only in B)"),
        (["ls"], [], ""),
    ],
)  # fmt: skip
def test_commands_that_may_have_changed_files_are_named(
    ones: list[str], others: list[str], told: str
) -> None:
    report = convert.report(
        compare(
            [edited("f", "x", "y"), *map(shell, ones)],
            [edited("f", "x", "z"), *map(shell, others)],
        )
    )

    assert bool(told) == ("commands that may" in report)
    assert f"commands that may have changed files: {told}\n" in report or not told


@each(
    ("old", "new", "notes"),
    [
        ("    x\n", "\tx\n", ["line 1, column 1: 4 spaces -> 1 tab"]),
        ("x\n", "x \t\n", ["line 1, at the end: nothing -> 1 space, 1 tab"]),
        ("\n", "  \n", ["line 1, at the end: nothing -> 2 spaces"]),
        ("a b\n", "a\u00a0b\n", ["line 1, column 2: 1 space -> U+00A0 NO-BREAK SPACE"]),
        ("ab", "a\u200bb", ["line 1, column 2: nothing -> U+200B ZERO WIDTH SPACE"]),
        ("x = 1\n", "x = 2\n", ['line 1, column 5: "1" -> "2"']),
        ("a,b\n", "a,b,\n", ['line 1, column 4: nothing -> ","']),
        (
            "pay pal\n",
            "p\u0430y p\u0430l\n",
            [
                f'line 1, column {n}: "a" -> "\u0430" (U+0430 CYRILLIC SMALL LETTER A)'
                for n in (2, 6)
            ],
        ),
        (
            "caf\u00e9 au\n",
            "cafe\u0301 au\n",
            [
                'line 1, column 4: "\u00e9" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)'
                ' -> "e", U+0301 COMBINING ACUTE ACCENT'
            ],
        ),
        # Lines that everybody sees to be others.
        ("return a + b\n", "return b + a\n", []),
        ("one word\n", "another phrase\n", []),
        # A line among others, of which only one side has more.
        ("a\nlong line\nb\n", "a\nnew\nlong line \nb\n",
         ["line 3, at the end: nothing -> 1 space"]),
        # More lines than are tried with each other.
        ("  x\n" * 99, "\tx\n" * 100, ["lines 1 to 99, column 1: 2 spaces -> 1 tab"]),
        ("x" * 3000 + "a" + "x" * 3000, "x" * 3000 + "b" + "x" * 3000,
         ['line 1, column 3,001: "a" -> "b"']),
    ],
)  # fmt: skip
def test_a_change_that_is_hard_to_see_is_named(
    old: str, new: str, notes: list[str]
) -> None:
    report = convert.report(compare([edited("f", "", old)], [edited("f", "", new)]))

    lines = (line.partition("! ")[2] for line in report.splitlines())
    assert [line for line in lines if line.startswith("line")] == notes


@each(
    ("a", "b", "sign"),
    [
        ([edited("f", "x\n", "y\n")], [], "-y +x"),
        ([], [edited("f", None, "y\n")], "+y"),
        ([], [edited("f", "x\n", "x\r\n")], "-x +x\\x0d"),
        ([deleted("f", "x\n")], [edited("f", "x\n", "y\n")], "+y"),
        ([edited("f", "x", "y\n")], [edited("f", "x", "y")],
         "-y +y (no line feed at the end)"),
        # The content in B is not known, or in part the same by a rule.
        ([edited("f", "x\n", "y\n")], [edited("f", "x\n", "y\n"), shell("rm f")], ""),
        ([edited("f", "x", "y\r\nu\n")], [edited("f", "x", "y\nv\n")], "-u +v"),
    ],
)  # fmt: skip
def test_a_report_shows_the_content_of_b_against_that_of_a(
    a: list[Call], b: list[Call], sign: str
) -> None:
    report = json.loads(convert.report(compare(a, b), "json"))

    (found,) = (each for each in report["findings"] if each["category"] == "files")
    lines = [line for each in found.get("details", []) for line in each["lines"]]
    assert " ".join(line for line in lines if line[:1] in ("-", "+")) == sign


def test_lines_that_are_equal_by_a_rule_are_no_difference() -> None:
    def log(directory: str, made: str, size: int) -> bytes:
        lines = f"dir = {directory}\nid = {made}\nsize = {size}\n"
        printed = {"success": {"exitCode": 0, "stdout": f"{made}\n"}}
        asks = ("shell", {"command": "uuidgen"}, printed)
        return log_of(asks, edited(f"{directory}/f", "", lines), directory=directory)

    ids = [f"5f0e17c2-77aa-4d52-9d3e-1c2b3a4d5e6{n}" for n in range(2)]
    a, b = log("/home/dev/one", ids[0], 10), log("/home/dev/two", ids[1], 20)

    unified = convert.report(convert.compare([a], [b]), "unified")

    _, _, patch = unified.partition("+++ b/f\n")
    assert patch == (
        "@@ -1,3 +1,3 @@\n"
        " dir = /home/dev/one\n"
        f" id = {ids[0]}\n"
        "-size = 10\n"
        "+size = 20\n"
    )
