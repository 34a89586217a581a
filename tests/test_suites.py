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
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert import suite as suites
from convert.cli import diff_folders
from convert.cli.engines import local
from convert.diff.changes import Counts
from convert.options.settings import Settings
from convert.suite import results
from convert.suite.blocks import Room
from convert.suite.cases import (
    may_be_repeated,
    paired_by_path,
    paired_by_prompt,
    repeated_folders,
)
from convert.suite.repeated import Repeated
from convert.suite.results import IN_TABLES, CaseFinding, CaseLimit, CaseSide
from convert.wording.numbers import byte_count
from support.golden import cases
from support.in_process import run
from support.matrix import each, part
from support.processes import on_terminal
from support.runs import Batch, Made, tell, trajectories
from support.suites import EDIT, FAILED, READ, folders, log, suite, words, write

SCHEMA = json.loads(
    resources.files("convert.suite").joinpath("suite.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)

# Names of logs, of which several are one case, and paths in two folders.
_NAMES = st.sampled_from(
    ["a.ndjson", "a.json", "a.ndjson.gz", "b.log", "c/a.ndjson", "c/b.ndjson", "d/1"]
)
_LOGS = st.dictionaries(_NAMES, st.just(""), max_size=6)
_PROMPTS = st.dictionaries(_NAMES, st.sampled_from(["x", "y", "z"]), max_size=6)


@given(_LOGS, _LOGS, st.sets(st.sampled_from(["", "c", "d"])))
def test_each_log_belongs_to_one_case(
    a: dict[str, str], b: dict[str, str], repeated: set[str]
) -> None:
    ones, others = (
        {f"{side}/{name}": name for name in logs} for side, logs in (("a", a), ("b", b))
    )

    found = paired_by_path(ones, others, repeated)

    assert sorted(path for case in found for path in case.paths) == sorted(
        [*ones, *others]
    )
    assert len({case.name for case in found}) == len(found)
    assert [case.name for case in paired_by_path(others, ones, repeated)] == [
        case.name for case in found
    ]


@given(_PROMPTS, _PROMPTS, st.sampled_from([None, True, False]))
def test_logs_of_one_case_have_one_prompt(
    a: dict[str, str], b: dict[str, str], repeat: bool | None
) -> None:
    ones = {f"a/{name}": prompt for name, prompt in a.items()}
    others = {f"b/{name}": prompt for name, prompt in b.items()}

    found = paired_by_prompt(ones, others, repeat)

    prompts = ones | others
    assert all(len({prompts[path] for path in case.paths}) == 1 for case in found)
    assert sorted(path for case in found for path in case.paths) == sorted(prompts)
    assert len({case.name for case in found}) == len(found)
    if repeat is False:
        assert all(len(case.a) < 2 and len(case.b) < 2 for case in found)


@pytest.mark.parametrize(
    ("a", "b", "repeated"),
    [
        ({"x/1": "p", "x/2": "p"}, {"x/1": "p", "x/2": "p"}, {"x"}),
        ({"x/1": "p", "x/2": "p"}, {"x/1": "p", "x/2": "q"}, set()),
        ({"x/1": "p", "x/2": "q"}, {"x/1": "p", "x/2": "q"}, set()),
        ({"x/1": "p", "x/2": "p"}, {"x/1": "p"}, set()),
        ({"x/1": "p", "x/2": ""}, {"x/1": "p", "x/2": "p"}, {"x"}),
        ({"x/1": "p", "x/2": "p"}, {"x/1": "", "x/2": ""}, {"x"}),
        ({"x/1": "p", "x/2": ""}, {"x/1": "p", "x/2": ""}, set()),
        ({"x/1": "p", "x/2": ""}, {"x/1": "q", "x/2": "q"}, set()),
        ({"x/1": "", "x/2": ""}, {"x/1": "", "x/2": ""}, set()),
        ({"x/1": "p", "x/2": None}, {"x/1": "p", "x/2": "p"}, {"x"}),
        ({"x/1": "p", "x/2": "p", "y/1": "q"}, {"x/1": "p", "x/2": "p"}, {"x", "y"}),
        ({"x/1": "p", "x/2": "p", "y/a": "q"}, {"x/1": "p", "x/2": "p"}, {"x"}),
        ({"x/a": "p", "x/b": "p"}, {"x/a": "p", "x/b": "p"}, set()),
        ({"x/red": "p", "x/sun": "p"}, {"x/sky": "p", "x/ox": "p"}, {"x"}),
        (
            {"x/run-0a1f.json": "p", "x/run-77": "p"},
            {"x/run-1": "p", "x/run-2.gz": "p"},
            {"x"},
        ),
        ({"1": "p", "2": "p"}, {"1": "p", "2": "p"}, set()),
        ({"x/1": "p", "x/2": "q", "y/1": "r"}, {"x/1": "p", "x/2": "q"}, set()),
    ],
)
def test_runs_of_one_prompt_that_differ_in_numbers_are_repeated(
    a: dict[str, str | None], b: dict[str, str | None], repeated: set[str]
) -> None:
    ones = {f"a/{name}": name for name in a}
    others = {f"b/{name}": name for name in b}
    prompts = {f"a/{name}": prompt for name, prompt in a.items()}
    prompts |= {f"b/{name}": prompt for name, prompt in b.items()}

    found = may_be_repeated(ones, others)

    assert repeated_folders(found, prompts) == repeated


@pytest.mark.parametrize(("ratio", "is_exceeded"), [(2.0, False), (1.9, True)])
def test_a_limit_may_be_reached(
    tmp_path: Path, ratio: float, is_exceeded: bool
) -> None:
    one, other = folders(
        tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(READ, READ)}
    )
    settings = Settings(max_calls_ratio=ratio, min_calls=0, fail_on="critical")

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
    reports = part(suites.reports.REPORTS, 3)

    made = []
    for number in (1, 3):
        monkeypatch.setattr(local, "processors", lambda number=number: number)
        for report in reports:
            done = run(["diff", "a", "b", "--format", report], tmp_path, {})
            made.append((number, report, done))

    for report in reports:
        assert len({done for _, name, done in made if name == report}) == 1


def test_a_worker_that_dies_is_trouble_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number:03}.ndjson" for number in range(60)]
    logs = {name: log(READ) for name in names}
    folders(tmp_path, logs, logs)
    compare = diff_folders.compare

    def die(comparison: Any, case: Any) -> Any:
        if case.name == "031":
            os.kill(os.getpid(), signal.SIGKILL)
        return compare(comparison, case)

    monkeypatch.setattr(diff_folders, "compare", die)
    monkeypatch.setattr(local, "processors", lambda: 2)
    done = run(["diff", "a", "b"], tmp_path, {})

    assert done.status == 2
    assert done.stderr.decode() == (
        "runconv: a/031.ndjson, b/031.ndjson: the worker process died, possibly out of"
        " memory; read this log on its own\nrunconv: 60 cases compared\n"
    )
    assert b"trouble  031" in done.stdout
    assert done.stdout.endswith(b"trouble: 60 cases: 1 trouble, 59 same\n")


def test_a_failure_that_nothing_expects_is_trouble_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from convert.suite import comparing

    def fail(*_: object) -> None:
        raise MemoryError

    folders(tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(READ)})
    monkeypatch.setattr(comparing, "of_pair", fail)
    done = run(["diff", "a", "b"], tmp_path, {})

    assert done.status == 2
    assert b"a/a.ndjson, b/a.ndjson: out of memory; convert parts" in done.stderr


def test_a_folder_that_cannot_be_read_is_trouble_of_what_it_hides(
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
    done = run(["diff", "a", "b", "--format", "json"], tmp_path, {})

    message = "cannot read the folder b/in: permission denied; make it readable, or"
    assert done.status == 2
    assert done.stderr.decode().count(message) == 1
    found = {case["name"]: case["verdict"] for case in json.loads(done.stdout)["cases"]}
    assert found == {"x": "same", "in/y": "trouble", "in/z": "trouble"}


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
    done = run(["diff", "a", "b"], tmp_path, {})

    assert done.status == 2
    assert re.search(rb"^trouble  in  ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("gone", ["b", "b/in"])
def test_a_folder_that_vanishes_is_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    logs = {"x.ndjson": log(READ), "in/y.ndjson": log(READ)}
    folders(tmp_path, logs, logs)
    cases_of = diff_folders._cases

    def vanish(*given: Any) -> Any:
        found = cases_of(*given)
        shutil.rmtree(tmp_path / gone)
        return found

    monkeypatch.setattr(diff_folders, "_cases", vanish)
    done = run(["diff", "a", "b"], tmp_path, {})

    assert done.status == 2
    assert b"b/in/y.ndjson: cannot read it: no such file or directory" in done.stderr
    assert done.stdout.count(b"\ntrouble  ") == (2 if gone == "b" else 1)


def test_a_secret_of_one_log_is_redacted_in_the_other(tmp_path: Path) -> None:
    secret = "Zx81-Vq20-Lm77"
    told = log(READ, text=f"export SHOP_PASSWORD={secret}")
    folders(tmp_path, {"a.ndjson": told}, {"a.ndjson": log(text=f"It is {secret}.")})

    for report in suites.reports.REPORTS:
        done = run(["diff", "a", "b", "--redact", "--format", report], tmp_path, {})
        plain = run(["diff", "a", "b", "--format", report], tmp_path, {})
        assert secret.encode() not in done.stdout + done.stderr
        assert report == "json" or secret.encode() in plain.stdout

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

    for report in suites.reports.REPORTS:
        options = ["--format", report, "--report", f"gitlab={report}.gl"]
        shown = run(["diff", "a", "b", *options], tmp_path, {}).stdout.decode()
        if report == "json":
            shown = str([case["name"] for case in json.loads(shown)["cases"]])
        # Annotations name ten findings alone.
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
    os.mkfifo(tmp_path / "b" / "live.ndjson")

    done = run(words, tmp_path, {})

    assert done.status == 0
    assert done.stderr.endswith(b"; 1 special file left out: b/live.ndjson\n")


def test_warnings_are_counted_over_all_logs(tmp_path: Path) -> None:
    torn = log(READ) + b'{"type":\n'
    names = [f"{number}.ndjson" for number in range(5)]
    folders(tmp_path, dict.fromkeys(names, torn), dict.fromkeys(names, torn))

    done = run(["diff", "a", "b"], tmp_path, {})
    strict = run(["diff", "a", "b", "--strict"], tmp_path, {})

    lines = done.stderr.decode().splitlines()
    assert done.status == 0
    assert len(lines) == 2
    assert "10 times in 10 logs: a/0.ndjson:" in lines[0]
    assert strict.status == 2
    assert strict.stderr.count(b"(--strict)") == 10


def test_a_comment_on_many_cases_fits(tmp_path: Path) -> None:
    calls = [READ, EDIT, FAILED]
    names = [f"{'long-' * 20}{number}.ndjson" for number in range(120)]
    one, other = folders(
        tmp_path,
        {name: log(*calls, text="x" * 500) for name in names},
        {name: log(*reversed(calls), text="y" * 500) for name in names},
    )
    compared = suites.compare_folders(one, other)

    made = suites.report(compared, "markdown")
    table = suites.report(compared)

    assert byte_count(made) < 60_000
    assert re.search(r"^… left out: \d+ major; --full", made, re.MULTILINE)
    assert re.search(r"^… details left out: \d+ major; --full", made, re.MULTILINE)
    assert made.count("<details>") == made.count("</details>")
    assert "… left out: 70 major; --full for the rest" in table
    assert "… details left out: 100 major; --full for the rest" in table
    assert len(table.splitlines()) < 1000


def test_a_terminal_shows_colours_and_no_controls(tmp_path: Path) -> None:
    one, other = folders(
        tmp_path,
        {"a\x1b[2J.ndjson": log(READ)},
        {"a\x1b[2J.ndjson": log(EDIT), "b.ndjson": log()},
    )
    shown = on_terminal("diff", str(one), str(other), "--color", "always")

    assert "\x1b[31m  -   1    read a.py" in shown
    assert "\x1b[2J" not in shown


def test_python_warns_with_the_path_of_a_log(tmp_path: Path) -> None:
    one, other = folders(
        tmp_path, {"a.ndjson": log(READ) + b'{"type":\n'}, {"a.ndjson": log(READ)}
    )
    warned: list[tuple[Any, ...]] = []

    suites.compare_folders(one, other, warn=lambda *given: warned.append(given))

    assert [(path, line) for path, line, *_ in warned] == [(f"{one}/a.ndjson", 7)]


def test_python_raises_for_what_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.ndjson": log(READ)})

    with pytest.raises(convert.InputError, match="is no folder; check the path"):
        suites.compare_folders(tmp_path, tmp_path / "a.ndjson")
    with pytest.raises(convert.UsageError, match="invalid value for format: 'pdf'"):
        suites.report(suites.compare_folders(tmp_path, tmp_path), "pdf")


def test_python_says_what_the_command_prints(tmp_path: Path) -> None:
    a, b = folders(tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(EDIT)})
    compared = suites.compare_folders(a, b)

    for report in ("table", "unified", "json", "markdown"):
        done = run(["diff", str(a), str(b), "--format", report], tmp_path, {})
        assert suites.report(compared, report).encode() == done.stdout


def test_the_schema_is_valid() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


@each(
    "path",
    [
        path
        for case in cases()
        for path in sorted(case.folder.glob("*.json"))
        if path.name in case.written and b'"may_fail"' in path.read_bytes()
    ],
)
def test_golden_reports_match_the_schema(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_bytes()))


def test_the_schema_names_each_member() -> None:
    known = SCHEMA["$defs"]

    for name, kind in (
        ("side", CaseSide),
        ("finding", CaseFinding),
        ("limit", CaseLimit),
        ("repeated", Repeated),
    ):
        members = [each for each in kind.__struct_fields__ if each not in IN_TABLES]
        assert [*known[name]["properties"]] == members
    assert {*known["counts"]["properties"]} == {*Counts.__struct_fields__, "a", "b"}
    assert {*known["settings"]["properties"]} == {
        *Settings().as_dict(),
        *("source", "suite"),
    }
    suite_settings = known["settings"]["properties"]["suite"]["properties"]
    assert {*suite_settings} == {*suites.SuiteSettings().as_dict()}
    assert known["case"]["properties"]["verdict"]["enum"] == [*results.FATES]


@pytest.mark.parametrize(
    "place", [(), ("settings",), ("cases", 0), ("cases", 0, "a"), ("counts",)]
)
def test_a_member_that_the_schema_does_not_name_is_refused(
    place: tuple[str | int, ...], tmp_path: Path
) -> None:
    compared = suite(tmp_path, {"a.ndjson": log(READ)}, {"a.ndjson": log(EDIT)})
    made = json.loads(suites.report(compared, "json"))
    VALIDATOR.validate(made)

    target: Any = made
    for step in place:
        target = target[step]
    target["unheard_of"] = 1

    assert not VALIDATOR.is_valid(made)
