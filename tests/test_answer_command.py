"""The command of a user's own that judges two answers."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

import convert
from convert.diff import answer_command, judge
from convert.errors import UsageError
from support.systems import make_pipe

ONE = [b'{"type":"result","subtype":"success","result":"One\\r\\ntwo"}\n']
OTHER = [b'{"type":"result","subtype":"success","result":"Three\\n\\n"}\n']


def python(folder: Path, program: str) -> str:
    """Return a command that runs a program in Python on the two answers."""
    path = folder / "judge me.py"
    answers = "a, b = (open(path, newline='').read() for path in sys.argv[1:])"
    path.write_text(f"import sys\n{answers}\n{program}\n")
    return f"'{sys.executable}' '{path}' {{a}} {{b}}"


def test_the_files_hold_the_answers_as_recorded(tmp_path: Path) -> None:
    command = python(tmp_path, "print(ascii((a, b)), end='')")

    settings = convert.Settings(answer_cmd=command)
    [run] = convert.compare(ONE, OTHER, settings=settings).runs

    assert run.text is not None
    assert run.text.judgement is not None
    assert run.text.judgement.output == r"('One\r\ntwo\n', 'Three\n')"
    assert [finding.waived for finding in run.findings] == ["--answer-cmd"]


def test_each_pair_of_runs_is_judged(tmp_path: Path) -> None:
    command = python(tmp_path, "print(a.split()[0]); sys.exit(a == 'B\\n')")
    logs = [
        b"".join(
            json.dumps(event).encode() + b"\n"
            for text in texts
            for event in (
                {"type": "system", "subtype": "init"},
                {"type": "result", "subtype": "success", "result": text},
            )
        )
        for texts in (("A", "B", "C"), ("1", "2", "C"))
    ]

    settings = convert.Settings(answer_cmd=command)
    compared = convert.compare([logs[0]], [logs[1]], settings=settings)

    judged = [run.text.judgement for run in compared.runs if run.text]
    assert [it and (it.exit, it.output) for it in judged] == [
        (0, "A\n"),
        (1, "B\n"),
        None,
    ]
    assert [finding.severity for finding in compared.findings] == ["info", "major"]
    text = json.loads(convert.report(compared, "json"))["text"]
    assert text["judge"] == {"command": command, "exit": 1, "output": "B\n"}


def test_a_flood_of_output_is_read_but_not_kept(tmp_path: Path) -> None:
    command = python(tmp_path, "print('x' * 10_000_000); print(a, file=sys.stderr)")

    assert judge(command, "a", "b").output == "x" * 4096


def test_bytes_that_are_no_text_do_not_matter(tmp_path: Path) -> None:
    command = python(tmp_path, "sys.stdout.buffer.write(b'\\xff\\x00')")

    assert judge(command, "a\ud800", "b").output == "\ufffd\x00"


def test_no_temporary_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "for files"))
    (tmp_path / "for files").mkdir()

    judge(python(tmp_path, ""), "a", "b")
    with pytest.raises(UsageError):
        judge(python(tmp_path, "sys.exit(2)"), "a", "b")

    assert list((tmp_path / "for files").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_what_the_command_started_is_killed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes its id into a pipe that ends when all who can write have ended."""
    pipe = tmp_path / "pipe"
    make_pipe(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = f"exec 3> '{pipe}'; sleep 1000 & echo started >&3; wait"

    monkeypatch.setattr(answer_command, "_LONGEST", 1)

    with pytest.raises(UsageError, match="took longer than 1 s; try it on two files"):
        judge(f'sh -c "{program}" {{a}} {{b}}', "a", "b")

    os.set_blocking(reader, True)
    assert os.read(reader, 100) == b"started\n"
    assert os.read(reader, 100) == b""
    os.close(reader)


@pytest.mark.parametrize(
    "command", ["", "judge", "judge {a}", "{a} {b}", "judge '{a} {b}"]
)
def test_another_command_is_refused(command: str) -> None:
    with pytest.raises(UsageError, match=r"^invalid value for answer_cmd: "):
        convert.Settings(answer_cmd=command)


def test_only_answers_that_differ_import_the_module_that_runs_a_command() -> None:
    sys.modules.pop("convert.diff.answer_command", None)
    settings = convert.Settings(answer_cmd="judge {a} {b}")

    convert.compare(ONE, ONE, settings=settings)

    assert "convert.diff.answer_command" not in sys.modules
