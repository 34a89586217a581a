"""Run the installed command as a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from support.shell import SCRIPTS

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


def read_terminal(terminal: int) -> str:
    """Read a terminal until its other side is closed, then close it."""
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:
        pass  # The other side of a terminal ends with an error on Linux.
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")
