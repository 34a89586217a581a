"""Very many logs: two processes of this machine against two workers of Dask."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import logs
from benchmarks.many import SIZES
from benchmarks.processes import ENVIRONMENT, MEASURED, RUNCONV, spread, table

_WORKERS = 2
# The cost of the engine, at most.
_TARGET = 1.4
# As long as a cluster may take to start, in seconds.
_PATIENCE = 30
_QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
_WORK = {
    "`-t markdown`": ["-t", "markdown", "-q", "-o", "OUT/"],
    "`stats`": ["stats", "-q", "-o", "OUT/stats.json"],
}


def compare(folder: Path, number: int, rounds: int) -> None:
    """Print times, their ratio and memory, for a tenth of the logs and for all."""
    processors = sorted(os.sched_getaffinity(0))
    # All processes have the same two, whichever engine does the work.
    os.sched_setaffinity(0, processors[:_WORKERS])
    tenth = number // 10
    _make(folder / "tenth", range(tenth))
    _make(folder / "rest", range(tenth, number))
    with _cluster(folder) as cluster:
        for sources in (["tenth"], ["tenth", "rest"]):
            made = tenth if len(sources) == 1 else number
            print(f"{_table(folder, sources, made, cluster, rounds)}\n")
    os.sched_setaffinity(0, processors)
    print(f"For all logs, the target of Dask to local is at most {_TARGET}.")


def _make(folder: Path, numbers: range) -> None:
    """Copy a log of each profile again and again."""
    folder.mkdir()
    models = [folder.parent / f"{profile.name}.ndjson" for profile in logs.PROFILES]
    for profile, model, size in zip(logs.PROFILES, models, SIZES, strict=True):
        logs.write(model, profile, size)
    for number in numbers:
        model = models[number % len(models)]
        shutil.copyfile(model, folder / f"{number:06}.ndjson")


class _Cluster:
    """A scheduler and its workers, as processes of their own."""

    def __init__(self, address: str, scheduler: int, workers: list[int]) -> None:
        self.address = address
        self.scheduler = scheduler
        self.workers = workers

    def forget_peaks(self) -> None:
        """Let the peaks of memory begin anew."""
        for process in (self.scheduler, *self.workers):
            Path(f"/proc/{process}/clear_refs").write_text("5")

    def peaks(self) -> tuple[float, float]:
        """Return the peak memory of the scheduler and of the largest worker, in MB."""
        return _peak(self.scheduler), max(map(_peak, self.workers))


def _peak(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[_Cluster]:
    """Start a scheduler and two workers, which end with the block."""
    from distributed import Client

    file = str(folder / "scheduler.json")
    common = ["--scheduler-file", file, "--no-dashboard"]
    worker = ["--nthreads", "1", "--memory-limit", "0", "--no-nanny"]
    with contextlib.ExitStack() as stack:
        host = ["--host", "127.0.0.1", "--port", "0"]
        scheduler = _start(stack, folder, "dask_scheduler", *common, *host)
        workers = [
            _start(stack, folder, "dask_worker", *common, *worker)
            for _ in range(_WORKERS)
        ]
        with Client(scheduler_file=file, timeout=_PATIENCE) as client:
            client.wait_for_workers(_WORKERS, timeout=_PATIENCE)
            address = client.scheduler.address
        yield _Cluster(address, scheduler, workers)


def _start(stack: contextlib.ExitStack, folder: Path, module: str, *words: str) -> int:
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *words],
        cwd=folder,
        env=ENVIRONMENT | _QUIET,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process.pid


def _table(
    folder: Path, sources: list[str], number: int, cluster: _Cluster, rounds: int
) -> str:
    """Return the figures for these folders of logs."""
    columns = []
    for words in _WORK.values():
        # The first round fills caches, and is not counted.
        _, *found = (
            _round(folder, [*words, *sources], cluster) for _ in range(rounds + 1)
        )
        columns.append(found)
    rows = [[f"{number:,} logs of 60 kB", *_WORK]]
    for name, of_round in _TIMES.items():
        rows.append([name, *(spread([*map(of_round, each)]) for each in columns)])
    for name, of_round in _MEMORY.items():
        peaks = (max(map(of_round, each)) for each in columns)
        rows.append([name, *(f"{peak:.0f} MB" for peak in peaks)])
    return table(rows)


class _Round(NamedTuple):
    """The seconds of both engines, and peaks of memory in MB."""

    local: float
    dask: float
    process: float
    command: float
    scheduler: float
    worker: float


_Figure = Callable[[_Round], float]
_TIMES: dict[str, _Figure] = {
    "seconds, two processes": lambda of: of.local,
    "seconds, two workers of Dask": lambda of: of.dask,
    "Dask to local": lambda of: of.dask / of.local,
}
_MEMORY: dict[str, _Figure] = {
    "the largest process, local": lambda of: of.process,
    "the command, with Dask": lambda of: of.command,
    "the scheduler": lambda of: of.scheduler,
    "the larger worker": lambda of: of.worker,
}


def _round(folder: Path, words: list[str], cluster: _Cluster) -> _Round:
    """Do the work with one engine, then with the other."""
    local, process = _run(folder, words)
    cluster.forget_peaks()
    on_dask = ["--engine", "dask", "--scheduler", cluster.address]
    dask, command = _run(folder, [*words, *on_dask])
    return _Round(local, dask, process, command, *cluster.peaks())


def _run(folder: Path, words: list[str]) -> tuple[float, float]:
    """Return how many seconds a command takes, and its peak memory in MB."""
    out = folder / "out"
    out.mkdir()
    words = [word.replace("OUT", str(out)) for word in words]
    started = time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-SE", "-c", MEASURED, *RUNCONV, *words],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )
    taken = time.perf_counter() - started
    shutil.rmtree(out)
    return taken, int(process.stderr.split()[-1]) / 1024
