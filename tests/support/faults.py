"""Conversions with -o that fail, and checks of the files they leave.

Each output file must be the old one or the complete new one, with its permissions, and
no other file may be left in its folder.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from convert.scale import MOST_FILES, processors
from support.golden import GOLDEN
from support.shell import SCRIPTS
from support.systems import need_system

TARGETS = ["stream-json", "json", "text", "answer", "markdown", "patch"]
RUN = GOLDEN / "transcript-of-a-bug-fix" / "input.ndjson"

_RUNCONV = [str(Path(SCRIPTS) / "runconv")]
_FAULTY = [sys.executable, str(Path(__file__).with_name("faulty.py"))]
_ERRORS = [errno.ENOSPC, errno.EIO, errno.EPIPE, errno.EDQUOT]
_PERMISSIONS = [0o600, 0o640, 0o644, 0o664, 0o755, 0o444]
_CANNOT_WRITE = re.compile(r"^runconv: cannot write out/(.+?): ", re.MULTILINE)
_IN_MAIN = re.compile(r'convert/__main__\.py", line \d+, in main')
# Python itself ends on a signal that comes before the command handles it.
_STATUS = {"SIGTERM": (143, -15), "SIGINT": (130, -2), "SIGKILL": (-9,)}


class Usual(NamedTuple):
    """A conversion without a fault: its outputs, system calls and duration."""

    arguments: list[str]
    new: dict[str, bytes]
    calls: list[str]
    seconds: float


class Fault(NamedTuple):
    """A fault to inject: a command that contains it, or a signal after some seconds."""

    kind: str
    command: list[str]
    error: int = 0
    signal: str = ""
    seconds: float | None = None


class Try(NamedTuple):
    """The files found in the end, and the bug if one of them is wrong.

    `file` is `new` if all are new, `torn` if one is neither that nor the old one.
    """

    file: str
    bug: str | None


def rehearse(log: Path, target: str, folder: Path) -> Usual:
    """Convert a log to a file without a fault."""
    arguments = ["-q", str(log), "-t", target, "-o", "out/run.md"]
    return _rehearsed(arguments, folder)


def rehearse_many(logs: Path, target: str, folder: Path) -> Usual:
    """Convert the logs of a folder into another one without a fault."""
    return _rehearsed(["-q", str(logs), "-t", target, "-o", "out/"], folder)


def _rehearsed(arguments: list[str], folder: Path) -> Usual:
    need_system("limits of a process")
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    # Without it there is one more call, which an attempt may not make.
    out.mkdir()
    done = subprocess.run(
        [*_FAULTY, "none", "0", "0", "0", *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    )
    seconds = min(_seconds([*_RUNCONV, *arguments], folder) for _ in range(3))
    new = {path.name: path.read_bytes() for path in out.iterdir()}
    return Usual(arguments, new, done.stdout.split(), seconds)


def _seconds(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return time.perf_counter() - started


def failing_call(usual: Usual, call: str, dice: random.Random) -> Fault:
    """Let one of the calls of a name fail on an output; some writes may be short."""
    number = dice.randint(1, Counter(usual.calls)[call])
    error = dice.choice(_ERRORS)
    seed = dice.choice([0, dice.randint(1, 1 << 30)])
    command = [*_FAULTY, call, str(number), str(error), str(seed)]
    return Fault(f"os.{call}", command, error)


def stopped_at_call(usual: Usual, dice: random.Random) -> Fault:
    """Send a signal just before one of the calls on an output."""
    call, times = dice.choice(sorted(Counter(usual.calls).items()))
    name = dice.choice(sorted(_STATUS))
    code = str(-signal.Signals[name])
    command = [*_FAULTY, call, str(dice.randint(1, times)), code, "0"]
    return Fault(f"{name} at call", command, signal=name)


def any_failing_call(usual: Usual, dice: random.Random) -> Fault:
    """Let any one of the calls on the output fail."""
    return failing_call(usual, dice.choice(sorted(set(usual.calls))), dice)


def full_disk(usual: Usual, dice: random.Random) -> Fault:
    """Limit the size of files to less than the output needs."""
    limit = str(dice.randrange(max(map(len, usual.new.values()))))
    return Fault("RLIMIT_FSIZE", [*_FAULTY, "limit", limit, "0", "0"], errno.EFBIG)


def stopped(usual: Usual, dice: random.Random) -> Fault:
    """Send a signal at some time during the run."""
    seconds = usual.seconds * dice.uniform(0, 1.1)
    name = dice.choice(sorted(_STATUS))
    return Fault(name, _RUNCONV, signal=name, seconds=seconds)


def attempt(fault: Fault, usual: Usual, folder: Path, dice: random.Random) -> Try:
    """Convert with a fault over old files, or none, in an empty folder."""
    out = folder / "out"
    if dice.random() < 0.8:
        out.mkdir()
    old = {name: _lay_old(out / name, dice) for name in usual.new if out.exists()}
    permissions = {
        name: (out / name).stat().st_mode & 0o777 for name in old if old[name]
    }
    status, stderr = _run(fault, usual, folder)
    files = {}
    for name, new in usual.new.items():
        path = out / name
        now = path.read_bytes() if path.exists() else None
        same = [("new", new), ("old", old.get(name))]
        files[name] = next((word for word, one in same if now == one), "torn")
    bug = _bug(fault, files, status, stderr) or _stray(fault, usual, out)
    usual_mode = 0o666 & ~_umask()
    for path in sorted(out.iterdir()) if out.exists() else []:
        mode = path.stat().st_mode & 0o777
        due = permissions.get(path.name, usual_mode)
        if path.name in usual.new and mode != due:
            bug = bug or f"permissions {mode:o}, not {due:o}"
    found = set(files.values())
    file = "torn" if "torn" in found else "new" if found == {"new"} else "old"
    return Try(file, bug)


def _lay_old(path: Path, dice: random.Random) -> bytes | None:
    """Lay a file where an output goes, and return its content, or lay none."""
    if dice.random() < 0.3:
        return None
    old = b"old\n" * dice.randrange(1, 50_000)
    path.write_bytes(old)
    path.chmod(dice.choice(_PERMISSIONS))
    return old


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
            process.send_signal(signal.Signals[fault.signal])
        _, stderr = process.communicate()
    return process.returncode, stderr


def _bug(fault: Fault, files: dict[str, str], status: int, stderr: str) -> str | None:
    """Describe the faults of the resulting files or of the messages about them."""
    if "torn" in files.values():
        return "a torn file"
    failed = [name for name, file in files.items() if file != "new"]
    if status == 0 and failed:
        return "neither a new file nor an error"
    if fault.signal:
        is_right = _is_quiet(fault, status, stderr)
    else:
        is_right = _is_reported(failed, status, stderr)
    return None if is_right else f"status {status}, {stderr.strip()[-300:]!r}"


def _is_reported(failed: list[str], status: int, stderr: str) -> bool:
    """Return True if the command reports the error of each file in one line."""
    named = _CANNOT_WRITE.findall(stderr)
    is_clear = len(named) == stderr.count("\n")
    return status == 2 and is_clear and sorted(named) == sorted(failed)


def _is_quiet(fault: Fault, status: int, stderr: str) -> bool:
    """Return True if the command prints nothing when a signal ends it."""
    if fault.signal == "SIGINT" and stderr:
        # Python itself prints a traceback until the command has started.
        return not _IN_MAIN.search(stderr)
    return status in (0, *_STATUS[fault.signal]) and not stderr


def _stray(fault: Fault, usual: Usual, out: Path) -> str | None:
    """Name other files in the folder; only a killed command may leave some."""
    names = {path.name for path in out.iterdir()} if out.exists() else set()
    names -= usual.new.keys()
    are_temporary = all(name.startswith(".runconv-") for name in names)
    most = min(len(usual.new), MOST_FILES * processors())
    if fault.signal == "SIGKILL" and are_temporary and len(names) <= most:
        return None
    return f"left behind: {', '.join(sorted(names))}" if names else None
