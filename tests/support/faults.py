"""Conversions with -o that fail, and checks of the files they leave.

The output file must be the old one or the complete new one, with its permissions, and
no other file may be left in its folder.
"""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from support.golden import GOLDEN
from support.shell import SCRIPTS

TARGETS = ["stream-json", "json", "text", "answer", "markdown", "patch"]
RUN = GOLDEN / "transcript-of-a-bug-fix" / "input.ndjson"

_RUNCONV = [str(Path(SCRIPTS) / "runconv")]
_FAULTY = [sys.executable, str(Path(__file__).with_name("faulty.py"))]
_ERRORS = [errno.ENOSPC, errno.EIO, errno.EPIPE, errno.EDQUOT]
_PERMISSIONS = [0o600, 0o640, 0o644, 0o664, 0o755, 0o444]
_IN_MAIN = re.compile(r'convert/__main__\.py", line \d+, in main')
# Python itself ends on a signal that comes before the command handles it.
_STATUS = {"SIGTERM": (143, -15), "SIGINT": (130, -2), "SIGKILL": (-9,)}


class Usual(NamedTuple):
    """A conversion without a fault: its output, system calls and duration."""

    arguments: list[str]
    new: bytes
    calls: list[str]
    seconds: float


class Fault(NamedTuple):
    """A fault to inject: a command that contains it, or a signal after some seconds.

    `is_late` is true if the output already has its final name by then.
    """

    kind: str
    command: list[str]
    error: int = 0
    seconds: float | None = None
    is_late: bool = False


class Try(NamedTuple):
    """The file found in the end, and the bug if that is the wrong one."""

    file: str
    bug: str | None


def rehearse(log: Path, target: str, folder: Path) -> Usual:
    """Convert a log without a fault."""
    arguments = ["-q", str(log), "-t", target, "-o", "out/run.md"]
    done = subprocess.run(
        [*_FAULTY, "none", "0", "0", "0", *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    )
    seconds = min(_seconds([*_RUNCONV, *arguments], folder) for _ in range(3))
    new = (folder / "out" / "run.md").read_bytes()
    return Usual(arguments, new, done.stdout.split(), seconds)


def _seconds(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return time.perf_counter() - started


def failing_call(usual: Usual, call: str, dice: random.Random) -> Fault:
    """Let one of the calls of a name fail on the output; some writes may be short."""
    number = dice.randint(1, Counter(usual.calls)[call])
    error = dice.choice(_ERRORS)
    seed = dice.choice([0, dice.randint(1, 1 << 30)])
    places = [at for at, name in enumerate(usual.calls) if name == call]
    command = [*_FAULTY, call, str(number), str(error), str(seed)]
    is_late = "replace" in usual.calls[: places[number - 1]]
    return Fault(f"os.{call}", command, error, is_late=is_late)


def any_failing_call(usual: Usual, dice: random.Random) -> Fault:
    """Let any one of the calls on the output fail."""
    return failing_call(usual, dice.choice(sorted(set(usual.calls))), dice)


def full_disk(usual: Usual, dice: random.Random) -> Fault:
    """Limit the size of files to less than the output needs."""
    limit = str(dice.randrange(len(usual.new)))
    return Fault("RLIMIT_FSIZE", [*_FAULTY, "limit", limit, "0", "0"], errno.EFBIG)


def stopped(usual: Usual, dice: random.Random) -> Fault:
    """Send a signal at some time during the run."""
    seconds = usual.seconds * dice.uniform(0, 1.1)
    return Fault(dice.choice(sorted(_STATUS)), _RUNCONV, seconds=seconds)


def attempt(fault: Fault, usual: Usual, folder: Path, dice: random.Random) -> Try:
    """Convert with a fault over an old file, or none, in an empty folder."""
    out = folder / "out"
    path = out / "run.md"
    old = b"old\n" * dice.randrange(50_000) if dice.random() < 0.6 else None
    permissions = dice.choice(_PERMISSIONS) if old is not None else 0o666 & ~_umask()
    if old is not None or dice.random() < 0.5:
        out.mkdir()
    if old is not None:
        path.write_bytes(old)
        path.chmod(permissions)
    status, stderr = _run(fault, usual, folder)
    now = path.read_bytes() if path.exists() else None
    file = "new" if now == usual.new else "old" if now == old else "torn"
    bug = _bug(fault, file, status, stderr) or _stray(fault, out)
    if now is not None and path.stat().st_mode & 0o777 != permissions:
        bug = bug or f"permissions {path.stat().st_mode:o}, not {permissions:o}"
    return Try(file, bug)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _run(fault: Fault, usual: Usual, folder: Path) -> tuple[int, str]:
    """Run the command with its fault; return its status and standard error."""
    with subprocess.Popen(
        [*fault.command, *usual.arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if fault.seconds is not None:
            time.sleep(fault.seconds)
            process.send_signal(signal.Signals[fault.kind])
        _, stderr = process.communicate()
    return process.returncode, stderr


def _bug(fault: Fault, file: str, status: int, stderr: str) -> str | None:
    """Describe what is wrong with the resulting file or the message about it."""
    if file == "torn":
        return "a torn file"
    if status == 0 and file != "new":
        return "neither a new file nor an error"
    check = _is_reported if fault.seconds is None else _is_quiet
    return (
        None
        if check(fault, status, stderr)
        else f"status {status}, {stderr.strip()[-300:]!r}"
    )


def _is_reported(fault: Fault, status: int, stderr: str) -> bool:
    """Tell whether the command reports its error in one line."""
    if status == 0:
        return fault.is_late
    if status == 141:
        return fault.error == errno.EPIPE and not stderr
    is_clear = stderr.startswith("runconv: cannot write out/run.md: ")
    return status == 2 and stderr.count("\n") == 1 and is_clear


def _is_quiet(fault: Fault, status: int, stderr: str) -> bool:
    """Tell whether the command prints nothing when a signal ends it."""
    if fault.kind == "SIGINT" and stderr:
        # Python itself prints a traceback until the command has started.
        return not _IN_MAIN.search(stderr)
    return status in (0, *_STATUS[fault.kind]) and not stderr


def _stray(fault: Fault, out: Path) -> str | None:
    """Name other files in the folder; only a killed command may leave one."""
    names = {path.name for path in out.iterdir()} if out.exists() else set()
    names.discard("run.md")
    is_killed = fault.kind == "SIGKILL" and len(names) == 1
    if not names or (is_killed and min(names).startswith(".runconv-")):
        return None
    return f"left behind: {', '.join(sorted(names))}"
