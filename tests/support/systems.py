"""Parts of a system that tests need; without one, a test is skipped and names it."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = {
    "a shell": os.name == "posix",
    "files for open streams": Path("/dev/stdin").exists(),
    "groups of processes": hasattr(os, "killpg"),
    "handles of processes": hasattr(os, "pidfd_open"),
    # macOS lets a process exceed its limit of memory.
    "limits of a process": sys.platform == "linux",
    "named pipes": hasattr(os, "mkfifo"),
    "programs of GNU": sys.platform == "linux",
    "reading at a place": hasattr(os, "pread"),
    "signals": hasattr(signal, "SIGALRM"),
    "streams that do not block": hasattr(os, "set_blocking") and os.name == "posix",
    "terminals": find_spec("termios") is not None,
    "the rights of root": hasattr(os, "geteuid") and os.geteuid() == 0,
    "users": hasattr(os, "geteuid"),
    "/dev/full": Path("/dev/full").exists(),
    "/proc": Path("/proc/self/status").exists(),
}


def need_system(name: str) -> None:
    """Skip a test, or a module, where the system lacks this."""
    if not HERE[name]:
        pytest.skip(_reason(name), allow_module_level=True)


def needs_system(name: str) -> pytest.MarkDecorator:
    """Mark a test that is skipped where the system lacks this."""
    return pytest.mark.skipif(not HERE[name], reason=_reason(name))


def make_pipe(path: str | Path) -> None:
    """Make a named pipe."""
    need_system("named pipes")
    os.mkfifo(path)


def _reason(name: str) -> str:
    return f"needs {name}, which this system lacks"
