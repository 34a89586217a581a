"""The reports of a suite that CI reads: each is valid for its reader, for any text."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from lxml import etree

from convert.diff import ReportLine, ReportOptions
from convert.options import Settings
from convert.suites import (
    CaseFinding,
    CaseLimit,
    CaseResult,
    CaseSide,
    Suite,
    Word,
    place_in,
    report,
    sentence,
)
from convert.wording import has_controls
from support.golden import GOLDEN
from support.made_suites import (
    FINDING,
    LIMIT,
    approved,
    case,
    changed,
    different,
    every_fate,
    hostile_suites,
    judged,
    side,
)
from support.matrix import each
from support.shell import ENVIRONMENT, run_line

# As the plugin of Jenkins that reads reports of tests has it.
SCHEMA = Path(__file__).parent / "support" / "schemas" / "junit-10.xsd"
VALIDATOR = etree.XMLSchema(etree.parse(SCHEMA))
LOOK = ReportOptions("golden", "runs")


def text_of(suite: Suite, name: str, options: ReportOptions = LOOK) -> str:
    return "".join(f"{line.text}\n" for line in report(name)(suite, options))


def junit(suite: Suite, options: ReportOptions = LOOK) -> Any:
    made = etree.fromstring(text_of(suite, "junit", options).encode())
    VALIDATOR.assertValid(made)
    return made


def test_junit_has_a_test_case_for_each_approved_case() -> None:
    made = junit(every_fate())

    [suite] = made
    outcomes = {
        f"{case.get('classname')} {case.get('name')}": [
            (part.tag, part.get("type")) for part in case
        ]
        for case in suite.iter("testcase")
    }
    assert outcomes == {
        "runconv torn": [("error", "trouble")],
        "runconv gone": [("failure", "missing")],
        "runconv different": [("failure", "major")],
        "runconv.deep.in passes": [("system-out", None)],
        "runconv new": [("system-out", None)],
        "runconv same": [("system-out", None)],
        "runconv slow": [("failure", "limit")],
    }
    assert suite.attrib == {
        "name": "runconv diff",
        "tests": "7",
        "failures": "3",
        "errors": "1",
        "skipped": "0",
    }


@pytest.mark.parametrize(
    ("case", "named"),
    [
        ("x", ("runconv", "x")),
        ("a/b/x", ("runconv.a.b", "x")),
        ("a/x/", ("runconv.a", "x/")),
        ("x/", ("runconv", "x/")),
    ],
)
def test_junit_has_a_package_for_each_folder(case: str, named: tuple[str, str]) -> None:
    only = (side("a/x"), side("b/x"))
    same = CaseResult(name=case, fate="same", sides=only, is_golden=True)

    [made] = junit(approved(same)).iter("testcase")

    assert (made.get("classname"), made.get("name")) == named


def test_junit_has_the_unified_report_below_the_limits() -> None:
    blocks = {"unified": [ReportLine("--- a"), ReportLine("+++ b")]}

    [failure] = junit(approved(different("x", blocks=blocks, limits=[LIMIT]))).iter(
        "failure"
    )

    assert failure.text == "limit: calls 4 -> 9 (--max-calls-ratio 1.5)\n--- a\n+++ b"
    assert failure.get("message") == (
        "different (major): 1 major: args; calls 4 -> 9 (--max-calls-ratio 1.5)"
    )


def test_junit_skips_a_case_that_may_fail() -> None:
    made = junit(approved(different("x", may_fail=True)))

    [skipped] = made.iter("skipped")
    assert skipped.get("type") == "may fail"
    assert made[0].get("failures") == "0"


def test_a_case_that_may_fail_is_a_warning() -> None:
    _, made = annotations(approved(different("x", may_fail=True)))

    assert made.name == "warning"


def test_the_limits_of_all_cases_together_are_a_test_and_an_error() -> None:
    suite = approved(limits=[LIMIT])

    [failure] = junit(suite).iter("failure")
    _, made = annotations(suite)

    assert failure.get("message") == "calls 4 -> 9 (--max-calls-ratio 1.5)"
    assert made.properties == {"title": "all cases: limit"}
    assert made.name == "error"


@each(
    ("suite", "outcome"),
    [
        (judged("worse", case("x", "++", "--")), "failure"),
        (judged("different", changed("x")), "failure"),
        (judged("different", changed("x"), allow_different=True), "system-out"),
        (judged("cannot tell", case("x", "++", "+-")), "system-out"),
        (judged("cannot tell", case("x", "++", "+-"), require_proof=True), "failure"),
        (judged("better", case("x", "--", "++")), "system-out"),
    ],
)
def test_the_first_test_of_junit_is_the_verdict(suite: Suite, outcome: str) -> None:
    made = junit(suite)

    first, second = made.iter("testcase")
    assert (first.get("classname"), first.get("name")) == ("runconv", "verdict")
    [told] = first
    assert told.tag == outcome
    assert sentence(suite) in told.text
    assert [part.tag for part in second] == ["system-out"]
    assert made[0].get("failures") == str(int(outcome == "failure"))


def test_junit_fails_a_case_of_logs_only_where_its_findings_decide() -> None:
    finding = CaseFinding(category="args", severity="major", about="edit")
    decides = case(
        *("x", "+", "+"),
        fate="different",
        severity="major",
        is_different=True,
        findings=[finding],
        verdict="different (major)",
        reason="1 major: args",
    )
    suite = judged("no worse", decides)

    told = [[part.tag for part in each] for each in junit(suite).iter("testcase")]
    decides.by_findings = True
    failing = [[part.tag for part in each] for each in junit(suite).iter("testcase")]

    assert told == [["system-out"], ["system-out"]]
    assert failing == [["system-out"], ["failure"]]


def test_junit_names_runs_that_are_excluded_and_logs_that_cannot_be_read() -> None:
    torn = case("torn", "+", "", fate="trouble", reason="runs/torn: no log")
    suite = judged("no worse", case("x", "++++", "++xx"), torn)

    one, other = [*junit(suite).iter("testcase")][1:]

    assert [(part.tag, part.get("message")) for part in one] == [
        ("skipped", "runs/torn: no log")
    ]
    assert "excluded: runs/x/3.ndjson (usage limit) and " in other[0].text


def test_junit_counts_cases_and_calls_in_its_properties() -> None:
    suite = every_fate()

    stated = {p.get("name"): p.get("value") for p in junit(suite).iter("property")}

    assert stated == {
        "baseline": "golden",
        "candidate": "runs",
        "fail-on": "major",
        "verdict": sentence(suite),
        **{f"cases.{each}": "1" for each in ("trouble", "missing", "limit", "new")},
        "cases.changed": "2",
        "cases.same": "1",
        "calls.same": "5",
        "calls.changed": "1",
        "calls.moved": "0",
        "calls.removed": "0",
        "calls.added": "0",
    }


def test_junit_states_the_duration_of_the_candidate_where_a_log_has_it() -> None:
    times = {case.get("name"): case.get("time") for case in junit(every_fate())[0][1:]}

    assert times["different"] == "12.345"
    assert times["passes"] is None


def test_junit_is_named_by_its_comment() -> None:
    made = junit(every_fate(), ReportOptions("golden", "runs", name="nightly"))

    assert {made.get("name"), made[0].get("name")} == {"runconv diff nightly"}


@given(hostile_suites)
def test_junit_is_valid_whatever_a_log_says(suite: Suite) -> None:
    text = text_of(suite, "junit")
    made = junit(suite)

    tests = len(suite.cases) + bool(suite.limits) + suite.is_judged
    assert len([*made.iter("testcase")]) == tests
    assert {each.tag for each in made.iter()} <= {
        *("testsuites", "testsuite", "testcase", "properties", "property"),
        *("failure", "error", "skipped", "system-out"),
    }
    counted = {"tests": "testcase", "failures": "failure", "errors": "error"}
    for name, tag in {**counted, "skipped": "skipped"}.items():
        assert int(made[0].get(name)) == len([*made.iter(tag)])
    assert not has_controls(text)


class Command(NamedTuple):
    """A command as the runner reads it from a line."""

    name: str
    properties: dict[str, str]
    text: str


def command(line: str) -> Command:
    """Read a line as the runner does, by its rules for commands of the second kind."""
    match = re.match(r"\s*::(\w+) ?(.*?)::(.*)$", line, re.DOTALL)
    assert match, line
    pairs = (pair.split("=", 1) for pair in match[2].split(",") if pair)
    properties = {name: unescaped(value) for name, value in pairs}
    return Command(match[1], properties, unescaped(match[3]))


def unescaped(text: str) -> str:
    for code, sign in (
        ("0D", "\r"),
        ("0A", "\n"),
        ("3A", ":"),
        ("2C", ","),
        ("25", "%"),
    ):
        text = text.replace(f"%{code}", sign)
    return text


def annotations(suite: Suite) -> list[Command]:
    lines = [line.text for line in report("github")(suite, LOOK)]
    return [command(line) for line in lines if line.startswith("::")]


def test_github_annotates_the_worst_first_and_errors_only_where_they_decide() -> None:
    verdict, *made = annotations(every_fate())

    assert verdict.name == "error"
    assert verdict.text.startswith("trouble, different (critical, limits): 7 cases: ")
    assert [(each.name, each.properties["title"]) for each in made] == [
        ("error", "torn: trouble"),
        ("error", "gone: missing"),
        ("error", "slow: limit"),
        ("error", "different: args"),
        ("warning", "deep/in/passes: text"),
        ("warning", "new: new"),
    ]


@each(
    ("suite", "kind"),
    [
        (judged("worse"), "error"),
        (judged("different"), "error"),
        (judged("different", allow_different=True), "notice"),
        (judged("cannot tell"), "notice"),
        (judged("cannot tell", require_proof=True), "error"),
        (judged("no worse"), "notice"),
        (judged("better"), "notice"),
    ],
)
def test_github_annotates_the_sentence_first(suite: Suite, kind: str) -> None:
    suite.cases = [case("x", "+", "+")]

    made, *_ = annotations(suite)

    assert made == Command(kind, {"title": "runconv"}, sentence(suite))


def test_github_warns_of_the_cases_that_explain_the_verdict() -> None:
    fell = case("fell", "++++", "----", sentence="4 of 4 succeeded before, none now.")
    suite = judged("worse", fell, changed("tax"), case("rose", "--", "++"))

    _, one, other = annotations(suite)

    assert one == Command(
        "warning",
        {"file": "runs/fell/1.ndjson", "title": "fell: fell"},
        "4 of 4 succeeded before, none now.",
    )
    assert other.properties == {
        "file": "runs/tax/2.ndjson",
        "line": "8",
        "title": "tax: changed",
    }
    assert other.text.endswith(
        "Tests used to run before the edit; now they run after it."
    )


def test_github_annotates_the_line_where_the_call_of_the_candidate_starts() -> None:
    _, made = annotations(approved(different("x")))

    assert made.properties == {
        "file": "runs/x.ndjson",
        "line": "9",
        "title": "x: args",
    }
    assert made.text == "call 3 -> 4: args (major): shell pytest -q: command"


def test_github_annotates_the_baseline_where_the_candidate_has_no_line() -> None:
    gone = CaseFinding(category="removed", severity="major", about="edit", line_a=4)

    _, made = annotations(approved(different("x", gone)))

    assert made.properties["file"] == "golden/x.ndjson"
    assert made.properties["line"] == "4"


def test_github_annotates_ten_and_counts_the_rest() -> None:
    minor = CaseFinding(category="moved", severity="minor", about="read")
    cases = [different(f"case{at}", FINDING, minor) for at in range(8)]

    _, *lines = text_of(approved(*cases), "github").splitlines()

    made = [command(line) for line in lines[:9]]
    assert ["major" in each.text for each in made] == [True] * 8 + [False]
    assert lines[9:] == ["… 7 more without annotation: 7 minor"]


def test_github_annotates_a_case_that_no_finding_decides() -> None:
    info = CaseFinding(category="text", severity="info", about="result")
    flaky = different(
        "flaky", info, severity="major", verdict="", reason="1 of 4 runs differ"
    )

    _, made = annotations(approved(flaky))

    assert (made.name, made.properties["title"]) == ("error", "flaky: case")
    assert made.text == "1 of 4 runs differ"


def test_github_writes_only_the_verdict_on_equal_suites() -> None:
    suite = approved(case("x", "+", "+", is_golden=True, by_findings=True))

    assert text_of(suite, "github") == "::notice title=runconv::same: 1 case, 0 calls\n"


def test_github_takes_every_sign_of_a_name_and_a_text() -> None:
    finding = CaseFinding(category="args", severity="major", about="100%2C: a, b::c")

    _, made = annotations(approved(different("50%: x, y\x1b", finding)))

    assert made.properties == {
        "file": "runs/50%: x, y\\x1b.ndjson",
        "title": "50%: x, y\\x1b: args",
    }
    assert made.text == "args (major): 100%2C: a, b::c"


def test_what_is_waived_is_no_annotation_and_decides_nothing() -> None:
    waived = CaseFinding(
        category="args", severity="info", about="edit", waived="--ignore args"
    )
    suite = approved(different("x", FINDING, waived), settings=Settings(fail_on="info"))

    _, *made = annotations(suite)

    assert [each.properties["title"] for each in made] == ["x: args"]
    assert "shell" in made[0].text


def test_trouble_and_limits_are_about_the_log_of_the_candidate() -> None:
    made = {each.properties["title"]: each for each in annotations(every_fate())}

    assert made["torn: trouble"].properties["file"] == "runs/torn.ndjson"
    assert made["slow: limit"].properties["file"] == "runs/slow.ndjson"


@given(hostile_suites)
def test_no_text_of_a_log_gets_out_of_its_annotation(suite: Suite) -> None:
    lines = [line.text for line in report("github")(suite, LOOK)]

    for line in lines:
        assert not set(line) & {*"\r\n"}
        assert "##[" not in line
    for made in annotations(suite):
        assert made.name in ("error", "warning", "notice")
        assert made.properties.keys() <= {"file", "line", "title"}
        assert not has_controls(made.text)
    assert sum(line.startswith("::") for line in lines) <= 10


def issues(suite: Suite) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads(text_of(suite, "gitlab"))
    return made


def test_gitlab_has_an_issue_for_each_finding_that_matters() -> None:
    made = issues(every_fate())

    assert [(each["check_name"], each["severity"]) for each in made] == [
        ("runconv/trouble", "blocker"),
        ("runconv/missing", "critical"),
        ("runconv/limit", "major"),
        ("runconv/args", "major"),
        ("runconv/text", "minor"),
        ("runconv/new", "minor"),
    ]
    assert made[3]["location"] == {
        "path": "runs/different.ndjson",
        "lines": {"begin": 9},
    }
    assert made[3]["description"] == (
        "different: call 3 -> 4: args (major): shell pytest -q: command"
    )


def test_gitlab_knows_an_issue_again_when_its_lines_have_moved() -> None:
    moved = CaseFinding(
        category="args",
        severity="major",
        about=FINDING.what,
        call="8 -> 9",
        line_a=70,
        line_b=90,
    )
    one, other = (issues(approved(different("x", each))) for each in (FINDING, moved))

    assert one[0]["fingerprint"] == other[0]["fingerprint"]
    assert one != other


def test_gitlab_knows_a_limit_again_when_something_else_was_measured() -> None:
    one, other = (
        issues(approved(limits=[CaseLimit(option="x", what=what)]))
        for what in ("calls 4 -> 9", "calls 4 -> 8")
    )

    assert one[0]["fingerprint"] == other[0]["fingerprint"]
    assert one != other


@pytest.mark.parametrize(
    ("suite", "severity"),
    [
        (judged("worse", case("x", "+", "+")), "critical"),
        (judged("different", case("x", "+", "+")), "major"),
        (judged("cannot tell", case("x", "+", "+")), "info"),
    ],
)
def test_the_first_issue_of_gitlab_is_the_verdict(suite: Suite, severity: str) -> None:
    [made] = issues(suite)

    assert made["check_name"] == "runconv/verdict"
    assert made["description"] == sentence(suite)
    assert made["severity"] == severity


@pytest.mark.parametrize("word", ["no worse", "better"])
def test_gitlab_has_no_issue_where_all_is_well(word: Word) -> None:
    assert issues(judged(word, case("x", "+", "+"))) == []


def test_gitlab_knows_the_verdict_again_on_the_next_night() -> None:
    one, other = (judged("worse", case("x", "+", runs)) for runs in ("+", "++"))
    other.verdict = msgspec.structs.replace(other.verdict, runs_a=(5, 5))

    [first], [second] = issues(one), issues(other)

    assert first["description"] != second["description"]
    assert first["fingerprint"] == second["fingerprint"]


def test_trouble_is_about_the_log_that_cannot_be_read() -> None:
    logs = ("runs/1.ndjson", "runs/2.ndjson")
    torn = CaseResult(
        name="x",
        fate="trouble",
        reason="runs/2.ndjson: the log is empty",
        troubled_log="runs/2.ndjson",
        sides=(side("golden/x.ndjson"), CaseSide(logs=logs)),
        is_golden=True,
        by_findings=True,
    )

    _, made = annotations(approved(torn))

    assert made.properties["file"] == "runs/2.ndjson"


def test_gitlab_tells_issues_of_the_same_words_apart() -> None:
    suite = approved(different("x", FINDING, FINDING), different("y"))

    prints = [each["fingerprint"] for each in issues(suite)]

    assert len({*prints}) == 3


@given(hostile_suites)
def test_gitlab_takes_the_issues_whatever_a_log_says(suite: Suite) -> None:
    made = issues(suite)

    assert len({each["fingerprint"] for each in made}) == len(made)
    for issue in made:
        assert issue.keys() == {
            *("description", "check_name", "fingerprint", "severity", "location")
        }
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["lines"]["begin"] >= 1
        assert not has_controls(issue["description"])


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("runs/a.ndjson", "runs/a.ndjson"),
        ("./runs//a.ndjson", "runs/a.ndjson"),
        ("{here}/runs/a.ndjson", "runs/a.ndjson"),
        ("../a.ndjson", "../a.ndjson"),
        ("/elsewhere/a.ndjson", "/elsewhere/a.ndjson"),
    ],
)
def test_a_path_is_that_in_the_repository(
    path: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert place_in("", path.format(here=tmp_path)) == shown


def test_a_path_is_that_from_the_root_when_the_command_runs_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)

    assert place_in(str(tmp_path), "a.ndjson") == "below/a.ndjson"
    assert place_in(str(tmp_path), "../a.ndjson") == "a.ndjson"


def test_issues_are_in_the_order_of_their_weights() -> None:
    weights = [each["severity"] for each in issues(every_fate())]

    order = ["blocker", "critical", "major", "minor", "info"]
    assert [name for name, _ in itertools.groupby(weights)] == [
        name for name in order if name in weights
    ]


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_the_command_takes_the_root_from_its_ci(variable: str) -> None:
    case = GOLDEN / "several-reports-at-once"
    environment = {**ENVIRONMENT, variable: str(GOLDEN)}

    done = run_line("runconv diff a.ndjson b.ndjson --format gitlab", case, environment)

    paths = {issue["location"]["path"] for issue in json.loads(done.stdout)}
    assert paths == {"several-reports-at-once/b.ndjson"}


def test_findings_for_information_are_remarks_if_they_count() -> None:
    info = CaseFinding(category="args", severity="info", about="edit a.py")
    case = different("x", FINDING, info)

    major = issues(approved(case))
    every = issues(approved(case, settings=Settings(fail_on="info")))

    assert [each["severity"] for each in major] == ["major"]
    assert [each["severity"] for each in every] == ["major", "info"]
