"""The check of the last change: the same in both runs, or lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import Comparison
from support.edits import Call, edited, log_of
from support.matrix import each

EDIT = edited("a.py", "1\n", "2\n")
AGAIN = edited("b.py", "1\n", "2\n")
NOTHING = edited("a.py", "1\n", "1\n")
PASSED = "passed after the last change"


def shell(command: str, exit: int = 0, printed: str = "") -> Call:
    result = {"exitCode": exit, "stdout": printed}
    return "shell", {"command": command}, {"failure" if exit else "success": result}


TEST, FAILED, LINT = shell("pytest -q"), shell("pytest -q", 1), shell("ruff check")
COMMIT = shell("git commit -am x")
READ: Call = ("read", {"path": "a.py"}, {"success": {}})
calls = st.lists(
    st.sampled_from([EDIT, AGAIN, TEST, FAILED, LINT, READ, COMMIT]), max_size=6
)


def compare(a: list[Call], b: list[Call], **settings: Any) -> Comparison:
    return convert.compare(
        [log_of(*a)], [log_of(*b)], settings=convert.Settings(**settings)
    )


def found(a: list[Call], b: list[Call], **settings: Any) -> list[tuple[str, str, str]]:
    """Return the checks and orders that differ: the command, and its fate in both."""
    return [
        (finding.comparison.call.subject, finding.from_ or "", finding.to or "")
        for finding in compare(a, b, **settings).findings
        if finding.category in ("verification", "moved")
        if finding.comparison and finding.severity == "major"
    ]


@each(
    ("one", "other", "fate"),
    [
        ([EDIT, TEST], [TEST, EDIT], "run only before the last change"),
        ([EDIT, TEST], [EDIT, TEST, AGAIN], "run only before the last change"),
        ([EDIT, TEST], [EDIT, FAILED], "error(1)"),
        ([EDIT, TEST], [EDIT], "not run after the last change"),
        ([EDIT, TEST], [EDIT, READ], "not run after the last change"),
        ([EDIT, TEST], [EDIT, shell("ls -l")], "not run after the last change"),
        ([EDIT, TEST], [shell("pytest -x"), EDIT], "run only before the last change"),
        ([EDIT, TEST, shell("git commit")], [EDIT], "not run after the last change"),
    ],
)
def test_a_check_is_lost(one: list[Call], other: list[Call], fate: str) -> None:
    assert found(one, other) == [("pytest -q", PASSED, fate)]
    assert found(other, one) == [("pytest -q", fate, PASSED)]
    assert compare(one, other, ignore=("outcome",)).severity == "major"


@each(
    ("one", "other"),
    [
        ([EDIT, TEST], [EDIT, AGAIN, TEST]),
        ([EDIT, TEST], [EDIT, FAILED, TEST]),
        ([EDIT, TEST], [EDIT, shell("python -m pytest")]),
        ([EDIT, TEST], [EDIT, shell("python -mpytest -x")]),
        ([EDIT, TEST], [EDIT, shell('"$VIRTUAL_ENV/bin/pytest" -x tests')]),
        ([EDIT, TEST], [EDIT, shell("$HOME/.venv/bin/python -m pytest -x")]),
        ([EDIT, shell("cargo test")], [EDIT, shell("cargo t -q")]),
        ([EDIT, shell("mvn test")], [EDIT, shell("mvn -q clean test")]),
        ([EDIT, TEST], [EDIT, TEST, NOTHING]),
        ([EDIT, TEST], [EDIT, LINT]),
        ([EDIT, TEST], [TEST]),
        ([TEST], []),
        ([EDIT, shell("cat a.py")], [EDIT]),
        ([READ, EDIT, TEST], [EDIT, READ, TEST]),
        ([EDIT, TEST], [TEST, EDIT, TEST]),
    ],
)
def test_no_check_is_lost(one: list[Call], other: list[Call]) -> None:
    assert not found(one, other)
    assert not found(other, one)


def test_a_check_that_moves_across_a_change_is_no_moved_call() -> None:
    one, other = [TEST, EDIT, AGAIN, LINT], [EDIT, TEST, AGAIN, LINT]

    compared = compare(one, other)

    assert [finding.category for finding in compared.findings] == ["verification"]
    assert found(one, other) == [("pytest -q", "before edit a.py", "after it")]
    assert found(other, one) == [("pytest -q", "after edit a.py", "before it")]
    assert compared.counts.moved == 1


def test_a_commit_that_moves_across_a_change_is_no_check() -> None:
    one, other = [COMMIT, EDIT, AGAIN, LINT], [EDIT, COMMIT, AGAIN, LINT]

    [finding] = compare(one, other).findings

    assert (finding.category, finding.severity) == ("moved", "major")
    assert found(one, other) == [(COMMIT[1]["command"], "before edit a.py", "after it")]
    # The check comes first of those that an edit crosses.
    [(command, *_)] = found([EDIT, COMMIT, TEST], [COMMIT, TEST, EDIT])[-1:]
    assert command == "pytest -q"


@each(
    ("command", "printed", "fate"),
    [
        ("pytest -q && git push", "43 passed in 0.1s", None),
        ("git fetch && pytest -q && git push", "43 passed in 0.1s", None),
        ("pytest -q && git push", "1 failed, 42 passed in 0.1s", "error(1)"),
        ("pytest -q && git push", "", "error(1)"),
        ("pytest -q", "43 passed in 0.1s", "error(1)"),
        ("pytest -q && mypy .", "43 passed in 0.1s", "error(1)"),
    ],
)
def test_a_push_that_fails_is_no_check_that_fails(
    command: str, printed: str, fate: str | None
) -> None:
    other = [EDIT, shell(command, 1, printed)]

    fates = [now for _, _, now in found([EDIT, TEST], other, judge=("files",))]

    assert fates == ([fate] if fate else [])


def test_a_call_that_moves_among_others_has_moved() -> None:
    categories = [f.category for f in compare([READ, TEST], [TEST, READ]).findings]

    assert categories == ["moved"]


def test_a_check_at_the_same_time_as_a_change_has_no_order() -> None:
    look: Call = ("read", {"path": "b.py"}, {"success": {}})
    lines = log_of(READ, look, EDIT, TEST).splitlines(keepends=True)
    step = b'"type": "tool_call", "model_call_id": "m"'
    at_once = [line.replace(b'"type": "tool_call"', step) for line in lines[3:]]
    other = log_of(TEST, READ, look, EDIT)

    compared = convert.compare([*lines[:3], *at_once], [other])

    categories = [finding.category for finding in compared.findings]
    assert categories == ["moved", "parallelism"]


@each(
    ("settings", "is_different"),
    [
        ({"order": "any"}, False),
        ({"ignore": ("verification",)}, False),
        ({"judge": ("calls",)}, True),
        ({"judge": ("files",)}, True),
        ({"judge": ("status", "result")}, False),
        ({"fail_on": "critical"}, False),
    ],
)
def test_settings_let_it_pass(settings: dict[str, Any], is_different: bool) -> None:
    compared = compare([EDIT, TEST], [TEST, EDIT], **settings)

    assert compared.is_different is is_different


def test_a_check_may_be_added_but_not_left_out() -> None:
    one, other = [EDIT, TEST], [EDIT]

    assert compare(one, other, match="subset").is_different
    assert not compare(other, one, allow_extra=("shell",)).is_different
    assert not compare(other, one, allow_better=True, ignore=("added",)).is_different
    assert compare(one, other, allow_better=True, ignore=("removed",)).findings


def test_both_directions_name_the_same_change_that_a_check_crosses() -> None:
    one, other = [EDIT, AGAIN, TEST, TEST], [TEST, AGAIN, EDIT]

    there, back = found(one, other)[-1], found(other, one)[-1]

    assert there == ("pytest -q", "after edit a.py", "before it")
    assert back == ("pytest -q", "before edit a.py", "after it")


@given(calls, calls)
def test_what_one_run_has_lost_the_other_one_has(
    one: list[Call], other: list[Call]
) -> None:
    assert not found(one, one)
    assert sorted((check, fate, was) for check, was, fate in found(one, other)) == (
        sorted((check, *_mirrored(was, fate)) for check, was, fate in found(other, one))
    )


def _mirrored(was: str, fate: str) -> tuple[str, str]:
    """Return the words of an order of two calls as the other run has them."""
    if was.startswith(("before ", "after ")):
        word, _, label = was.partition(" ")
        return f"{word} it", f"{fate.partition(' ')[0]} {label}"
    return was, fate
