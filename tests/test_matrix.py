"""Tests of many values: none is left out, and a failure names its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support import matrix as module
from support.conversions import GOLDEN_LOGS, logs_to_convert
from support.matrix import each, matrix


def groups(test: Callable[..., None]) -> list[tuple[Any, ...]]:
    """The values that a test is run with: those of a group, then those of fixtures."""
    [mark] = test.pytestmark  # type: ignore[attr-defined]
    return [group.values for group in mark.args[1]]


def test_a_failure_names_all_values_that_fail() -> None:
    @each(("number", "word"), [(1, "a"), (2, "b"), (3, "c"), (4, "d")])
    def check(number: int, word: str) -> None:
        assert number % 2

    [(cells,)] = groups(check)
    with pytest.raises(AssertionError) as error:
        check(cells)

    assert error.value.__notes__ == ["with 2, b\nfails as well with 4, d"]


def test_a_test_that_fails_on_purpose_is_named_as_well() -> None:
    @each("path", GOLDEN_LOGS[:2])
    def check(path: object) -> None:
        pytest.fail("on purpose")

    [(cells,)] = groups(check)
    with pytest.raises(pytest.fail.Exception) as error:
        check(cells)

    assert "fails as well with " in error.value.__notes__[0]


@pytest.mark.parametrize(("is_exhaustive", "size"), [(False, 70), (True, 280)])
def test_each_value_is_tried(
    is_exhaustive: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(module, "is_exhaustive", is_exhaustive)

    @matrix(number=range(70), word="ab", reading="xy", indirect=["reading"])
    def check(number: int, word: str) -> None:
        tried.append((number, word))

    found = groups(check)
    for cells, _ in found:
        check(cells)

    assert {number for number, _ in tried} == {*range(70)}
    assert {word for _, word in tried} == {"a", "b"}
    assert {reading for _, reading in found} == {"x", "y"}
    assert len(tried) == size
    assert max(len(cells) for cells, _ in found) <= 50


def test_logs_for_diff_that_add_nothing_are_left_to_the_exhaustive_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "is_exhaustive", False)
    few = logs_to_convert(".ndjson")
    monkeypatch.setattr(module, "is_exhaustive", True)
    every = logs_to_convert(".ndjson")

    left_out = {path.parent.name for path in {*every} - {*few}}
    assert left_out
    assert all(name.startswith("diff-") for name in left_out)
    # A call inside a subagent occurs nowhere else.
    assert "diff-calls-inside-a-subagent" in {path.parent.name for path in few}
