"""The geometry of a run's picture: laws over made-up runs, and worked examples."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.facts import gaps, joined_spans, total_length
from convert.pages import (
    BAR,
    COLUMNS,
    STEPS,
    Axis,
    CallTime,
    OrderAxis,
    Timeline,
    axis_of,
    clock,
    columns,
    spans_of,
    wrapped_rows,
)
from convert.pages.long_timeline import dots_of
from convert.pages.timeline_layout import timeline

MINUTE = 60_000
HOUR = 60 * MINUTE

moments = st.integers(0, 100_000)
spans = st.tuples(moments, moments).map(sorted).map(tuple)
short_spans = st.integers(0, 200).map(lambda at: (at, at + at % 3))
call_times = st.builds(
    lambda span, **members: CallTime(started=span[0], ended=span[1], **members),
    spans | short_spans,
    number=st.just("1"),
    lane=st.sampled_from(["look", "edit", "run", "other"]),
    failure=st.sampled_from([None, None, "failed", "rejected"]),
    is_unresolved=st.booleans(),
)
runs = st.lists(call_times, max_size=30)
lengths = st.integers(1, 120_000)


def call(started: int | None, ended: int | None = None, **members: object) -> CallTime:
    usual = {"number": "1", "lane": "run", "failure": None}
    return CallTime(started=started, ended=ended, **usual | members)


@given(runs, lengths)
def test_everything_is_inside_of_the_picture(run: list[CallTime], length: int) -> None:
    picture = timeline(run, length)

    for x, width in [
        *((bar.x, bar.width) for bar in picture.bars),
        *picture.agent,
        *((tick.place, 0) for tick in picture.ticks),
        *((dot.x, 0) for dot in picture.dots),
    ]:
        assert x >= -1e-9
        assert width >= 0
        assert x + width <= 100 + 1e-9
    assert [bar.call for bar in picture.bars] == run
    assert all(bar.y + BAR < picture.bottom for bar in picture.bars)


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 3000))
def test_ticks_are_all_round_moments_but_those_in_the_cut(
    before: int, silence: int, after: int
) -> None:
    length = before + silence + after
    ticks = Axis(length, (before, before + silence)).ticks if length else []
    steps = [step for step in STEPS if (before + after) // step < 8]
    allowed = [
        at
        for at in range(0, length + 1, steps[0])
        if not before < at < before + silence
    ]

    axis = Axis(length, (before, before + silence))
    assert [tick.place for tick in ticks] == [
        axis.place(at) for at in allowed[: len(ticks)]
    ]
    assert len(ticks) == min(len(allowed), 8) or not length


def test_a_cut_of_years_costs_nothing() -> None:
    ticks = Axis(10**15, (600, 10**15 - 600)).ticks

    assert [tick.label for tick in ticks[:2]] == ["0", "0.2 s"]
    assert len(ticks) <= 8


@given(runs, lengths)
def test_bars_stand_in_the_order_of_their_times(
    run: list[CallTime], length: int
) -> None:
    axis = timeline(run, length).axis

    assert isinstance(axis, Axis)
    for (one, _), (other, _) in itertools.pairwise(sorted(spans_of(run, length))):
        assert axis.place(one) <= axis.place(other)


@given(runs, lengths)
def test_calls_are_in_one_row_but_those_open_at_once(
    run: list[CallTime], length: int
) -> None:
    picture = timeline(run, length)
    spans = spans_of(run, length)

    for bar, (begin, end) in zip(picture.bars, spans, strict=True):
        lane = [
            (other, other_begin < end and begin < other_end)
            for other, (other_begin, other_end) in zip(picture.bars, spans, strict=True)
            if other.call.lane == bar.call.lane and other is not bar
        ]
        above = {other.y for other, _ in lane if other.y < bar.y}
        at_once = {other.y for other, is_at_once in lane if is_at_once}
        assert above <= at_once
        assert bar.y not in at_once or rows_of(picture, bar.call.lane) == 3


def rows_of(picture: Timeline, lane: str) -> int:
    return len({bar.y for bar in picture.bars if bar.call.lane == lane})


@given(st.lists(spans, max_size=20), lengths)
def test_the_agents_time_and_that_of_the_calls_are_the_run(
    open_spans: list[tuple[int, int]], length: int
) -> None:
    clipped = [(min(a, length), min(b, length)) for a, b in open_spans]

    free = gaps(clipped, length)

    assert total_length(free) + total_length(joined_spans(clipped)) == length
    assert joined_spans([*free, *clipped]) in ([(0, length)], [])


@given(runs, lengths)
def test_columns_sum_to_the_time_in_which_a_lane_was_busy(
    run: list[CallTime], length: int
) -> None:
    picture = timeline(run, length)

    for lane, found in columns(picture).lanes.items():
        bars = [bar for bar in picture.bars if bar.call.lane == lane]
        scale = COLUMNS * 10
        busy = joined_spans(
            (round(bar.x * scale), round((bar.x + bar.width) * scale)) for bar in bars
        )
        assert sum(each.share for each in found) == pytest.approx(
            total_length(busy) / 1000
        )
        assert all(0 <= each.failed <= each.share + 1e-9 <= 1 + 2e-9 for each in found)


@given(runs, lengths)
def test_numbers_below_dots_have_room(run: list[CallTime], length: int) -> None:
    dots = [dot for dot in timeline(run, length).dots if dot.number]

    assert all(dot.call.is_unresolved and dot.call.failure for dot in dots)
    for one, other in itertools.combinations(dots, 2):
        assert one.lane != other.lane or abs(one.x - other.x) >= 2.6


@given(st.lists(st.integers(0, 10 * HOUR), max_size=40), st.integers(1, 10 * HOUR))
def test_only_a_long_silence_is_cut(times: list[int], length: int) -> None:
    axis = axis_of(length, times)

    if axis.cut is not None:
        begin, end = axis.cut
        assert end - begin > MINUTE
        assert 2 * (end - begin) > length
        assert not [at for at in times if begin < at < end]
        assert axis.place(end) - axis.place(begin) == pytest.approx(20)


def test_a_dot_is_in_the_middle_of_its_hundredth() -> None:
    failed = [call(at, at, failure="failed") for at in (0, 1600, 5000, 9990)]

    dots = dots_of(timeline(failed, 10_000).bars)

    assert [dot.x for dot in dots] == pytest.approx([0.5, 16.5, 50.5, 99.5])


def test_rows_without_a_call_are_skipped_and_counted() -> None:
    length = 30 * MINUTE
    begins = [*range(150), *range(length - 300, length - 150)]

    rows = wrapped_rows(timeline([call(at, at + 1) for at in begins], length))

    assert [(row.label, row.length, row.skipped) for row in rows] == [
        ("0", "10:00", 0),
        ("20:00", "10:00", 1),
    ]


def test_moments_inside_the_cut_are_in_their_order() -> None:
    axis = Axis(100, cut=(20, 60))

    places = [axis.place(moment) for moment in (0, 10, 20, 30, 40, 60, 80, 100)]

    assert places == pytest.approx(
        [0, 40 / 3, 80 / 3, 95 / 3, 110 / 3, 140 / 3, 220 / 3, 100]
    )


@given(st.integers(1, 10**10))
def test_an_axis_has_up_to_eight_ticks(length: int) -> None:
    ticks = Axis(length).ticks

    assert 1 <= len(ticks) <= 8
    assert ticks[0].label == "0"
    assert len({tick.label for tick in ticks}) == len(ticks)


@given(st.integers(1, 10**6))
def test_an_axis_of_calls_has_up_to_eight_ticks(calls: int) -> None:
    ticks = OrderAxis(calls).ticks

    assert 1 <= len(ticks) <= 9
    assert ticks[0].label == "1"
    assert all(0 <= tick.place <= 100 for tick in ticks)


def test_a_call_of_forty_minutes_next_to_short_ones_is_cut() -> None:
    times = [*range(0, 13_000, 1000), 40 * MINUTE]

    axis = axis_of(41 * MINUTE, times)

    assert axis.cut == (12_000, 40 * MINUTE)
    assert [tick.label for tick in axis.ticks] == [
        "0",
        "0:10",
        "40:00",
        *(f"40:{seconds}" for seconds in (10, 20, 30, 40, 50)),
    ]


def test_a_call_without_a_time_puts_all_in_their_order() -> None:
    picture = timeline([call(0, 5), call(None), call(9, 10)], 10)

    assert isinstance(picture.axis, OrderAxis)
    assert [(bar.x, bar.width) for bar in picture.bars] == [
        (0, 3.2),
        (4, 3.2),
        (8, 3.2),
    ]
    assert picture.agent == []
    assert [tick.label for tick in picture.ticks] == ["1", "2", "3"]


def test_a_call_of_which_only_the_end_is_known_stands_there() -> None:
    calls = [call(None, 250), call(None, 500), call(None, failure="unfinished")]

    picture = timeline(calls, 1000)

    assert [round(bar.x) for bar in picture.bars] == [25, 50, 100]
    assert [lane.name for lane in picture.lanes if lane.name == "agent"] == []
    assert picture.clock == "ends"


def test_a_call_that_never_ended_reaches_to_the_end() -> None:
    (bar,) = timeline([call(40, None, failure="unfinished")], 100).bars

    assert (bar.x, bar.width) == (40, 60)


def test_calls_that_follow_one_another_are_in_a_row() -> None:
    run = [call(0, 1), call(1, 2), call(3, 3), call(3, 3), call(50_000, 50_001)]

    picture = timeline(run, 1_000_000)

    assert len({bar.y for bar in picture.bars}) == 1


def test_a_call_that_never_ended_moves_no_other_one_out_of_its_row() -> None:
    run = [call(0, failure="unfinished"), call(10, 20), call(30, failure="unfinished")]

    picture = timeline(run, 100)

    first, later, never = (bar.y for bar in picture.bars)
    assert first == later == never - BAR - 2


def test_calls_made_at_once_take_three_rows_at_most() -> None:
    picture = timeline([call(0, 100) for _ in range(5)], 100)

    assert sorted({bar.y for bar in picture.bars}) == [30, 42, 54]


def test_times_on_the_axis_are_written_as_a_clock() -> None:
    assert [clock(at) for at in (0, 25_000, 60_000, 4_200_000)] == [
        "0",
        "0:25",
        "1:00",
        "1:10:00",
    ]
    assert clock(200, 100) == "0.2 s"


def test_few_calls_that_never_end_are_drawn_in_a_row_all_along() -> None:
    run = [call(at * 1000) for at in range(2000)]

    first, *others, last = wrapped_rows(timeline(run, 2_000_000))

    begun = [len(first.bars)] * len(others)
    assert [len(row.bars) for row in others] == [count + 20 for count in begun]
    # All end in the last one.
    assert len(last.bars) == len(run)
