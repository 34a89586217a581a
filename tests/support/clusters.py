"""A cluster of Dask as processes of its own: a scheduler and workers."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from support.libraries import need
from support.processes import environment

TESTS = Path(__file__).parent.parent
_QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
_IN_ONE_PROCESS = """
import signal, sys
from distributed import LocalCluster

with LocalCluster(
    n_workers=1,
    threads_per_worker=1,
    processes=False,
    protocol="tcp",
    host="127.0.0.1",
    dashboard_address=None,
) as cluster:
    print("Scheduler at:", cluster.scheduler_address, file=sys.stderr, flush=True)
    signal.pause()
"""


class Cluster:
    """A scheduler on the loopback, and the workers that it has been given.

    A nanny restarts a worker that has died. Workers can import definitions of tests.
    """

    def __init__(
        self,
        words: list[str],
        folder: Path,
        failures: int,
        processes: contextlib.ExitStack,
    ) -> None:
        self._folder = folder
        self._processes = processes
        allowed = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures)}
        self.scheduler = self._start(words, **allowed)
        self.address = self._told(self.scheduler, r"Scheduler at: +(tcp://\S+)")

    def add_worker(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        """Start a worker, and wait until it is there."""
        name = ["-m", "distributed.cli.dask_worker", self.address, "--nworkers", "1"]
        where = ["--local-directory", str(self._folder)]
        one_thread = ["--nthreads", "1", "--no-dashboard"]
        worker = self._start([*name, *one_thread, *where, *words], **variables)
        self._told(worker, r"Registered to: +(tcp://\S+)")
        return worker

    def _start(self, words: list[str], **variables: str) -> subprocess.Popen[str]:
        known = environment(PYTHONPATH=str(TESTS), **_QUIET) | variables
        process = subprocess.Popen(
            [sys.executable, *words],
            env=known,
            cwd=self._folder,
            text=True,
            stderr=subprocess.PIPE,
        )
        self._processes.callback(_end, process)
        return process

    def _told(self, process: subprocess.Popen[str], pattern: str) -> str:
        """Wait for a line of a process, and return the part that matches."""
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(pattern, line):
                # A pipe that is full would stop the process.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return found[1]
        raise AssertionError(f"{process.args} has ended")


@contextlib.contextmanager
def cluster_in(folder: Path, failures: int = 2) -> Iterator[Cluster]:
    """Start a scheduler; it ends with the block, and its workers with it.

    A task may lose that many workers, and is given up when it loses one more.
    """
    need("distributed")
    with contextlib.ExitStack() as processes:
        words = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
        yield Cluster(
            [*words, "--port", "0", "--no-dashboard"], folder, failures, processes
        )


@contextlib.contextmanager
def small_cluster_in(folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and a worker as one process, which takes half of the time."""
    need("distributed")
    with contextlib.ExitStack() as processes:
        yield Cluster(["-c", _IN_ONE_PROCESS], folder, 2, processes)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()
