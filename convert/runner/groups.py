"""Process groups, and the processes that an agent has started outside of its own.

An agent often starts its commands in groups or sessions of their own. They are found by
their parents while the agent lives.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

_POLL = 0.01


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
        is_group = _signalled(os.killpg, self._leader, 0) and any(
            row.group == self._leader for row in _processes().values()
        )
        return is_group or bool(self._alive_elsewhere())

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
        found = {
            int(name): _of_proc(name) for name in os.listdir("/proc") if name.isdigit()
        }
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
