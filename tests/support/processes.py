"""Run the installed command as a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from support.shell import SCRIPTS
from support.terminals import read_terminal

RUNCONV = str(Path(SCRIPTS) / "runconv")


def environment(**more: str) -> dict[str, str]:
    # Without PYTHONUNBUFFERED, which would hide a missing flush.
    return {"PATH": os.environ["PATH"], **more}


def on_terminal(*arguments: str) -> str:
    """Run a command on a terminal and return its output there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [RUNCONV, *arguments], stdin=theirs, stdout=theirs, env=environment()
    ):
        os.close(theirs)
        return read_terminal(ours)
