"""The reports of a suite that people, pipes and scripts read."""

from __future__ import annotations

import csv
import io
import json
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from convert.cli import DiffOptions
from convert.diff import Counts, ReportLine, ReportOptions
from convert.options import Settings, SuiteSettings
from convert.suites import (
    COLUMNS,
    OF_VERSIONS,
    REPORTS,
    STANDINGS,
    CaseFinding,
    CaseLimit,
    CaseResult,
    CaseRun,
    CaseSide,
    Change,
    Excluded,
    Fate,
    Figure,
    Success,
    Suite,
    report,
    sentence,
)
from convert.suites.reports.phrases import success_of
from convert.wording import byte_count
from convert.wording.styles_and_columns import columns
from support.golden import cases
from support.made_suites import (
    LIMIT,
    approved,
    case,
    changed,
    different,
    every_fate,
    hostile_matrices,
    hostile_suites,
    judged,
    sides,
)
from support.matrix import each
from support.matrix import each as over
from support.pages import check_report
from support.renderers import RENDERERS
from support.trial import CONTROL

SCHEMA = json.loads(
    resources.files("convert.suites").joinpath("suite.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
ALL = {**REPORTS, **OF_VERSIONS}
HOSTILE = hostile_suites | hostile_matrices


def lines(suite: Suite, name: str = "table", **options: Any) -> list[str]:
    made = report(name)(suite, ReportOptions(suite.a, suite.b, **options))
    return [line.text for line in made]


def text(suite: Suite, name: str = "table", **options: Any) -> str:
    return "\n".join(lines(suite, name, **options))


def versions(*runs: str, name: str = "tax") -> Suite:
    """Return a suite of one case with these runs in each version."""
    names = tuple(f"v{at}" for at in range(1, len(runs) + 1))
    made = [
        sides(f"{version}/{name}", each)
        for version, each in zip(names, runs, strict=True)
    ]
    one = CaseResult(name=name, sides=tuple(made), fate="same")
    return judged("worse", one, names=names)


WORSE = judged(
    "worse",
    case("tax", "++++", "+--/", sentence="4 of 4 succeeded before, 1 of 4 now."),
    case("cart", "++++", "++x+"),
    changed("refund"),
    case("login", "++++", "++++"),
)


@each("name", [*ALL])
def test_the_sentence_is_first_in_every_report(name: str) -> None:
    made = text(WORSE, name)

    first = {
        "markdown": f"<!-- runconv-diff:default -->\n\n**{sentence(WORSE)}**",
        "json": '{"behaviour"',
        "csv": "case,version",
        "junit": '<?xml version="1.0" encoding="UTF-8"?>',
        "html": "<!doctype html>",
        "github": "::error title=runconv::worse: success 93 %25 → 59 %25 over 50 cases",
        "gitlab": '[\n{"check_name": "runconv/verdict"',
    }
    assert made.startswith(first.get(name, f"{sentence(WORSE)}\n"))
    if name == "json":
        assert json.loads(made)["sentence"] == sentence(WORSE)


def test_the_table_has_the_worst_cases_first_and_no_case_that_is_the_same() -> None:
    made = lines(WORSE)

    start = made.index("A golden, B runs")
    assert made[start + 1 :] == [
        "         case    success",
        "-------  ------  ---------------------",
        "fell     tax     4/4 → 1/4, 1 cut",
        "changed  refund  4/4",
        "same     cart    4/4 → 3/3, 1 excluded",
    ]


def test_the_table_names_five_cases_that_explain_the_verdict() -> None:
    fallen = [case(f"c{at}", "++", "--", sentence=f"Fell {at}.") for at in range(7)]

    made = lines(judged("worse", *fallen, changed("refund")))

    start = made.index("")
    assert made[start + 1 : start + 7] == [
        *(f"c{at}: Fell {at}." for at in range(5)),
        "",
    ]


@pytest.mark.parametrize(
    ("word", "explains"),
    [
        ("worse", ["fell", "listed"]),
        ("cannot tell", ["fell", "listed"]),
        ("no worse", ["fell", "listed"]),
        ("different", ["listed"]),
        ("better", ["listed", "rose"]),
    ],
)
def test_each_verdict_is_explained_by_cases_of_its_kind(
    word: Any, explains: list[str]
) -> None:
    suite = judged(
        word,
        case("fell", "++", "--", sentence="Fell."),
        case("rose", "--", "++", sentence="Rose."),
        changed("listed"),
        changed("seen", is_listed=False),
        case("same", "++", "++"),
    )

    made = lines(suite)

    start = made.index("") + 1
    named = [line.partition(":")[0] for line in made[start : made.index("", start)]]
    assert named == explains


def test_cases_that_changed_together_explain_it_where_no_single_one_is_sure() -> None:
    suite = judged("different", changed("x", is_listed=False), case("y", "++", "++"))

    assert "x: 4 of 4 succeeded before and after. Tests used" in text(suite)


def test_a_suite_that_is_the_same_is_one_line() -> None:
    suite = judged("no worse", case("x", "++", "++"), case("y", "++", "++"))

    assert lines(suite) == [sentence(suite)]
    assert len(lines(suite, is_verbose=True)) > 5


def test_findings_of_approved_cases_are_shown_without_being_asked_for() -> None:
    blocks = {"table": [ReportLine("what differs")]}
    logs = different("x", blocks=blocks, is_golden=False, by_findings=False)
    golden = different("x", blocks=blocks)

    assert "  what differs" in lines(approved(golden))
    assert "  what differs" not in lines(judged("no worse", logs))
    assert "  what differs" in lines(judged("no worse", logs), is_full=True)


def test_terms_of_statistics_are_shown_only_on_request() -> None:
    figure = Figure(
        name="calls", ratio=1.2, low=1.1, high=1.3, p=0.01, corrected=0.03, cases=9
    )
    verdict = replace(
        WORSE.verdict, figures=(figure,), behaviour_p=0.004, behaviour_cases=4
    )
    suite = judged("worse", *WORSE.cases, verdict=verdict)
    terms = ("permutation", "steadiness", "Holm", "p 0.0", "Fisher", "medoid", "noise")

    for name in ("table", "markdown", "unified", "junit", "github", "gitlab"):
        assert not [term for term in terms if term in text(suite, name)]
    full = text(suite, is_full=True)
    assert all(term in full for term in terms[:5])


@pytest.mark.parametrize(
    ("runs", "shown"),
    [
        ("++", "2/2"),
        ("+--/", "1/4, 1 cut"),
        ("++xx", "2/2, 2 excluded"),
        ("xx", "2 excluded"),
        ("", "missing"),
    ],
)
def test_success_names_runs_that_count_otherwise(runs: str, shown: str) -> None:
    assert success_of(sides("x", runs)) == shown


def test_success_names_unknown_and_unreadable_runs() -> None:
    unknown = CaseSide(logs=("a", "b"), runs=(CaseRun(log="a"),), unread=1)

    assert success_of(unknown) == "1 unknown, 1 unreadable"


def test_figures_are_medians_of_the_runs_that_ended() -> None:
    before = CaseSide(
        logs=tuple("abcd"),
        runs=(
            CaseRun(log="a", outcome="clean", calls=4, duration_ms=1_000),
            CaseRun(log="b", outcome="failed", calls=7, duration_ms=2_000),
            CaseRun(log="c", outcome="failed", state="cut", calls=1, duration_ms=10),
            CaseRun(log="d", outcome="excluded", state="error", calls=1),
        ),
    )
    after = sides("x", "++", calls=9, duration_ms=90_000)
    one = CaseResult(name="x", sides=(before, after), fate="same")

    made = text(judged("better", one))

    assert "1/3, 1 cut, 1 excluded → 2/2  5.5 → 9  1.5 s → 1 min 30 s" in made
    assert "calls and time: the median of the runs that ended" in made


def test_all_of_a_case_is_shown_on_request() -> None:
    made = lines(judged("different", changed("refund")), is_full=True)

    start = made.index("== refund: changed")
    assert made[start : start + 7] == [
        "== refund: changed",
        "  4 of 4 succeeded before and after. Tests used to run before the edit; now"
        " they run after it.",
        "  success   4 of 4 (51 to 100 %)",
        "  Tests used to run before the edit; now they run after it. (0 of 4 → 4 of 4"
        " runs; steadiness 1.00,",
        "    p 0.029)",
        "  … 2 more changes",
        "  all changes of the case together: p 0.029",
    ]


def test_a_change_that_may_be_chance_is_called_so() -> None:
    suite = judged("no worse", changed("refund", is_listed=False))

    made = text(suite, "markdown", is_verbose=True)

    assert "seen in these runs, and may be chance" in made


def test_several_versions_have_columns_of_their_own() -> None:
    made = lines(versions("++++", "+++-", "+---"))

    assert made[-3:] == [
        "      case  v1   v2   v3",
        "----  ----  ---  ---  ---",
        "fell  tax   4/4  3/4  1/4",
    ]


def test_versions_without_room_are_named() -> None:
    suite = versions(*["+"] * 15)

    narrow, whole = (
        lines(suite, width=40, is_full=f, is_verbose=True) for f in (False, True)
    )

    assert "… no room for all versions; --full shows them all" in narrow
    assert [line for line in whole if line.split() == ["same", "tax", *["1/1"] * 15]]
    assert not any("no room for all" in line for line in whole)


def test_many_cases_are_counted() -> None:
    suite = judged("worse", *(case(f"c{at:02}", "+", "-") for at in range(60)))

    assert "… skipped: 10 fell; --full for the rest" in lines(suite)
    assert sum(line.startswith("fell  c") for line in lines(suite, is_full=True)) == 60


def test_a_comment_on_many_cases_fits() -> None:
    long = "x" * 300
    many = [changed(f"{long}{at}", sentence=long) for at in range(200)]
    for shown in many:
        shown.findings = [
            CaseFinding(category="args", severity="major", about=long)
        ] * 30

    made = text(judged("different", *many), "markdown")

    assert byte_count(made) < 60_000
    assert made.count("<details>") == made.count("</details>") > 0
    assert "… details skipped: " in made
    assert "changed; --full for the rest" in made


@each("name", [name for name in ALL if name not in ("json", "csv")])
def test_limits_are_in_every_report(name: str) -> None:
    suite = judged("no worse", case("x", "+", "+", limits=[LIMIT]), limits=[LIMIT])

    assert "--max-calls-ratio 1.5" in text(suite, name)


@each(
    ("limits", "more"), [(50, []), (51, ["… 1 more limit"]), (60, ["… 10 more limits"])]
)
def test_a_comment_lists_50_limits(limits: int, more: list[str]) -> None:
    cases = [case(f"c{at}", "+", "+", limits=[LIMIT]) for at in range(limits)]

    shown = lines(judged("no worse", *cases), "markdown")

    assert sum("--max-calls-ratio 1.5` |" in line for line in shown) == 50
    assert [line for line in shown if line.endswith(("limit", "limits"))] == more


def test_unified_prints_nothing_for_equal_suites() -> None:
    suite = judged("no worse", case("x", "++", "++"))

    assert lines(suite, "unified") == []


def test_unified_has_the_patch_of_each_case_below_its_sentence() -> None:
    blocks = {"unified": [ReportLine("--- a"), ReportLine("+++ b")]}
    gone = case("gone", "+", "", fate="missing")

    made = lines(judged("different", changed("refund", blocks=blocks), gone), "unified")

    assert made[2:] == [
        "Only in golden: gone",
        "refund: 4 of 4 succeeded before and after. Tests used to run before the edit;"
        " now they run after it.",
        "  Tests used to run before the edit; now they run after it. (0 of 4 → 4 of 4"
        " runs)",
        "  … 2 more changes",
        "--- a",
        "+++ b",
    ]


def test_the_colour_of_the_sentence_is_that_of_the_verdict() -> None:
    words: list[Any] = ["worse", "different", "cannot tell", "no worse", "better"]
    styles = [
        next(iter(report("table")(judged(word, *WORSE.cases), ReportOptions()))).style
        for word in words
    ]

    assert styles == ["removed", "changed", "", "", "added"]


def test_a_limit_colours_the_sentence_of_any_verdict() -> None:
    suite = judged("no worse", case("x", "+", "+"), limits=[LIMIT])

    assert next(iter(report("table")(suite, ReportOptions()))).style == "changed"


@pytest.mark.parametrize("runs", [("++", "+-", "++"), ("++", "", "++")])
def test_a_case_that_differs_in_a_version_between_is_listed(
    runs: tuple[str, ...],
) -> None:
    assert [line for line in lines(versions(*runs)) if line.startswith("same  tax")]


def test_a_case_without_a_run_that_counts_is_excluded_and_has_not_changed() -> None:
    quota = case("cart", "+", "x", fate="different", severity="critical")

    made = lines(judged("cannot tell", quota))

    assert [line for line in made if line.startswith("excluded  cart")]


def test_csv_has_a_row_for_each_case_in_each_version() -> None:
    suite = versions("++", "+-/x", "")

    head, *rows = csv.reader(io.StringIO(text(suite, "csv")))

    assert tuple(head) == COLUMNS
    names = ["succeeded", "clean", "counted", "cut", "excluded", "unknown", "unread"]
    assert head[1:9] == ["version", *names]
    assert [row[1:9] for row in rows] == [
        ["v1", "2", "2", "2", "0", "0", "0", "0"],
        ["v2", "1", "1", "3", "1", "1", "0", "0"],
        ["v3", *[""] * 7],
    ]


def test_csv_has_the_cases_in_the_order_of_their_names() -> None:
    suite = judged("worse", case("a", "+", "+"), case("b", "+", "-"))

    rows = [line.split(",")[0] for line in lines(suite, "csv")]

    assert [each.name for each in suite.cases] == ["b", "a"]
    assert rows == ["case", "a", "a", "b", "b"]


def test_two_versions_show_costs_only_on_request() -> None:
    sides_of = sides("a", "+", cost_usd=0.5), sides("b", "-", cost_usd=0.5)
    paid = CaseResult(name="x", sides=sides_of, fate="same")

    assert "$0.50" not in text(judged("worse", paid))
    assert "$0.50" in text(judged("worse", paid), is_full=True)


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_a_sentence_that_explains_the_verdict_is_not_repeated(name: str) -> None:
    made = text(judged("different", changed("x", sentence="Changed.")), name)

    [row] = [line for line in made.split("\n") if "4/4" in line]
    assert "Tests used to run" not in row


@given(HOSTILE)
def test_no_cell_of_csv_is_a_formula(suite: Suite) -> None:
    made = text(suite, "csv")

    for row in csv.reader(io.StringIO(made, newline="")):
        assert len(row) == len(COLUMNS)
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)


@given(HOSTILE)
def test_all_parsers_read_one_markdown_report(suite: Suite) -> None:
    for shown in suite.cases:
        shown.blocks.pop("markdown")
    made = text(suite, "markdown")

    pages = {name: render(made) for name, render in RENDERERS.items()}
    check_report(pages, "ul", "li")


@given(HOSTILE, st.integers(40, 200), st.booleans())
def test_the_table_has_no_control_characters(
    suite: Suite, width: int, is_full: bool
) -> None:
    for shown in suite.cases:
        shown.blocks.pop("table")

    assert not CONTROL.search("".join(lines(suite, width=width, is_full=is_full)))


# Suites of several versions take long to make up.
@given(hostile_matrices, st.integers(40, 120))
def test_no_row_of_the_table_is_wider_than_the_screen(suite: Suite, width: int) -> None:
    made = lines(suite, width=width)

    # The sentence, which is not cut, may begin with such a word too.
    rows = [line for line in made[1:] if line.startswith((*STANDINGS, "-"))]
    assert all(columns(line) <= width for line in rows)


@given(HOSTILE)
def test_json_matches_its_schema_whatever_a_log_says(suite: Suite) -> None:
    [line] = lines(suite, "json")

    VALIDATOR.validate(json.loads(line))


def test_json_has_all_terms_of_statistics() -> None:
    growth = Figure(
        name="calls", ratio=2, low=0, high=float("inf"), p=0.1, corrected=0.2, cases=9
    )
    excluded = Excluded(b={"quota": 7}, of_a=100, of_b=100, p=0.004)
    verdict = replace(WORSE.verdict, figures=(growth,), excluded=excluded)
    suite = judged("worse", *WORSE.cases, verdict=verdict)

    made = json.loads(text(suite, "json"))

    VALIDATOR.validate(made)
    assert (made["verdict"], made["exit"]) == ("worse", 1)
    assert made["success"]["p_worse"] == 0.00002
    assert made["figures"][0]["high"] is None
    assert made["excluded"]["differs"] is True
    assert made["counts"]["fell"] == 1
    [refund] = [each for each in made["cases"] if each["name"] == "refund"]
    assert refund["behaviour"]["changes"][0]["steadiness"] == 1.0
    assert refund["sides"][1]["runs"][0]["outcome"] == "clean"


@each(
    ("suite", "verdict", "status"),
    [
        (WORSE, "worse", 1),
        (judged("different", changed("x"), allow_different=True), "different", 0),
        (judged("cannot tell", case("x", "+", "+")), "cannot tell", 0),
        (judged("cannot tell", case("x", "+", "+"), require_proof=True), None, 1),
        (judged("no worse", case("x", "+", "+", limits=[LIMIT])), "no worse", 1),
        (every_fate(), "trouble", 2),
        (approved(different("x")), "different", 1),
        (approved(different("x", is_different=False, fate="passes")), "passes", 0),
        (approved(case("x", "+", "+", is_golden=True)), "same", 0),
    ],
)
def test_json_has_the_verdict_and_the_exit_status(
    suite: Suite, verdict: str | None, status: int
) -> None:
    made = json.loads(text(suite, "json"))

    assert made["verdict"] == verdict or verdict is None
    assert made["exit"] == status


def test_the_schema_is_valid() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


@over(
    "path",
    [
        path
        for case in cases()
        for path in sorted(case.folder.glob("*.json"))
        if path.name in case.written and b'"worse_since"' in path.read_bytes()
    ],
)
def test_golden_reports_match_the_schema(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_bytes()))


def test_the_schema_names_each_member() -> None:
    known = SCHEMA["$defs"]

    # `what` has the first members of a finding, and tables have the last as columns.
    elsewhere = {"about", "notes", "was", "now"}
    elsewhere |= {"run_a", "run_b", "call_a", "call_b", "path"}
    for name, kind, more in (
        ("run", CaseRun, set()),
        ("finding", CaseFinding, {"what"}),
        ("limit", CaseLimit, set()),
        ("change", Change, {"steadiness"}),
        ("success", Success, {"difference", "p"}),
        ("figure", Figure, set()),
        ("excluded", Excluded, {"differs"}),
    ):
        members = {*kind.__struct_fields__} - elsewhere
        assert {*known[name]["properties"]} == members | more
    assert {*known["counts"]["properties"]} == {*Counts.__struct_fields__, "a", "b"}
    settings = known["settings"]["properties"]
    assert {*settings} == {*Settings().as_dict(), "source", "suite"}
    assert {*settings["suite"]["properties"]} == {*SuiteSettings().as_dict()}
    assert known["case"]["properties"]["fate"]["enum"] == [*get_args(Fate)]
    assert known["case"]["properties"]["standing"]["enum"] == [*STANDINGS]


@each(
    "place",
    [
        *((), ("settings",), ("counts",), ("success",), ("excluded",)),
        *(("cases", 0), ("cases", 0, "sides", 0), ("cases", 0, "sides", 0, "runs", 0)),
    ],
)
def test_a_member_that_the_schema_does_not_name_is_refused(
    place: tuple[str | int, ...],
) -> None:
    made = json.loads(text(WORSE, "json"))
    VALIDATOR.validate(made)

    target: Any = made
    for step in place:
        target = target[step]
    target["unheard_of"] = 1

    assert not VALIDATOR.is_valid(made)


def test_folders_have_each_report_that_the_option_names() -> None:
    assert {*get_args(DiffOptions.__annotations__["format"])} == REPORTS.keys()
