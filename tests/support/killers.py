"""Work for the workers of a cluster, which tests import there as here."""

from __future__ import annotations

import os
import signal

from convert.cli import NamedLog, on_read, say

DEADLY = "66"


def convert_or_die(log: NamedLog) -> int:
    """Stand in for a conversion: some logs are odd, and one kills its process."""
    if log.path == DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    if int(log.path) % 7 == 0:
        say(f"{log.path} is odd")
    return 0


def read_on_and_on(log: NamedLog) -> str:
    """Read a pipe as logs are read, if the log is one."""
    if log.path == "quick":
        return log.path
    watch = on_read()
    assert watch is not None
    with open(log.path, "rb", buffering=0) as pipe:
        while piece := pipe.read(1):
            watch(len(piece))
    return log.path
