"""The command `approve`: what it asks, what it writes, and what it leaves."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from convert import convert
from support.golden import GOLDEN
from support.in_process import run
from support.processes import RUNCONV, environment

OTHER = GOLDEN / "diff-more-rounds-of-tests" / "more-rounds.ndjson"
BASELINE = GOLDEN / "diff-more-rounds-of-tests" / "a.ndjson"


class Done(NamedTuple):
    status: int
    output: str
    messages: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with three runs, of which one has been approved otherwise."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        run = tmp_path / "runs" / f"{name}.ndjson"
        run.parent.mkdir(exist_ok=True)
        run.write_bytes(BASELINE.read_bytes())
    assert approve("--yes").status == 0
    (tmp_path / "golden" / "a.json").unlink()
    (tmp_path / "runs" / "b.ndjson").write_bytes(OTHER.read_bytes())
    return tmp_path


def approve(*arguments: str, answers: str | None = None, **more: str) -> Done:
    """Approve the runs, with these answers on a terminal or with none at all.

    A command that asks nobody needs no process.
    """
    words = ["approve", "runs", "-o", "golden/", *arguments]
    if answers is None:
        status, printed, messages = run(words, Path.cwd(), environment(**more))
        return Done(status, printed.decode(), messages.decode())
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [RUNCONV, *words],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**more),
        text=True,
    ) as process:
        os.close(theirs)
        os.write(ours, answers.encode())
        output, errors = process.communicate()
    os.close(ours)
    return Done(process.returncode, output, errors)


def goldens(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (folder / "golden").glob("*")}


def test_each_run_that_is_new_or_differs_is_asked_for(folder: Path) -> None:
    before = goldens(folder)

    done = approve(answers="y\nn\n")

    assert done.status == 1
    assert "new: golden/a.json: 4 calls of runs/a.ndjson\n" in done.output
    assert "changed: golden/b.json: different (major)" in done.output
    assert "+edit src/price.py\n" in done.output
    assert "approve golden/a.json? [y]es, [n]o, [a]ll, [q]uit: " in done.messages
    assert "3 runs: 1 new, 1 unchanged, 1 not approved\n" in done.messages
    assert goldens(folder) == {**before, "a": before["c"]}


def test_all_approves_what_follows(folder: Path) -> None:
    done = approve(answers="all\n")

    assert done.status == 0
    assert "approve golden/b.json" not in done.messages
    assert "3 runs: 1 new, 1 changed, 1 unchanged\n" in done.messages
    assert approve("--yes").messages == "runconv: 3 runs: 3 unchanged\n"


@pytest.mark.parametrize("answers", ["q\n", "\x04", "what\nquit\n"])
def test_nothing_is_written_after_quit(folder: Path, answers: str) -> None:
    before = goldens(folder)

    done = approve(answers=answers)

    assert done.status == 1
    assert "changed:" not in done.output
    assert "3 runs: 3 not approved" in done.messages
    assert ("y approves this run" in done.messages) == answers.startswith("what")
    assert goldens(folder) == before


def test_nobody_is_asked_in_a_script_or_in_ci(folder: Path) -> None:
    before = goldens(folder)

    without_terminal = approve()
    in_ci = approve(answers="y\ny\n", CI="true")

    assert (without_terminal.status, in_ci.status) == (2, 2)
    assert "approve them with --yes" in without_terminal.messages
    assert "CI=true" in in_ci.messages
    assert goldens(folder) == before
    assert approve("--yes", CI="true").status == 0
    assert goldens(folder) != before


def test_a_run_that_failed_is_refused_and_the_others_are_approved(
    folder: Path,
) -> None:
    lines = BASELINE.read_bytes().splitlines(keepends=True)
    (folder / "runs" / "b.ndjson").write_bytes(b"".join(lines[:-1]))
    before = goldens(folder)

    done = approve("--yes")

    assert done.status == 1
    assert "runs/b.ndjson: the run breaks off before its result" in done.messages
    assert "1 new, 1 unchanged, 1 refused" in done.messages
    assert goldens(folder) == {**before, "a": before["c"]}
    assert approve("--yes", "--partial").status == 0


def test_a_log_that_cannot_be_read_is_trouble(folder: Path) -> None:
    (folder / "runs" / "b.ndjson").write_text('{"type": "system"')

    done = approve("--yes")

    assert done.status == 2
    assert "runs/b.ndjson: " in done.messages
    assert "1 new, 1 unchanged, 1 failed" in done.messages


def test_a_golden_that_was_damaged_is_repaired(folder: Path) -> None:
    golden = folder / "golden" / "c.json"
    whole = golden.read_bytes()
    golden.write_bytes(whole.replace(b'"trajectory": 1', b'"trajectory": 9'))

    done = approve("--yes")

    assert done.status == 0
    assert "changed: golden/c.json: " in done.output
    assert golden.read_bytes() == whole


def test_the_golden_that_a_run_is_nearest_to_is_replaced(folder: Path) -> None:
    second = folder / "golden" / "b.2.json"
    second.write_bytes((folder / "golden" / "b.json").read_bytes())
    first = b"".join(convert(OTHER, "trajectory")).replace(b"pytest", b"tox")
    (folder / "golden" / "b.json").write_bytes(first)
    before = goldens(folder)

    done = approve("--yes")

    assert "changed: golden/b.2.json: " in done.output
    approved = b"".join(convert(OTHER, "trajectory"))
    assert goldens(folder) == {**before, "a": before["c"], "b.2": approved}
    assert approve("--yes").messages == "runconv: 3 runs: 3 unchanged\n"


def test_settings_of_the_project_say_what_is_noise(folder: Path) -> None:
    settings = '[tool.runconv.diff]\nscrub = ["price=>PRICE"]\n'
    (folder / "pyproject.toml").write_text(settings)

    assert approve("--yes").status == 0
    assert b"src/PRICE.py" in goldens(folder)["a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runs",), "approve needs -o"),
        (("-o", "golden/"), "approve takes the runs and the folder of their goldens"),
        (("runs", "-o", "one.json"), "one.json holds one run; use -o FOLDER/"),
        (("runs/a.ndjson", "-o", "one"), "one is no golden; name a folder"),
        (("runs/a.ndjson", "-o", "runs/a.ndjson"), "is no golden"),
        (("-", "-o", "one.json"), "which is a log here"),
    ],
)
def test_bad_usage_writes_nothing(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.*son")}
    yes = () if arguments[0] == "-" else ("--yes",)

    done = run(["approve", *arguments, *yes], folder, environment())

    assert done.status == 2
    assert message in done.stderr.decode()
    assert {path: path.read_bytes() for path in folder.rglob("*.*son")} == before
