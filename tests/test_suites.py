"""Folders of logs, compared case by case."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert import suite as suites
from convert.options import Settings, settings
from convert.scale.engines import local
from convert.suites import Room, diff_and_matrix, reports, versions
from convert.wording import byte_count
from support.in_process import run
from support.matrix import part
from support.processes import on_terminal
from support.runs import Batch, Made, tell, trajectories
from support.suites import EDIT, FAILED, READ, diff, folders, log, suite, words, write
from support.systems import make_pipe


@pytest.mark.parametrize(
    ("ratio", "least", "is_exceeded"),
    [(2.0, 0, False), (1.9, 0, True), (1.9, 1, True), (1.9, 2, False)],
)
def test_a_limit_may_be_reached(
    tmp_path: Path, ratio: float, least: int, is_exceeded: bool
) -> None:
    one, other = folders(
        tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(READ, READ)}
    )
    settings = Settings(max_calls_ratio=ratio, min_calls=least, fail_on="critical")

    compared = suites.compare_folders(one, other, settings=settings)

    assert bool(compared.cases[0].limits) == is_exceeded
    assert compared.is_different == is_exceeded


def test_a_name_in_settings_must_be_known_to_some_log(tmp_path: Path) -> None:
    logs = {"a.ndjson": log(READ), "b.ndjson": log(Made("mint", "x"))}
    one, other = folders(tmp_path, logs, logs)

    compared = suites.compare_folders(
        one, other, settings=Settings(allow_extra=("mint",))
    )

    assert words(compared) == {"a": "same", "b": "same"}
    with pytest.raises(convert.UsageError, match="mintt"):
        suites.compare_folders(one, other, settings=Settings(allow_extra=("mintt",)))


@given(st.permutations(range(30)), st.integers(1, 5), st.integers(1, 4))
def test_the_worst_cases_have_room_whatever_the_order(
    order: list[int], most: int, workers: int
) -> None:
    rooms = [Room(most) for _ in range(workers)]

    kept = {
        at
        for place, at in enumerate(order)
        if rooms[place % workers].has((at, 0, f"{at:02}"))
    }

    assert kept >= {*range(most)}
    assert all(Room(None).has((at, 0, "")) for at in order)


@given(trajectories, trajectories)
def test_the_other_way_round_missing_is_new(a: list[Batch], b: list[Batch]) -> None:
    logs = {"same.ndjson": tell(a), "other.ndjson": tell(a), "a.ndjson": tell(a)}
    more = {"same.ndjson": tell(a), "other.ndjson": tell(b), "b.ndjson": tell(b)}
    with tempfile.TemporaryDirectory() as place:
        one, other = folders(Path(place), logs, more)
        there = words(suites.compare_folders(one, other))
        back = words(suites.compare_folders(other, one))
        pair = convert.compare(one / "other.ndjson", other / "other.ndjson")

    assert (there["a"], there["b"]) == ("missing", "new")
    assert (back["a"], back["b"]) == ("new", "missing")
    assert there["same"] == "same"
    assert there["other"] == (pair.severity if pair.is_different else "same")


def test_a_pair_has_the_verdict_of_its_logs(tmp_path: Path) -> None:
    compared = suite(
        tmp_path,
        {"a.ndjson": log(READ), "b.ndjson": log(EDIT), "c.ndjson": log(FAILED)},
        {"a.ndjson": log(READ), "b.ndjson": log(), "c.ndjson": log(READ)},
    )

    for case in compared.cases:
        pair = convert.compare(case.a.log, case.b.log)
        assert case.severity == pair.severity
        assert case.counts == pair.counts
        assert len(case.findings) == (len(pair.findings) if case.is_different else 0)


@pytest.mark.exhaustive
def test_more_workers_print_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(1)
    calls = [READ, EDIT, FAILED]
    names = [f"{number:03}.ndjson" for number in range(12)]
    a, b = ({name: log(*dice.sample(calls, 2)) for name in names} for _ in range(2))
    folders(tmp_path, a, b | {"007.ndjson": b"", "x.ndjson": log(READ) + b"{\n"})
    monkeypatch.setattr(local, "_FEW", 1)
    kinds = part(reports.REPORTS, 9)

    made = []
    for number in (1, 3):
        monkeypatch.setattr(local, "processors", lambda number=number: number)
        for report in kinds:
            done = run(["diff", "a", "b", "--format", report], tmp_path, {})
            made.append((number, report, done))

    for report in kinds:
        assert len({done for _, name, done in made if name == report}) == 1


@pytest.mark.seldom
def test_a_worker_that_dies_is_trouble_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number:03}.ndjson" for number in range(60)]
    logs = {name: log(READ) for name in names}
    folders(tmp_path, logs, logs)
    compare = versions.compare

    def die(comparison: Any, case: Any) -> Any:
        if case.name == "031":
            os.kill(os.getpid(), signal.SIGKILL)
        return compare(comparison, case)

    monkeypatch.setattr(diff_and_matrix, "compare", die)
    monkeypatch.setattr(local, "processors", lambda: 2)
    done = diff(tmp_path, "--no-repeat")
    strict = diff(tmp_path, "--no-repeat", "--strict")

    assert (done.status, strict.status) == (2, 2)
    assert done.stderr.decode() == (
        "runconv: a/031.ndjson, b/031.ndjson: the worker process died, possibly out of"
        " memory; read this log on its own\nrunconv: 60 cases, 118 runs compared\n"
    )
    assert re.search(rb"^trouble +031 ", done.stdout, re.MULTILINE)
    assert b"over 59 cases" in done.stdout


def test_a_failure_that_nothing_expects_is_trouble_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from convert.suites import case_comparison as comparing

    def fail(*_: object) -> None:
        raise MemoryError

    folders(tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(READ)})
    monkeypatch.setattr(comparing, "_with_logs", fail)
    done = diff(tmp_path)

    assert done.status == 2
    assert b"a/a.ndjson, b/a.ndjson: out of memory; convert parts" in done.stderr


def test_trouble_in_ci_is_at_the_log_that_cannot_be_read(tmp_path: Path) -> None:
    broken = {"a.ndjson": log(READ) + b"{\n"}
    folders(tmp_path, broken, broken)

    done = diff(tmp_path, "--strict", "--format", "gitlab")

    *_, issue = json.loads(done.stdout)
    assert done.status == 2
    assert issue["description"].startswith("a: a/a.ndjson:")
    assert issue["location"]["path"] == "a/a.ndjson"


def test_a_secret_of_one_log_is_redacted_in_the_prompt_of_another(
    tmp_path: Path,
) -> None:
    secret = "Zx81-Vq20-Lm77"
    content = [{"type": "text", "text": secret}]
    asks = {"type": "user", "message": {"role": "user", "content": content}}

    def asked(text: str) -> dict[str, bytes]:
        first, *lines = log(READ, text=text).splitlines(True)
        return {"a.ndjson": b"".join([first, json.dumps(asks).encode(), b"\n", *lines])}

    folders(tmp_path, asked("Done."), asked(f"export SHOP_PASSWORD={secret}"))

    plain = diff(tmp_path, "--pair-by", "prompt", "--format", "json")
    done = diff(tmp_path, "--pair-by", "prompt", "--format", "json", "--redact")

    assert [each["name"] for each in json.loads(plain.stdout)["cases"]] == [secret]
    assert secret.encode() not in done.stdout


def test_a_folder_that_cannot_be_read_is_trouble_of_the_cases_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["x.ndjson", "in/y.ndjson", "in/z.ndjson"]
    folders(tmp_path, {n: log(READ) for n in names}, {n: log(READ) for n in names})
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == os.path.join("b", "in"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done, strict = diff(tmp_path, "--format", "json"), diff(tmp_path, "--strict")

    message = "cannot read the folder b/in: permission denied; make it readable, or"
    assert (done.status, strict.status) == (0, 2)
    assert done.stderr.decode().count(message) == 1
    found = {case["name"]: case["fate"] for case in json.loads(done.stdout)["cases"]}
    assert found == {"x": "same", "in": "trouble"}


def test_a_folder_that_hides_no_other_log_is_trouble_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = {"x.ndjson": log(READ)}
    folders(tmp_path, logs | {"in/y.ndjson": log(READ)}, logs)
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == os.path.join("a", "in"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done, strict = diff(tmp_path), diff(tmp_path, "--strict")

    assert (done.status, strict.status) == (0, 2)
    assert re.search(rb"^trouble +in ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("gone", ["b", "b/in"])
def test_a_folder_that_vanishes_is_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    logs = {"x.ndjson": log(READ), "in/y.ndjson": log(READ)}
    folders(tmp_path, logs, logs)
    cases_in = versions.cases_in

    def vanish(*given: Any) -> Any:
        found = cases_in(*given)
        shutil.rmtree(tmp_path / gone)
        return found

    monkeypatch.setattr(diff_and_matrix, "cases_in", vanish)
    done = diff(tmp_path)

    assert done.status == (2 if gone == "b" else 0)
    assert b"b/in/y.ndjson: cannot read it: no such file or directory" in done.stderr
    assert done.stdout.count(b"\ntrouble  ") == (2 if gone == "b" else 1)


def test_a_secret_of_one_log_is_redacted_in_the_other(tmp_path: Path) -> None:
    secret = "Zx81-Vq20-Lm77"
    told = log(READ, text=f"export SHOP_PASSWORD={secret}")
    folders(tmp_path, {"a.ndjson": told}, {"a.ndjson": log(text=f"It is {secret}.")})

    for report in reports.REPORTS:
        words = ["diff", "a", "b", "--fail-on", "minor", "--format", report]
        done = run([*words, "--redact"], tmp_path, {})
        plain = run(words, tmp_path, {})
        assert secret.encode() not in done.stdout + done.stderr
        assert report in ("json", "html") or secret.encode() in plain.stdout

    assert b"notice: 4 places redacted: password (4), in 2 logs" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there alone")
def test_names_that_are_no_text_stay_two_in_every_report(tmp_path: Path) -> None:
    pairs = [(b"x\xff", b"x\xfe"), (b"in/\x80\xa0", b"in/\x80\xa1"), (b"a\nb", b"a\tb")]
    names = [os.fsdecode(name) for pair in pairs for name in pair]
    folders(
        tmp_path,
        {f"{name}.ndjson": log(READ) for name in names},
        {f"{name}.ndjson": log(EDIT) for name in names},
    )
    spelled = ["x\\xff", "x\\xfe", "in/\\x80\\xa0", "in/\\x80\\xa1", "a\\nb", "a\\tb"]

    for report in reports.REPORTS:
        options = ["--format", report, "--report", f"gitlab={report}.gl"]
        options += ["--no-repeat", "--fail-on", "minor"]
        shown = run(["diff", "a", "b", *options], tmp_path, {}).stdout.decode()
        if report == "json":
            shown = str([case["name"] for case in json.loads(shown)["cases"]])
        # Annotations name only ten findings.
        for name in spelled if report != "github" else ():
            last = name.rpartition("/")[2]
            assert last in shown.replace("\\\\", "\\"), (report, name)
        assert "\ufffd" not in shown
        assert "udc" not in shown

    issues = json.loads((tmp_path / "json.gl").read_text("utf-8"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize(
    "words", [["diff", "a", "b"], ["matrix", "a", "b"], ["stats", "a", "b"], ["a", "b"]]
)
def test_a_pipe_in_a_folder_is_named(words: list[str], tmp_path: Path) -> None:
    folders(tmp_path, {"t.ndjson": log(READ)}, {"t.ndjson": log(READ)})
    make_pipe(tmp_path / "b" / "live.ndjson")

    done = run(words, tmp_path, {})

    assert done.status == 0
    assert done.stderr.endswith(b"; 1 special file skipped: b/live.ndjson\n")


def test_warnings_are_counted_over_all_logs(tmp_path: Path) -> None:
    torn = log(READ) + b'{"type":\n'
    names = [f"{number}.ndjson" for number in range(5)]
    folders(tmp_path, dict.fromkeys(names, torn), dict.fromkeys(names, torn))

    done = diff(tmp_path)
    strict = run(["diff", "a", "b", "--strict"], tmp_path, {})

    lines = done.stderr.decode().splitlines()
    assert done.status == 0
    assert len(lines) == 2
    assert "10 times in 10 logs: a/0.ndjson:" in lines[0]
    assert strict.status == 2
    assert strict.stderr.count(b"(--strict)") == 10


@pytest.mark.seldom
def test_a_comment_on_many_cases_fits(tmp_path: Path) -> None:
    calls = [READ, EDIT, FAILED]
    names = [f"{'long-' * 20}{number}.ndjson" for number in range(120)]
    one, other = folders(
        tmp_path,
        {name: log(*calls, text="x" * 500) for name in names},
        {name: log(*reversed(calls), text="y" * 500) for name in names},
    )
    alone = settings.SuiteSettings(repeat=False)
    compared = suites.compare_folders(one, other, suite=alone, by_findings=True)

    made = suites.report(compared, "markdown")
    table = suites.report(compared)

    assert byte_count(made) < 60_000
    assert re.search(r"^… skipped: \d+ major; --full", made, re.MULTILINE)
    assert re.search(r"^… details skipped: \d+ major; --full", made, re.MULTILINE)
    assert made.count("<details>") == made.count("</details>")
    assert "… skipped: 70 major; --full for the rest" in table
    assert "… details skipped: 100 major; --full for the rest" in table
    assert len(table.splitlines()) < 1000


def test_a_terminal_shows_colours_and_no_controls(tmp_path: Path) -> None:
    one, other = folders(
        tmp_path,
        {"a\x1b[2J.ndjson": log(READ)},
        {"a\x1b[2J.ndjson": log(EDIT), "b.ndjson": log()},
    )
    words = ["diff", str(one), str(other), "--color", "always", "--fail-on", "minor"]
    shown = on_terminal(*words)

    assert "\x1b[31m  -   1    read a.py" in shown
    assert "\x1b[2J" not in shown


def test_python_warns_with_the_path_of_a_log(tmp_path: Path) -> None:
    one, other = folders(
        tmp_path, {"a.ndjson": log(READ) + b'{"type":\n'}, {"a.ndjson": log(READ)}
    )
    warned: list[tuple[Any, ...]] = []

    suites.compare_folders(one, other, warn=lambda *given: warned.append(given))

    assert [(path, line) for path, line, *_ in warned] == [(f"{one}/a.ndjson", 7)]


def test_python_raises_for_a_path_that_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.ndjson": log(READ)})

    with pytest.raises(convert.InputError, match="is no folder; check the path"):
        suites.compare_folders(tmp_path, tmp_path / "a.ndjson")
    with pytest.raises(convert.UsageError, match="invalid value for format: 'pdf'"):
        suites.report(suites.compare_folders(tmp_path, tmp_path), "pdf")


def test_python_returns_the_report_that_the_command_prints(tmp_path: Path) -> None:
    a, b = folders(tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(EDIT)})
    compared = suites.compare_folders(a, b)

    for report in ("table", "unified", "json", "markdown"):
        done = run(["diff", str(a), str(b), "--format", report], tmp_path, {})
        assert suites.report(compared, report).encode() == done.stdout


@pytest.mark.parametrize(
    ("more", "status", "verdict"),
    [
        ({}, 0, "same"),
        ({"new.ndjson": log(EDIT)}, 1, "different"),
        ({"b.ndjson": b"{"}, 2, "trouble"),
    ],
)
def test_findings_decide_on_all_cases_of_a_folder_of_approved_runs(
    more: dict[str, bytes], status: int, verdict: str, tmp_path: Path
) -> None:
    logs = {"a.ndjson": log(READ), "b.ndjson": log(READ)}
    approved = b"".join(convert.convert([log(READ)], "trajectory"))
    goldens = {name.replace(".ndjson", ".json"): approved for name in logs}
    folders(tmp_path, goldens, logs | more)

    done = run(["diff", "a", "b", "--format", "json"], tmp_path, {})

    assert done.status == status
    assert json.loads(done.stdout)["verdict"] == verdict
