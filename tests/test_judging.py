"""The verdict on a version: its word, its sentence and the exit status."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from convert.errors import UsageError
from convert.model import ReasonKind
from convert.options import Settings, SuiteSettings
from convert.suite import compare_folders
from convert.suites import (
    Behaviour,
    CaseResult,
    CaseRun,
    CaseSide,
    Change,
    Outcome,
    Suite,
    judged,
    notes,
    sentence,
    terms,
)
from support.runs import Made, one_by_one, tell

# How a run ended, a letter each.
OUTCOMES: dict[str, Outcome] = {
    "c": "clean",
    "s": "success",
    "f": "failed",
    "q": "excluded",
    "n": "excluded",
    "?": "unknown",
}
REASONS: dict[str, ReasonKind] = {"q": "quota", "n": "network"}


def side(letters: str, **figures: int) -> CaseSide:
    """Return runs that ended as the letters say."""
    runs = [
        CaseRun(
            log=f"{at}.ndjson",
            outcome=OUTCOMES[letter],
            reason_kind=REASONS.get(letter, ""),
            state="success" if letter in "cs" else "error",
            **figures,
        )
        for at, letter in enumerate(letters)
    ]
    return CaseSide(logs=tuple(run.log for run in runs), runs=tuple(runs))


def case(name: str, *versions: str, behaviour: Behaviour | None = None) -> CaseResult:
    """Return a case whose runs ended as the letters of each version say."""
    sides = tuple(map(side, versions))
    return CaseResult(name=name, sides=sides, fate="same", behaviour=behaviour)


def cases(number: int, *versions: str) -> list[CaseResult]:
    """Return so many equal cases."""
    return [case(f"case-{at:03}", *versions) for at in range(number)]


def suite_of(results: Sequence[CaseResult], **knobs: object) -> Suite:
    """Return the suite of some cases."""
    versions = len(results[0].sides)
    names = (
        ["base", "cand"] if versions == 2 else [f"v{n + 1}" for n in range(versions)]
    )
    return judged(names, results, Settings(), SuiteSettings(**knobs))


def changed(p: float = 1 / 35, theme: str = "run the tests first now") -> Behaviour:
    """Return a behaviour in which every run makes one more call."""
    change = Change(
        category="added",
        severity="major",
        what="shell npm test",
        sentence="All 4 runs now run `npm test`; none did before.",
        theme=theme,
        a=0,
        of_a=4,
        b=4,
        of_b=4,
        p=p,
    )
    distribution = ((1 / 35, 1 / 35), (3 / 35, 2 / 35), (1.0, 32 / 35))
    return Behaviour(p=p, distribution=distribution, changes=(change,))


def one_in(ways: int) -> Behaviour:
    """Return a behaviour whose change chance makes in one of so many ways."""
    distribution = ((1 / ways, 1 / ways), (1.0, 1 - 1 / ways))
    return replace(changed(), p=1 / ways, distribution=distribution)


def test_a_fall_of_success_is_worse() -> None:
    suite = suite_of([*cases(30, "ssss", "ssss"), *cases(20, "ssss", "sfff")])

    assert suite.verdict.word == "worse"
    assert sentence(suite).startswith(
        "worse: success 100 % → 70 % over 50 cases, 4 runs each (−30 points, 95 %"
    )
    assert suite.is_different


def test_a_rise_of_success_is_better() -> None:
    suite = suite_of(cases(20, "ssff", "ssss"))

    assert suite.verdict.word == "better"
    assert not suite.is_different


def test_all_runs_of_few_cases_prove_nothing() -> None:
    suite = suite_of(cases(3, "s", "s"))

    assert suite.verdict.word == "cannot tell"
    assert "would detect a loss of 10 points" in sentence(suite)
    assert not suite.is_different


def test_many_runs_without_a_loss_are_no_worse() -> None:
    suite = suite_of(cases(100, "ssss", "ssss"))

    assert suite.verdict.word == "no worse"
    assert "success 100 % → 100 % over 100 cases, 4 runs each (0 points" in sentence(
        suite
    )


def test_a_loss_up_to_the_allowed_one_is_not_worse() -> None:
    results = [*cases(90, "ssss", "ssss"), *cases(10, "ssss", "fffs")]

    assert suite_of(results).verdict.word == "worse"
    assert suite_of(results, max_loss=8).verdict.word != "worse"


def test_a_loss_that_is_just_allowed_is_not_worse() -> None:
    results = [*cases(30, "ssss", "ssss"), *cases(10, "ssss", "ffff")]

    assert suite_of(results, max_loss=25).verdict.word != "worse"
    assert suite_of(results, max_loss=24.9).verdict.word == "worse"


def test_each_test_decides_at_exactly_one_in_forty() -> None:
    # The one success falls to the first version in 1 of 5, and in 1 of 8 ways.
    lost = [case("a", "s", "ffff"), case("b", "s", "fffffff")]
    other = [replace(case("a", "s", "s"), behaviour=one_in(40))]

    assert suite_of(lost).verdict.word == "worse"
    assert suite_of(other).verdict.word == "different"
    assert suite_of([replace(other[0], behaviour=one_in(39))]).verdict.word != (
        "different"
    )


def test_success_decides_between_equal_sums() -> None:
    made = [case("a", "ssf", "sss"), *cases(2, "ssss", "sfff")]

    verdict = suite_of(made).verdict

    assert verdict.success is not None
    assert verdict.success.p_worse_refined < 0.025 < verdict.success.p_worse
    assert verdict.word == "worse"


def test_the_margin_is_that_of_the_interval() -> None:
    made = cases(10, "ssss", "ssss")
    success = suite_of(made).verdict.success
    assert success is not None
    bound = -100 * success.low

    assert suite_of(made, margin=bound + 0.01).verdict.word == "no worse"
    assert suite_of(made, margin=bound - 0.01).verdict.word == "cannot tell"


def test_of_several_versions_that_may_be_the_first_worse_one_the_first_is_named() -> (
    None
):
    assert suite_of(cases(5, "ssss", "????", "ffff")).worse_since == 1


def test_runs_that_some_cases_lack_would_detect_a_loss() -> None:
    unsure = [case(f"w{at}", "ssff", "ssff") for at in range(4)]
    lone = [case(f"z{at}", "s", "s") for at in range(4)]

    suite = suite_of([*cases(28, "ssss", "ssss"), *unsure, *lone], margin=0)

    assert (suite.verdict.runs_needed, suite.verdict.runs) == (4, (1, 4))
    assert "would detect a loss of 10 points" in sentence(suite)


def test_steps_between_versions_share_the_chance_of_error_that_two_have() -> None:
    # In 1 of 70 ways, all four successes fall to the version before.
    three = suite_of([case("a", "ssss", "ssss", "ffff")]).steps
    two = suite_of([case("a", "ssss", "ffff")]).verdict

    assert two.word == "worse"
    assert three[1].word == "cannot tell"


def test_steps_compare_each_version_with_the_one_before_it() -> None:
    suite = suite_of(cases(10, "ffff", "ssss", "ssss", "ffff"))

    better, same, worse = (step.word for step in suite.steps)
    assert (better, worse) == ("better", "worse")
    assert same in ("no worse", "cannot tell")


def test_clean_success_is_tested_apart_from_success() -> None:
    verdict = suite_of(cases(10, "cccc", "cccs")).verdict

    assert verdict.success is not None
    assert verdict.clean is not None
    assert (verdict.success.b, verdict.clean.b) == (1, 0.75)
    assert verdict.clean_corrected == verdict.clean.p
    assert verdict.word in ("no worse", "cannot tell")


def with_figures(a: str, b: str, **figures: tuple[int, int]) -> CaseResult:
    """Return a case whose runs have one figure before, and another after."""
    sides = tuple(
        side(letters, **{name: both[at] for name, both in figures.items()})
        for at, letters in enumerate((a, b))
    )
    return CaseResult(name="x", sides=sides, fate="same")


def test_figures_and_clean_success_are_corrected_together() -> None:
    made = [with_figures("cccc", "cccc", calls=(4, 4), duration_ms=(9, 18))] * 3
    verdict = suite_of([replace(each, name=f"{at}") for at, each in enumerate(made)])

    calls, time = verdict.verdict.figures
    assert time.corrected == pytest.approx(3 * time.p)
    assert calls.corrected == 1


def test_a_figure_that_correction_leaves_unsure_is_not_in_the_sentence() -> None:
    suite = suite_of([with_figures("cccc", "cccc", calls=(4, 5), duration_ms=(9, 9))])

    calls, _ = suite.verdict.figures
    assert calls.p < 0.05 < calls.corrected
    assert "calls" not in sentence(suite)


def test_tokens_of_unlike_kinds_have_no_ratio() -> None:
    like = with_figures("cccc", "cccc", tokens=(100, 200))

    assert suite_of([like]).verdict.figures
    assert not suite_of([replace(like, has_unlike_tokens=True)]).verdict.figures


def test_runs_that_were_excluded_or_broke_off_have_no_figures() -> None:
    cut = CaseRun(log="x", outcome="failed", state="cut", calls=900)
    out = CaseRun(
        log="y", outcome="excluded", state="error", reason_kind="quota", calls=900
    )
    whole = with_figures("cccc", "cccc", calls=(4, 4))
    runs = (*whole.b.runs, cut, out)
    more = replace(whole, sides=(whole.a, replace(whole.b, runs=runs)))

    assert suite_of([more]).verdict.figures == suite_of([whole]).verdict.figures


def test_excluded_runs_differ_only_where_chance_hardly_makes_it() -> None:
    few = suite_of(cases(1, "s" * 20, "s" * 15 + "q" * 5)).verdict.excluded
    many = suite_of(cases(1, "s" * 20, "s" * 13 + "q" * 7)).verdict.excluded

    assert 0.01 < few.p < 0.05
    assert not few.differs
    assert many.p < 0.01
    assert many.differs


def test_approved_cases_enter_no_test() -> None:
    golden = replace(case("golden", "s", "ffff"), is_golden=True, by_findings=True)

    suite = suite_of([*cases(5, "ssss", "ssss"), golden])

    assert suite.verdict.cases == 5
    assert suite.verdict.success is not None
    assert suite.verdict.success.difference == 0


def test_cases_that_may_fail_count_in_no_limit() -> None:
    made = [*cases(5, "s", "s"), case("odd", "s", "f")]

    assert suite_of(made, min_success=1).is_different
    assert not suite_of(made, min_success=1, may_fail=("odd",)).is_different


def test_the_margin_decides_between_no_worse_and_cannot_tell() -> None:
    results = [*cases(45, "ssss", "ssss"), *cases(3, "sssf", "ssss")]
    results += cases(3, "ssss", "sssf")

    assert suite_of(results, margin=20).verdict.word == "no worse"
    assert suite_of(results, margin=0).verdict.word == "cannot tell"


def test_proof_may_be_required() -> None:
    suite = suite_of(cases(3, "s", "s"), require_proof=True)

    assert suite.is_different


def test_another_behaviour_is_different() -> None:
    results = [
        case(f"case-{at}", "ssss", "ssss", behaviour=changed()) for at in range(10)
    ]

    suite = suite_of(results)

    assert suite.verdict.word == "different"
    assert "; 10 of 10 cases run the tests first now" in sentence(suite)
    assert all(each.is_listed for each in suite.cases)
    assert suite.is_different
    assert not suite_of(results, allow_different=True).is_different


def test_the_common_change_is_that_of_the_cases_that_are_listed() -> None:
    sure = [case(f"a{at}", "ssss", "ssss", behaviour=one_in(400)) for at in range(3)]
    other = replace(changed(1.0, "read one more file now"), p=1.0)
    unsure = [case(f"b{at}", "ssss", "ssss", behaviour=other) for at in range(5)]

    verdict = suite_of([*sure, *unsure]).verdict

    assert verdict.word == "different"
    assert (verdict.theme, verdict.theme_cases) == ("run the tests first now", 3)


def test_a_case_is_no_verdict() -> None:
    results = [case("one", "ssss", "ssss", behaviour=changed(1.0))]

    suite = suite_of([*results, *cases(20, "ssss", "ssss")])

    assert suite.verdict.word != "different"
    assert not suite.cases[0].is_listed


def test_excluded_runs_are_no_failures() -> None:
    suite = suite_of(cases(25, "ssss", "ssqn"))

    assert suite.verdict.success is not None
    assert suite.verdict.success.difference == 0
    assert suite.verdict.excluded.differs
    assert sentence(suite).endswith(
        "50 of 100 candidate runs were excluded: network 25, usage limit 25"
        " (baseline: 0)"
    )


def test_a_few_excluded_runs_are_a_note() -> None:
    suite = suite_of([*cases(24, "ssss", "ssss"), *cases(1, "ssss", "sssq")])

    assert "excluded" not in sentence(suite)
    assert "1 of 100 candidate runs was excluded: usage limit 1 (baseline: 0)" in notes(
        suite
    )


def test_runs_whose_end_is_not_recorded_cannot_tell() -> None:
    suite = suite_of(cases(5, "??", "??"))

    assert suite.verdict.word == "cannot tell"
    assert sentence(suite) == (
        "cannot tell: no case records how its runs ended in both versions (5 cases, 2"
        " runs each)"
    )


def test_a_figure_that_grew_is_part_of_the_sentence() -> None:
    results = []
    for at in range(20):
        sides = tuple(
            CaseSide(
                logs=("a",),
                runs=tuple(
                    CaseRun(log=f"{n}", outcome="clean", calls=calls, state="success")
                    for n in range(4)
                ),
            )
            for calls in (10, 15)
        )
        results.append(CaseResult(name=f"{at:02}", sides=sides, fate="same"))

    suite = suite_of(results)

    assert "; calls ×1.50 (" in sentence(suite)
    assert not suite.is_different


def test_the_terms_of_statistics_are_apart() -> None:
    suite = suite_of([*cases(30, "cccc", "cccc"), *cases(20, "cccc", "cfff")])
    words = ("permutation", "Holm", "Fisher", " p ")

    assert not [word for word in words if word in f"{sentence(suite)} {notes(suite)}"]
    assert [word for word in words if word in " ".join(terms(suite))]


@pytest.mark.parametrize(
    ("versions", "since"),
    [
        (("ssss", "ssss", "ffff", "ffff"), 2),
        (("ssss", "ffff", "ffff", "ffff"), 1),
        (("ssss", "ssss", "ssss", "ffff"), 3),
    ],
)
def test_the_version_that_first_was_worse_is_found(
    versions: tuple[str, ...], since: int
) -> None:
    suite = suite_of(cases(10, *versions))

    assert suite.verdict.word == "worse"
    assert suite.worse_since == since
    assert f"worse since v{since + 1}" in sentence(suite)
    assert [step.word for step in suite.steps].index("worse") == since - 1


def test_a_version_that_recovered_is_worse_in_a_step_only() -> None:
    suite = suite_of(cases(10, "ssss", "ffff", "ssss"))

    assert suite.worse_since is None
    assert [step.word for step in suite.steps] == ["worse", "better"]
    assert [line.split(":")[1] for line in notes(suite)] == [" worse", " better"]


def test_cases_that_may_fail_enter_no_test() -> None:
    results = [*cases(20, "ssss", "ssss"), case("flaky", "ssss", "ffff")]

    suite = suite_of(results, may_fail=("flaky",))

    assert suite.verdict.cases == 20
    assert suite.verdict.success is not None
    assert suite.verdict.success.b == 1


def test_a_glob_for_no_case_is_refused() -> None:
    with pytest.raises(UsageError, match="matches no case"):
        suite_of(cases(2, "s", "s"), may_fail=("other",))


def test_the_order_of_cases_does_not_matter() -> None:
    results = [*cases(5, "ssss", "ssff"), *cases(5, "sfff", "ssff")]
    for at, each in enumerate(results):
        each.name = f"{at}"

    forward, backward = suite_of(results), suite_of(results[::-1])

    assert forward.verdict == backward.verdict
    assert [each.name for each in forward.cases] == [
        each.name for each in backward.cases
    ]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("cccc", "cfff", (0, 1)),
        ("fccc", "cffc", (1, 1)),
        ("cffc", "cccf", (1, 0)),
        ("cccf", "fccc", (0, 1)),
        ("fffc", "cfff", (0, 1)),
    ],
)
def test_the_runs_that_are_shown_explain_the_case(
    before: str, after: str, shown: tuple[int, int], tmp_path: Path
) -> None:
    good = tell(one_by_one([Made("read", "a.py")]))
    logs = {"c": good, "f": good.replace(b'"is_error": false', b'"is_error": true')}
    for version, letters in (("a", before), ("b", after)):
        (tmp_path / version).mkdir()
        for at, letter in enumerate(letters):
            (tmp_path / version / f"tax-{at}.ndjson").write_bytes(logs[letter])

    [found] = compare_folders(tmp_path / "a", tmp_path / "b").cases

    assert (found.a.shown, found.b.shown) == shown


def test_a_change_that_most_cases_show_is_no_chance() -> None:
    p = 3 / 35
    results = [
        case(f"case-{at}", "ssss", "sfff", behaviour=changed(p)) for at in range(20)
    ]

    suite = suite_of(results)

    assert suite.verdict.word == "worse"
    assert not any(each.is_listed for each in suite.cases)
    assert notes(suite) == ["20 of 20 cases run the tests first now"]
    assert "may be chance" not in suite.cases[0].sentence


def test_an_empty_log_is_that_of_a_run_that_broke_off(tmp_path: Path) -> None:
    good = tell(one_by_one([Made("read", "a.py")]))
    for version, empty in (("a", 0), ("b", 3)):
        (tmp_path / version).mkdir()
        for at in range(4):
            content = b"" if at < empty else good
            (tmp_path / version / f"tax-{at}.ndjson").write_bytes(content)

    suite = compare_folders(tmp_path / "a", tmp_path / "b")

    assert [case.name for case in suite.cases] == ["tax"]
    assert (suite.cases[0].b.succeeded, suite.cases[0].b.counted) == (1, 4)
    assert any("3 of 4 runs" in line and "broke off" in line for line in notes(suite))


def test_a_case_with_empty_logs_only_fell(tmp_path: Path) -> None:
    good = tell(one_by_one([Made("read", "a.py")]))
    for version, content in (("a", good), ("b", b"")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "tax.ndjson").write_bytes(content)
        (tmp_path / version / "cart.ndjson").write_bytes(good)

    suite = compare_folders(tmp_path / "a", tmp_path / "b")

    assert [case.standing for case in suite.cases] == ["fell", "same"]
    assert suite.cases[0].headline.endswith("holds a run")


@pytest.mark.parametrize("content", [b"Segmentation fault\n", b'{"error": "boom"}\n'])
def test_a_file_with_the_message_of_a_crash_is_a_run_that_broke_off(
    content: bytes, tmp_path: Path
) -> None:
    good = tell(one_by_one([Made("read", "a.py")]))
    for version, crashed in (("a", 0), ("b", 3)):
        (tmp_path / version).mkdir()
        for at in range(4):
            log = content if at < crashed else good
            (tmp_path / version / f"tax-{at}.ndjson").write_bytes(log)
        (tmp_path / version / "tax.notes.ndjson").write_bytes(content)

    suite = compare_folders(tmp_path / "a", tmp_path / "b")

    [found] = suite.cases
    assert (found.a.succeeded, found.a.counted) == (4, 4)
    assert (found.b.succeeded, found.b.counted) == (1, 4)


def test_a_loss_as_large_as_the_allowed_one_is_not_worse() -> None:
    results = cases(10, "s" * 20, "s" * 19 + "f")

    exact, less = suite_of(results, max_loss=5), suite_of(results, max_loss=4)

    assert (exact.verdict.word, less.verdict.word) == ("cannot tell", "worse")
    assert sentence(exact).endswith(
        "; the loss is within --max-loss 5, and may be larger"
    )


def test_an_allowed_loss_is_no_worse_where_a_larger_one_is_excluded() -> None:
    suite = suite_of(cases(10, "s" * 20, "s" * 19 + "f"), max_loss=10)

    assert suite.verdict.word == "no worse"


def test_rates_of_unequal_numbers_of_runs_are_exact() -> None:
    suite = suite_of(cases(10, "s" * 30, "s"))

    assert "success 100 % → 100 % over" in sentence(suite)


def test_nothing_is_compared_where_all_runs_were_excluded() -> None:
    suite = suite_of(cases(10, "ssss", "qqqq"))

    assert suite.has_trouble
    assert sentence(suite).startswith(
        "cannot tell: no case has runs in both versions that count (10 cases, "
    )


def test_cases_that_all_may_fail_pass() -> None:
    results = cases(10, "ssss", "ffff")

    suite = suite_of(results, may_fail=("*",), min_success=0.9)

    assert not suite.is_different
    assert sentence(suite) == "passes (--may-fail): 10 cases: 10 fell"


def test_cases_that_may_fail_and_are_the_same_are_the_same() -> None:
    results = [replace(each, fate="same") for each in cases(3, "s", "s")]

    suite = suite_of(results, may_fail=("*",))

    assert sentence(suite).startswith("same: 3 cases, ")


def test_differences_are_those_of_the_rates_that_are_shown() -> None:
    suite = suite_of([*cases(14, "sss", "sss"), *cases(20, "sss", "sff")])

    assert "success 100 % → 61 %" in sentence(suite)
    assert "(−39 points" in sentence(suite)


def test_another_behaviour_proves_nothing_about_a_loss() -> None:
    results = [
        case(f"case-{at}", "ssss", "ssss", behaviour=changed()) for at in range(10)
    ]

    suite = suite_of(results, allow_different=True, require_proof=True)

    assert suite.verdict.word == "different"
    assert suite.is_different


def test_a_version_is_worse_since_the_first_step_that_is() -> None:
    results = cases(40, "ssss", "sssf", "ssff", "sfff")

    suite = suite_of(results)

    assert [step.word for step in suite.steps] == ["worse"] * 3
    assert "worse since v2" in sentence(suite)


def test_a_case_that_is_gone_is_part_of_the_sentence_and_no_proof() -> None:
    gone = case("gone", "ssss", "")
    gone.fate = "missing"
    results = [*cases(100, "ssss", "ssss"), gone]

    plain, strict = suite_of(results), suite_of(results, require_proof=True)

    assert plain.verdict.word == "no worse"
    assert sentence(plain).endswith("; 1 of 101 cases has no log in cand")
    assert not plain.is_different
    assert strict.is_different
    assert sentence(strict).endswith("; a loss is not ruled out (--require-proof)")


def test_a_version_that_recovered_in_between_is_worse_since_the_last_fall() -> None:
    suite = suite_of(cases(10, "ssss", "ffff", "ssss", "ffff"))

    assert [step.word for step in suite.steps] == ["worse", "better", "worse"]
    assert suite.worse_since == 3


FEW = [*cases(2, "sss", "sss"), case("a", "sss", "sff"), case("b", "sss", "ssf")]


@pytest.mark.parametrize(
    ("results", "ending"),
    [
        (
            FEW,
            "61 runs of each case would detect a loss of 10 points, and 14 one of 25;"
            " passes (exit status 0), since chance may make such a loss;"
            " --min-success 0.9 or --require-proof fails it",
        ),
        # The baseline would fail as well.
        (
            [*FEW, case("c", "sff", "sff")],
            " such a loss; --require-proof fails it",
        ),
        (
            cases(4, "ss", "ss"),
            " a loss of 10 points; passes (exit status 0); --require-proof fails it",
        ),
    ],
)
def test_a_sentence_says_that_few_runs_pass_and_which_option_fails_them(
    results: list[CaseResult], ending: str
) -> None:
    suite = suite_of(results)
    suite.can_fail = True

    assert sentence(suite).endswith(ending)
    assert suite_of(results, require_proof=True).is_different
    assert suite_of(FEW, min_success=0.9).is_different


def test_a_reason_to_fail_comes_before_a_verdict_that_passes() -> None:
    limited, worse = (
        suite_of(results, min_success=0.9) for results in (FEW, cases(20, "ss", "ff"))
    )
    limited.can_fail = worse.can_fail = True

    assert sentence(limited).startswith(
        "fails: 9 of 12 runs succeeded (--min-success 0.9); cannot tell: success 100 %"
    )
    assert sentence(worse).startswith("worse: success 100 % → 0 %")
    assert sentence(worse).endswith(
        "; limit exceeded: 0 of 40 runs succeeded (--min-success 0.9)"
    )


def test_unequal_numbers_of_runs_are_those_of_each_version() -> None:
    one, some = (
        suite_of([case("x", "ss", "s")]),
        suite_of([case("x", "ss", "s"), case("y", "sss", "s")]),
    )

    assert "over 1 case, 2 runs before and 1 now (" in sentence(one)
    assert "over 2 cases, 2 to 3 runs each before and 1 now (" in sentence(some)
