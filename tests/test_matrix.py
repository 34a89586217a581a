"""Tests of many values: none is skipped, and a failure names its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support import matrix as module
from support.conversions import GOLDEN_LOGS, LONG, few, logs_to_convert
from support.golden import logs
from support.matrix import each, matrix, part, reject


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


@pytest.mark.parametrize(("is_exhaustive", "size"), [(False, 20), (True, 80)])
def test_each_value_is_tried(
    is_exhaustive: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(module, "is_exhaustive", is_exhaustive)

    @matrix(number=range(20), word="ab", reading="xy", indirect=["reading"])
    def check(number: int, word: str) -> None:
        tried.append((number, word))

    found = groups(check)
    for cells, _ in found:
        check(cells)

    assert {number for number, _ in tried} == {*range(20)}
    assert {word for _, word in tried} == {"a", "b"}
    assert {reading for _, reading in found} == {"x", "y"}
    assert len(tried) == size
    assert max(len(cells) for cells, _ in found) <= 50


def test_too_many_combinations_leave_each_value_and_the_pairs_of_short_axes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    monkeypatch.setattr(module, "is_exhaustive", True)
    monkeypatch.setattr(module, "_MOST", 17)

    @matrix(number=range(14), word="abc", sign="xy")
    def check(number: int, word: str, sign: str) -> None:
        tried.append((number, word, sign))

    for (cells,) in groups(check):
        check(cells)

    assert 14 < len(tried) < 14 * 3 * 2 / 2
    assert {number for number, _, _ in tried} == {*range(14)}
    assert {word + sign for _, word, sign in tried} == {
        word + sign for word in "abc" for sign in "xy"
    }


def test_logs_for_diff_that_add_nothing_are_left_to_their_cases() -> None:
    few = logs_to_convert(".ndjson")
    every = logs(".ndjson")

    left_out = {path.parent.name for path in {*every} - {*few}}
    assert left_out
    assert all(name.startswith("diff-") for name in left_out)
    # Some tools occur nowhere else.
    assert "diff-tools-of-another-name" in {path.parent.name for path in few}


def test_few_logs_have_every_member_and_type_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = logs(".ndjson")
    monkeypatch.setattr(module, "is_exhaustive", False)
    chosen = few(paths)
    monkeypatch.setattr(module, "is_exhaustive", True)
    more = few(paths)

    assert len(chosen) < len(paths) / 2
    assert named(chosen) == named([it for it in paths if it.stat().st_size < LONG])
    assert more[: len(chosen)] == chosen
    assert len({*more}) == len(more) > len(paths) / 4


def named(paths: list[Path]) -> set[bytes]:
    return {
        name for path in paths for name in re.findall(rb'"\w+":', path.read_bytes())
    }


def test_a_part_is_spread_over_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_exhaustive", False)
    assert part("abcdefg", 3) == ["a", "d", "g"]

    monkeypatch.setattr(module, "is_exhaustive", True)
    assert part("abcdefg", 3) == [*"abcdefg"]
    assert part("abcdefg", 3, 2) == [*"aceg"]


@pytest.mark.parametrize("rejected", [3, 4])
def test_a_test_may_reject_most_of_its_values(rejected: int) -> None:
    @each("value", range(4))
    def check(value: int) -> None:
        if value < rejected:
            reject()

    [(cells,)] = groups(check)
    if rejected == 3:
        check(cells)
    else:
        with pytest.raises(AssertionError, match="rejects 4 values"):
            check(cells)


@pytest.mark.seldom
def test_a_test_of_a_part_is_marked_exhaustive() -> None:
    unmarked = [
        f"{path.name}: {node.name}"
        for path in sorted(Path(__file__).parent.glob("test_*.py"))
        if re.search(r"from support\.matrix import .*\bpart\b", text := read(path))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if re.search(r"\bpart\(|\bis_exhaustive\b", ast.unparse(node))
        if not any(map(_EXHAUSTIVE.search, map(ast.unparse, node.decorator_list)))
    ]

    assert not [name for name in unmarked if not name.startswith("test_matrix.py")]


_EXHAUSTIVE = re.compile(r"exhaustive|seldom|^matrix\(|^given\(")


def read(path: Path) -> str:
    return path.read_text("utf-8")
