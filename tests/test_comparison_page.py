"""New failures, and files in the end, on the page of two runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import convert
from convert.diff import ReportOptions
from convert.pages import Fold, pairs_of
from support.edits import Call, edited, log_of
from support.matrix import each


def shell(command: str, code: int = 0) -> Call:
    arm = "failure" if code else "success"
    return "shell", {"command": command}, {arm: {"exitCode": code}}


def page(
    a: list[Call], b: list[Call], options: ReportOptions, **settings: Any
) -> SimpleNamespace:
    compared = convert.compare(
        [log_of(*a)], [log_of(*b)], settings=convert.Settings(**settings)
    )
    [pair], _ = pairs_of(compared, options)
    return pair


PASSED, FAILED, OTHER = shell("pytest"), shell("pytest", 1), shell("make", 2)


@each(
    ("a", "b", "failed"),
    [
        ([PASSED], [PASSED, OTHER], ["2 shell make exit 2"]),
        ([PASSED], [PASSED, shell("make")], []),
        ([OTHER, PASSED], [PASSED, OTHER], []),
        ([FAILED], [FAILED], []),
        ([FAILED, PASSED], [PASSED], []),
        # It ended worse, which the list of these says.
        ([PASSED], [FAILED], []),
        (
            [PASSED],
            [FAILED, PASSED, OTHER],
            ["1 shell pytest exit 1", "3 shell make exit 2"],
        ),
    ],
)
def test_calls_that_failed_only_in_the_candidate_are_on_top(
    a: list[Call], b: list[Call], failed: list[str]
) -> None:
    pair = page(a, b, ReportOptions())

    listed = [item for group in pair.failed for item in group]
    assert [f"{item.number} {item.words} {item.ends}" for item in listed] == failed
    assert (f"({len(failed)} failed)" in pair.verdict.sentence) == bool(failed)
    ids = {id for row in pair.rows for id in getattr(row, "ids", ())}
    assert {item.anchor for item in listed} <= ids


def test_twelve_new_failures_are_shown_and_the_others_folded() -> None:
    failed = [shell(f"make {number}", 2) for number in range(13)]

    pair = page([PASSED], [PASSED, *failed], ReportOptions())

    assert [len(group) for group in pair.failed] == [12, 1]


def test_a_new_failure_that_may_be_added_is_named_all_the_same() -> None:
    pair = page([PASSED], [PASSED, OTHER], ReportOptions(), allow_extra=("shell",))

    assert pair.failed
    assert "failed" not in pair.verdict.sentence


def reading(*names: str) -> list[Call]:
    return [("read", {"path": name}, {"success": {}}) for name in names]


@each(("length", "end"), [(200, "xx"), (201, "x…")])
def test_a_failure_is_named_by_200_characters(length: int, end: str) -> None:
    failed = shell("x" * (length - len("shell ")), 1)

    pair = page([failed], [failed], ReportOptions())

    listed = [
        item for side in pair.unresolved for group in side.groups for item in group
    ]
    assert [(len(item.words), item.words[-2:]) for item in listed] == [(200, end)] * 2


@pytest.mark.parametrize("ignore", [(), ("moved",)])
def test_the_verdict_counts_the_same_calls_as_moved_as_the_filter(
    ignore: tuple[str, ...],
) -> None:
    # The edit moves past the tests, which is reported as a lost check.
    others = [*reading(*"abcdefgh"), PASSED]
    moved_calls = [edited("a.py", "1\n", "2\n"), *reading("x", "y")]
    a, b = [*moved_calls, *others], [*others, *moved_calls]

    pair = page(a, b, ReportOptions(), ignore=ignore)

    [moved] = [total for name, _, total in pair.filters if name == "moved"]
    waived = 2 if ignore else 0
    sentence = pair.verdict.sentence
    assert moved == 3
    assert f"{moved - waived:,} call{'' if waived else 's'} moved" in sentence
    assert "1 check" in sentence


@pytest.mark.parametrize(
    ("printed", "tone"),
    [("43 skipped in 1s", "bad"), ("42 passed in 1s", "good"), ("", "good")],
)
def test_tests_that_no_longer_pass_are_on_top(printed: str, tone: str) -> None:
    a, b = (
        ("shell", {"command": "pytest"}, {"success": {"exitCode": 0, "stdout": text}})
        for text in ("43 passed in 1s", printed)
    )

    pair = page([a], [b], ReportOptions())

    assert pair.verdict.tone == tone
    assert bool(pair.others) == ("1 command ran other tests" in pair.verdict.sentence)
    assert bool(pair.others) == (tone != "good")


def contents(
    a: list[Call], b: list[Call], options: ReportOptions | None = None
) -> list[list[str]]:
    """Return the lines that differ of each file that has them."""
    rows = [
        file
        for group in page(a, b, options or ReportOptions()).file_groups
        for file in group
    ]
    return [
        [f"{line.kind} {line.spans[0].text}" for line in file.contents.lines]
        for file in rows
        if file.contents
    ]


def test_the_lines_in_which_a_file_differs_in_the_end_are_shown() -> None:
    a = [edited("a.py", "1\n", "2\n"), edited("a.py", "2\n", "3\n")]
    b = [edited("a.py", "1\n", "4\n")]

    assert contents(a, b) == [["head @@ line 1 @@", "removed 3", "added 4"]]
    # A file that only one run changed is compared with its content before.
    assert contents(a, []) == [["head @@ line 1 @@", "removed 3", "added 1"]]


@pytest.mark.parametrize(
    "b",
    [
        [edited("a.py", "1\n", "2\n")],
        [("edit", {"path": "a.py", "streamContent": "3"}, {"success": {}})],
    ],
)
def test_a_file_that_is_same_or_not_known_has_no_lines(b: list[Call]) -> None:
    assert contents([edited("a.py", "1\n", "2\n")], b) == []


def test_of_many_files_the_page_says_where_the_lines_are() -> None:
    names = [f"{number:02}.py" for number in range(13)]
    a, b = ([edited(name, "1\n", f"{end}\n") for name in names] for end in "23")

    *_, [last] = page(a, b, ReportOptions()).file_groups

    assert len(contents(a, b)) == 12
    assert last.words.endswith("; --full shows the lines")
    assert len(contents(a, b, ReportOptions(is_full=True))) == len(names)


def rows_of(pair: SimpleNamespace) -> list[SimpleNamespace]:
    entries = [e.rows if isinstance(e, Fold) else [e] for e in pair.rows]
    return [row for group in entries for row in group]


def printing(command: str, text: str, code: int = 1) -> Call:
    arm = "failure" if code else "success"
    return "shell", {"command": command}, {arm: {"exitCode": code, "stdout": text}}


def printed(
    a: list[Call], b: list[Call], options: ReportOptions | None = None
) -> list[str]:
    """Return the output of each failed call as the rows show it."""
    return [
        f"{side}: {'|'.join(part.lines)} {part.left_out}".rstrip()
        for row in rows_of(page(a, b, options or ReportOptions()))
        for side, part in row.printed
    ]


EIGHT = "".join(f"{number}\n" for number in range(1, 9))
MADE = printing("make", EIGHT, 2)


@each(
    ("a", "b", "shown"),
    [
        ([], [MADE], ["B: 3|4|5|6|7|8 2 earlier lines omitted"]),
        ([MADE], [], ["A: 3|4|5|6|7|8 2 earlier lines omitted"]),
        ([], [printing("make", EIGHT, 0)], []),
        ([printing("make", "old")], [printing("make", "new", 2)], ["A: old", "B: new"]),
        # A comparison keeps the two ends of a long output.
        (
            [],
            [printing("make", "1\n" * 70_000)],
            ["B: 1|1|1|1|1|1 earlier lines omitted"],
        ),
        ([], [shell("make", 2)], ["B:"]),
        ([], [("read", {"path": "a"}, {"error": {"error": "gone"}})], ["B: gone"]),
    ],
)
def test_the_row_of_a_failed_call_shows_its_last_lines(
    a: list[Call], b: list[Call], shown: list[str]
) -> None:
    assert printed([PASSED, *a], [PASSED, *b]) == shown


def test_a_call_that_moved_shows_its_last_lines_once() -> None:
    a, b = [MADE, PASSED], [PASSED, MADE]

    lines = "3|4|5|6|7|8 2 earlier lines omitted"
    assert printed(a, b) == [f"A: {lines}", f"B: {lines}"]


@pytest.mark.seldom
def test_of_many_failed_calls_the_page_says_how_to_see_the_lines() -> None:
    calls = [printing(f"make {number}", "1") for number in range(1001)]

    assert printed([], calls)[-2:] == ["B: 1", "B:  omitted; --full shows it"]
    assert printed([], calls, ReportOptions(is_full=True))[-1] == "B: 1"


@pytest.mark.parametrize(
    ("a", "b"),
    [([PASSED], [PASSED, MADE]), ([printing("make", "", 0)], [MADE])],
)
def test_a_list_of_new_failures_names_their_last_line(
    a: list[Call], b: list[Call]
) -> None:
    pair = page(a, b, ReportOptions())

    [[item]] = pair.failed or pair.critical
    assert item.why == "8"
