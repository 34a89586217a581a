"""Repeated runs of a case: what is new and steady, and what may be chance."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.diff import Settings, compare_sides
from convert.diff.reports.appearance import Look
from convert.stats.quantiles import rate
from convert.suite.chance import fisher, holm, permutation
from convert.suite.medians import median_of
from convert.suite.repeated import Repeated
from convert.suite.repeated_pairs import RepeatedRun, distance
from convert.suite.repeated_runs import compare_repeated
from support.made_runs import long_run, retold
from support.repeated import (
    CALLS,
    Told,
    compared,
    result_of,
    runs_of,
    side_of_log,
    words_of,
)
from support.runs import Made, sequences

GOOD = Told(tokens=900)
MORE = Told(calls=(*CALLS, Made("shell", "b.py")), tokens=900)
OTHER = Told(calls=(Made("read", "c.py"), *CALLS[1:]), tokens=900)
BAD = Told(state="error", tokens=900)
CUT = Told(state="cut")
runs = st.lists(st.sampled_from([GOOD, MORE, OTHER, BAD]), min_size=1, max_size=4)


def test_runs_that_are_all_the_same_are_at_no_distance() -> None:
    found = compared([GOOD] * 4, [GOOD] * 4)

    within, across = found.repeated.within, found.repeated.across
    assert within is not None
    assert (within.pairs, within.median, within.most) == (6, 0.0, 0.0)
    assert (across.pairs, across.median, across.most) == (16, 0.0, 0.0)
    assert (found.fate, found.severity, found.findings) == ("same", "none", [])


def test_a_call_that_every_run_adds_is_new_and_steady() -> None:
    found = compared([GOOD] * 4, [MORE] * 4)

    [added] = found.findings
    assert (added.category, added.severity) == ("added", "major")
    assert str(added.flaps) == "0 of 6 within, 16 of 16 across"
    assert (found.fate, found.severity) == ("different", "major")


def test_a_call_that_some_runs_of_the_baseline_make_is_chance() -> None:
    found = compared([GOOD, GOOD, MORE, GOOD], [MORE] * 4)

    [added] = found.findings
    assert (added.category, added.severity) == ("added", "info")
    assert str(added.flaps) == "3 of 6 within, 12 of 16 across"
    assert (found.fate, found.is_different) == ("same", False)
    assert words_of(found)[0].endswith(
        "nothing new and steady; 1 finding may be chance"
    )


def test_a_call_that_is_steady_across_and_flaps_within_is_chance() -> None:
    found = compared([GOOD] * 4 + [MORE], [MORE] * 4)

    [added] = found.findings
    assert str(added.flaps) == "4 of 10 within, 16 of 20 across"
    assert (found.fate, added.severity) == ("same", "info")


def test_a_new_call_that_few_runs_make_is_chance() -> None:
    found = compared([GOOD] * 4, [MORE, MORE, MORE, GOOD])

    [added] = found.findings
    assert str(added.flaps) == "0 of 6 within, 12 of 16 across"
    assert (found.fate, added.severity) == ("same", "info")


def test_four_of_five_runs_are_steady() -> None:
    assert compared([GOOD] * 4, [MORE] * 4 + [GOOD]).is_different


def test_a_call_that_is_added_is_steady_where_it_pairs_with_another_one() -> None:
    again = Told(calls=(*CALLS, CALLS[-1]), tokens=900)
    found = compared([GOOD, again, again, GOOD], [MORE] * 4)

    assert found.fate == "different"
    [added] = found.deciding
    assert added.what.startswith("shell pytest")
    assert str(added.flaps) == "0 of 6 within, 16 of 16 across"


def test_calls_that_change_places_are_steady_whichever_is_said_to_be_moved() -> None:
    a, b, other = Made("edit", "a.py"), Made("edit", "b.py"), Made("read", "c.py")
    ones = [(a, b), (other, a, b), (a, b, other), (a, b)]
    others = [(b, a), (other, b, a), (b, a, other), (other, other, b, a)]
    found = compared([Told(calls) for calls in ones], [Told(calls) for calls in others])

    moved = [each for each in found.deciding if each.category == "moved"]
    assert {str(each.flaps) for each in moved} == {"0 of 6 within, 16 of 16 across"}


def test_what_is_new_and_steady_comes_first() -> None:
    both = Told(calls=(Made("read", "c.py"), *MORE.calls[1:]), tokens=900)
    found = compared([GOOD, GOOD, OTHER, GOOD], [MORE, MORE, MORE, both])

    decide = [each.flaps and each.flaps.decides for each in found.findings]
    assert decide == sorted(decide, reverse=True)
    assert [each.category for each in found.deciding] == ["added"]


def test_a_steady_finding_that_the_medoids_do_not_show_has_no_lines() -> None:
    calls = [Made("shell", f"{name}.py") for name in "defgh"]
    told = [Told(calls=(*CALLS, *calls[:at], *calls[at + 1 :])) for at in range(5)]

    found = compared([Told()] * 4, told)

    assert len(found.deciding) == 5
    assert [each.what for each in found.findings if not each.call] == [
        "shell pytest d.py  [ok]"
    ]
    for each in found.findings:
        assert (each.call == "") == (each.line_b is None)


def test_a_run_on_each_side_is_compared_as_a_pair() -> None:
    found = compared([GOOD], [MORE])

    assert (found.fate, found.severity) == ("different", "major")
    assert found.repeated.within is None
    assert found.repeated.is_counted_only


@given(sequences, sequences)
def test_one_run_on_each_side_is_as_different_as_a_pair(
    a: list[Made], b: list[Made]
) -> None:
    [one], [other] = (
        runs_of(name, [Told(calls)]) for name, calls in (("a", a), ("b", b))
    )

    found = compare_repeated([one], [other], Settings(), Look())

    pair = compare_sides(one.side, other.side, Settings())
    assert (found.severity, found.is_different) == (pair.severity, pair.is_different)
    assert found.repeated.across.most == distance(pair)


@given(runs, runs, st.randoms())
def test_the_order_of_runs_does_not_matter(
    a: list[Told], b: list[Told], dice: Any
) -> None:
    found = compared(a, b)

    dice.shuffle(a)
    dice.shuffle(b)
    again = compared(a, b)

    assert again.fate == found.fate
    assert again.repeated.across == found.repeated.across
    assert again.repeated.measures == found.repeated.measures
    decided = [
        sorted((each.category, each.what) for each in of.deciding)
        for of in (found, again)
    ]
    assert decided[0] == decided[1]


@given(runs)
def test_a_baseline_against_itself_is_never_different(told: list[Told]) -> None:
    found = compared(told, told)

    assert found.fate == "same"
    assert not found.deciding


@given(runs.filter(lambda told: len(told) < 4), runs)
def test_too_few_runs_are_only_counted(few: list[Told], many: list[Told]) -> None:
    for sides in ((few, many), (many, few)):
        found = compared(*sides)

        assert found.repeated.is_counted_only
        assert found.repeated.tests == 0
        words = words_of(found)
        assert "significant" not in "".join(words)
        assert "p 0" not in "".join(words)
        assert words[-1].startswith("chance: counts only")


def test_a_loss_of_successes_that_chance_hardly_makes_is_critical() -> None:
    found = compared([GOOD] * 7 + [BAD], [BAD] * 7 + [GOOD])

    loss, flapping = found.findings
    assert (loss.category, loss.severity) == ("status", "critical")
    assert flapping.severity == "info"
    assert (found.fate, found.severity) == ("different", "critical")
    success = found.repeated.success
    assert success.test is not None
    assert success.test.p == fisher((7, 8), (1, 8))
    assert (success.a, success.b) == (rate(7, 8), rate(1, 8))


def test_a_gain_of_successes_is_no_finding() -> None:
    found = compared([BAD] * 7 + [GOOD], [GOOD] * 7 + [BAD])

    assert found.fate == "same"
    assert "a significant gain" in words_of(found)[2]


@pytest.mark.parametrize(
    ("knobs", "waived"),
    [
        ({"ignore": ("status",)}, "--ignore status"),
        ({"judge": ("calls",)}, "--judge calls"),
    ],
)
def test_a_loss_can_be_waived(knobs: dict[str, Any], waived: str) -> None:
    found = compared([GOOD] * 7 + [BAD], [BAD] * 7 + [GOOD], **knobs)

    assert found.fate == "same"
    assert found.findings[0].waived == waived


def test_a_loss_that_may_be_chance_does_not_decide() -> None:
    found = compared([GOOD] * 7 + [BAD], [GOOD] * 4 + [BAD] * 4)

    assert found.fate == "same"
    assert not found.deciding


@pytest.mark.parametrize(
    ("status", "fate", "severity", "waived"),
    [(0, "same", "info", "--answer-cmd"), (1, "different", "major", "")],
)
def test_a_command_judges_the_answers_of_the_medoids(
    status: int, fate: str, severity: str, waived: str, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    command = f"sh -c 'echo x >> {asked}; exit {status}' judge {{a}} {{b}}"
    other = GOOD._replace(text="Nothing could be done.")

    found = compared([GOOD] * 4, [other] * 4, answer_cmd=command)

    [text] = found.findings
    assert (found.fate, text.severity, text.waived) == (fate, severity, waived)
    assert str(text.flaps) == "0 of 6 within, 16 of 16 across"
    assert asked.read_text().split() == ["x"]


def test_cut_runs_are_failures_that_are_not_compared() -> None:
    found = compared([GOOD] * 5, [GOOD] * 4 + [CUT])

    assert found.repeated.b.cut == ("b/05.ndjson",)
    assert found.repeated.success.b == rate(4, 5)
    assert found.repeated.across.pairs == 20
    assert words_of(found)[1] == (
        "runs: 5 against 5 runs; cut in B: b/05.ndjson, not compared, counted as failed"
    )


def test_runs_that_are_all_cut_are_no_success() -> None:
    found = compared([GOOD] * 4, [CUT] * 4)

    assert (found.fate, found.severity) == ("different", "critical")
    assert found.repeated.success.b == rate(0, 4)
    assert "compared, since no other run is left" in words_of(found)[1]


def test_figures_are_tested_and_corrected_together() -> None:
    ones = [20_000 + 1000 * at for at in range(6)]
    others = [23_500 + 1000 * at for at in range(6)]
    tokens = [(900, 950)[at % 2] for at in range(6)]
    found = compared(
        [Told(duration_ms=ms, tokens=n) for ms, n in zip(ones, tokens, strict=True)],
        [Told(duration_ms=ms, tokens=n) for ms, n in zip(others, tokens, strict=True)],
    )

    calls, length, used = found.repeated.measures
    expected = [permutation(ones, others), permutation(tokens, tokens)]
    corrected = holm([p for p in expected if p is not None])
    assert calls.test is None
    assert length.test is not None
    assert used.test is not None
    assert [length.test.p, used.test.p] == expected
    assert [length.test.corrected, used.test.corrected] == corrected
    assert found.repeated.tests == 2
    assert length.a is not None
    assert (length.a.median, length.a.least, length.a.most) == (22_500, 20_000, 25_000)


def test_a_slower_tool_is_told_and_does_not_decide() -> None:
    found = compared(
        [Told(duration_ms=20_000 + at) for at in range(16)],
        [Told(duration_ms=40_000 + at) for at in range(16)],
    )

    assert found.fate == "same"
    assert words_of(found)[0].endswith("; duration 20.0 s -> 40.0 s is significant")


def test_the_chance_that_several_tries_all_succeed() -> None:
    found = compared([GOOD] * 4, [GOOD] * 3 + [BAD])

    assert found.repeated.success.all_of == [(2, 1.0, 0.5), (4, 1.0, 0.0)]


def test_the_medoid_is_the_run_in_the_middle() -> None:
    calls = [Made("read", f"{number}.py") for number in range(6)]
    told = [Told(calls=calls[:number]) for number in (1, 6, 3)]

    found = compared(told, [Told(calls=calls[:3])] * 2)

    assert found.repeated.a.medoid == "a/03.ndjson"
    assert found.repeated.b.medoid == "b/01.ndjson"
    assert found.comparison.severity == "none"


def test_the_most_common_sequence_of_calls_has_its_share() -> None:
    found = compared([OTHER, GOOD, GOOD, GOOD], [MORE, OTHER, MORE])

    ones, others = found.repeated.a.path, found.repeated.b.path
    assert ones is not None
    assert others is not None
    assert (ones.runs, ones.of, others.runs, others.of) == (3, 4, 2, 3)
    assert ones.steps == ("read a.py", "edit a.py", "shell pytest a.py")
    assert not found.repeated.is_same_path
    assert compared([GOOD] * 2, [OTHER, GOOD, GOOD]).repeated.is_same_path


def test_calls_in_another_order_are_another_sequence() -> None:
    swapped = Told(calls=(CALLS[1], CALLS[0], CALLS[2]))
    found = compared([Told()] * 2, [swapped] * 2)

    assert not found.repeated.is_same_path


def test_runs_are_told_by_their_names() -> None:
    a, b = runs_of("a", [GOOD, MORE, OTHER, BAD]), runs_of("b", [MORE, GOOD, BAD])

    found, again = (
        compare_repeated(ones, others, Settings(), Look())
        for ones, others in ((a, b), (a[::-1], b[::-1]))
    )

    assert again.repeated == found.repeated
    assert again.findings == found.findings


def test_what_is_found_is_plain_and_small() -> None:
    found = compared([GOOD, MORE], [BAD, OTHER]).repeated

    again = pickle.loads(pickle.dumps(found))

    assert isinstance(again, Repeated)
    assert again == found


@functools.cache
def long_runs(folder: str, number: int) -> list[RepeatedRun]:
    logs = [
        retold(long_run(40), seed=100 * len(folder) + 10 * at) for at in range(number)
    ]
    return [
        RepeatedRun(f"{folder}/{at}", side_of_log(log)) for at, log in enumerate(logs)
    ]


def test_many_pairs_agree_with_each_pair_on_its_own() -> None:
    a, b = long_runs("a", 4), long_runs("bb", 3)

    found = compare_repeated(a, b, Settings(), Look())

    alone = [
        distance(compare_sides(one.side, other.side, Settings()))
        for one in a
        for other in b
    ]
    assert found.repeated.across.most == max(alone)
    assert found.repeated.across.pairs == 12


SAME_BYTES = """
import sys
sys.path.insert(0, sys.argv[1])
from support.repeated import compared, words_of
from test_repeated import BAD, GOOD, MORE, OTHER
found = compared([GOOD, MORE, OTHER, GOOD], [BAD, MORE, MORE, OTHER])
print(words_of(found), found.findings)
"""


@pytest.mark.seldom
def test_the_same_runs_have_the_same_bytes_in_every_process() -> None:
    tests = str(Path(__file__).parent)
    printed = {
        subprocess.run(
            [sys.executable, "-c", SAME_BYTES, tests],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in "012"
    }

    assert len(printed) == 1


@pytest.mark.parametrize(
    ("told", "is_told"), [([GOOD] * 4, False), ([GOOD, CUT, CUT, CUT], True)]
)
def test_a_case_with_cut_runs_is_listed_even_if_it_is_the_same(
    told: list[Told], is_told: bool
) -> None:
    for found in (compared([GOOD] * 4, told), compared(told, [GOOD] * 4)):
        assert found.fate == "same"
        assert result_of(found).is_told == is_told
        assert ("3 of 4 runs of" in words_of(found)[0]) == is_told


def test_a_case_with_more_runs_on_one_side_is_listed() -> None:
    found = compared([GOOD] * 5, [GOOD])

    assert found.fate == "same"
    assert result_of(found).is_told
    assert words_of(found)[0] == "same: 5 against 1 run, nothing new and steady"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([GOOD] * 5, []),
        ([GOOD, GOOD, MORE, GOOD, GOOD], ["1 of 5 runs of B: 4 (--max-calls 3)"]),
        ([MORE, MORE, GOOD, GOOD], ["2 of 4 runs of B: up to 4 (--max-calls 3)"]),
        ([GOOD, MORE._replace(state="cut")], ["1 of 2 runs of B: 4 (--max-calls 3)"]),
    ],
)
def test_a_limit_holds_for_each_run(told: list[Told], words: list[str]) -> None:
    found = compared([MORE] + [GOOD] * 3, told, max_calls=3, fail_on="major")

    limits = [each for each in found.deciding if each.category == "calls"]
    assert [each.what for each in limits] == [
        f"calls exceeded in {each}" for each in words
    ]
    assert found.is_different == bool(words)


def test_a_limit_for_each_run_can_be_waived() -> None:
    found = compared([GOOD] * 4, [MORE] * 4, max_calls=3, ignore=("calls", "added"))

    [limit] = [each for each in found.findings if each.category == "calls"]
    assert (limit.severity, limit.waived) == ("info", "--ignore calls")
    assert not found.is_different


@pytest.mark.parametrize(
    ("values", "median"),
    [([], None), ([None], None), ([7], 7), ([4, 9], 6.5), ([9, 1, 4], 4), ([4, 6], 5)],
)
def test_the_median_of_an_even_number_is_between_two(
    values: list[int | None], median: float | None
) -> None:
    assert repr(median_of(values)) == repr(median)


def test_a_median_between_two_runs_is_shown() -> None:
    found = compared([GOOD, GOOD], [GOOD, MORE])

    assert "calls: 3 -> median 3.5 (3 to 4)" in words_of(found)


@pytest.mark.parametrize(
    ("told", "medoid"),
    [
        ([GOOD, BAD, BAD, BAD, BAD], "a/02.ndjson"),
        ([BAD, GOOD, GOOD], "a/02.ndjson"),
        ([GOOD, BAD], "a/01.ndjson"),
        (
            [MORE._replace(state="error"), OTHER._replace(state="error"), GOOD],
            "a/03.ndjson",
        ),
    ],
)
def test_of_runs_as_near_the_medoid_ended_as_most_did(
    told: list[Told], medoid: str
) -> None:
    assert compared(told, told).repeated.a.medoid == medoid
