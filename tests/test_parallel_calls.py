"""Calls that a transcript marks as made in parallel."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.model import ToolCall
from convert.transcript import ParallelCalls, numbers_in_words
from support.matrix import each


def followed(order: str, responses: dict[str, str], parents: dict[str, str]) -> str:
    """Return `a:b+c` for a call `a` in parallel with `b` and requested with `c`.

    A letter starts a call, then ends it.
    The numbers of the calls are those of their letters, from 1.
    """
    calls = ParallelCalls()
    numbers: dict[str, int] = {}
    places = count(1)
    found = []
    for letter in order:
        is_last = letter in numbers
        number = numbers.setdefault(letter, 0) or next(places)
        numbers[letter] = number
        call = ToolCall(
            run=1,
            line=1,
            number=number,
            id=letter,
            kind="read",
            parent=parents.get(letter, ""),
            response_id=responses.get(letter, ""),
        )
        if not is_last:
            calls.start(call)
            continue
        letters = {number: letter for letter, number in numbers.items()}
        parallel, requested = (
            "".join(letters[other] for other in others) for others in calls.end(call)
        )
        found.append(f"{letter}:{parallel}{'+' if requested else ''}{requested}")
    return " ".join(found)


@each(
    ("order", "responses", "named"),
    [
        ("aabb", "", "a: b:"),
        ("abab", "", "a:b b:a"),
        ("abba", "", "b:a a:b"),
        ("abbcca", "", "b:a c:a a:bc"),
        ("aabb", "ab", "a: b:+a"),
        ("abab", "ab", "a:b b:a"),
        ("aabbcc", "ac", "a: b: c:+a"),
        ("aabcbc", "abc", "a: b:c+a c:b+a"),
        ("abbcca", "ac", "b:a c:a a:bc"),
    ],
)
def test_calls_are_parallel_by_overlap_and_together_by_response(
    order: str, responses: str, named: str
) -> None:
    of = dict.fromkeys(responses, "response")

    assert followed(order, of, {}) == named


def test_a_subagent_is_not_in_parallel_with_its_own_calls() -> None:
    assert followed("abbcca", {}, {"b": "a"}) == "b: c:a a:c"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([], ""),
        ([3], "3"),
        ([3, 4], "3 and 4"),
        ([3, 4, 5], "3 to 5"),
        ([1, 3, 4, 5, 9], "1, 3 to 5 and 9"),
    ],
)
def test_numbers_are_written_in_words(numbers: list[int], words: str) -> None:
    assert numbers_in_words(numbers) == words


@given(st.permutations("aabbccdd"))
def test_of_two_parallel_calls_each_names_the_other(
    order: list[str],
) -> None:
    found = dict(pair.split(":") for pair in followed("".join(order), {}, {}).split())

    for one in "abcd":
        for other in found[one]:
            assert one in found[other]


def test_a_call_names_no_more_than_a_hundred_of_those_that_never_end() -> None:
    calls = ParallelCalls()
    made = [ToolCall(run=1, line=1, number=at, id="", kind="read") for at in range(300)]
    for call in made:
        calls.start(call)

    assert calls.end(made[0])[0] == [*range(1, 101)]
    assert calls.end(made[-1])[0] == [*range(199, 299)]
