"""Judging two answers by a command of the user's own.

No other part of a comparison writes files or runs a program. The answers go to two
files in a temporary folder, which is removed afterwards. No shell is involved.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from typing import IO

from msgspec import Struct

from convert.cursor.text import paragraph
from convert.errors import OutputError, UsageError, temporary_folder_error
from convert.wording import split_command


class Judgement(Struct, frozen=True):
    """The verdict of a command on two answers."""

    command: str
    """The command as the settings have it."""

    exit: int
    """Its exit status: 0 for the same, 1 for different."""

    output: str
    """The beginning of its standard output."""

    @property
    def is_same(self) -> bool:
        """The command says that the answers are the same."""
        return self.exit == 0


# How many bytes of the output of the command are kept.
_KEPT = 4096
# How long to wait for the end of a pipe whose processes have ended, in seconds.
_PATIENCE = 1
# How long a command may take, in seconds.
_LONGEST = 600


def judge(command: str, a: str, b: str) -> Judgement:
    """Run a command on two answers; raises UsageError if it does not judge them."""
    with _in_files(a=a, b=b) as paths:
        words = [
            re.sub(r"\{([ab])\}", lambda match: paths[match[1]], word)
            for word in split_command(command)
        ]
        status, output, errors = _run(words)
    if status not in (0, 1):
        said = f": {errors.strip()}" if errors.strip() else ""
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        raise _trouble(words[0], f"ended with {ended}, which is not a verdict{said}")
    return Judgement(command, status, output)


@contextlib.contextmanager
def _in_files(**answers: str) -> Iterator[dict[str, str]]:
    """Write answers to files, and yield their paths by the same names."""
    with contextlib.ExitStack() as stack:
        paths = {}
        try:
            made = tempfile.TemporaryDirectory(prefix="runconv-")
            folder = stack.enter_context(made)
            for name, answer in answers.items():
                paths[name] = os.path.join(folder, f"{name}.txt")
                with open(paths[name], "wb") as file:
                    file.write(paragraph(answer, follows=False))
        except OSError as error:
            raise OutputError(temporary_folder_error(error)) from error
        yield paths


def _run(words: list[str]) -> tuple[int, str, str]:
    """Run a command; return its exit status and the beginning of its output."""
    with _started(words) as process:
        streams = (process.stdout, process.stderr)
        try:
            pipes = [_Beginning(stream) for stream in streams if stream]
            status = process.wait(_LONGEST)
        except subprocess.TimeoutExpired:
            what = f"took longer than {_LONGEST} s; try it on two files of your own"
            raise _trouble(words[0], what) from None
        finally:
            _end(process)
        output, errors = (pipe.text() for pipe in pipes)
    return status, output, errors


@contextlib.contextmanager
def _started(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        process = subprocess.Popen(
            # Windows starts a script such as `judge.cmd` by its whole path only.
            [shutil.which(words[0]) or words[0], *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise _trouble(words[0], f"cannot be run: {why}; check the command") from error
    with process:
        yield process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and the processes that it started, so that its pipes close."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class _Beginning:
    """Reads a pipe to its end, and keeps its beginning."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self) -> str:
        """Return the beginning, once the pipe is closed."""
        # A process that has left the group may keep the pipe open.
        self._thread.join(_PATIENCE)
        return self._kept.decode(errors="replace").replace("\r\n", "\n")

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while piece := self._pipe.read(65536):
                self._kept += piece[: _KEPT - len(self._kept)]


def _trouble(program: str, what: str) -> UsageError:
    return UsageError(f"--answer-cmd: {program} {what}")
