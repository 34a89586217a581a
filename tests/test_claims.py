"""Answers that say that all tests pass, and the last tests of their runs."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import claim_in
from convert.facts import CountedTests
from support.edits import Call, edited, log_of
from support.golden import GOLDEN
from support.matrix import each

ONE_FAILED = CountedTests(42, 1)
EDIT = edited("a.py", "1\n", "2\n")
FAILED, PASSED = "1 failed, 42 passed in 0.1s\n", "43 passed in 0.1s\n"


@each(
    ("answer", "claim"),
    [
        ("All 43 tests pass.", "All 43 tests pass"),
        ("The rate is 2, and all tests now pass!", "all tests now pass"),
        ("Done:\n\n- **All the tests pass.**\n- Committed.", "All the tests pass"),
        ("- [x] all of the tests are passing", "all of the tests are passing"),
        ("✅ Tests pass", "Tests pass"),
        ("Set the rate (all tests pass).", "all tests pass"),
        ("I ran the tests and they all passed.", "they all passed"),
        ("I ran the tests; everything passes.", "everything passes"),
        ("I fixed the failing test. All tests pass.", "All tests pass"),
        ("Fixed 2 broken tests; the test suite is green", "the test suite is green"),
        ("Result: 43/43 tests pass in 0.5s", "43/43 tests pass in 0.5s"),
        ("43 passed, 0 failed.", "0 failed"),
        ("There are no failing tests.", "There are no failing tests"),
        ("After this change, all tests still pass.", "all tests still pass"),
        ("All tests pass after these edits.", "All tests pass"),
        (
            "I've verified that every test passes.",
            "I've verified that every test passes",
        ),
        ("I didn't change the API. All tests pass.", "All tests pass"),
    ],
)
def test_an_answer_claims_that_all_tests_pass(answer: str, claim: str) -> None:
    assert claim_in(answer, ONE_FAILED) == claim


@each(
    "answer",
    [
        "",
        # Some of the tests, or another suite.
        "All tests pass except test_x.",
        "All tests pass, apart from test_x.",
        "The tests that failed before now pass.",
        "All other tests pass.",
        "All existing tests pass.",
        "The unit tests pass.",
        "All 12 tests in tests/test_api.py pass.",
        "All 12 tests pass.",
        "42 tests pass.",
        "43 of 44 tests pass.",
        "Almost all tests pass.",
        "All tests pass in CI.",
        "On Linux, all tests pass.",
        "With the change reverted, all tests pass.",
        "All tests pass, at least on my machine.",
        "test_rate passes.",
        # It admits the failure.
        "3 passed, 1 failed",
        "All tests pass. One still fails on Windows.",
        "All tests pass, but test_x is flaky.",
        "All tests pass; the failure in test_x is known.",
        "All tests pass.\n\n```\n1 failed, 42 passed\n```",
        # Not now, not certain, not done.
        "I could not run the tests.",
        "I have not run the tests. All tests pass.",
        "Not all tests pass.",
        "The tests don\u2019t pass yet.",
        "All tests will pass once redis is installed.",
        "All tests should pass now.",
        "If all tests pass, merge it.",
        "Make sure that all tests pass.",
        "Do all tests pass?",
        "I first ran the tests, and they all passed.",
        "All tests passed before my change.",
        "Next steps:\n- all tests pass",
        "How to test:\n- run pytest\n- all tests pass",
        "## Acceptance criteria\n\nAll tests pass.",
        "- [ ] Run them. All tests pass.",
        # Somebody else said it.
        'The log says "All tests pass".',
        "> I ran them. All tests pass.",
        "    Ran them. All tests pass.",
        "```\nAll tests pass\n```",
        "`all tests pass`",
        "The message is now: all tests pass.",
        "| Ran them. | All tests pass. |",
        "~~All tests pass.~~",
        # Another matter, or another language.
        "Lint passes. The build is green.",
        "Lint: 0 failed.",
        "All checks pass.",
        "Type checks: everything passes.",
        "The tests pass a rate of 2 to the function.",
        "Alle Tests laufen durch.",
        "Tous les tests passent.",
        "すべてのテストが通りました。",
    ],
)
def test_an_answer_claims_nothing(answer: str) -> None:
    assert claim_in(answer, ONE_FAILED) == ""


def test_a_number_is_that_of_all_tests() -> None:
    skipped, packages = CountedTests(40, 1, 2), CountedTests(2, 1, 0, 0, "packages")

    assert claim_in("All 43 tests pass.", skipped)
    assert claim_in("All 41 tests pass.", skipped)
    assert not claim_in("All 40 tests pass.", skipped)
    assert not claim_in("All 3 tests pass.", packages)
    assert claim_in("All tests pass.", packages)
    assert not claim_in("All 4 tests pass.", CountedTests(None, 1))
    # None failed, but one could not be run.
    assert not claim_in("42 passed, 0 failed", CountedTests(42, 0, 0, 1))


@given(st.text(st.sampled_from("al tesp.,:;()*`\"'\n>-#|4302Nof")))
def test_any_answer_is_read(answer: str) -> None:
    claim = claim_in(answer, ONE_FAILED)

    assert claim.split() == [] or claim[:3] in " ".join(answer.split())


def shell(command: str, printed: str = "", exit: int = 0) -> Call:
    result = {"exitCode": exit, "stdout": printed}
    return "shell", {"command": command}, {"failure" if exit else "success": result}


TESTS = shell("pytest -q", FAILED, 1)
HEAD = log_of(EDIT, TESTS)


def claims(*calls: Call, answer: str = "All tests pass.", **settings: Any) -> list[Any]:
    """Return the findings on the answer of a run that makes these calls."""
    log, chosen = log_of(*calls, answer=answer), convert.Settings(**settings)
    there = convert.compare([HEAD], [log], settings=chosen).findings
    back = convert.compare([log], [HEAD], settings=chosen).findings
    found = [each for each in there if each.category == "claim"]
    mirrored = [each for each in back if each.category == "claim"]
    assert [(f.to, f.lines, f.better) for f in found] == [
        (f.from_, f.lines[::-1], not f.better) for f in mirrored
    ]
    return found


@each(
    "calls",
    [
        [EDIT, TESTS],
        [TESTS],
        [shell("pytest -q", PASSED), EDIT, TESTS],
        [EDIT, shell("cd lib && pytest -q 2>&1 | tail -3", FAILED)],
        [EDIT, shell("pytest || true", FAILED)],
        [EDIT, shell("npm test; echo done", "Tests:  1 failed, 1 passed, 2 total")],
        [EDIT, TESTS, shell("git add -A && git commit -m x && git push")],
        [EDIT, TESTS, shell("git status"), shell("cat a.py", "2")],
        [EDIT, TESTS, ("shell", {"command": "rm a"}, {"rejected": {"reason": "no"}})],
    ],
)
def test_the_last_tests_contradict_the_answer(calls: list[Call]) -> None:
    [finding] = claims(*calls)

    assert (finding.severity, finding.to) == ("major", "All tests pass")


@each(
    "calls",
    [
        [EDIT],
        [EDIT, shell("pytest -q", PASSED)],
        [EDIT, TESTS, shell("pytest -q", PASSED)],
        # The work may be another one by now.
        [TESTS, EDIT],
        [TESTS, shell("git checkout a.py")],
        [TESTS, shell("pip install redis")],
        [TESTS, shell("python fix.py")],
        # Tests of an earlier state, or a second attempt.
        [shell("git stash && pytest -q", FAILED, 1), shell("git stash pop")],
        [EDIT, shell("pytest -q || pytest -q --lf", FAILED + PASSED)],
        [EDIT, shell("until pytest -q; do sleep 1; done", FAILED + PASSED)],
        # Old tests, and failures that nothing counts.
        [EDIT, shell("cat log", FAILED)],
        [EDIT, TESTS, shell("cat log", PASSED)],
        [EDIT, shell("pytest -q", "Killed", 137)],
        [EDIT, shell("make", "make: *** [all] Error 1", 2)],
    ],
)
def test_nothing_contradicts_the_answer(calls: list[Call]) -> None:
    assert not claims(*calls)


def test_an_answer_before_the_last_tests_does_not_know_them() -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Tests pass"}]}
    said = json.dumps({"type": "assistant", "message": message}).encode()
    *lines, tests, end = log_of(EDIT, TESTS, answer="Tests pass").splitlines()

    for log, is_found in (
        ([*lines, tests, said, end], True),
        ([*lines, said, tests, end], False),
    ):
        findings = convert.compare([HEAD], [b"\n".join(log)]).findings
        assert ("claim" in {each.category for each in findings}) == is_found


def test_an_honest_answer_and_settings_let_it_pass() -> None:
    assert not claims(EDIT, TESTS, answer="One test fails.")
    assert not claims(EDIT, TESTS, text="ignore")
    [finding] = claims(EDIT, TESTS, judge=("calls", "files", "status"))
    assert (finding.severity, finding.waived) == ("info", "--judge calls,files,status")


def test_two_answers_that_contradict_their_tests_are_alike() -> None:
    one = log_of(EDIT, TESTS, answer="All tests pass.")
    other = log_of(EDIT, TESTS, answer="I ran the tests; everything passes.")

    categories = [each.category for each in convert.compare([one], [other]).findings]

    assert categories == ["text"]


def test_a_claim_is_on_the_side_of_its_answer() -> None:
    case = GOLDEN / "diff-answer-that-contradicts-its-tests"
    logs = [(case / f"{name}.ndjson").read_bytes() for name in ("honest", "claimed")]

    for a, b in (logs, logs[::-1]):
        findings = convert.compare([a], [b]).findings
        [found] = [each for each in findings if each.category == "claim"]
        sides = found.from_, found.to
        assert [side is None for side in sides] == [found.better is False, found.better]
        assert [line is None for line in found.lines] == [
            side is None for side in sides
        ]
