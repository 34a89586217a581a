"""Process groups: how one starts, and the processes outside that belong to it.

An agent often starts its commands in groups or sessions of their own. They are found by
their parents while the agent lives.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from convert.cli.destination import shown_path
from convert.errors import UsageError, system_reason

# How often a group that has to end is looked at, in seconds.
_POLL = 0.01
# Python ignores these signals; the agent gets what it would have got from a shell.
_RESTORED = [
    getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name)
]


def start(words: list[str], actions: list[tuple[int, int, int]]) -> int:
    """Start a program in a session of its own, or at least in a group; return its id.

    Raises UsageError if it cannot be started.
    """
    try:
        return _spawned(words, actions)
    except (OSError, ValueError) as error:
        raise UsageError(_not_started(words[0], error)) from error


def _spawned(words: list[str], actions: list[tuple[int, int, int]]) -> int:
    try:
        return os.posix_spawnp(
            words[0],
            words,
            os.environ,
            file_actions=actions,
            setsid=True,
            setsigdef=_RESTORED,
        )
    except NotImplementedError:
        return os.posix_spawnp(
            words[0],
            words,
            os.environ,
            file_actions=actions,
            setpgroup=0,
            setsigdef=_RESTORED,
        )


def _not_started(program: str, error: Exception) -> str:
    """Return the message about a program that cannot be started, and a remedy."""
    match error:
        case _ if not program:
            why = "its name is empty"
        case FileNotFoundError() if _is_there(program):
            why = "the program that its first line names is missing"
        case FileNotFoundError() if " " in program:
            why = "no such program; write its words without quotes around them all"
        case FileNotFoundError() if os.sep in program:
            why = "no such program; check its path"
        case FileNotFoundError():
            why = "no such program; check its name, and that its folder is in PATH"
        case PermissionError() if os.path.isdir(program):
            why = "it is a folder; name a program"
        case PermissionError():
            why = f"permission denied; make it executable: chmod +x {program}"
        case OSError(errno=8):
            why = "it is no program; does a script lack its first line #!/bin/sh?"
        case OSError():
            why = system_reason(error)
        case _:
            why = str(error)
    return f"cannot start {shown_path(program)}: {why}"


def _is_there(program: str) -> bool:
    """Return True if a program is a file, so that something that it needs is not."""
    folders = [""] if os.sep in program else os.get_exec_path()
    return any(os.path.isfile(os.path.join(folder, program)) for folder in folders)


class _Process(NamedTuple):
    """A process that has not ended, in numbers of the system."""

    parent: int
    group: int
    began: str
    """When it began, which tells it from a later process of its number."""


class Group:
    """The group of a process, and others that the process has started elsewhere."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._elsewhere: dict[int, str] = {}

    def find_others(self) -> None:
        """Find the processes that the leader has started; it must be running."""
        running = _processes()
        found = {self._leader}
        while more := _children(running, found) - found:
            found |= more
        found.discard(self._leader)
        self._elsewhere = {pid: running[pid].began for pid in found}

    def send(self, number: int) -> None:
        """Send a signal to all of them."""
        _signalled(os.killpg, self._leader, number)
        for pid in self._alive_elsewhere():
            _signalled(os.kill, pid, number)

    def wait(self, until: float) -> bool:
        """Return True as soon as none is left; False at a monotonic time."""
        while self._is_alive():
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL)
        return True

    def _is_alive(self) -> bool:
        """Return True if one has not ended, whether or not somebody waits for it."""
        if _signalled(os.killpg, self._leader, 0):
            running = _processes().values()
            # Without a list of them, all count as alive.
            if not running or any(row.group == self._leader for row in running):
                return True
        return bool(self._alive_elsewhere())

    def _alive_elsewhere(self) -> list[int]:
        if not self._elsewhere:
            return []
        running = _processes()
        return [
            pid
            for pid, began in self._elsewhere.items()
            if pid in running and running[pid].began == began
        ]


def _signalled(send: Callable[[int, int], None], target: int, number: int) -> bool:
    """Send a signal; return False if there is no process to take it.

    A system may refuse it for a process that has ended and was not waited for.
    """
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _children(running: dict[int, _Process], parents: set[int]) -> set[int]:
    return {pid for pid, row in running.items() if row.parent in parents}


def _processes() -> dict[int, _Process]:
    """Return all processes that have not ended, by their numbers."""
    if sys.platform.startswith("linux"):
        try:
            names = os.listdir("/proc")
        except OSError:
            return {}
        found = {int(name): _of_proc(name) for name in names if name.isdigit()}
        return {pid: row for pid, row in found.items() if row is not None}
    import subprocess

    columns = "pid=,ppid=,pgid=,state=,lstart="
    shown = subprocess.run(
        ["ps", "-A", "-o", columns], capture_output=True, text=True, check=False
    ).stdout
    rows = [line.split(maxsplit=4) for line in shown.splitlines()]
    return {
        int(pid): _Process(int(parent), int(group), began)
        for pid, parent, group, state, began in rows
        if not state.startswith("Z")
    }


def _of_proc(name: str) -> _Process | None:
    """Return a process that Linux shows; None if it has ended."""
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            facts = file.read()
    except OSError:
        return None
    # The name of the program, which may hold anything, is in brackets before these.
    state, parent, group, *rest = facts[facts.rfind(b")") + 2 :].decode().split()
    return None if state in "ZX" else _Process(int(parent), int(group), rest[16])
