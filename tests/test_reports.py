"""The traits of all reports, and the row of each in the table of reports."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import (
    REPORTS,
    EqualByRules,
    PairedValue,
    ReportOptions,
    changed_words,
    short_names,
    two_values,
    words_changed,
)
from convert.wording import cut_middle, markdown
from convert.wording.styles_and_columns import columns, wrapped
from support.golden import GOLDEN
from support.in_process import run, run_in_runner
from support.matrix import each
from support.runs import Made, one_by_one, tell

PAIR = ["diff-inside-a-changed-call/a.ndjson", "diff-inside-a-changed-call/b.ndjson"]

_BY_RULES = EqualByRules(
    Counter(time=1, id=2),
    [PairedValue("id", "11", "22"), PairedValue("id", "1", "x")],
)


@pytest.mark.parametrize("name", REPORTS)
def test_only_reports_for_a_terminal_are_coloured(name: str) -> None:
    done = run(["diff", *PAIR, "--format", name, "--color", "always"], GOLDEN, {})

    assert (b"\x1b[" in done.stdout) == (name in ("table", "unified"))


@pytest.mark.parametrize("name", REPORTS)
def test_no_report_commands_the_runner(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(tell(one_by_one([Made("shell", "##[error]no")])))
    (tmp_path / "b").write_bytes(tell([]))
    command = ["diff", "a", "b", "--format", name]

    done = run_in_runner(command, tmp_path, {})

    assert b"##[" not in done.stdout
    assert b"error]no" in done.stdout


LOGS = [GOLDEN / "diff-names-of-logs" / name for name in ("a.ndjson", "b.ndjson")]
NAMES = ("one name", "another")


@pytest.mark.parametrize("name", list(REPORTS))
def test_every_report_names_both_logs(name: str) -> None:
    made = convert.report(convert.compare(*LOGS), name, names=NAMES)

    assert all(log in made for log in NAMES)


@pytest.mark.parametrize("name", ["table", "unified", "markdown"])
def test_every_report_leads_to_the_lines_of_a_finding(name: str) -> None:
    made = convert.report(convert.compare(*LOGS), name, names=("a", "b"))

    assert "(b:5)" in made
    assert "(a:8, b:10)" in made


@pytest.mark.parametrize("name", list(REPORTS))
@pytest.mark.parametrize("verbose", [False, True])
def test_a_report_tells_which_values_a_rule_paired(name: str, verbose: bool) -> None:
    compared = convert.compare(*LOGS)
    compared.runs[0].equal_by_rules = _BY_RULES

    made = convert.report(compared, name, verbose=verbose)

    is_told = verbose or name == "json"
    assert ("11 = 22" in made or '"a":"11","b":"22"' in made) == is_told
    if name != "json":
        line = "made 3 values equal: id 2, time 1"
        assert (line in made) == (verbose or name != "unified")


def test_the_line_for_the_same_ends_with_the_rules() -> None:
    compared = convert.compare(LOGS[0], LOGS[0])
    compared.runs[0].equal_by_rules = _BY_RULES

    made = convert.report(compared)

    assert made == "same: 2 calls, success, result same; equal by rules: id 2, time 1\n"


@pytest.mark.parametrize(
    ("settings", "begin"),
    [
        (
            {},
            "different (critical): 1 critical, 2 major, 1 minor: outcome, files,",
        ),
        (
            {"ignore": ("outcome",)},
            "different (major): 2 major, 1 minor: files, added, text; w",
        ),
        (
            {"ignore": ("outcome",), "fail_on": "critical"},
            "passes (--fail-on critical): 2 major, 1 minor: files, added, text; waived",
        ),
        ({"ignore": ("outcome", "added", "text")}, "same: 2 -> 3 calls"),
    ],
)
def test_only_runs_without_a_finding_above_info_are_the_same(
    settings: dict[str, Any], begin: str
) -> None:
    compared = convert.compare(*LOGS, settings=convert.Settings(**settings))

    assert f"\n\n{begin}" in f"\n\n{convert.report(compared)}"
    verdict = json.loads(convert.report(compared, "json"))["verdict"]
    assert verdict == begin.partition(" ")[0].rstrip(":")


def test_the_table_of_long_runs_is_limited_and_counts_the_rest() -> None:
    calls = [Made(("shell", "read")[n % 2], f"{n}") for n in range(300)]
    others = [
        each if n % 3 else Made(each.tool, each.about, "error")
        for n, each in enumerate(calls)
    ]
    compared = convert.compare(*([tell(one_by_one(each))] for each in (calls, others)))

    lines = convert.report(compared).splitlines()

    assert "different (critical): 100 critical: outcome" in lines
    # 34 of the first 100 calls differ.
    assert "… 200 rows skipped: 66 critical; --full for the rest" in lines
    assert len(lines) < 400
    assert "skipped" not in convert.report(compared, full=True)


@pytest.mark.parametrize("runs", [1, 2])
def test_one_run_and_several_have_one_shape(runs: int) -> None:
    a, b = (log.read_bytes() * runs for log in LOGS)

    made = json.loads(convert.report(convert.compare([a], [b]), "json"))

    assert [run["run"] for run in made["runs"]] == list(range(1, runs + 1))
    assert {*made} - {*made["runs"][0]} == {
        *("schema", "names", "findings", "settings", "rules", "runs")
    }


@pytest.mark.parametrize("name", ["table", "json", "markdown"])
def test_all_of_a_long_change_is_shown_if_asked_for(name: str) -> None:
    command = "echo " + " ".join(f"word{n}" for n in range(2000))
    body = "\n".join(f"{n} {'x' * 300}" for n in range(300))
    calls = [Made("shell", command), Made("mint", body)]
    a, b = tell([]), tell(one_by_one(calls))

    made = convert.report(convert.compare([a], [b]), name, full=True)

    assert "word1999" in made
    assert made.count("x" * 300) >= 300
    assert "…" not in below_the_verdict(made)


@pytest.mark.parametrize("name", ["unified", "markdown"])
def test_a_long_call_and_a_long_text_are_shown_whole_if_asked_for(name: str) -> None:
    path = "/".join(["folder"] * 200)
    words = " ".join(["word"] * 400)
    a = tell(one_by_one([Made("edit", f"{path}/a")]), text=f"{words} old")
    b = tell(one_by_one([Made("edit", f"{path}/b")]), text=f"{words} new")

    made = convert.report(convert.compare([a], [b]), name, full=True)

    assert f"{path}/a" in made
    assert f"{path}/b" in made
    assert not re.search(r"/\w*…", below_the_verdict(made))


def below_the_verdict(report: str) -> str:
    """Return the part of a report whose lines have no limit: all without a verdict."""
    return report.partition("different (")[2] or report


def test_a_comment_is_bounded_for_logs_of_many_runs() -> None:
    many = tell(one_by_one([Made("read", "a.py")])) * 150
    others = tell(one_by_one([Made("read", "b.py")])) * 149 + tell([])

    made = convert.report(convert.compare([many], [others]), "markdown")

    assert len(made.encode()) < 60_000
    assert "runs skipped; --full for the rest" in made


@pytest.mark.parametrize(
    ("a", "b", "short"),
    [
        ("a.ndjson", "b.ndjson", ("a.ndjson", "b.ndjson")),
        (f"{'x' * 60}/v1/run", f"{'x' * 60}/v2/run", ("v1/run", "v2/run")),
        (f"{'x' * 60}/run", f"{'x' * 60}/run", ("run", "run")),
        (f"{'x' * 60}/a", f"{'y' * 60}/a", (f"{'x' * 60}/a", f"{'y' * 60}/a")),
        (f"C:\\{'x' * 60}\\a", f"C:\\{'x' * 60}\\b", ("a", "b")),
    ],
)
def test_long_names_lose_the_folders_that_they_share(
    a: str, b: str, short: tuple[str, str]
) -> None:
    assert short_names(ReportOptions(a, b)) == short
    assert short_names(ReportOptions(a, b, is_full=True)) == (a, b)


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("x" * 40, "y" * 40, "n xxxxxx… -> yyyyyy…"),
        ("one", "y" * 40, "n one -> yyyyyyyyyy…"),
        ("same/long/path/one", "same/long/path/two", "n …h/one -> …h/two"),
    ],
)
def test_two_values_share_the_room(a: str, b: str, shown: str) -> None:
    assert two_values("n", a, b)(20) == shown


@pytest.mark.parametrize(
    ("old", "new", "most", "shown"),
    [
        ("a b c d old e f g", "a b c d new e f g", 60, "… b c d [-old-]{+new+} e f g"),
        ("a b c d old e", "a b c d new e", 20, "… d [-old-]{+new+} e"),
        ("let me see the x", "looking the x", 60, "[-let me see-]{+looking+} the x"),
        ("a old b old c", "a new b new c", 60, "a [-old-]{+new+} b …"),
        ("a " + "o" * 40, "a " + "n" * 40, 30, "… [-ooooooooo…-]{+nnnnnnnnn…+}"),
    ],
)
def test_both_wordings_stay_in_sight(old: str, new: str, most: int, shown: str) -> None:
    made = changed_words("", words_changed("", old, new).spans)(most)

    assert made == shown


def test_a_long_name_leaves_room_for_both_wordings() -> None:
    spans = words_changed("", "o" * 3, "n" * 9).spans

    made = changed_words("name" * 10, spans)(40)

    assert made == "…menamenamename [-ooo-]{+nnnnnnnnn+}"


@given(*[st.text(alphabet="ab 値", max_size=60)] * 2, st.integers(40, 80))
def test_a_wording_fits_in_its_room(old: str, new: str, most: int) -> None:
    spans = words_changed("", old, new).spans

    for name in ("", "n", "name" * 10):
        assert columns(changed_words(name, spans)(most)) <= most
        assert columns(two_values(name, old, new)(most)) <= most


@pytest.mark.parametrize("width", [90, 100, 200])
def test_a_finding_without_room_has_its_place_on_a_line_of_its_own(width: int) -> None:
    names = ("a" * 30, "b" * 30)

    made = convert.report(convert.compare(*LOGS), names=names, width=width)

    place = f"({names[0]}:5, {names[1]}:7)"
    what = "critical  outcome  call 2 -> 3  shell pytest -q  ok -> exit 1"
    lines = [" ".join(line.split()) for line in made.splitlines()]
    what = " ".join(what.split())
    assert (f"{what} {place}" if width == 200 else what) in lines
    assert (place in lines) == (width < 200)


@pytest.mark.parametrize("name", ["table", "unified", "markdown"])
def test_a_line_feed_of_a_command_is_shown(name: str) -> None:
    log = tell(one_by_one([Made("shell", "cat <<END\none\nEND")]))

    made = convert.report(convert.compare([tell([])], [log]), name)

    assert "cat <<END ⏎ one ⏎ END" in html.unescape(made)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"min_similarity": 0.5}, "result similar (0.79)"),
        ({"ignore": ("text",)}, "result differs (similarity 0.79)"),
        ({"ignore": ("text",), "min_similarity": 0.9}, "result differs (similarity"),
    ],
)
def test_the_line_for_the_same_tells_how_similar_the_answers_are(
    settings: dict[str, Any], told: str
) -> None:
    a, b = (
        GOLDEN / "diff-final-texts" / name for name in ("a.ndjson", "reworded.ndjson")
    )

    made = convert.report(convert.compare(a, b, settings=convert.Settings(**settings)))

    assert made.startswith(f"same: 1 call, success, {told}")


@each(
    "text",
    ["npm i @babel/core", "fixes #3", "a/b#12", "GH-7", "https://x.example", "!4"],
)
def test_what_a_platform_would_link_is_code(text: str) -> None:
    assert markdown.without_links(f"{text} only in B") == f"`{text} only in B`"
    assert markdown.without_links("a # b at c") == "a # b at c"


@given(st.text(alphabet="ab 漢\u0301", max_size=90), st.integers(8, 30))
def test_a_command_that_is_cut_inside_has_room(text: str, most: int) -> None:
    cut = cut_middle(text, most)

    assert columns(cut) <= most
    assert cut == text or "…" in cut


@given(st.text(alphabet="ab/ 漢\u0301", max_size=90), st.integers(8, 30))
def test_a_line_ends_between_words(text: str, most: int) -> None:
    lines, cell = wrapped(text, most), wrapped(text, most, 2, is_cell=True)

    assert " ".join(lines).split() == text.split()
    assert all(columns(line) <= most or " " not in line.strip() for line in lines)
    assert "".join("".join(cell).split()) == "".join(text.split())
    assert all(columns(line) <= most for line in cell)


def test_commands_that_differ_at_their_end_look_different() -> None:
    one, other = (f"pytest -q tests/test_0.py -k case_{n}" for n in "02")

    assert cut_middle(one, 24) == "pytest -q t…py -k case_0"
    assert cut_middle(other, 24) == "pytest -q t…py -k case_2"
    assert cut_middle(one, len(one)) == one
    # Words of ours may leave no room at all.
    assert [cut_middle(one, most) for most in (2, 1, 0, -5)] == ["…0", *"………"]


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_hunks_of_calls_that_touch_are_one(between: int, hunks: int) -> None:
    def log(ending: str) -> bytes:
        changed = Made("shell", "a.py", ending)
        equal = [Made("read", f"{at}.py", "ok") for at in range(between)]
        return tell(one_by_one([changed, *equal, changed]))

    made = convert.report(convert.compare([log("ok")], [log("error")]), "unified")

    assert made.count("@@ call ") == hunks
