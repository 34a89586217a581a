"""Commands for which the system has too little: memory, processes, threads, files.

Each must end as it does without the shortage, or with status 2 and one line for each
log. None may show a traceback, leave a torn file, hang, or return a verdict that is not
that of the whole logs.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from support.faults import Try
from support.golden import GOLDEN
from support.systems import need_system

RUN = GOLDEN / "transcript-of-a-bug-fix" / "input.ndjson"
_FAULTY = [sys.executable, str(Path(__file__).with_name("faulty.py"))]
_TROUBLE = 2
# Seconds after which a command counts as hanging.
_PATIENCE = 120
# A process of a few MB more than Python itself, up to one that lacks nothing.
_MEGABYTES = range(12, 160)
# The standard streams take three.
_FILES = range(4, 40)
_LOGS = 60
# How many commands `works` returns.
WORKS = 7


class Shortage(NamedTuple):
    """Too little of something, as faulty.py makes it."""

    kind: str
    number: int


class Work(NamedTuple):
    """A command, its usual status, standard output and the files it makes."""

    arguments: list[str]
    status: int = 0
    stdout: bytes = b""
    files: dict[str, bytes] | None = None

    @property
    def lines(self) -> int:
        """How many lines of errors it may print: one for each log."""
        return max(len(self.files or ()), 1)


def works(folder: Path) -> list[Work]:
    """Make the logs, and run each command without a shortage."""
    log, other = folder / "log.ndjson", folder / "other.ndjson"
    log.write_bytes(RUN.read_bytes() * 12)
    changed = RUN.read_bytes().replace(b"pytest -q", b"make test")
    other.write_bytes(changed.replace(b" now", b" then") * 12)
    many = [folder / f"{number}.ndjson" for number in range(_LOGS)]
    for path in many:
        path.write_bytes(RUN.read_bytes())
    commands = [
        ["diff", str(log), str(log)],
        ["diff", str(log), str(other)],
        ["diff", "--answer-cmd", "cmp -s {a} {b}", str(many[0]), str(other)],
        [str(log), "-t", "markdown", "--front-matter"],
        [str(log), "-t", "text"],
        [str(log), "--redact", "-o", "out/run.md"],
        [*map(str, many), "-o", "out/"],
    ]
    return [
        _usual(command, folder / f"usual-{n}") for n, command in enumerate(commands)
    ]


def shortage(dice: random.Random) -> Shortage:
    """Choose the resource that is short."""
    kind = dice.choice(["memory", "memory", "files", "processes", "threads", "limit"])
    numbers = {"memory": _MEGABYTES, "files": _FILES, "limit": range(200_000)}
    return Shortage(kind, dice.choice(numbers.get(kind, range(1, 4))))


def attempt(work: Work, short: Shortage, folder: Path) -> Try:
    """Run a command with a shortage in an empty folder, and check the result."""
    folder.mkdir(exist_ok=True)
    try:
        done = _run([*_FAULTY, short.kind, str(short.number), "0", "0"], work, folder)
    except subprocess.TimeoutExpired:
        return Try("torn", "hangs")
    files = _files(folder)
    bug = _bug(short.kind, work, done, files)
    is_whole = (done.returncode, files) == (work.status, work.files or {})
    return Try("torn" if bug else "new" if is_whole else "old", bug)


def _usual(arguments: list[str], folder: Path) -> Work:
    need_system("limits of a process")
    folder.mkdir()
    none = [*_FAULTY, "nothing", "0", "0", "0"]
    done = _run(none, Work(arguments), folder)
    assert done.returncode < _TROUBLE, done.stderr
    return Work(arguments, done.returncode, done.stdout, _files(folder))


def _run(
    command: list[str], work: Work, folder: Path
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*command, *work.arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=_PATIENCE,
    )


def _files(folder: Path) -> dict[str, bytes]:
    """Return the files in the output folder by name."""
    return {path.name: path.read_bytes() for path in folder.glob("out/*")}


def _bug(
    kind: str,
    work: Work,
    done: subprocess.CompletedProcess[bytes],
    files: dict[str, bytes],
) -> str | None:
    """Describe the fault of the status, the message or the files."""
    errors = done.stderr.splitlines()
    if done.returncode == -signal.SIGSEGV and kind == "memory":
        # Not all libraries in C check that they got the memory they asked for.
        return None
    if done.returncode == -signal.SIGABRT and b"Fatal Python error" in done.stderr:
        # Python ends by itself where it has no memory for a MemoryError.
        return None
    if done.returncode not in (work.status, _TROUBLE):
        return f"status {done.returncode}: {done.stderr[-300:]!r}"
    if not all(line.startswith(b"runconv: ") for line in errors):
        return f"not a message: {done.stderr[-300:]!r}"
    if len(errors) > work.lines:
        return f"{len(errors)} lines: {done.stderr[-300:]!r}"
    whole = work.files or {}
    if not files.items() <= whole.items():
        return f"torn: {', '.join(files.keys() - whole.keys()) or 'a file'}"
    if done.returncode == _TROUBLE:
        return None if errors else "trouble without a message"
    if files != whole or done.stdout != work.stdout:
        return "less than usual without a message"
    return None
