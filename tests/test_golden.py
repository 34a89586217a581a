"""Every golden case produces its stored outputs, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

from support.golden import (
    GOLDEN,
    Case,
    Command,
    cases,
    copy_inputs,
    difference,
    files_in,
)
from support.in_process import Done, environment_of
from support.libraries import need
from support.matrix import each, part
from support.shell import ENVIRONMENT, run_by_shell, run_line
from support.systems import need_system

# Cases, and the purpose of each: by default the first.
THROUGH_THE_COMMAND = {
    "diff-other-prompts-and-models": "comparisons",
    "output-to-a-folder": "a folder",
    "output-in-a-runners-log": "the environment",
    "noise-between-the-lines": "warnings and errors",
    "help-and-formats": "the help",
}
# Libraries that the commands of a case name in a message.
LIBRARIES = {
    "table-bad-usage": ["pyarrow"],
    "urls-that-cannot-be-used": ["fsspec", "distributed"],
}
# A part of a command, and what it needs of the system.
OF_SYSTEMS = {
    "/proc/": "/proc",
    "/dev/full": "/dev/full",
    "/dev/std": "files for open streams",
    "stat -c": "programs of GNU",
    "touch -d": "a shell",
}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_golden(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    need(*LIBRARIES.get(case.folder.name, []))
    for words, name in OF_SYSTEMS.items():
        if any(words in command.line for command in case.commands):
            need_system(name)
    copy_inputs(case, tmp_path)
    made: dict[str, bytes] = {}

    with environment_of(ENVIRONMENT):
        for command in case.commands:
            done = run_line(command.line, tmp_path)

            assert done == Done(command.status, b"", b""), command.line
            for name, content in written(command, tmp_path):
                before = made.setdefault(name, content)
                assert content == before, f"{command.line} writes {name} once more"
    if request.config.getoption("update"):
        update(case, made)
    for name, content in made.items():
        check(case, name, content)
    assert files_in(tmp_path) == case.files


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", part(THROUGH_THE_COMMAND, 5))
def test_the_installed_command_does_the_same(name: str, tmp_path: Path) -> None:
    [case] = [case for case in cases() if case.folder.name == name]
    copy_inputs(case, tmp_path)

    for command in case.commands:
        done = run_by_shell(command.line, tmp_path)

        assert done == Done(command.status, b"", b""), command.line
        for name, content in written(command, tmp_path):
            check(case, name, content)


def written(command: Command, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a command wrote, with their contents."""
    for name in command.written:
        yield name, (folder / name).read_bytes()


def check(case: Case, name: str, made: bytes) -> None:
    """Fail with a diff if a file is not as expected."""
    path = case.folder / name
    expected = path.read_bytes() if path.exists() else b""
    if made != expected or not path.exists():
        pytest.fail(difference(name, expected, made), pytrace=False)


def update(case: Case, made: dict[str, bytes]) -> None:
    """Store the outputs of a case in its folder."""
    for name, content in made.items():
        expected = case.folder / name
        if not expected.exists() or expected.read_bytes() != content:
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(content)
            print(f"rewrote {case.folder.name}/{name}")


def folders_of(name: str) -> set[str]:
    """The folders that a file of a case lies in, but for that of the case."""
    return {*map(str, PurePath(name).parents)} - {"."}


def words_of(line: str) -> set[str]:
    """The words of a command; a folder may end in a slash."""
    return {word.rstrip("/") for word in line.split()}


@each("case", cases())
def test_golden_case_says_why_and_has_no_stray_file(case: Case) -> None:
    named = {
        name
        for name in case.files
        if any(name in command.line for command in case.commands)
        or any(folders_of(name) & words_of(command.line) for command in case.commands)
    }

    assert case.why, "cmd begins with # and why the case exists"
    assert case.files == named, "each file is named by a command"


def test_each_golden_folder_has_a_cmd() -> None:
    folders = {path for path in GOLDEN.iterdir() if path.is_dir()}

    assert folders == {case.folder for case in cases()}
