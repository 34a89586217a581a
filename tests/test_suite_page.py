"""The page of a suite: the verdict first, then versions, then cases."""

from __future__ import annotations

import functools
import re
from html import unescape

import pytest
from msgspec.structs import replace

from convert.diff import ReportOptions
from convert.options import SuiteSettings
from convert.suites import (
    OUTCOMES,
    CasePages,
    CaseResult,
    Outcome,
    Suite,
    Word,
    names_of,
    sentence,
)
from support import suites_to_show as suites
from support.html_page import HtmlPage
from support.matrix import each, part

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"'&amp;\u202e\x1b[31m</style>{{ x }}"
SUITES = {
    "worse": suites.falling,
    "cannot tell": suites.too_few,
    "three versions": lambda: suites.versions(3),
    "ten versions": lambda: suites.versions(10),
    "excluded runs": suites.stopped,
    "different": suites.behaving,
    "each standing": suites.of_every_standing,
    "hostile": lambda: suites.of_every_standing(HOSTILE),
    "nothing": lambda: suites.suite_of(("a", "b"), [], "cannot tell"),
}


@functools.cache
def example(name: str, is_full: bool = False) -> tuple[Suite, HtmlPage]:
    """Return one of the suites, and its page."""
    suite = SUITES[name]()
    return suite, page_of(suite, ReportOptions(is_full=is_full))


def text_of(suite: Suite, options: ReportOptions | None = None) -> str:
    return suites.page_of_suite(suite, options).decode()


def page_of(suite: Suite, options: ReportOptions | None = None) -> HtmlPage:
    return HtmlPage(text_of(suite, options).encode())


def words_of(page: HtmlPage, tag: str) -> list[str]:
    return [" ".join("".join(each.itertext()).split()) for each in page.root.iter(tag)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_full", part([False, True], 2))
@pytest.mark.parametrize("name", SUITES)
def test_every_page_is_valid_and_harmless(name: str, is_full: bool) -> None:
    _, page = example(name, is_full)

    page.check()
    assert len([*page.root.iter("h1")]) == 1
    assert not [*page.root.iter("script")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", part(SUITES, 4))
def test_the_sentence_comes_first(name: str) -> None:
    suite, page = example(name)

    (main,) = page.root.iter("main")
    first = next(main.iter("p"))
    assert "".join(first.itertext()) == sentence(suite)


@pytest.mark.parametrize(
    ("word", "tone"),
    [
        ("worse", "bad"),
        ("different", "warning"),
        ("cannot tell", "unknown"),
        ("no worse", "good"),
        ("better", "good"),
    ],
)
def test_the_border_has_the_colour_of_the_verdict(word: Word, tone: str) -> None:
    suite = suites.falling(3)
    suite.verdict = suites.suite_of(suite.names, suite.cases, word).verdict

    text = text_of(suite)

    assert f'class="verdict {tone}"' in text


def test_a_reason_to_fail_that_is_not_the_verdict_is_red() -> None:
    suite = suites.suite_of(("a", "b"), suites.falling(3).cases, "cannot tell")
    suite.suite_settings = SuiteSettings(require_proof=True)
    suite.can_fail = True

    text = text_of(suite)

    assert 'class="verdict bad"' in text
    assert "<b>fails:</b> a loss is not ruled out (--require-proof); cannot" in text


@pytest.mark.exhaustive
@each("name", part(SUITES, 2))
def test_every_run_has_a_mark_with_words(name: str) -> None:
    suite, page = example(name)

    runs = [run for case in suite.cases for side in case.sides for run in side.runs]
    uses = [use for use in page.root.iter(f"{SVG}use") if len(use)]
    marks = [use.attrib["href"].removeprefix("#run-") for use in uses]
    assert sorted(marks) == sorted(run.outcome for run in runs)
    for use, mark in zip(uses, marks, strict=True):
        assert OUTCOMES[mark] in "".join(use.itertext())
    # Readers of screens hear the same, since pictures are hidden from them.
    heard = " ".join(page.text("score"))
    for words in {OUTCOMES[run.outcome] for run in runs}:
        said = sum(int(n) for n in re.findall(rf"(\d+) {words}", heard))
        assert said == sum(OUTCOMES[run.outcome] == words for run in runs)


def test_approved_cases_are_in_no_rate_of_a_version() -> None:
    suite = suites.falling(cases=10, runs=4)
    suite.cases[0].is_golden = True

    text = text_of(suite)

    assert re.findall(r"\d+ of (?:36|40)\b", text) == ["35 of 36", "24 of 36"]


def test_a_version_is_a_row_with_its_share_and_interval() -> None:
    suite = suites.versions(10, cases=5)

    (table, *_) = page_of(suite).root.iter("tbody")

    rows = ["".join(row.itertext()) for row in table]
    assert ["".join(row[0].itertext()).split()[0] for row in table] == [*suite.names]
    succeeded = sum(case.sides[0].succeeded for case in suite.cases)
    assert f"{succeeded} of 20" in rows[0]
    assert [row for row in rows if "worse since here" in row] == [rows[6]]
    assert [row.attrib.get("class") for row in table] == [None] * 6 + ["worse"] * 4


def test_excluded_runs_are_named_by_kind_and_version() -> None:
    suite = suites.stopped()
    b = suite.verdict.excluded.b

    page = page_of(suite)

    (table, *_) = page.root.iter("tbody")
    before, now = ["".join(row[-1].itertext()) for row in table]
    kinds = f"usage limit {b['quota']}, network {b['network']}"
    assert before == "excluded 0"
    assert now == f"excluded {sum(b.values())}: {kinds}"
    (said,) = page.text("outside")
    assert said == (
        "More runs were excluded than before: look at the service first. Excluded from"
        f" every rate: {sum(b.values())} runs of nightly-10-02 ({kinds})."
    )


def test_a_page_says_that_no_run_was_excluded_and_claims_no_cause() -> None:
    (said,) = page_of(suites.falling(5)).text("outside")

    assert said == "No run was ended by a usage limit, the network or authentication."


def test_runs_that_chance_excluded_are_named_once() -> None:
    suite = suites.stopped()
    suite.verdict = replace(
        suite.verdict, excluded=replace(suite.verdict.excluded, p=0.2)
    )
    total = sum(suite.verdict.excluded.b.values())

    text = text_of(suite)

    assert f"Excluded from every rate: {total} runs of nightly-10-02 (usage" in text
    assert "look at the service" not in text
    assert "candidate runs were excluded" not in text


def test_one_reason_for_excluded_runs_needs_no_number_of_its_own() -> None:
    name = "x"
    a = suites.side("a", name, 3, 1, 1)
    b = suites.side("b", name, 3, 1, 1, ["quota", "quota"])
    suite = suites.suite_of(("a", "b"), [suites.case_of(name, a, b)], "cannot tell")

    page = page_of(suite)

    assert page.text("outside") == [
        "Excluded from every rate: 2 runs of b (usage limit)."
    ]
    (table, *_) = page.root.iter("tbody")
    assert "".join(table[1][-1].itertext()) == "excluded 2: usage limit"


@pytest.mark.parametrize("outcome", ["clean", "success"])
def test_clean_runs_have_a_column_where_others_succeed(outcome: Outcome) -> None:
    sides = [
        suites.CaseSide(runs=(suites.run("x", each, 9, 9),))
        for each in ("clean", outcome)
    ]
    suite = suites.suite_of(("a", "b"), [suites.case_of("x", *sides)], "no worse")

    heads = words_of(page_of(suite), "th")

    assert ("clean" in heads) == (outcome == "success")


def test_notes_are_part_of_the_verdict() -> None:
    suite = suites.of_every_standing()

    page = page_of(suite)

    (verdict,) = [
        each
        for each in page.root.iter("section")
        if each.attrib.get("aria-label") == "Verdict"
    ]
    notes = ["".join(each.itertext()) for each in verdict.iter("li")]
    assert "logs were grouped by their names; see --pair-by" in notes


@pytest.mark.parametrize("more", [0, 0.02])
def test_a_page_says_that_the_sentence_weighs_its_rates(more: float) -> None:
    suite = suites.falling(5)
    success = suite.verdict.success
    assert success
    weighted = replace(success, b=success.b + more)
    suite.verdict = replace(suite.verdict, success=weighted)

    notes = words_of(page_of(suite), "p")

    assert any("The rates of the sentence differ" in each for each in notes) == (
        more > 0
    )


def test_bars_are_scaled_to_the_larger_figure_of_a_case() -> None:
    name = "x"
    sides = [
        suites.CaseSide(runs=(suites.run("x", "clean", calls, seconds),))
        for calls, seconds in ((10, 60), (40, 30))
    ]
    suite = suites.suite_of(("a", "b"), [suites.case_of(name, *sides)], "no worse")

    page = page_of(suite)

    bars = [
        each[0].attrib["width"]
        for each in page.root.iter(f"{SVG}svg")
        if each.attrib.get("class") == "bar"
    ]
    assert bars == ["25%", "100%", "100%", "50%"]
    assert page.text("figure") == ["10 calls", "1 min 0 s", "40 calls", "30.0 s"]


@pytest.mark.parametrize(("word", "tone"), [("worse", "bad"), ("no worse", "warn")])
def test_a_case_is_red_only_where_the_version_is_worse(word: Word, tone: str) -> None:
    suite = suites.falling(1)

    text = text_of(suites.suite_of(suite.names, suite.cases, word))

    assert f'<li class="case {tone}">' in text


def test_a_case_that_decides_by_its_findings_is_red() -> None:
    suite = suites.behaving()
    suite.cases = suite.cases[:2]
    suite.cases[0].by_findings = suite.cases[0].is_different = True

    text = text_of(suite)

    assert re.findall('<li class="case ([a-z]+)">', text) == ["bad", "warn"]


def test_cases_are_shown_worst_first_and_equal_ones_folded() -> None:
    suite = suites.too_few()
    same = [case.name for case in suite.cases if case.standing == "same"]
    others = [case.name for case in suite.cases if case.standing != "same"]
    assert len(same) > 1
    assert len(others) > 1

    page = page_of(suite)

    assert words_of(page, "h3") == [*others, *same]
    (folded,) = [
        each for each in page.root.iter("details") if "others" in each.attrib["class"]
    ]
    assert "".join(folded[0].itertext()) == f"{len(same)} cases are the same"
    assert [each.text for each in folded.iter("h3")] == same


def folds_of(page: HtmlPage) -> dict[str, list[str]]:
    """The titles of the folds of cases, with the names of these."""
    return {
        "".join(each[0].itertext()): [name.text or "" for name in each.iter("h3")]
        for each in page.root.iter("details")
        if "others" in each.attrib["class"]
    }


def equal(name: str, excluded: int = 0, runs: int = 4) -> CaseResult:
    """A case in which all runs succeed that were not excluded."""
    sides = (
        suites.side("a", name, runs, 1, 1),
        suites.side("b", name, runs, 1, 1, ["quota"] * excluded),
    )
    return suites.case_of(name, *sides)


def test_a_case_that_chance_may_have_changed_is_not_called_the_same() -> None:
    unsure = suites.changed(equal("moved"))
    unsure.is_listed = False
    cases = [equal("equal"), unsure]
    suite = suites.suite_of(("a", "b"), cases, "no worse")

    page = page_of(suite)

    assert folds_of(page) == {
        "1 case succeeds as before; its runs behave in another way, perhaps by"
        " chance": ["moved"],
        "1 case is the same": ["equal"],
    }
    assert any(suites.MOVED in words for words in words_of(page, "p"))


def test_folds_say_which_cases_lost_runs() -> None:
    cases = [equal("whole"), equal("one", 1), equal("two", 2), equal("none", 4)]
    suite = suites.suite_of(("a", "b"), cases, "no worse")

    page = page_of(suite)

    assert folds_of(page) == {
        "1 case cannot be compared: all runs of a version are excluded": ["none"],
        "3 cases are the same, 2 of them with excluded runs": ["one", "two", "whole"],
    }


def test_a_lone_run_that_was_excluded_does_not_behave_differently() -> None:
    case = equal("x", 1, runs=1)
    assert case.standing == "changed"

    page = page_of(suites.suite_of(("a", "b"), [case], "cannot tell"))

    assert folds_of(page) == {
        "1 case cannot be compared: all runs of a version are excluded": ["x"]
    }


def test_of_several_versions_the_fold_names_those_that_are_the_same() -> None:
    rates = {"a": 1, "b": 0, "c": 1}
    sides = [suites.side(name, "x", 4, rate, 1) for name, rate in rates.items()]
    suite = suites.suite_of(
        ("a", "b", "c"), [suites.case_of("x", *sides)], "cannot tell"
    )

    page = page_of(suite)

    assert folds_of(page) == {"1 case is the same in a and c": ["x"]}


@pytest.mark.seldom
def test_a_long_suite_folds_the_cases_after_the_first_hundred() -> None:
    suite = suites.falling(190, 1)
    suite.cases = [case for case in suite.cases if case.standing != "same"]

    page = page_of(suite)

    total = len(suite.cases)
    summaries = words_of(page, "summary")
    assert f"{total - 100} more cases" in summaries
    assert len(words_of(page, "h3")) == total


def test_a_case_shows_its_changes_and_how_many_have_no_room() -> None:
    suite = suites.behaving()
    suite.cases = suite.cases[:1]

    page = page_of(suite)

    (summary,) = words_of(page, "summary")
    assert summary.startswith("5 changes, 2 differences and figures")
    _, changes, _ = page.root.iter("tbody")
    assert ["".join(cell.itertext()) for cell in changes[0]] == [
        suites.MOVED,
        "0 of 5",
        "5 of 5",
    ]
    assert "… 3 more changes" in words_of(page, "p")


def test_only_a_full_page_has_terms_of_statistics() -> None:
    terms = re.compile(r"permutation|Holm|Fisher|steadi|medoid|noise|\bp \d|pass\^")
    suite = suites.behaving()

    short, full = (
        text_of(suite, ReportOptions(is_full=full)) for full in (False, True)
    )

    assert not terms.search(
        unescape(re.sub(r"<style>.*?</style>", "", short, flags=re.S))
    )
    assert terms.search(full)


def test_a_case_without_pages_shows_the_command_that_makes_one() -> None:
    suite = suites.falling(1)
    case = suite.cases[0]

    page = page_of(suite)

    assert page.links == ["#cases"]
    assert f"runconv diff {case.a.log} {case.b.log} -o diff.html" in words_of(
        page, "code"
    )


def test_a_case_links_to_its_pages_where_these_are_written() -> None:
    suite = suites.falling(2)
    pages = CasePages(
        sides=("suite.pages/x/a.html", "suite.pages/x/b.html"),
        comparison="suite.pages/x/diff.html",
    )
    suite.pages = {"out/suite.html": {suite.cases[0].name: pages}}

    linked = page_of(suite, ReportOptions(path="out/suite.html"))
    printed = page_of(suite)

    assert linked.links == ["#cases", *pages.sides, pages.comparison]
    assert printed.links == ["#cases"]


def test_links_and_differences_name_the_runs_and_how_they_ended() -> None:
    sides = [
        suites.CaseSide(
            runs=tuple(
                suites.run(f"{version}/x/run-{at}.ndjson", outcome, 9, 9)
                for at in (1, 2, 3)
            ),
            shown=shown,
        )
        for version, outcome, shown in (("v1", "success", 2), ("v2", "failed", 1))
    ]
    suite = suites.suite_of(("v1", "v2"), [suites.case_of("x", *sides)], "worse")
    pages = CasePages(sides=("a.html", "b.html"), comparison="diff.html")
    suite.pages = {"suite.html": {"x": pages}}

    page = page_of(suite, ReportOptions(path="suite.html"))

    assert words_of(page, "a")[1:] == [
        "run-3 of v1 (succeeded)",
        "run-2 of v2 (failed)",
        "both runs side by side",
    ]
    assert (
        "Differences between run-3 of v1 (succeeded) and run-2 of v2 (failed):"
        in words_of(page, "p")
    )


def test_runs_whose_files_have_one_name_are_named_by_their_folders() -> None:
    runs = [
        suites.run(f"v1/{at}/events.ndjson", "clean", 9, 9) for at in ("one", "two")
    ]

    names = names_of(suites.CaseSide(runs=tuple(runs)))

    assert names == ["one/events", "two/events"]


def test_a_hundred_cases_of_eight_runs_take_under_400_kb() -> None:
    suite = suites.falling(100, 8)

    text = text_of(suite)

    assert len(text.encode()) < 400_000


@pytest.mark.parametrize(
    ("word", "is_no_worse", "meaning"),
    [
        ("worse", False, "Fewer runs succeed than before, and chance seldom"),
        ("no worse", True, "A loss of success of more than 5 points is ruled out."),
        ("cannot tell", False, "The runs are too few to prove a loss of success"),
        (
            "different",
            False,
            "behave in another way; a loss of success is not proven.",
        ),
        ("different", True, "Success is as good as before; the runs behave"),
    ],
)
def test_the_verdict_is_explained_below_the_sentence(
    word: Word, is_no_worse: bool, meaning: str
) -> None:
    suite = suites.falling()
    verdict = replace(suite.verdict, word=word, is_no_worse=is_no_worse)

    page = text_of(replace(suite, verdict=verdict))

    assert meaning in page
