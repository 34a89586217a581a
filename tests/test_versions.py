"""Several versions side by side: `runconv matrix`, and the same in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convert.errors import InputError, UsageError
from convert.options import SuiteSettings
from convert.suite import compare_versions
from convert.suite import report as suite_report
from convert.suites import OF_VERSIONS
from support.in_process import run
from support.made_cases import Made, edit, log_of, read, shell
from support.matrix import part

NAMES = ("v1", "v2", "v3")
GOOD = Made((read("a.py"), edit("a.py"), shell("pytest -q")))
BAD = GOOD._replace(state="error")


def write(folder: Path, **cases: list[Made]) -> None:
    """Write the logs of a version, each case in a folder of its own."""
    for case, runs in cases.items():
        for number, made in enumerate(runs, 1):
            path = folder / case / f"{number}.ndjson"
            path.parent.mkdir(parents=True, exist_ok=True)
            log = log_of(made._replace(prompt=case), number)
            path.write_bytes(log)


def of_three(place: Path) -> list[Path]:
    """Write three versions; the second broke two cases of three."""
    write(place / "v1", tax=[GOOD] * 4, cart=[GOOD] * 4, mail=[GOOD] * 4)
    write(place / "v2", tax=[BAD] * 4, cart=[BAD] * 4, mail=[GOOD] * 4)
    write(place / "v3", tax=[BAD] * 4, cart=[BAD] * 4, mail=[GOOD] * 3 + [BAD])
    return [place / name for name in NAMES]


def test_the_last_version_is_compared_with_the_first(tmp_path: Path) -> None:
    suite = compare_versions(of_three(tmp_path))

    assert suite.verdict.word == "worse"
    assert suite.worse_since == 1
    assert suite.steps[0].word == "worse"
    assert {case.name: case.standing for case in suite.cases} == {
        "cart": "fell",
        "tax": "fell",
        "mail": "fell",
    }


def test_the_sentence_names_the_version_that_first_was_worse(tmp_path: Path) -> None:
    of_three(tmp_path)

    done = run(["matrix", *NAMES, "-q"], tmp_path, {})

    first = done.stdout.decode().split("\n", 1)[0]
    assert first.startswith("worse: success 100 % → 25 % from v1 to v3 over 3 cases")
    assert "; worse since v2" in first
    assert done.status == 0


def test_the_order_of_versions_is_that_of_the_command(tmp_path: Path) -> None:
    of_three(tmp_path)

    done = run(["matrix", "v3", "v2", "v1", "--format", "json", "-q"], tmp_path, {})

    made = json.loads(done.stdout)
    assert made["versions"] == ["v3", "v2", "v1"]
    assert made["verdict"] == "better"


def test_two_versions_are_compared_as_two_folders_are(tmp_path: Path) -> None:
    of_three(tmp_path)

    matrix = run(["matrix", "v1", "v2", "--format", "json", "-q"], tmp_path, {})
    diff = run(["diff", "v1", "v2", "--format", "json", "-q"], tmp_path, {})

    assert json.loads(matrix.stdout) == json.loads(diff.stdout)


@pytest.mark.seldom
def test_any_number_of_workers_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = {f"case{'abcdef'[at]}": [GOOD, BAD, GOOD, GOOD, BAD] for at in range(6)}
    write(tmp_path / "v1", **cases)
    write(tmp_path / "v2", **{name: [*runs[:3], BAD] for name, runs in cases.items()})
    monkeypatch.setattr("convert.scale.engines.local._FEW", 1)

    printed = set()
    for workers in (1, 3):
        monkeypatch.setattr(
            "convert.scale.engines.local.processors", lambda n=workers: n
        )
        done = run(["matrix", "v1", "v2", "--format", "json"], tmp_path, {})
        printed.add(done.stdout)
        assert done.status == 0

    [line] = printed
    assert len(json.loads(line)["cases"]) == 6


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name", part([name for name in OF_VERSIONS if name != "html"], 3)
)
def test_python_makes_what_the_command_prints(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_three(tmp_path)
    (tmp_path / "v1" / "notes.md").write_bytes(b"Prices are in cents.")

    done = run(["matrix", *NAMES, "--format", name], tmp_path, {})
    # Reports cut long paths.
    monkeypatch.chdir(tmp_path)
    text = suite_report(compare_versions(NAMES), name)

    assert text.encode() == done.stdout


@pytest.mark.parametrize(
    ("folders", "knobs", "error"),
    [
        ("v1", {}, TypeError),
        (["no-such-folder", "neither"], {}, InputError),
        ([], {"suite": SuiteSettings(repeat=True)}, UsageError),
    ],
)
def test_python_refuses_what_the_command_does(
    folders: Any, knobs: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        compare_versions(folders, **knobs)


def test_python_refuses_a_report_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pdf"):
        suite_report(compare_versions(of_three(tmp_path)), "pdf")


def test_a_note_names_the_option_that_the_command_has(tmp_path: Path) -> None:
    for name in NAMES[:2]:
        for number in (1, 2):
            path = tmp_path / name / f"tax-{number}.ndjson"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(log_of(GOOD._replace(prompt="tax"), number))

    several = run(["matrix", *NAMES[:2], "-q"], tmp_path, {}).stdout.decode()
    two = run(["diff", *NAMES[:2]], tmp_path, {}).stdout.decode()

    assert "; --no-repeat makes each path a case" in several
    assert "; --pair-by path makes each path a case" in two
