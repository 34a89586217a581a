"""Equal commands whose outputs count other tests."""

from __future__ import annotations

from typing import Any

import pytest

import convert
from support.comparisons import assert_mirrored
from support.edits import Call, edited, log_of
from support.matrix import each

# The words of reports for lines that they do not repeat.
WORDS = {
    "43 skipped": "0 passed, 43 skipped",
    "no tests ran": "0 passed",
    "45 passed, 1 error": "45 passed, 1 with errors",
}
Found = list[tuple[str, str | None, str | None, bool]]


def ran(printed: str, command: str = "pytest -q", **members: Any) -> Call:
    output = {"exitCode": 0, "stdout": printed} | members
    return "shell", {"command": command}, {"success": output}


def found(a: list[Call], b: list[Call], **settings: Any) -> Found:
    """Compare two runs; return the findings about tests."""
    knobs = convert.Settings(**settings)
    there, back = (
        convert.compare([log_of(*one)], [log_of(*other)], settings=knobs)
        for one, other in ((a, b), (b, a))
    )
    assert_mirrored(there, back)
    return [
        (finding.severity, finding.from_, finding.to, finding.better)
        for finding in there.findings
        if finding.category == "tests"
    ]


@each(
    ("a", "b", "severity", "is_better"),
    [
        ("43 passed", "43 skipped", "major", False),
        ("43 passed", "no tests ran", "major", False),
        ("no tests ran", "43 passed", "major", True),
        ("43 passed", "42 passed, 1 skipped", "info", False),
        ("43 passed", "45 passed", "info", True),
        ("40 passed", "36 passed", "info", False),
        ("40 passed", "35 passed", "major", False),
        ("35 passed", "40 passed", "major", True),
        ("4 passed, 4 skipped", "4 passed, 5 skipped", "major", False),
        ("43 passed", "42 passed, 1 failed", "major", False),
        ("43 passed", "45 passed, 1 error", "major", False),
        ("40 passed, 3 failed", "43 passed", "major", True),
        ("40 passed, 3 failed", "41 passed, 2 failed", "minor", True),
        ("40 passed, 3 failed", "42 passed, 5 failed", "minor", False),
    ],
)
def test_other_numbers_of_tests_are_a_difference(
    a: str, b: str, severity: str, is_better: bool
) -> None:
    words = (WORDS.get(a, a), WORDS.get(b, b))

    assert found([ran(f"{a} in 1s")], [ran(f"{b} in 1s")]) == [
        (severity, *words, is_better)
    ]


ALL, PART = "43 passed in 1s", "5 passed in 1s"
FILE = "pytest -q tests/test_a.py"


@each(
    ("a", "b", "is_found"),
    [
        ([ran(ALL)], [ran(PART, FILE)], True),
        ([ran(ALL)], [ran(PART)], True),
        ([ran(ALL), ran(PART, FILE)], [ran(PART, FILE)], True),
        ([ran(ALL)], [ran(PART, "pytest -q -k rate")], True),
        ([ran(ALL)], [ran(PART, "pytest -q 2>&1 | tail -3")], True),
        ([ran(ALL)], [ran(ALL), ran(PART, FILE)], False),
        ([ran(ALL)], [ran("40 passed in 1s", FILE)], False),
        ([ran(ALL, FILE)], [ran(PART, "pytest -q tests/test_b.py")], False),
        ([ran(ALL)], [ran("Tests:  5 passed, 5 total", "npx jest")], False),
        ([ran(ALL)], [ran("all is well", FILE)], False),
    ],
)
def test_a_part_of_a_check_has_fewer_tests(
    a: list[Call], b: list[Call], is_found: bool
) -> None:
    change = edited("a.py", "1\n", "2\n")

    there = found([change, *a], [change, *b], judge=("files",))

    assert there == [("major", "43 passed", "5 passed", False)] * is_found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("43 passed in 0.31s", "43 passed in 0.62s"),
        ("43 passed in 0.31s", "43 passed, 2 skipped in 0.31s"),
        ("43 passed in 0.31s", "all is well"),
        ("43 passed in 0.31s", ""),
        (
            "=== RUN A\n--- PASS: A (1.0s)\n--- PASS: B (1.0s)\n",
            "ok  \texample.org/a\t0.003s\n",
        ),
        ("FAILED (failures=1)", "Ran 4 tests in 1s\n\nFAILED (failures=1)"),
    ],
)
def test_other_outputs_are_none(a: str, b: str) -> None:
    assert found([ran(a)], [ran(b)]) == []


def test_both_streams_count_but_not_twice() -> None:
    one = ran("43 passed in 1s", stderr="", interleavedOutput="43 passed in 1s")
    other = ran("", stderr="Ran 9 tests in 1s\n\nOK\n")

    assert found([one], [other]) == [("major", "43 passed", "9 passed", False)]


def test_packages_are_named() -> None:
    one, other = (
        "ok  \tex.org/a\t0.1s\nok  \tex.org/b\t0.1s\n",
        "ok  \tex.org/a\t0.2s\n",
    )

    assert found([ran(one)], [ran(other)]) == [
        ("major", "2 passed (packages)", "1 passed (packages)", False)
    ]


@pytest.mark.parametrize(
    ("before", "after"), [(10, 0), (70_000, 0), (30_000, 40_000), (200_000, 10_000)]
)
def test_the_end_of_a_long_output_counts_once(before: int, after: int) -> None:
    one, other = (
        ran(f"{'.' * before}\n{number} passed in 1s\n{'.' * after}")
        for number in (4300, 43)
    )

    assert found([one], [other]) == [("major", "4,300 passed", "43 passed", False)]


def test_the_last_time_of_a_command_counts() -> None:
    less, more, other = ran("1 passed in 1s"), ran("2 passed in 1s"), ran("", "make")

    assert found([less, other, more], [more, other, more]) == []
    assert found([more, other, less], [more, other, more]) != []
    assert found([more], [less, other, more]) == []


def test_each_command_counts_on_its_own() -> None:
    a, b = (
        [ran(f"{number} passed in 1s", f"pytest {name}") for name in "ab"]
        for number in (3, 2)
    )

    assert len(found(a, b)) == 2


def test_a_command_that_moved_counts_once() -> None:
    a, b = (ran(f"{number} passed in 1s") for number in (3, 2))
    others = [ran("", f"make {name}") for name in "xyz"]

    assert len(found([a, *others], [*others, b])) == 1


def test_a_command_that_looks_is_no_check() -> None:
    calls = [ran(f"{n} passed in 1s", "cat report.txt") for n in (1, 2)]

    assert found(calls[:1], calls[1:]) == []


def test_two_commands_are_not_one_because_arguments_do_not_count() -> None:
    one, other = ran("1 passed in 1s", "pytest a"), ran("2 passed in 1s", "pytest b")

    assert found([one], [other], args="ignore") == []
    assert found([one], [ran("2 passed in 1s", "pytest a")], args="ignore") != []


def test_a_command_that_a_subagent_made_counts() -> None:
    def task(printed: str) -> Call:
        kind, arguments, result = ran(printed)
        step = {"toolCall": {f"{kind}ToolCall": {"args": arguments, "result": result}}}
        steps = {"conversationSteps": [step]}
        return "task", {"prompt": "Test it"}, {"success": steps}

    assert found([task("2 passed in 1s")], [task("1 passed in 1s")]) != []


@pytest.mark.parametrize(
    "settings",
    [
        {"ignore": ("tests",)},
        {"judge": ("status", "result")},
        {"allow_better": True},
        {"fail_on": "critical"},
    ],
)
def test_settings_let_it_pass(settings: dict[str, Any]) -> None:
    logs = ([log_of(ran(f"{n} passed in 1s"))] for n in (1, 2))

    compared = convert.compare(*logs, settings=convert.Settings(**settings))

    assert not compared.is_different
    assert "tests" in {finding.category for finding in compared.findings}
