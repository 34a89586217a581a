"""How many tests passed and failed, by the lines of their runners."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.facts import _BEGINNINGS, RUNNERS, CountedTests
from convert.facts.counted_tests import counted_tests
from support.matrix import each, part

PYTEST = """\
tests/test_app.py ..F                                                    [100%]
=========================== short test summary info ============================
FAILED tests/test_app.py::test_x - assert 1 == 2
"""
# Each output, and how many tests passed, failed, were skipped and had errors.
OUTPUTS: dict[str, list[tuple[str, tuple[int | None, int, int, int]]]] = {
    "pytest": [
        (PYTEST + "===== 1 failed, 2 passed, 1 warning in 0.12s =====\n", (2, 1, 0, 0)),
        ("43 passed in 65.12s (0:01:05)\r\n", (43, 0, 0, 0)),
        ("43 skipped in 0.31s", (0, 0, 43, 0)),
        ("no tests ran in 0.01s", (0, 0, 0, 0)),
        ("==== 3 deselected in 0.02s ====", (0, 0, 0, 0)),
        (
            "!!! Interrupted: 1 error during collection !!!\n1 error in 0.10s\n",
            (0, 0, 0, 1),
        ),
        ("\x1b[32m\x1b[1m4 passed\x1b[0m, 1 xfailed, 2 xpassed in 1.20s", (6, 0, 1, 0)),
    ],
    "unittest": [
        ("..\n-----\nRan 43 tests in 0.002s\n\nOK\n", (43, 0, 0, 0)),
        (
            "Ran 9 tests in 0.002s\n\nFAILED (failures=1, errors=2, skipped=3,"
            " unexpected successes=1)\n",
            (2, 2, 3, 2),
        ),
        (
            "Ran 3 tests in 1s\n\nOK (skipped=1)\nRan 2 tests in 1s\n\nOK",
            (4, 0, 1, 0),
        ),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", (0, 0, 0, 0)),
        ("FAILED (failures=2)\n", (None, 2, 0, 0)),
    ],
    "jest": [
        (
            "Test Suites: 1 failed, 2 passed, 3 total\n"
            "Tests:       1 failed, 2 skipped, 43 passed, 46 total\n",
            (43, 1, 2, 0),
        ),
        (
            "Test Suites: 1 failed, 1 passed, 2 total\n"
            "Tests:       4 passed, 4 total\nTime:        1.2 s\n",
            (4, 0, 0, 1),
        ),
        ("Tests:       2 todo, 2 total", (0, 0, 2, 0)),
    ],
    "vitest": [
        (
            " Test Files  1 failed | 2 passed (3)\n"
            "      Tests  1 failed | 42 passed | 2 skipped (45)\n"
            "   Duration  1.20s (transform 80ms)\n",
            (42, 1, 2, 0),
        ),
        (" Test Files  1 failed (1)\n      Tests  no tests\n", (0, 0, 0, 1)),
        ("      Tests  3 passed (3)\n     Errors  1 error\n", (3, 0, 0, 1)),
    ],
    "mocha, bun and playwright": [
        ("  43 passing (12ms)\n  1 pending\n  2 failing\n", (43, 2, 1, 0)),
        (" 43 pass\n 0 fail\n 120 expect() calls\nRan 43 tests.\n", (43, 0, 0, 0)),
        (
            "  1 failed\n    a.spec.ts:3:1\n  2 did not run\n  5 passed (3.2s)\n",
            (5, 1, 2, 0),
        ),
    ],
    "node": [
        (
            "\u2139 tests 5\n\u2139 pass 3\n\u2139 fail 1\n\u2139 cancelled 0\n"
            "\u2139 skipped 1\n",
            (3, 1, 1, 0),
        ),
        ("# tests 2\n# pass  2\n# pass 2\n# fail 0\n", (2, 0, 0, 0)),
    ],
    "deno": [
        ("ok | 43 passed (3 steps) | 0 failed | 1 ignored (12ms)", (43, 0, 1, 0)),
        ("FAILED | 2 passed | 1 failed (1 step) | 4 filtered out (1s)", (2, 1, 0, 0)),
    ],
    "ctest": [
        (
            "98% tests passed, 1 tests failed out of 43\n\n"
            "Total Test time (real) =   0.05 sec\n",
            (42, 1, 0, 0),
        ),
        ("100% tests passed, 0 tests failed out of 43\n", (43, 0, 0, 0)),
    ],
    "pest": [
        ("  Tests:    1 failed, 2 skipped, 42 passed (9 assertions)\n", (42, 1, 2, 0))
    ],
    "cargo": [
        (
            "test result: ok. 40 passed; 0 failed; 1 ignored; 0 measured; 0 filtered"
            " out; finished in 0.01s\n\ntest result: FAILED. 3 passed; 2 failed; 0"
            " ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            (43, 2, 1, 0),
        ),
    ],
    "nextest": [
        (
            "     Summary [   0.010s] 45 tests run: 43 passed (1 slow), 1 failed,"
            " 1 timed out, 2 skipped\n",
            (43, 2, 2, 0),
        ),
    ],
    "rspec": [
        ("43 examples, 1 failure, 2 pending\n", (40, 1, 2, 0)),
        (
            "0 examples, 0 failures, 1 error occurred outside of examples\n",
            (0, 0, 0, 1),
        ),
    ],
    "exunit": [("3 doctests, 40 tests, 1 failure, 2 skipped\n", (40, 1, 2, 0))],
    "minitest": [
        ("9 runs, 20 assertions, 1 failures, 2 errors, 3 skips\n", (3, 1, 3, 2)),
    ],
    "phpunit, if all passed": [("OK (43 tests, 120 assertions)\n", (43, 0, 0, 0))],
    "phpunit": [
        (
            "FAILURES!\nTests: 9, Assertions: 20, Errors: 1, Failures: 2, Skipped: 1.",
            (5, 2, 1, 1),
        ),
    ],
    "maven": [
        (
            "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed:"
            " 0.1 s -- in AppTest\n[INFO] Results:\n"
            "[ERROR] Tests run: 9, Failures: 1, Errors: 1, Skipped: 2\n",
            (5, 1, 2, 1),
        ),
    ],
    "gradle": [("9 tests completed, 1 failed, 2 skipped\n", (6, 1, 2, 0))],
    "dotnet": [
        (
            "Failed!  - Failed:     1, Passed:    43, Skipped:     2, Total:    46,"
            " Duration: 12 ms - App.dll (net8.0)\n",
            (43, 1, 2, 0),
        ),
        (
            "Test summary: total: 46, failed: 1, succeeded: 43, skipped: 2, duration:"
            " 1.2s\n",
            (43, 1, 2, 0),
        ),
    ],
}


@each("runner", RUNNERS)
def test_the_lines_of_a_runner_are_counted(runner: str) -> None:
    for output, counts in OUTPUTS[runner]:
        assert counted_tests(output) == CountedTests(*counts), output


def test_go_names_tests_or_packages() -> None:
    tests = (
        "=== RUN   TestA\n    --- PASS: TestA/b (0.00s)\n--- PASS: TestA (0.00s)\n"
        "=== RUN   TestB\n--- FAIL: TestB (0.01s)\n--- SKIP: TestC (0.00s)\n"
        "FAIL\nFAIL\texample.org/app\t0.003s\nFAIL\n"
    )
    packages = (
        "ok  \texample.org/app\t0.003s\nok  \texample.org/app/a\t(cached)\n"
        "ok  \texample.org/app/b\t0.003s [no tests to run]\n"
        "?   \texample.org/app/c\t[no test files]\n"
        "--- FAIL: TestB (0.01s)\nFAIL\nFAIL\texample.org/app/d\t0.003s\n"
        "FAIL\texample.org/app/e [build failed]\nFAIL\n"
    )

    assert counted_tests(tests) == CountedTests(1, 1, 1)
    assert counted_tests(packages) == CountedTests(2, 1, 0, 1, "packages")


def test_several_runners_are_added_up() -> None:
    both = "3 passed in 0.12s\nTests:       1 failed, 4 passed, 5 total\n"

    assert counted_tests(both) == CountedTests(7, 1)
    assert counted_tests(both + "FAILED (errors=1)") == CountedTests(None, 1, 0, 1)


@each(
    "output",
    [
        "",
        "All 43 tests passed in the end.",
        "notes.txt:3 passed in 0.12s",
        "I saw 3 failed in the log.",
        "collected 43 items",
        "43 tests collected in 0.10s",
        "Found 3 errors in 2 files (checked 9 source files)",
        "FAILED tests/test_app.py::test_x - assert 1 == 2",
        "OK",
        "OK (done)",
        "ok  not a package",
        "--- FAIL: no time",
        "1 passed, 2 broken in 0.1s",
        "2 failed\n1 skipped\n",
        "test result: unknown. 3 passed; 0 failed",
    ],
)
def test_other_outputs_count_no_tests(output: str) -> None:
    assert counted_tests(output) is None


def test_a_number_that_no_runner_counts_to_is_none() -> None:
    assert counted_tests(f"{'9' * 5000} passed in 0.1s") == CountedTests()


@given(
    st.one_of(
        st.from_regex(rf"[ \t]*(?:{runner.lines})[ \t]*", fullmatch=True)
        for runner in RUNNERS.values()
    )
)
def test_each_line_that_counts_begins_in_a_known_way(line: str) -> None:
    assert re.fullmatch(_BEGINNINGS, f"\n{line}")


@pytest.mark.parametrize(
    "name",
    part([name for name, runner in RUNNERS.items() if runner.is_hint_in_line], 2),
)
@given(st.data())
def test_each_line_that_counts_has_a_hint(name: str, data: st.DataObject) -> None:
    runner = RUNNERS[name]
    line = data.draw(st.from_regex(runner.lines, fullmatch=True))

    assert any(hint in line for hint in runner.hints)


@given(st.text(st.sampled_from("0123 passedfailtotRunTs,.:;()=|\n\tin-")))
def test_any_output_is_read(output: str) -> None:
    counts = counted_tests(output)

    assert counts is None or (counts.passed or 0) >= 0
    assert counted_tests(f"{output}\n1 failed in 0.1s") is not None
