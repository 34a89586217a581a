"""The command `approve`: its questions, the files it writes, and those it leaves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from convert import convert
from convert.suites import Approval
from support.golden import GOLDEN
from support.in_process import run
from support.matrix import part
from support.processes import RUNCONV, environment
from support.systems import make_pipe, need_system

OTHER = GOLDEN / "diff-more-rounds-of-tests" / "more-rounds.ndjson"
BASELINE = GOLDEN / "diff-more-rounds-of-tests" / "a.ndjson"


class Done(NamedTuple):
    status: int
    output: str
    messages: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with three runs; one of them has been approved otherwise."""
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
    need_system("terminals")
    import pty

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


def test_the_answer_all_approves_the_runs_that_follow(folder: Path) -> None:
    done = approve(answers="all\n")

    assert done.status == 0
    assert "approve golden/b.json" not in done.messages
    assert "3 runs: 1 new, 1 changed, 1 unchanged\n" in done.messages
    assert approve("--yes").messages == "runconv: 3 runs: 3 unchanged\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize("answers", part(["q\n", "\x04", "what\nquit\n"], 3))
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


VERSION = b'"trajectory": 1'


UNREADABLE = [
    (b'{"my": "config"}\n', "golden/c.json is no trajectory, so it is left"),
    (b"", "golden/c.json is no trajectory"),
    (OTHER.read_bytes(), "golden/c.json is no trajectory"),
    (b'{"trajectory": 9, "runs": []}', "golden/c.json: a trajectory of version 9"),
    (b'{"trajectory": 1, "runs": 5}', "golden/c.json: runs: expected array"),
    (b"<<<<<<< HEAD\n{\n" + VERSION, "golden/c.json:1: a conflict that a merge"),
]


@pytest.mark.parametrize(
    ("content", "message", "number"),
    [
        *((content, message, "") for content, message in UNREADABLE),
        # Any other content is no further golden, and no damaged one.
        *(
            (content, message, ".2")
            for content, message in UNREADABLE
            if b"trajectory" in content
        ),
    ],
)
def test_what_is_no_golden_that_can_be_read_is_left_as_it_is(
    folder: Path, content: bytes, message: str, number: str
) -> None:
    (folder / "golden" / f"c{number}.json").write_bytes(content)
    (folder / "runs" / "c.ndjson").write_bytes(OTHER.read_bytes().replace(b"-q", b"-v"))
    before = goldens(folder)

    done = approve("--yes")

    assert done.status == 2
    assert message.replace("c.json", f"c{number}.json") in done.messages
    assert "1 new, 1 changed, 1 failed" in done.messages
    for name in ("c", "c.2"):
        assert goldens(folder).get(name) == before.get(name)


def test_a_whole_log_that_matches_is_as_good_as_a_golden(folder: Path) -> None:
    (folder / "golden" / "c.json").write_bytes(BASELINE.read_bytes())
    (folder / "golden" / "b.json").rename(folder / "golden" / "b.2.json")
    before = goldens(folder)

    assert "1 unchanged" in approve("--yes").messages
    assert goldens(folder)["c"] == before["c"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", part(["link", "pipe", "folder"], 3))
def test_only_a_file_is_a_golden(folder: Path, kind: str) -> None:
    golden = folder / "golden" / "c.json"
    golden.rename(folder / "c.json")
    match kind:
        case "link":
            golden.symlink_to(folder / "c.json")
        case "pipe":
            make_pipe(golden)
        case _:
            golden.mkdir()

    done = approve("--yes")

    assert done.status == 2
    assert f"golden/c.json is a {kind}" in done.messages
    assert "1 new, 1 changed, 1 failed" in done.messages


def test_a_log_next_to_goldens_is_the_golden_of_its_case(folder: Path) -> None:
    (folder / "golden" / "a.ndjson").write_bytes(OTHER.read_bytes())
    before = goldens(folder)

    done = approve("--yes")

    assert done.status == 2
    assert "golden/a.ndjson is the golden of runs/a.ndjson already" in done.messages
    assert goldens(folder) == before
    (folder / "golden" / "a.ndjson").write_text("notes\n")
    (folder / "golden" / "a.ndjson").rename(folder / "golden" / "a.txt")
    assert approve("--yes").status == 0


def test_two_logs_of_one_case_are_not_approved(folder: Path) -> None:
    other = folder / "runs" / "b.jsonl"
    other.write_bytes(BASELINE.read_bytes())
    before = goldens(folder)

    done = approve("--yes")

    assert done.status == 2
    assert "runs/b.jsonl and runs/b.ndjson are logs of one case" in done.messages
    assert goldens(folder) == before
    other.rename(folder / "runs" / "b.txt").write_text("notes\n")
    done = approve("--yes")
    assert "1 new, 1 changed, 1 unchanged; 1 other file skipped" in done.messages
    assert {*goldens(folder)} == {"a", "b", "c"}


def test_a_run_is_not_approved_as_a_further_golden_of_another(folder: Path) -> None:
    (folder / "runs" / "b.2.ndjson").write_bytes(BASELINE.read_bytes())
    before = goldens(folder)
    alone = ["approve", "runs/b.2.ndjson", "-o", "golden/b.2.json", "--yes"]

    done = approve("--yes")

    assert done.status == 2
    assert "golden/b.2.json would be a further golden of golden/b.json" in done.messages
    assert "rename runs/b.2.ndjson" in done.messages
    assert goldens(folder) == before
    assert run(alone, folder, environment()).status == 0
    assert {*goldens(folder)} == {"b", "b.2", "c"}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            'ignore-arg = ["edit.path"]',
            "",
            "it was made with --ignore-arg edit.path",
        ),
        ('scrub = ["price=>P"]', "", "it was made with --scrub price=>P"),
        (
            "",
            'keep-arg = ["edit.path"]',
            "it was made without --keep-arg edit.path",
        ),
        ("", "raw = true", "it was made without --raw"),
    ],
)
def test_a_golden_with_less_than_the_run_is_replaced(
    folder: Path, before: str, after: str, reason: str
) -> None:
    settings = folder / "pyproject.toml"
    settings.write_text(f"[tool.runconv.diff]\n{before}\n")
    for golden in (folder / "golden").iterdir():
        golden.unlink()
    approve("--yes")
    settings.write_text(f"[tool.runconv.diff]\n{after}\n")

    done = approve("--yes")

    assert f"changed: golden/c.json: {reason}\n" in done.output
    assert "3 runs: 3 changed\n" in done.messages
    assert "3 runs: 3 unchanged\n" in approve("--yes").messages


def test_a_golden_of_a_log_that_records_less_is_replaced(folder: Path) -> None:
    result = BASELINE.read_bytes().splitlines()[-1]
    less = b"".join(convert(b"".join(convert(result, "json")), "trajectory"))
    (folder / "golden" / "c.json").write_bytes(less)

    done = approve("--yes")

    assert (
        "changed: golden/c.json: it holds no calls, it holds no prompt" in done.output
    )
    assert goldens(folder)["c"] == b"".join(convert(BASELINE, "trajectory"))


def test_a_golden_that_holds_secrets_is_replaced_with_redact(folder: Path) -> None:
    secret = BASELINE.read_bytes().replace(b"pytest -q", b"TOKEN=4f9d2c7b1e pytest -q")
    (folder / "runs" / "c.ndjson").write_bytes(secret)
    approve("--yes")
    assert b"4f9d2c7b1e" in goldens(folder)["c"]

    done = approve("--yes", "--redact")

    assert "changed: golden/c.json: it holds " in done.output
    assert b"4f9d2c7b1e" not in goldens(folder)["c"]
    assert "3 runs: 3 unchanged\n" in approve("--yes", "--redact").messages


@pytest.mark.parametrize("setting", ["outputs = true", 'text = "exact"'])
def test_nothing_is_approved_that_no_check_could_use(
    folder: Path, setting: str
) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.runconv.diff]\n{setting}\n")
    before = goldens(folder)

    done = approve("--yes")

    assert done.status == 2
    assert "a trajectory " in done.messages
    assert goldens(folder) == before


def test_a_new_golden_names_those_of_its_case(folder: Path) -> None:
    golden = folder / "golden" / "c.json"
    golden.rename(golden.with_name("c.2.json"))

    done = approve("--yes")

    line = "new: golden/c.json: 4 calls of runs/c.ndjson; a run may also match "
    assert f"{line}golden/c.2.json\n" in done.output


def test_all_are_approved_though_nobody_reads_the_differences(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [RUNCONV, "approve", "runs", "-o", "golden/", "--yes"]

    done = subprocess.run(
        words, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False
    )

    os.close(writer)
    assert done.returncode == 0
    assert done.stderr == b"runconv: 3 runs: 1 new, 1 changed, 1 unchanged\n"
    assert approve("--yes").messages == "runconv: 3 runs: 3 unchanged\n"


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_golden_that_changes_during_the_question_is_left(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = folder / "golden" / f"{name}.json"

    def answer(self: Approval, path: str) -> bool:
        if path == f"golden/{name}.json":
            golden.write_text("another")
        return True

    monkeypatch.setattr(Approval, "_is_approved", answer)

    done = approve("--yes")

    assert done.status == 2
    assert f"golden/{name}.json has changed since" in done.messages
    assert golden.read_text() == "another"


def test_names_are_spelled_on_one_line(folder: Path) -> None:
    (folder / "runs" / "n\nl.ndjson").write_bytes(BASELINE.read_bytes())

    assert (
        "new: golden/n\\nl.json: 4 calls of runs/n\\nl.ndjson\n"
        in approve("--yes").output
    )


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


def test_settings_of_the_project_decide_on_noise(folder: Path) -> None:
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
