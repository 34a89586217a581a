"""The geometry of the picture of two runs: laws, and a worked example."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.pages import (
    KINDS,
    CallTime,
    JoinedRuns,
    Joint,
    joined_by_order,
    joined_by_time,
)

moments = st.integers(0, 100_000)
lengths = st.integers(1, 120_000)


def call(number: int, started: int | None = None, ended: int | None = None) -> CallTime:
    return CallTime(
        number=str(number), lane="run", failure=None, started=started, ended=ended
    )


@st.composite
def sides(draw: st.DrawFn) -> list[CallTime]:
    spans = draw(st.lists(st.tuples(moments, moments).map(sorted), max_size=12))
    return [call(number, *span) for number, span in enumerate(spans, 1)]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[CallTime], list[CallTime], list[Joint]]:
    a, b = draw(sides()), draw(sides())
    others = draw(st.permutations(range(len(b))))
    places = [place for place in range(len(a)) if draw(st.booleans())]
    joints = [
        Joint(one, other, draw(st.sampled_from(KINDS)))
        for one, other in zip(places, others, strict=False)
    ]
    return a, b, draw(st.permutations(joints))


@given(pairs(), lengths, lengths)
def test_everything_is_inside_of_the_picture(
    made: tuple[list[CallTime], list[CallTime], list[Joint]], one: int, other: int
) -> None:
    by_time = joined_by_time(*made, (one, other))
    assert by_time is not None

    for drawn in (joined_by_order(*made), by_time):
        for begin, end in stretches(drawn):
            assert 0 <= begin <= end <= 100 + 1e-9
        assert min(drawn.a.end, drawn.b.end) >= 0
        assert max(drawn.a.end, drawn.b.end) <= 100 + 1e-9
        assert [bar.call for bar in drawn.a.bars] == made[0]
        assert [bar.call for bar in drawn.b.bars] == made[1]


def stretches(drawn: JoinedRuns) -> list[tuple[float, float]]:
    bars = [*drawn.a.bars, *drawn.b.bars]
    ends = [each for band in drawn.bands for each in (band.a, band.b)]
    placed = [(bar.x, bar.x + bar.width) for bar in bars]
    return [*ends, *placed, *drawn.a.alone, *drawn.b.alone]


@given(pairs())
def test_each_call_is_in_one_band_or_by_itself(
    made: tuple[list[CallTime], list[CallTime], list[Joint]],
) -> None:
    drawn = joined_by_order(*made)

    for side, strip in enumerate((drawn.a, drawn.b)):
        ends = [(band.a, band.b)[side] for band in drawn.bands]
        covered = sorted([*ends, *strip.alone])
        for (_, end), (begin, _) in itertools.pairwise(covered):
            assert end <= begin
        for bar in strip.bars:
            holding = [
                (begin, end)
                for begin, end in covered
                if begin - 1e-9 <= bar.x and bar.x + bar.width <= end + 1e-9
            ]
            assert len(holding) == 1


@given(pairs())
def test_bands_hold_the_joints_of_one_kind(
    made: tuple[list[CallTime], list[CallTime], list[Joint]],
) -> None:
    bands = joined_by_order(*made).bands
    found = [
        Joint(int(band.first[0]) - 1 + step, int(band.first[1]) - 1 + step, band.kind)
        for band in bands
        for step in range(band.calls)
    ]

    assert sorted(found, key=lambda joint: joint.a) == sorted(
        made[2], key=lambda joint: joint.a
    )
    drawn = [KINDS.index(band.kind) for band in bands]
    assert drawn == sorted(drawn)


@given(pairs())
def test_the_other_way_round_is_the_mirror(
    made: tuple[list[CallTime], list[CallTime], list[Joint]],
) -> None:
    a, b, joints = made

    there = joined_by_order(a, b, joints)
    back = joined_by_order(b, a, [Joint(j.b, j.a, j.kind) for j in joints])

    assert (there.a, there.b) == (back.b, back.a)
    assert sorted((band.kind, band.a, band.b) for band in there.bands) == sorted(
        (band.kind, band.b, band.a) for band in back.bands
    )


def test_calls_that_cross_have_a_band_each() -> None:
    a, b = [[call(1), call(2)] for _ in "ab"]

    drawn = joined_by_order(a, b, [Joint(0, 1, "same"), Joint(1, 0, "same")])

    assert [band.calls for band in drawn.bands] == [1, 1]


def test_neighbours_without_a_partner_are_one_stretch() -> None:
    a = [call(number) for number in range(1, 6)]

    drawn = joined_by_order(a, [call(1)], [Joint(2, 0, "same")])

    assert drawn.a.alone == [pytest.approx((0, 18)), pytest.approx((30, 48))]


def test_equal_calls_that_follow_one_another_are_one_band() -> None:
    a, b = ([call(number) for number in range(1, most)] for most in (6, 5))
    kinds = ["same", "same", "changed", "same"]

    drawn = joined_by_order(
        a, b, [Joint(at, at, kind) for at, kind in enumerate(kinds)]
    )

    told = [(band.kind, band.calls, band.first, band.last) for band in drawn.bands]
    assert told == [
        ("same", 2, ("1", "1"), ("2", "2")),
        ("same", 1, ("4", "4"), ("4", "4")),
        ("changed", 1, ("3", "3"), ("3", "3")),
    ]
    assert drawn.bands[0].a == drawn.bands[0].b == pytest.approx((0, 18))
    assert drawn.a.alone == [pytest.approx((40, 48))]
    assert drawn.b.alone == []


def test_both_runs_have_one_scale() -> None:
    a, b = [call(1, 0, 50)], [call(1, 0, 50)]

    drawn = joined_by_time(a, b, [Joint(0, 0, "same")], (100, 50))

    assert drawn is not None
    assert (drawn.a.end, drawn.b.end) == (100, 50)
    assert drawn.bands[0].a == drawn.bands[0].b == (0, 50)


@pytest.mark.parametrize(
    ("a", "length"), [([call(1)], 100), ([call(1, 0, 5)], None), ([], 0)]
)
def test_without_all_times_there_is_no_picture_by_time(
    a: list[CallTime], length: int | None
) -> None:
    assert joined_by_time(a, a, [], (length, length)) is None
