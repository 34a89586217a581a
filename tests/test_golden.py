"""Every golden case comes out as it stands there, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Case, cases, copy_inputs, run


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_golden(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    copy_inputs(case, tmp_path)

    for command in case.commands:
        done = run(command, tmp_path)

        assert (done.returncode, done.stdout, done.stderr) == (
            command.status,
            b"",
            b"",
        ), command.line
    if request.config.getoption("update"):
        _update(case, tmp_path)

    made = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*")
        if not path.is_dir()
    }
    expected = {name: (case.folder / name).read_bytes() for name in case.files}
    assert made == expected


def _update(case: Case, made: Path) -> None:
    for name in sorted(case.written):
        expected = case.folder / name
        content = (made / name).read_bytes()
        if not expected.exists() or expected.read_bytes() != content:
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(content)
            print(f"rewrote {case.folder.name}/{name}")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_golden_case_says_why_and_has_no_stray_file(case: Case) -> None:
    named = {name for name in case.files if any(name in c.line for c in case.commands)}

    assert case.why, "cmd begins with # and why the case exists"
    assert case.files == named, "each file is named by a command"
