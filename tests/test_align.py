"""Pairing the calls of two runs: laws on generated runs, and their limits."""

from __future__ import annotations

import itertools
import marshal
from typing import Literal, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

import convert
from convert.diff import (
    AlignedCall,
    AlignedRun,
    Comparison,
    Form,
    Forms,
    Manner,
    Matching,
    Order,
    RecordedCall,
    align_batches,
    aligned,
    batched,
    digest,
    match,
    most_alike,
    nearest,
)
from support.matrix import is_exhaustive
from support.runs import Batch, Made, tell

Names = list[list[str]]
orders = st.sampled_from(["strict", "partial", "any"])


def call(
    name: str,
    place: int,
    starts: int = -1,
    ends: int = -1,
    step: str = "",
    tool: str = "read",
) -> AlignedCall:
    """Make a call of a name; `name!` is the same call that failed."""
    about, mark, _ = name.partition("!")
    arguments = marshal.dumps({"path": about}, 2)
    made = RecordedCall(
        line=place,
        tool=tool,
        kind=tool,
        number=place + 1,
        outcome="error" if mark else "ok",
        starts=2 * place if starts < 0 else starts,
        ends=2 * place + 1 if ends < 0 else ends,
        step=step,
        forms=Forms(Form(arguments, digest([tool, about]), {}, b"")),
    )
    return aligned([made])[0]


def run(batches: Names) -> list[AlignedCall]:
    """Make a run of batches of calls."""
    named = [(name, step) for step, batch in enumerate(batches) for name in batch]
    return [
        call(name, place, step=f"step {step}")
        for place, (name, step) in enumerate(named)
    ]


@st.composite
def runs(draw: st.DrawFn, most: int = 6) -> Names:
    """Draw a run of few calls, in batches, with repeats and failures."""
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "a!", "b!"]), max_size=most))
    cuts = draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    batches: Names = []
    for name, is_cut in zip(names, cuts, strict=True):
        if is_cut or not batches:
            batches.append([])
        batches[-1].append(name)
    return batches


class Timed(NamedTuple):
    """A call that runs for some time, perhaps at the same time as others."""

    name: str
    length: int


timed = st.lists(
    st.builds(Timed, st.sampled_from("abcd"), st.integers(1, 9)), max_size=7
)


def overlapping(calls: list[Timed]) -> list[AlignedCall]:
    return [
        call(made.name, place, 2 * place, 2 * place + made.length)
        for place, made in enumerate(calls)
    ]


def is_before(before: AlignedCall, after: AlignedCall, order: Order) -> bool:
    """Return True if a run made one call after the other had ended."""
    one, other = before.recorded, after.recorded
    if order == "any":
        return False
    if order == "strict":
        return one.starts < other.starts
    is_step = one.step != "" and one.step == other.step
    return not is_step and one.ends <= other.starts


def is_crossing(
    pair: tuple[AlignedCall, AlignedCall],
    other: tuple[AlignedCall, AlignedCall],
    order: Order,
) -> bool:
    """Return True if one run made a pair before another, and the other run after."""
    (a, b), (c, d) = pair, other
    return (is_before(a, c, order) and is_before(d, b, order)) or (
        is_before(c, a, order) and is_before(b, d, order)
    )


def most_equal(
    a: list[AlignedCall],
    b: list[AlignedCall],
    order: Order,
    pairs: tuple[tuple[AlignedCall, AlignedCall], ...] = (),
) -> int:
    """Return how many equal calls can be paired in order, by trying everything."""
    if not a:
        return len(pairs)
    first, *rest = a
    best = most_equal(rest, b, order, pairs)
    for partner in b:
        pair = (first, partner)
        if first.keys.exact != partner.keys.exact:
            continue
        if not any(is_crossing(pair, other, order) for other in pairs):
            remaining = [other for other in b if other is not partner]
            best = max(best, most_equal(rest, remaining, order, (*pairs, pair)))
    return best


def equal_in_place(a: list[AlignedCall], b: list[AlignedCall], found: Matching) -> int:
    return sum(
        a[pair.a].keys.exact == b[pair.b].keys.exact
        for pair in found.pairs
        if not pair.is_moved
    )


@settings(max_examples=200 if is_exhaustive else 25)
@given(runs(), runs(), orders)
def test_no_alignment_has_more_equal_calls(
    one: Names, other: Names, order: Order
) -> None:
    a, b = run(one), run(other)

    found = match(a, b, order)

    assert not found.is_approximate
    assert equal_in_place(a, b, found) == most_equal(a, b, order)


@settings(max_examples=200 if is_exhaustive else 25)
@given(runs(), runs())
def test_batches_are_aligned_as_well_as_can_be(one: Names, other: Names) -> None:
    a, b = AlignedRun(run(one), "partial"), AlignedRun(run(other), "partial")

    found = align_batches(a.batches, b.batches)

    assert len(set(found.pairs)) == most_equal(a.calls, b.calls, "partial")


@settings(max_examples=300 if is_exhaustive else 40)
@given(timed, timed, orders)
def test_calls_in_place_have_no_other_order_and_moved_ones_have(
    one: list[Timed], other: list[Timed], order: Order
) -> None:
    a, b = overlapping(one), overlapping(other)

    found = match(a, b, order).pairs

    in_place = [(a[pair.a], b[pair.b]) for pair in found if not pair.is_moved]
    moved = [(a[pair.a], b[pair.b]) for pair in found if pair.is_moved]
    assert len({pair.a for pair in found}) == len({pair.b for pair in found})
    assert not any(
        is_crossing(pair, other, order)
        for pair, other in itertools.combinations(in_place, 2)
    )
    assert all(
        any(is_crossing(pair, other, order) for other in in_place) for pair in moved
    )


@given(timed)
def test_a_call_is_in_a_batch_if_it_overlaps_another(calls: list[Timed]) -> None:
    made = overlapping(calls)

    expected = [
        any(
            not is_before(one, other, "partial")
            and not is_before(other, one, "partial")
            for other in made
            if other is not one
        )
        for one in made
    ]
    assert batched([each.recorded for each in made]) == expected


class Retry(NamedTuple):
    """A run, and the same run with a call that fails at first and is made again."""

    once: list[list[Made]]
    again: list[list[Made]]

    @property
    def in_sequence(self) -> Retry:
        """The same calls one after the other."""
        return Retry(*([[call] for calls in run for call in calls] for run in self))

    def compared(self) -> Comparison:
        one, other = (tell([Batch.of(*calls) for calls in run]) for run in self)
        return convert.compare([one], [other])


@st.composite
def retries(draw: st.DrawFn) -> Retry:
    """Draw a run in batches; the second try comes after any later batch."""
    names = st.sampled_from(["a.py", "b.py", "c.py", "d.py"])
    calls = st.builds(
        Made, st.sampled_from(["read", "edit"]), names, st.just("ok"), st.none()
    )
    once = draw(
        st.lists(st.lists(calls, min_size=1, max_size=3), min_size=1, max_size=4)
    )
    at = draw(st.integers(0, len(once) - 1))
    call = draw(st.sampled_from(once[at]))
    failed = [other for other in once[at] if other is not call]
    failed.insert(draw(st.integers(0, len(failed))), call._replace(ending="error"))
    later = draw(st.integers(at + 1, len(once)))
    again = [*once[:at], failed, *once[at + 1 : later], [call], *once[later:]]
    return Retry(once, again)


def categories(compared: Comparison) -> set[str]:
    """Return the findings, except where batches and sequences differ."""
    found = {finding.category for finding in compared.findings}
    return found - {"parallelism", "moved"}


@given(retries())
def test_a_failed_call_made_again_is_one_call_more_in_batches_and_in_sequence(
    retry: Retry,
) -> None:
    batches, sequence = retry.compared(), retry.in_sequence.compared()

    assert categories(batches) == categories(sequence) == {"added"}
    assert batches.severity == sequence.severity


def test_a_failed_call_made_again_is_a_change_where_nothing_else_is_left() -> None:
    a, b = run([["a!"], ["x"], ["a!"]]), run([["a"], ["x"], ["a"]])

    assert match(a, b, "partial").pairs == [(0, 0, False), (1, 1, False), (2, 2, False)]


def test_the_earlier_of_two_places_as_near_comes_first() -> None:
    assert list(nearest([1, 3, 5, 7], 4)) == [3, 5, 1, 7]
    assert list(nearest([1, 3, 5, 7], 3)) == [3, 1, 5, 7]


@pytest.mark.parametrize(("left", "has_moved"), [(7, True), (8, False)])
def test_a_call_among_many_alike_has_moved_only_if_it_is_near(
    left: int, has_moved: bool
) -> None:
    """It counts as one of those without a partner, and eight are not many."""
    anchors = [[f"anchor {n}"] for n in range(9)]
    others = [[f"{n:03}" * 9] for n in range(left)]

    found = match(
        run([["x"], *anchors, *others]), run([*anchors, ["x"]]), "partial"
    ).pairs

    assert ((0, 9, True) in found) == has_moved
    assert len(found) == 9 + has_moved


def test_equal_calls_of_a_batch_are_paired_in_their_order() -> None:
    a, b = run([["a", "b", "a"]]), run([["b", "a", "a"]])

    assert match(a, b, "partial").pairs == [(0, 1, False), (1, 0, False), (2, 2, False)]


def test_a_call_that_never_ends_is_in_parallel_with_all_that_follow() -> None:
    a = [call("job", 0, 0, 1 << 62), call("a", 1), call("b", 2)]
    b = [call("a", 0), call("b", 1), call("job", 2, 4, 1 << 62)]

    assert not any(pair.is_moved for pair in match(a, b, "partial").pairs)
    assert any(pair.is_moved for pair in match(a, b, "strict").pairs)


def test_calls_that_overlap_two_batches_are_paired_before_changed_ones() -> None:
    a = [call("c", 0, 0, 2), call("b", 1, 2, 7), call("a", 2, 4, 5)]
    b = [
        call("a!", 0, 0, 6),
        call("b", 1, 2, 8),
        call("b", 2, 4, 9),
        call("c", 3, 6, 9),
        call("b!", 4, 8, 9),
    ]

    found = match(a, b, "partial")

    in_place = [(a[pair.a], b[pair.b]) for pair in found.pairs if not pair.is_moved]
    assert equal_in_place(a, b, found) == most_equal(a, b, "partial") == 2
    assert not any(
        is_crossing(pair, other, "partial")
        for pair, other in itertools.combinations(in_place, 2)
    )


def test_a_search_that_would_take_too_long_is_approximate() -> None:
    one = run([["a", "b"]] * 9)
    other = run([["b", "b"], ["a"]] * 9)

    exact = match(one, other, "partial")
    approximate = match(one, other, "partial", most_searched=5)

    assert not exact.is_approximate
    assert approximate.is_approximate
    assert equal_in_place(one, other, approximate) <= equal_in_place(one, other, exact)


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("src/price.py", "src/prices.py", True),
        ("src/price.py", "tests/fixtures/cart.json", False),
        ("ab", "ac", True),
        ("abcdefgh", "ijklmnop", False),
    ],
)
def test_calls_are_alike_if_half_of_their_arguments_is(
    one: str, other: str, is_alike: bool
) -> None:
    pairs = most_alike([call(one, 0)], [call(other, 0)])

    assert pairs == ([(0, 0)] if is_alike else [])


def test_calls_of_two_tools_are_never_alike() -> None:
    assert not most_alike([call("a.py", 0)], [call("a.py", 0, tool="edit")])


def test_the_most_alike_calls_come_first_and_of_those_the_nearest() -> None:
    ones = [call("src/price.py", 0), call("src/cart.py", 1)]
    others = [call("src/carts.py", 0), call("src/prices.py", 1)]

    assert most_alike(ones, others)[:2] == [(0, 1), (1, 0)]
    same = [call("src/a.py", place) for place in range(3)]
    assert most_alike(same, same)[:3] == [(0, 0), (1, 1), (2, 2)]


def test_calls_that_are_alike_are_found_on_the_other_side_of_a_batch() -> None:
    a, b = run([["y"], ["src/a.py"]]), run([["y", "src/b.py"]])

    assert match(a, b, "partial").pairs == [(0, 0, False), (1, 1, False)]


def test_calls_that_wait_for_too_long_a_search_are_still_paired_in_place() -> None:
    a, b = run([["b", "a", "a!"]]), run([["a"], ["b"]])

    found = match(a, b, "partial", most_searched=0).pairs

    assert found == [(0, 1, False), (1, 0, False)]


def test_a_first_try_is_not_taken_for_another_call_that_is_alike() -> None:
    a, b = run([["src/a.py"], ["src/b.py"]]), run([["src/c.py!"], ["src/c.py"]])

    assert (0, 0, False) not in match(a, b, "partial").pairs


@pytest.mark.parametrize(
    ("tool", "compared_by", "is_renamed"),
    [
        ("mcp:jira/createIssue", "exact", True),
        ("mcp:jira/createIssue", "subject", False),
        ("mcp:wiki/create_issue", "exact", False),
    ],
)
def test_a_tool_has_another_name_on_its_own_server_only(
    tool: str, compared_by: Literal["exact", "subject"], is_renamed: bool
) -> None:
    one, other = (
        structs.replace(call("x", 0, tool=name).recorded, kind="mcp")
        for name in ("mcp:jira/create_issue", tool)
    )

    [a, b] = aligned([one, other], Manner(compared_by))

    assert (a.keys.renamed == b.keys.renamed) == is_renamed
