"""Laws of the verdict on versions: it has no order, and a mirror."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.options import Settings
from convert.suite import compare_folders
from convert.suites import CaseResult, Suite, Verdict, Word
from support.matrix import part
from support.processes import RUNCONV, environment
from support.runs import Made, sequences
from support.suites import EDIT, FAILED, READ, folders, log, runs, write
from test_judging import case, cases, suite_of

MIRRORED: dict[Word, set[Word]] = {
    "worse": {"better"},
    "better": {"worse"},
    "different": {"different"},
    "no worse": {"no worse", "cannot tell"},
    "cannot tell": {"no worse", "cannot tell"},
}

# The ends of some runs of a case in both versions, as letters.
endings = st.text("csfq?", min_size=1, max_size=5)
pairs = st.lists(st.tuples(endings, endings), min_size=1, max_size=8)
behaviours = st.lists(
    st.tuples(*[st.lists(sequences, min_size=1, max_size=3)] * 2),
    min_size=1,
    max_size=2,
)


def results(made: list[tuple[str, str]]) -> list[CaseResult]:
    return [case(f"{at:02}", *each) for at, each in enumerate(made)]


@given(pairs)
def test_the_other_way_round_the_verdict_is_mirrored(
    made: list[tuple[str, str]],
) -> None:
    there = suite_of(results(made)).verdict
    back = suite_of(results([(b, a) for a, b in made])).verdict

    assert back.word in MIRRORED[there.word]
    assert (there.success is None) == (back.success is None)
    if there.success and back.success:
        one, other = there.success, back.success
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert (one.a, one.b) == pytest.approx((other.b, other.a))
        assert one.p_worse == pytest.approx(other.p_better)
        assert one.p_worse_refined == pytest.approx(other.p_better_refined)
    assert (there.excluded.a, there.excluded.b) == (back.excluded.b, back.excluded.a)
    assert there.excluded.p == pytest.approx(back.excluded.p)


@given(pairs)
def test_the_sentence_and_the_interval_agree(made: list[tuple[str, str]]) -> None:
    verdict = suite_of(results(made)).verdict

    if success := verdict.success:
        assert success.low - 1e-9 <= success.difference <= success.high + 1e-9
        if verdict.word == "no worse":
            assert success.low >= -0.05
        if success.high < 0:
            assert verdict.word == "worse"
        if success.low > 0:
            assert verdict.word == "better"


@given(st.lists(endings, min_size=1, max_size=8))
def test_a_version_is_never_red_against_itself(made: list[str]) -> None:
    suite = suite_of(results([(each, each) for each in made]))

    assert suite.verdict.word not in ("worse", "different", "better")
    assert not suite.is_different


@given(pairs, st.integers(1, 30), st.sampled_from(["s", "ssss"]))
def test_cases_that_always_succeed_make_no_version_worse(
    made: list[tuple[str, str]], number: int, always: str
) -> None:
    before = suite_of(results(made)).verdict
    after = suite_of([*results(made), *cases(number, always, always)]).verdict

    if before.success and after.success:
        one, other = before.success, after.success
        assert other.p_worse == pytest.approx(one.p_worse)
        # One run against one is judged by the number of cases as well.
        assert other.p_worse_refined >= one.p_worse_refined * (1 - 1e-9)
        assert other.p_better_refined >= one.p_better_refined * (1 - 1e-9)
    assert after.word != "worse" or before.word == "worse"
    assert after.word != "better" or before.word == "better"


def write_runs(place: Path, made: list[tuple[list[list[Made]], ...]]) -> None:
    """Write the runs of some cases in two versions."""
    for version, name in enumerate("ab"):
        for at, sides in enumerate(made):
            for number, calls in enumerate(sides[version]):
                path = f"{'xyz'[at]}/{number}.ndjson"
                write(place / name, {path: log(*calls)})


@given(behaviours)
def test_behaviour_is_as_different_the_other_way_round(
    made: list[tuple[list[list[Made]], ...]],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        a, b = Path(place, "a"), Path(place, "b")
        write_runs(Path(place), made)

        there, back = compare_folders(a, b), compare_folders(b, a)
        itself = compare_folders(a, a)

    one, other = there.verdict.behaviour_p, back.verdict.behaviour_p
    assert one == (None if other is None else pytest.approx(other))
    assert (there.verdict.word == "different") == (back.verdict.word == "different")
    assert not itself.is_different
    assert {each.fate for each in itself.cases} == {"same"}


def verdicts(suite: Suite) -> tuple[Verdict, list[tuple[str, str]]]:
    """Return all that a suite says without the names of logs."""
    return suite.verdict, sorted((case.name, case.sentence) for case in suite.cases)


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_the_order_of_runs_does_not_matter(one: list[int], other: list[int]) -> None:
    logs = [log(READ), log(READ, EDIT), log(EDIT), log(FAILED), log(READ, ended="f")]
    more = [log(READ, EDIT), log(READ, EDIT), log(EDIT), log(EDIT, ended="q"), log()]
    found = []
    with tempfile.TemporaryDirectory() as place:
        for orders in ([range(5)] * 2, (one, other)):
            a, b = (
                {f"x/{at}.ndjson": made[to] for at, to in enumerate(order)}
                for made, order in zip((logs, more), orders, strict=True)
            )
            compared = compare_folders(*folders(Path(place), a, b))
            found.append(verdicts(compared))

    assert found[0] == found[1]


def test_findings_of_a_folder_against_itself_are_none(tmp_path: Path) -> None:
    made = {**runs("x", "sfq/"), **runs("y", "s", READ, EDIT), "z.ndjson": log(FAILED)}
    write(tmp_path, made)

    compared = compare_folders(
        tmp_path, tmp_path, settings=Settings(fail_on="info"), by_findings=True
    )

    assert not compared.is_different


@pytest.mark.seldom
def test_the_seed_of_hashes_does_not_matter(tmp_path: Path) -> None:
    a = runs("x", "sfqs", READ, EDIT) | runs("y", "ssss", FAILED, READ)
    b = runs("x", "ssnf", EDIT, READ, FAILED) | runs("y", "ssss", EDIT)
    folders(tmp_path, a, b)

    for report in part(("table", "json", "markdown", "html"), 4):
        words = [RUNCONV, "diff", "a", "b", "--full", "--format", report]
        printed = {
            subprocess.run(
                words,
                cwd=tmp_path,
                env={**os.environ, **environment(), "PYTHONHASHSEED": seed},
                capture_output=True,
                check=False,
            ).stdout
            for seed in ("0", "1", "2")
        }
        assert len(printed) == 1
