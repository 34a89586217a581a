"""Run the command line inside this process, as if it were a process of its own.

Starting Python and importing the package takes far longer than most conversions.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from convert.cli import run as run_command_line
from convert.cli.output_files import ENDING
from support.systems import need_system
from support.terminals import read_terminal

_FLAGS = {
    "<": os.O_RDONLY,
    ">": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    ">>": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
}


class Redirection(NamedTuple):
    """One redirection of a shell command: `2> err.txt`, or `2>&1`."""

    stream: int
    operator: str
    """`<`, `>`, `>>` or `>&`"""
    target: str
    """A file, or the number of a stream after `>&`."""


class Done(NamedTuple):
    """The exit status of a command, and its output that is not redirected."""

    status: int
    stdout: bytes
    stderr: bytes


def run(
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    redirections: Iterable[Redirection] = (),
    before: str = "",
    after: str = "",
) -> Done:
    """Run `runconv` with these arguments in a folder.

    `before` and `after` are shell commands on either side of it in a pipeline. As in a
    shell, the status of a pipeline is that of its last command.
    """
    if arguments[:1] == ["run"]:
        need_system("groups of processes")
    with (
        _standard_streams() as printed,
        contextlib.chdir(folder),
        environment_of(environment),
        _signal_handlers(),
        _fed_by(before, environment),
        _feeding(after, environment) as reader,
    ):
        for redirection in redirections:
            _redirect(*redirection)
        status = _status(arguments)
    return Done(reader.returncode if reader else status, *printed)


def run_in_runner(
    arguments: list[str], folder: Path, environment: Mapping[str, str]
) -> Done:
    """Run `runconv` in a step of a GitHub runner, which reads a pipe."""
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, ThreadPoolExecutor(1) as pool:
        printed = pool.submit(pipe.read)
        into_pipe = [Redirection(1, ">&", str(writing))]
        environment = {**environment, "GITHUB_ACTIONS": "true"}
        try:
            done = run(arguments, folder, environment, into_pipe)
        finally:
            os.close(writing)
        return done._replace(stdout=printed.result())


def run_on_terminal(
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    columns: int = 80,
    streams: Iterable[int] = range(3),
) -> tuple[int, str]:
    """Run `runconv` with streams on a terminal; return the status and the screen."""
    need_system("terminals")
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    terminal = [Redirection(stream, ">&", str(theirs)) for stream in streams]
    # A terminal that nobody reads holds a few pages, and then blocks.
    with ThreadPoolExecutor(1) as pool:
        shown = pool.submit(read_terminal, ours)
        try:
            # Nobody would leave a pager.
            done = run(arguments, folder, {"PAGER": "", **environment}, terminal)
        finally:
            os.close(theirs)
        return done.status, shown.result()


def _status(arguments: list[str]) -> int:
    """Act like `convert.__main__.main`, but leave this process as it is."""
    try:
        return run_command_line(arguments)
    except BrokenPipeError:
        return 141


@contextlib.contextmanager
def _standard_streams() -> Iterator[list[bytes]]:
    """Replace the standard streams; yield a list that receives the output.

    The list is filled at the end: standard output, then standard error.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    printed: list[bytes] = []
    saved = [os.dup(stream) for stream in range(3)]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            _redirect(0, "<", os.devnull)
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            yield printed
        finally:
            for stream, file in enumerate(saved):
                os.dup2(file, stream)
                os.close(file)
        for made in (output, errors):
            made.seek(0)
            printed.append(made.read())


def _redirect(stream: int, operator: str, target: str) -> None:
    if operator == ">&":
        os.dup2(int(target), stream)
        return
    file = os.open(target, _FLAGS[operator], 0o666)
    os.dup2(file, stream)
    os.close(file)


@contextlib.contextmanager
def _fed_by(command: str, environment: Mapping[str, str]) -> Iterator[None]:
    if not command:
        yield
        return
    need_system("a shell")
    with subprocess.Popen(
        ["sh", "-c", command], env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        os.dup2(process.stdout.fileno(), 0)
        try:
            yield
        finally:
            # A command whose output is not read to the end would wait forever.
            _redirect(0, "<", os.devnull)


@contextlib.contextmanager
def _feeding(
    command: str, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Yield the process that reads standard output, which has ended afterwards."""
    if not command:
        yield None
        return
    need_system("a shell")
    with subprocess.Popen(
        ["sh", "-c", command], env=environment, stdin=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        os.dup2(process.stdin.fileno(), 1)
        process.stdin.close()
        try:
            yield process
        finally:
            _redirect(1, ">", os.devnull)


@contextlib.contextmanager
def environment_of(environment: Mapping[str, str]) -> Iterator[None]:
    """Have these variables, and no others.

    To set all of them takes a tenth of the time of a short command, so many commands
    are run within this.
    """
    saved = dict(os.environ)
    _set_environment(environment)
    try:
        yield
    finally:
        _set_environment(saved)


def _set_environment(environment: Mapping[str, str]) -> None:
    now = dict(os.environ)
    for name in now.keys() - environment.keys():
        del os.environ[name]
    for name, value in environment.items():
        if now.get(name) != value:
            os.environ[name] = value


@contextlib.contextmanager
def _signal_handlers() -> Iterator[None]:
    """Put back the handlers and the hook that a conversion to a file installs.

    With that hook, pytest would not see errors of destructors, which cannot be raised.
    """
    saved = {number: signal.getsignal(number) for number in ENDING}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in saved.items():
            signal.signal(number, handler)
