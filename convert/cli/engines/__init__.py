"""Engines: what does the work on many logs, on this machine or on many.

local     the processes of this machine; worker: what each of them does
batches   jobs in turn, whose files are synced together
dask      a cluster of Dask; pieces: the groups of jobs that are its tasks,
          task: such a group, on a worker, cluster: found, checked and left
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from convert.errors import UsageError
from convert.storage import is_of_process

if TYPE_CHECKING:
    from convert.cli.new_files import NewFile
    from convert.cli.progress import Progress

DIED = "the worker process died, possibly out of memory; read this log on its own"
"""The message about a log whose worker died."""


class Job(Protocol):
    """The work on one log, or on logs that belong together."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the logs."""


J = TypeVar("J", bound=Job)
R = TypeVar("R")


# Work that writes a file: it yields the file when it is complete, goes on when that is
# on the disk, and returns its result when the file has its name.
Steps = Generator["NewFile", None, R]
# Does a job.
Work = Callable[[J], "R | Steps[R]"]
# Takes the number of a job and its result.
Note = Callable[[int, R], object]


def ignore_result(number: int, result: object) -> None:
    """Take a result that nobody notes."""


class Engine(Protocol):
    """Does the work on many logs."""

    def results_of(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        failed: R,
        progress: Progress | None = None,
        note: Note[R] | None = None,
    ) -> Iterator[R]:
        """Do all jobs; yield the results in their order, `failed` if a worker died.

        A message about a job is printed before its result is yielded. `note` is
        called as soon as a job is done, whatever the order, and not if a worker died.
        """


def check(name: str, scheduler: str | None, logs: Sequence[str] = ()) -> None:
    """Raise UsageError if an engine cannot do the work on these logs."""
    if name == "local":
        if scheduler is not None:
            raise UsageError("--scheduler is that of a cluster; add --engine dask")
    elif scheduler == "":
        raise UsageError("--scheduler needs an address, as in tcp://10.0.0.7:8786")
    elif "-" in logs:
        raise UsageError(
            f"--engine {name} reads files alone; name a log in place of standard input"
        )


def refuse_memory(paths: Iterable[str]) -> None:
    """Raise UsageError for a path that the workers of a cluster cannot see."""
    for path in filter(is_of_process, paths):
        raise UsageError(
            f"{path} is in the memory of this process, which no other sees; leave out"
            " --engine, or name another place"
        )


@contextlib.contextmanager
def opened(name: str, scheduler: str | None, output: str = "") -> Iterator[Engine]:
    """Yield the engine of a name, with what it needs opened for the block.

    `output` is the folder that the work writes to; "" if it writes no files.
    """
    if name == "dask":
        refuse_memory([output])
        from convert.cli.engines.dask import on_dask

        with on_dask(scheduler, output) as engine:
            yield engine
    else:
        from convert.cli.engines.local import Local

        yield Local(output)
