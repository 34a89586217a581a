"""From the bytes of logs to the exit status of a suite, and to its sentence."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from support.in_process import run
from support.matrix import part
from support.runs import Made
from support.suites import (
    EDIT,
    READ,
    Logs,
    cases,
    diff,
    first_line,
    folders,
    log,
    runs,
    write,
)

OTHER = Made("edit", "other.py")

# Suites by their verdicts: the logs of both versions.
SUITES: dict[str, tuple[Logs, Logs]] = {
    "worse": (cases(6, "ss"), cases(6, "ff")),
    "different": (cases(3, "ssss"), cases(3, "ssss", READ, EDIT)),
    "cannot tell": (cases(3, "s"), cases(3, "s")),
    "no worse": (cases(26, "ssss"), cases(26, "ssss")),
    "better": (cases(6, "ff"), cases(6, "ss")),
}
# The options, and the verdicts that they make red.
STATUSES: list[tuple[tuple[str, ...], set[str]]] = [
    ((), {"worse", "different"}),
    (("--strict",), {"worse", "different"}),
    (("--allow-different",), {"worse"}),
    (("--require-proof",), {"worse", "different", "cannot tell"}),
    # A loss is not excluded where these runs behave in another way.
    (("--allow-different", "--require-proof"), {"worse", "different", "cannot tell"}),
    (("--exit-zero",), set()),
    (("--exit-zero", "--require-proof", "--fail-on", "minor"), set()),
    (("--fail-on", "critical"), {"worse", "different"}),
    (("--fail-on", "major"), {"worse", "different"}),
    (("--fail-on", "major", "--allow-different"), {"worse", "different"}),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("word", SUITES)
def test_the_verdict_decides_the_status(word: str, tmp_path: Path) -> None:
    folders(tmp_path, *SUITES[word])

    found = {}
    # That nothing is worse takes many logs.
    tried = part(STATUSES, 10, 4) if word == "no worse" else part(STATUSES, 5)
    for options, _ in tried:
        done = diff(tmp_path, *options)
        assert f"{word}: success " in first_line(done), options
        found[options] = done.status

    assert found == {options: int(word in red) for options, red in tried}


@pytest.mark.parametrize(
    ("options", "status"),
    [((), 0), (("--fail-on", "major"), 1), (("--fail-on", "critical"), 0)],
)
def test_a_finding_about_two_runs_decides_only_with_fail_on(
    options: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    folders(tmp_path, cases(3, "s"), cases(3, "s") | runs("a", "s", READ, EDIT))

    done = diff(tmp_path, *options)

    assert done.status == status
    said = "fails: 1 case has findings of --fail-on major; "
    assert first_line(done).startswith(said) == bool(status)


def test_a_change_of_some_runs_is_no_finding(tmp_path: Path) -> None:
    some = {f"a/{at}.ndjson": log(READ, EDIT) for at in (1, 2, 3)}
    folders(tmp_path, cases(2, "ssss"), cases(2, "ssss") | some)

    assert diff(tmp_path, "--fail-on", "minor").status == 0

    write(tmp_path / "b", {"a/4.ndjson": log(READ, EDIT)})
    assert diff(tmp_path, "--fail-on", "minor").status == 1


def test_a_change_that_some_runs_made_before_is_no_finding(tmp_path: Path) -> None:
    before = runs("a", "ssss") | {"a/4.ndjson": log(READ, EDIT)}
    folders(tmp_path, before, runs("a", "ssss", READ, EDIT))

    assert diff(tmp_path, "--fail-on", "minor").status == 0


def test_a_log_that_cannot_be_read_is_named_and_counts_in_no_rate(
    tmp_path: Path,
) -> None:
    folders(tmp_path, cases(6, "ss"), cases(6, "ss") | runs("a", "s!"))

    done, strict = diff(tmp_path), diff(tmp_path, "--strict", "--exit-zero")

    assert (done.status, strict.status) == (0, 2)
    assert b"runconv: b/a/2.ndjson: ends within its first event;" in done.stderr
    assert "success 100 % → 100 % over 6 cases, 2 runs each before" in first_line(done)
    assert "1 log cannot be read and counts in no rate\n" in done.stdout.decode()
    assert "2/2 → 1/1, 1 unreadable" in done.stdout.decode()


def test_logs_that_cannot_be_read_are_no_failures_of_a_version(tmp_path: Path) -> None:
    folders(tmp_path, cases(8, "ssss"), cases(8, "s!!!"))

    done = diff(tmp_path)

    assert done.status == 0
    assert first_line(done).startswith("cannot tell: success 100 % → 100 %")


def test_a_case_without_a_log_that_can_be_read_is_not_compared(tmp_path: Path) -> None:
    folders(tmp_path, cases(3, "ss"), cases(3, "ss") | runs("b", "!!"))

    done, strict = diff(tmp_path), diff(tmp_path, "--strict")

    told = done.stdout.decode()
    assert (done.status, strict.status) == (0, 2)
    assert "over 2 cases, 2 runs each" in first_line(done)
    assert "2 logs cannot be read and count in no rate\n" in told
    assert "1 case could not be compared: b\n" in told
    assert "\ntrouble  b     not compared → 2 unreadable " in told


def test_nothing_that_can_be_compared_is_trouble(tmp_path: Path) -> None:
    folders(tmp_path, cases(2, "ss"), cases(2, "!!"))

    done, calm = diff(tmp_path), diff(tmp_path, "--exit-zero")

    assert (done.status, calm.status) == (2, 2)
    assert first_line(done) == (
        "cannot tell: no case has runs to compare in both versions"
    )


def approved(place: Path, a: Logs, b: Logs) -> None:
    """Write approved runs as the baseline, and some runs as the candidate."""
    write(place / "runs", a)
    assert run(["approve", "runs", "-o", "a/", "--yes"], place, {}).status == 0
    write(place / "b", b)


def test_findings_decide_where_runs_are_approved(tmp_path: Path) -> None:
    one = {"a.ndjson": log(READ), "b.ndjson": log(READ)}
    approved(tmp_path, one, one | {"b.ndjson": log(READ, EDIT)})

    found = {
        options: diff(tmp_path, *options).status
        for options in (
            (),
            ("--fail-on", "critical"),
            ("--allow-different",),
            ("--require-proof",),
            ("--exit-zero",),
            ("--may-fail", "b"),
        )
    }

    assert [*found.values()] == [1, 0, 1, 1, 0, 0]
    assert first_line(diff(tmp_path)) == ("different (major): 2 cases: 1 major, 1 same")


def test_approved_runs_that_match_need_no_proof(tmp_path: Path) -> None:
    logs = {"a.ndjson": log(READ)}
    approved(tmp_path, logs, logs)

    assert diff(tmp_path, "--require-proof").status == 0


def test_a_run_of_a_golden_that_cannot_be_read_is_trouble(tmp_path: Path) -> None:
    one = {"a.ndjson": log(READ), "b.ndjson": log(READ)}
    approved(tmp_path, one, one | {"b.ndjson": log(ended="!")})

    done = diff(tmp_path, "--exit-zero")

    assert done.status == 2
    assert first_line(done) == "trouble: 2 cases: 1 trouble, 1 same"


@pytest.mark.parametrize(("last", "status"), [(READ, 0), (EDIT, 1)])
def test_each_run_must_match_the_golden_of_its_case(
    last: Made, status: int, tmp_path: Path
) -> None:
    more = {f"a/{at}.ndjson": log(READ) for at in (1, 2)} | {"a/3.ndjson": log(last)}
    approved(tmp_path, {"a/1.ndjson": log(READ)}, more)

    done = diff(tmp_path, "--repeat", "--width", "200")

    assert done.status == status
    assert (b"1 of 3 runs differ" in done.stdout) == bool(status)


def test_a_run_without_a_golden_is_a_finding(tmp_path: Path) -> None:
    logs = {"a.ndjson": log(READ)}
    approved(tmp_path, logs, logs | {"b.ndjson": log(READ)})

    done, calm = diff(tmp_path), diff(tmp_path, "--fail-on", "major")

    assert (done.status, calm.status) == (1, 0)
    assert first_line(done) == "different (minor): 2 cases: 1 new, 1 same"


def test_runs_next_to_approved_ones_are_judged(tmp_path: Path) -> None:
    logs = {"golden.ndjson": log(READ)}
    approved(tmp_path, logs, logs | cases(6, "ff"))
    write(tmp_path / "a", cases(6, "ss"))

    worse = diff(tmp_path)
    write(tmp_path / "b", cases(6, "ss") | {"golden.ndjson": log(EDIT)})
    different = diff(tmp_path)

    assert (worse.status, different.status) == (1, 1)
    assert first_line(worse).startswith("worse: success 100 % → 0 % over 6 cases")
    assert first_line(different).startswith(
        "fails: 1 of 1 approved case differs (major); cannot tell: success 100 %"
    )


def test_a_golden_that_cannot_be_compared_is_trouble_next_to_other_runs(
    tmp_path: Path,
) -> None:
    logs = cases(3, "s")
    approved(tmp_path, {"golden.ndjson": log(READ)}, logs | {"golden.ndjson": b"{"})
    write(tmp_path / "a", logs)

    assert diff(tmp_path).status == 2


def test_a_log_that_breaks_off_is_a_failure(tmp_path: Path) -> None:
    folders(tmp_path, cases(6, "ss"), cases(6, "//"))

    done = diff(tmp_path)

    assert done.status == 1
    assert first_line(done).startswith("worse: success 100 % → 0 %")
    assert "12 of 12 runs of b broke off and count as failed: b/a/1.ndjson," in (
        done.stdout.decode()
    )


def test_runs_that_something_outside_ended_are_no_failures(tmp_path: Path) -> None:
    folders(tmp_path, cases(6, "ssss"), cases(6, "sqnl"))

    done = diff(tmp_path)

    assert done.status == 0
    assert first_line(done).startswith("cannot tell: success 100 % → 100 %")
    assert first_line(done).endswith(
        "; 18 of 24 candidate runs were excluded: authentication 6, network 6, usage"
        " limit 6 (baseline: 0); passes (exit status 0); --require-proof fails it"
    )


def test_the_calls_of_runs_that_broke_off_are_no_behaviour(tmp_path: Path) -> None:
    one = {**runs("a", "ssss"), **runs("b", "ssss")}
    cut = {path: log(READ, EDIT, ended="/") for path in one}
    folders(tmp_path, {**one}, cut)

    done = diff(tmp_path, "--format", "json", "--max-loss", "100")

    made = json.loads(done.stdout)
    assert (done.status, made["behaviour"], made["figures"]) == (0, None, [])


@pytest.mark.parametrize(("a", "b"), [("ssss", "ff"), ("ss", "ffff"), ("s", "ffff")])
def test_versions_may_have_unequal_numbers_of_runs(
    a: str, b: str, tmp_path: Path
) -> None:
    folders(tmp_path, cases(6, a), cases(6, b))

    done = diff(tmp_path)

    assert done.status == 1
    before = "1 run" if a == "s" else f"{len(a)} runs"
    assert first_line(done).startswith(
        f"worse: success 100 % → 0 % over 6 cases, {before} each before and"
        f" {len(b)} now"
    )


def test_cases_of_one_version_are_named_and_enter_no_test(tmp_path: Path) -> None:
    folders(
        tmp_path,
        cases(3, "ss") | runs("gone", "ff"),
        cases(3, "ss") | runs("new", "ff"),
    )

    done, with_findings = diff(tmp_path), diff(tmp_path, "--fail-on", "critical")

    assert (done.status, with_findings.status) == (0, 1)
    assert "success 100 % → 100 % over 3 cases" in first_line(done)
    told = done.stdout.decode()
    assert "\n1 case is only in a: gone\n1 case is only in b: new\n" in told


def test_cases_that_may_fail_decide_nothing(tmp_path: Path) -> None:
    folders(
        tmp_path,
        cases(3, "ss") | runs("odd/one", "ssss") | runs("odd/two", "ssss"),
        cases(3, "ss") | runs("odd/one", "ffff", EDIT) | runs("odd/two", "ffff", EDIT),
    )

    done, calm = diff(tmp_path), diff(tmp_path, "--may-fail", "odd/*")
    limited = diff(tmp_path, "--may-fail", "odd/*", "--max-errors", "0")
    unknown = diff(tmp_path, "--may-fail", "even/*")

    assert [each.status for each in (done, calm, limited, unknown)] == [1, 0, 0, 2]
    assert "success 100 % → 100 % over 3 cases" in first_line(calm)
    assert unknown.stderr.startswith(b"runconv: --may-fail 'even/*' matches no case;")


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("--max-calls=1", "calls of 1 of 4 runs: 2 (--max-calls 1)"),
        ("--max-calls-ratio=1.4", "median of calls 1 -> 1.5 (x1.50)"),
        ("--min-success=1", "3 of 4 runs succeeded (--min-success 1)"),
        ("--max-calls=2", ""),
        ("--max-calls-ratio=1.5", ""),
        ("--min-success=0.75", ""),
    ],
)
def test_a_limit_holds_for_repeated_runs(limit: str, said: str, tmp_path: Path) -> None:
    number = 2 if "ratio" in limit else 1
    more = {f"a/{at}.ndjson": log(READ, EDIT) for at in range(1, number + 1)}
    last = {"a/4.ndjson": log(READ, ended="f")}
    folders(tmp_path, runs("a", "ssss"), runs("a", "ssss") | more | last)

    done = diff(tmp_path, limit, *(["--min-calls=0"] if number == 2 else []))

    assert done.status == (1 if said else 0)
    assert first_line(done).startswith("fails: " if said else "cannot tell: ")
    assert said in first_line(done)


def test_a_limit_that_logs_do_not_record_is_named(tmp_path: Path) -> None:
    folders(tmp_path, cases(4, "ss"), cases(4, "ss"))

    done = diff(tmp_path, "--max-tokens-ratio", "1.5")

    assert done.status == 0
    assert (
        "runconv: --max-tokens-ratio 1.5 not checked in 4 cases without the figure:"
        " a, b, c and 1 more"
    ) in done.stderr.decode()


def matrix(place: Path, *words: str) -> Any:
    """Compare versions, and return the report as scripts read it."""
    done = run(["matrix", *words, "--format", "json"], place, {})
    return json.loads(done.stdout) | {"status": done.status}


@pytest.mark.parametrize(
    ("endings", "word", "since"),
    [
        (("ss", "ff"), "worse", "v2"),
        (("ss", "ss", "ff", "ff"), "worse", "v3"),
        (("ss", "ff", "ff", "ss"), "cannot tell", None),
        (("ff", "ff", "ss", "ss"), "better", None),
    ],
)
def test_a_matrix_reports_since_when_it_is_worse_and_is_no_gate(
    endings: tuple[str, ...], word: str, since: str | None, tmp_path: Path
) -> None:
    names = [f"v{at}" for at in range(1, len(endings) + 1)]
    for name, letters in zip(names, endings, strict=True):
        write(tmp_path / name, cases(6, letters))

    made = matrix(tmp_path, *names)

    assert (made["status"], made["verdict"]) == (0, word)
    assert (made["versions"], made["worse_since"]) == (names, since)
    steps = [] if len(names) == 2 else [[*each] for each in itertools.pairwise(names)]
    assert [[step["from"], step["to"]] for step in made["steps"]] == steps


def test_a_matrix_of_two_versions_has_the_verdict_of_diff(tmp_path: Path) -> None:
    folders(tmp_path, *SUITES["different"])

    done = run(["matrix", "a", "b"], tmp_path, {})

    assert first_line(done) == first_line(diff(tmp_path))


def test_a_matrix_names_cases_that_versions_lack(tmp_path: Path) -> None:
    names = ["v1", "v2", "v3"]
    for name in names:
        write(tmp_path / name, cases(2, "ss"))
    write(tmp_path / "v1", runs("first", "s"))
    write(tmp_path / "v2", runs("middle", "s"))
    write(tmp_path / "v3", runs("last", "s"))

    done = run(["matrix", *names], tmp_path, {})

    told = done.stdout.decode()
    assert "\n2 cases are not in v3: first/1 and middle/1\n" in told
    assert "\n1 case is not in v1: last/1\n" in told
    assert (
        "only in v2" in run(["matrix", *names, "--full"], tmp_path, {}).stdout.decode()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["v1"], "matrix takes the folders of several versions, in their order"),
        (["v1", "v2", "v1/"], "v1/ is named twice; name each version once"),
        (["v1", "v1/in"], "v1/in is inside v1; name folders that do not"),
        (["v1", "v3"], "v3 is no folder; name a folder for each version"),
        (["v1", "v1/x.ndjson"], "v1/x.ndjson is a log; name a folder for each"),
    ],
)
def test_folders_that_are_no_versions_are_refused(
    words: list[str], message: str, tmp_path: Path
) -> None:
    write(tmp_path / "v1", {"x.ndjson": log(), "in/x.ndjson": log()})
    write(tmp_path / "v2", {"x.ndjson": log()})

    done = run(["matrix", *words], tmp_path, {})

    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"runconv: {message}")


@pytest.mark.exhaustive
def test_the_status_is_in_every_report_of_a_script(tmp_path: Path) -> None:
    for word, (a, b) in part(SUITES.items(), 2):
        place = tmp_path / word
        folders(place, a, b)
        done = diff(place, "--format", "json")
        made = json.loads(done.stdout)
        assert (made["verdict"], made["exit"]) == (word, done.status)


def test_folders_with_the_same_logs_say_so(tmp_path: Path) -> None:
    folders(tmp_path, cases(2, "ss"), cases(2, "ss"))
    same = diff(tmp_path)
    first = next((tmp_path / "b").rglob("*.ndjson"))
    first.write_bytes(first.read_bytes().replace(b"s", b"S", 1))

    other = diff(tmp_path)

    said = "; both versions hold the same logs, byte for byte; "
    assert said in first_line(same)
    assert said not in first_line(other)
