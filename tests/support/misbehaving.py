"""Agents that misbehave, each a script of `misbehaving_agents`, under `runconv run`.

A script keeps what it says in a folder, the record, and each of its processes holds a
pipe there open: when the pipe is at its end, no process is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from support.processes import RUNCONV, environment

SCRIPTS = Path(__file__).parent / "misbehaving_agents"
FLOOD = 1000
# Seconds until a command, or a process that was killed, is taken to hang.
_HANGS = 60


class Ended(NamedTuple):
    """How `runconv run` ended, and what is left of it."""

    status: int
    stdout: bytes
    stderr: str
    log: bytes
    record: Path
    words: list[str]
    """The words that the script told the test."""
    has_left: bool
    """A process of the agent is left."""
    seconds: float
    """From the last line of the agent to the end; from the start if it said nothing."""

    @property
    def last_line(self) -> str:
        """The last line on standard error."""
        return self.stderr.rstrip("\n").rpartition("\n")[2]

    def said(self, stream: str) -> bytes:
        """Return all that the agent wrote to a stream."""
        path = self.record / stream
        return path.read_bytes() if path.exists() else b""


class Trial:
    """One run of an agent under `runconv run`, in a folder."""

    def __init__(
        self,
        folder: Path,
        script: str,
        *options: str,
        agent: str = "cursor",
        command: Sequence[str] = (RUNCONV,),
        flood: int = FLOOD,
        stdout: int | None = None,
    ) -> None:
        self.record = folder / "record"
        self.record.mkdir()
        self.log = folder / "run.log"
        os.mkfifo(self.record / "alive")
        self._alive = os.open(self.record / "alive", os.O_RDONLY | os.O_NONBLOCK)
        self._words = b""
        self._out, self._err = folder / "out", folder / "err"
        variables = environment(
            RECORD=str(self.record),
            AGENT=agent,
            FLOOD=f"{flood}",
            PYTHON=sys.executable,
        )
        if "--log" not in options:
            options = ("--log", str(self.log), *options)
        self._started = time.time()
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [*command, "run", *options, "--", str(SCRIPTS / script)],
                stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout,
                stderr=err,
                env=variables,
            )

    def wait_for(self, word: str) -> None:
        """Wait until the script tells a word."""
        while f"{word}\n".encode() not in self._words:
            assert select.select([self._alive], [], [], _HANGS)[0], f"no {word}"
            self._words += os.read(self._alive, 1000)

    def end(self) -> Ended:
        """Wait until the command ends, and say how it did."""
        try:
            status = self.process.wait(_HANGS)
        finally:
            self.process.kill()
        ended = time.time()
        has_left = not self._all_have_ended()
        os.close(self._alive)
        said = [self.record / "stdout", self.record / "stderr"]
        times = [path.stat().st_mtime for path in said if path.exists()]
        return Ended(
            status,
            self._out.read_bytes(),
            self._err.read_text("utf-8"),
            self.log.read_bytes() if self.log.exists() else b"",
            self.record,
            self._words.decode().split(),
            has_left,
            ended - max(times, default=self._started),
        )

    def _all_have_ended(self) -> bool:
        """Return True if the pipe is at its end; a killed process may take a moment."""
        while True:
            with contextlib.suppress(BlockingIOError):
                while piece := os.read(self._alive, 1000):
                    self._words += piece
                return True
            if not select.select([self._alive], [], [], 1)[0]:
                return False


class Try(NamedTuple):
    """One try of `runconv run` in its log."""

    stdout: bytes
    stderr: list[str]
    end: dict[str, Any]

    @property
    def has_result(self) -> bool:
        """The agent reported success or failure, and began no other run."""
        last = self.stdout[self.stdout.rfind(b'"subtype":"init"') + 1 :]
        return bool(re.search(rb'"type":"(result|turn\.\w+ed|step_finish)"', last))


def tries(log: bytes) -> Iterator[Try]:
    """Yield the tries of a log, which is marks around the lines of the agent."""
    stdout, stderr = list[bytes](), list[str]()
    is_open = False
    for line in log.splitlines(keepends=True):
        mark = _mark(line)
        match mark:
            case None:
                assert is_open, line
                stdout.append(line)
            case {"subtype": "start"}:
                assert not is_open
                is_open = True
                stdout, stderr = [], []
            case {"subtype": "stderr", "text": str(text)}:
                assert is_open
                stderr.append(text)
            case {"subtype": "end"}:
                assert is_open
                is_open = False
                yield Try(b"".join(stdout), stderr, mark)
            case _:
                raise AssertionError(f"unknown mark: {line!r}")
    assert not is_open, "no mark at the end"


def _mark(line: bytes) -> dict[str, Any] | None:
    """Return a line that `runconv run` adds, or None."""
    if not line.startswith(b'{"type":"runconv",'):
        return None
    mark: dict[str, Any] = json.loads(line)
    return mark
