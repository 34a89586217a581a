"""Windows and macOS, as far as this system can act as one of them."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import ntpath
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from convert import __main__
from convert.cli import destination, folders, pager, settings
from convert.cli.logs import NamedLog
from convert.diff import answer_command
from convert.errors import OutputError, UsageError
from convert.wording import split_command
from convert.wording.numbers import utc


@contextlib.contextmanager
def windows() -> Iterator[pytest.MonkeyPatch]:
    """Let the modules of the standard library say that this is Windows.

    No path can be made meanwhile, so pytest must not see it.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        patch.setattr(os, "name", "nt")
        yield patch


def with_paths_of_windows(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    """Let a module see the paths of Windows, and a current folder on drive C."""
    paths = SimpleNamespace(**vars(ntpath))
    paths.realpath = paths.abspath = ntpath.normpath
    paths.relpath = lambda path, start="C:\\work": ntpath.relpath(path, start)
    system = SimpleNamespace(**{**vars(os), "path": paths, "sep": "\\"})
    monkeypatch.setattr(module, "os", system)


TESTS = Path(__file__).parent
# Imports every module of tests where the modules and functions of POSIX are missing.
WITHOUT_POSIX = """
import importlib, os, pathlib, select, signal, sys, pytest
names = {
    os: "chown fchmod fchown fork forkpty geteuid getgid getuid killpg mkfifo openpty"
    " pidfd_open posix_fadvise posix_spawn pread sched_getaffinity sched_yield"
    " set_blocking setsid",
    select: "poll",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGUSR1 alarm"
    " setitimer",
}
for module, missing in names.items():
    for name in missing.split():
        vars(module).pop(name, None)
for name in "fcntl grp pty pwd resource termios tty".split():
    sys.modules[name] = None
sys.path += sys.argv[1:]
for path in sorted(pathlib.Path(sys.argv[1]).glob("test_*.py")):
    try:
        importlib.import_module(path.stem)
    except pytest.skip.Exception as reason:
        print(path.stem, reason)
"""


class Console:
    """A console of Windows as its functions show it."""

    def __init__(self) -> None:
        self.page = 850
        self.modes = {1: 3, 2: 3}

    def GetConsoleOutputCP(self) -> int:  # noqa: N802
        return self.page

    def SetConsoleOutputCP(self, page: int) -> None:  # noqa: N802
        self.page = page

    def GetConsoleMode(self, console: ctypes.c_void_p, mode: Any) -> bool:  # noqa: N802
        mode._obj.value = self.modes[console.value or 0]
        return True

    def SetConsoleMode(self, console: ctypes.c_void_p, mode: int) -> None:  # noqa: N802
        self.modes[console.value or 0] = mode


def test_a_console_of_windows_reads_utf_8_until_the_end() -> None:
    console, pages = Console(), list[int]()
    system, runtime = (
        SimpleNamespace(kernel32=console),
        SimpleNamespace(get_osfhandle=lambda file: file),
    )

    with windows() as patch:
        patch.setattr(ctypes, "windll", system, raising=False)
        patch.setitem(sys.modules, "msvcrt", runtime)
        patch.setattr(os, "isatty", lambda file: file == 1)
        patch.setattr(__main__, "main", lambda: pages.append(console.page))
        patch.setattr(os, "_exit", lambda _: pages.append(console.page))
        __main__.command()

    assert pages == [65001, 850]
    # Sequences for colours, on the stream that is a console.
    assert console.modes == {1: 3 | 4, 2: 3}


def test_no_console_of_windows_is_changed_for_a_file() -> None:
    with windows() as patch:
        patch.setattr(os, "isatty", lambda _: False)
        page = __main__._console_in_utf_8()

    assert page == 0


@pytest.mark.parametrize(
    ("may_be_pipe", "expected"), [(True, BrokenPipeError), (False, OutputError)]
)
def test_windows_calls_a_write_to_a_closed_pipe_invalid(
    may_be_pipe: bool, expected: type[Exception]
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    write = destination.writing_to(1, destination.STANDARD, may_be_pipe=may_be_pipe)
    with windows() as patch:
        patch.setattr(os, "write", refuse)
        with pytest.raises(expected):
            write(b"Run failed\n")


def test_a_backslash_in_a_command_is_a_part_of_a_path_of_windows() -> None:
    with windows():
        words = split_command(r'"C:\Program Files\less.exe" -R C:\a "b c" # d')

    assert words == [r"C:\Program Files\less.exe", "-R", r"C:\a", "b c", "#", "d"]
    assert split_command(r'a\ b "c\"d" # e') == ["a b", 'c"d', "#", "e"]


def test_a_script_is_started_by_its_whole_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []

    def start(words: list[str], **_: object) -> object:
        started.append(words)
        raise FileNotFoundError(errno.ENOENT, "Not here")

    for name in ("less.cmd", "judge.cmd"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PAGER", "less.cmd -R")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(os, "isatty", lambda _: True)
    monkeypatch.setattr(pager, "height", lambda: 1)

    assert not pager.show_in_pager([b"a\n", b"b\n"])
    with pytest.raises(UsageError, match=r"judge\.cmd cannot be run: not here"):
        answer_command.judge("judge.cmd {a} {b}", "1", "2")

    assert started[0] == [str(tmp_path / "less.cmd"), "-R"]
    assert started[1][0] == str(tmp_path / "judge.cmd")


def test_a_path_on_another_drive_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    with_paths_of_windows(monkeypatch, folders)

    is_inside = folders.inside_of("C:\\out")

    assert is_inside("C:\\out\\a\\run.md")
    assert not is_inside("C:\\run.md")
    assert not is_inside("D:\\out\\run.md")


def test_outputs_that_differ_in_case_are_refused_where_a_disk_ignores_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs = [NamedLog("a/Run.ndjson", "Run.ndjson"), NamedLog("b/run.json", "run.json")]

    monkeypatch.setattr(sys, "platform", "linux")
    assert folders.paths_in(logs, "out", ".md") == ["out/Run.md", "out/run.md"]

    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UsageError, match=r"would both become out/run\.md"):
        folders.paths_in(logs, "out", ".md")


def test_settings_on_another_drive_have_their_whole_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_paths_of_windows(monkeypatch, settings)

    assert settings._relative("C:\\work\\sub\\pyproject.toml") == "sub/pyproject.toml"
    assert settings._relative("D:\\logs\\pyproject.toml") == "D:/logs/pyproject.toml"


def test_a_time_that_windows_does_not_know_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: float) -> time.struct_time:
        raise OSError(errno.EINVAL, "Invalid argument")

    assert utc(1_772_445_600_000) == "2026-03-02 10:00:00"
    monkeypatch.setattr(time, "gmtime", refuse)
    assert utc(-1) == ""


@pytest.mark.seldom
def test_every_module_of_tests_can_be_imported_without_posix() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            WITHOUT_POSIX,
            str(TESTS),
            str(TESTS.parent / "scripts"),
        ],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "test_run needs named pipes, which this system lacks" in done.stdout
