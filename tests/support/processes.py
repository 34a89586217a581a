"""Run the installed command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.shell import OF_SYSTEM, SCRIPTS
from support.systems import need_system
from support.terminals import read_terminal

RUNCONV = str(Path(SCRIPTS) / "runconv")
# Words for pytest: these plugins take half of the time of a short run.
WITHOUT = [
    f"-pno:{name}"
    for name in (
        *("cacheprovider", "hypothesispytest", "testmon", "timeout", "xdist"),
        *("debugging", "doctest", "faulthandler", "junitxml", "legacypath", "logging"),
        *("pastebin", "setuponly", "setupplan", "stepwise", "subtests", "unittest"),
    )
]

# The words of the command, which waits less long for more of a log that looks complete.
_IMPATIENT = """
from convert.cli import live_area
live_area.PATIENCE = 0.3
from convert.__main__ import command
command()
"""
IMPATIENT = [sys.executable, "-c", _IMPATIENT]


def environment(**more: str) -> dict[str, str]:
    # Without PYTHONUNBUFFERED, which would hide a missing flush.
    return {**OF_SYSTEM, "PATH": os.environ["PATH"], **more}


def imported(*arguments: str, folder: Path | None = None, status: int = 0) -> set[str]:
    """The modules that a command line imports, which ends with a status."""
    code = (
        "import sys; from convert.__main__ import main; status = main();"
        " print(*sys.modules, file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        capture_output=True,
        env=environment(),
        text=True,
    )
    assert done.returncode == status, done.stderr
    return set(done.stderr.split())


def on_terminal(*arguments: str) -> str:
    """Run a command on a terminal, without a pager, and return its output there."""
    need_system("terminals")
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [RUNCONV, *arguments],
        stdin=theirs,
        stdout=theirs,
        env=environment() | {"PAGER": ""},
    ):
        os.close(theirs)
        return read_terminal(ours)
