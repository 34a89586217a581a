"""The partner among several equal calls, by the changes to files before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from support.edits import Call, edited, log_of
from support.matrix import each

Pairs = list[tuple[int, int]]


def call(name: str, run: int) -> Call:
    """Return a test, a read, or an edit that no other run makes; `a.py!` failed."""
    if name in ("test", "fails"):
        code = int(name == "fails")
        arm = "failure" if code else "success"
        return "shell", {"command": "pytest"}, {arm: {"exitCode": code}}
    if name == "read":
        return "read", {"path": "c.py"}, {"success": {}}
    if name.endswith("!"):
        return "edit", {"path": name[:-1]}, {"error": {"error": "no such text"}}
    words = f"{run} " * 9
    return edited(name, f"before {words}\n", f"after {words}\n")


def pairs(a: str, b: str) -> Pairs:
    """Compare two runs by the names of their calls; return the numbers of the pairs."""
    logs = (
        [log_of(*(call(name, run) for name in names.split()))]
        for run, names in enumerate((a, b))
    )
    [compared] = convert.compare(*logs).runs
    return [
        (row.comparison.a.recorded.number, row.comparison.b.recorded.number)
        for row in compared.rows
        if row.side == "both" and row.comparison.a and row.comparison.b
    ]


@each(
    ("a", "b", "expected"),
    [
        # Before any change, or after one.
        ("test a.py test", "b.py test", (3, 2)),
        ("test a.py test read", "b.py test", (3, 2)),
        ("test a.py test", "test b.py", (1, 1)),
        ("read test a.py test", "b.py b.py read test", (4, 4)),
        # After a change to one file, or to another.
        ("a.py test b.py test read", "b.py test", (4, 2)),
        ("a.py test b.py test read", "a.py test", (2, 2)),
        # Made again without a change, or after one.
        ("a.py test test read", "a.py test", (2, 2)),
        ("a.py test test", "a.py test", (2, 2)),
        ("a.py test test read", "a.py b.py test", (2, 3)),
        ("a.py read read read", "read read", (3, 1)),
        # A test that failed and was made again is no test before any change.
        ("test a.py test", "b.py fails b.py test", (3, 4)),
    ],
)
def test_the_call_that_was_made_in_the_same_situation_is_the_partner(
    a: str, b: str, expected: tuple[int, int]
) -> None:
    assert expected in pairs(a, b)
    assert expected[::-1] in pairs(b, a)


def test_of_calls_in_the_same_situation_one_leaves_more_to_be_paired() -> None:
    assert pairs("read test read", "fails read") == [(2, 1), (3, 2)]


@pytest.mark.parametrize(
    ("failed", "expected"), [("a.py fails a.py test", False), ("fails a.py test", True)]
)
def test_a_first_try_is_the_same_call_only_in_the_same_situation(
    failed: str, expected: bool
) -> None:
    first = failed.split().index("fails") + 1

    assert ((1, first) in pairs("test a.py test", failed)) is expected


def test_an_edit_that_failed_is_not_one_that_was_made_if_another_was() -> None:
    assert pairs("a.py", "a.py! a.py") == [(1, 2)]
    assert pairs("a.py", "a.py!") == [(1, 1)]


names = st.lists(st.sampled_from(["test", "a.py", "b.py", "read"]), max_size=7)


@given(names, names, st.sampled_from(["a.py", "read"]))
def test_no_test_before_any_change_is_taken_for_one_after_it_if_another_fits(
    others: list[str], before: list[str], last: str
) -> None:
    """The second run makes one test and no read, so that any test will do."""
    alone = [name for name in before if name.endswith(".py")]
    a, b = [*others, last], [*alone, "test"]

    found = pairs(" ".join(a), " ".join(b))

    tests = [number for number, name in enumerate(a, 1) if name == "test"]
    is_after = {number: any(".py" in name for name in a[:number]) for number in tests}
    fitting = {number for number in tests if is_after[number] == bool(alone)}
    partner = next((number for number, to in found if to == len(b)), None)
    assert partner in (fitting or tests or {None})
