"""The engine of many machines: groups of jobs are tasks of a cluster of Dask.

Dask chooses the workers, and does a task again if its worker has died. A task that was
given up for that has its jobs done one at a time, with no other task under way, so that
the job to blame is found. Only so many tasks are under way that neither the scheduler
nor this process grows with the number of logs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import re
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from operator import methodcaller
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic

from msgspec import Struct

from convert.cli.destination import shown_path
from convert.cli.messages import prints_colours, say
from convert.cli.output_files import exit_on_signals
from convert.errors import EngineError, OutputError, UsageError, system_reason
from convert.scale.engines.jobs import (
    LARGEST,
    MOST,
    Arrivals,
    J,
    R,
    Window,
    Work,
    ranges_of,
    refuse_memory,
)
from convert.scale.engines.local import processors
from convert.scale.engines.task import Refused, Setting
from convert.version import __version__
from convert.wording.paths import is_url

if TYPE_CHECKING:
    from distributed import Client, Future

# How many groups each thread of a cluster gets at least, if there are enough logs, and
# how many tasks are under way for each thread and at least.
_SHARES = 8
_TASKS = 3
_FEWEST_TASKS = 16


@contextlib.contextmanager
def on_dask(scheduler: str | None, output: str) -> Iterator[OnDask]:
    """Yield the engine of a cluster, the one at an address or one on this machine.

    `output` is the folder that the work writes to; "" if it writes no files.
    """
    exit_on_signals()
    is_elsewhere = scheduler is not None and output and not is_url(output)
    with (
        connected(scheduler) as cluster,
        marked(output) if is_elsewhere else contextlib.nullcontext("") as mark,
    ):
        yield OnDask(cluster, mark, output)


class OnDask(Struct, frozen=True):
    """The engine of a cluster."""

    cluster: Cluster
    mark: str
    """The path of a file that is there while the command runs; "" for none."""

    output: str

    def done(self, work: Work[J, R], jobs: Sequence[J], window: Window) -> Arrivals[R]:
        """Do all jobs in any order; yield those that are done."""
        paths = [path for job in jobs for path in job.paths]
        refuse_memory(paths)
        # Workers must work as the command does.
        needs_folder = any(
            path and not (is_url(path) or os.path.isabs(path))
            for path in (self.output, *paths)
        )
        colours = "always" if prints_colours() else "never"
        setting = Setting(_folder(), needs_folder, self.mark, colours)
        yield from _Tasks(self.cluster, work, jobs, window, setting).done()


def _folder() -> str:
    """Return the folder of this process; "" if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


class _Tasks(Generic[J, R]):
    """Jobs by their numbers, the groups of them that wait, and the tasks under way."""

    def __init__(
        self,
        cluster: Cluster,
        work: Work[J, R],
        jobs: Sequence[J],
        window: Window,
        setting: Setting,
    ) -> None:
        self._cluster = cluster
        self._work = work
        self._jobs = jobs
        self._window = window
        self._setting = setting
        self._waiting = deque(_groups(window.sizes, cluster.threads))
        self._suspects: deque[range] = deque()
        self._under_way: dict[Future, range] = {}

    def done(self) -> Arrivals[R]:
        """Let the cluster do all jobs, and yield those that are done."""
        try:
            while self._waiting or self._suspects or self._under_way:
                self._submit()
                for future in self._cluster.done(self._under_way):
                    yield from self._taken(future)
                yield None
        finally:
            # Workers stop at their next read.
            for future in self._under_way:
                future.release()

    def _submit(self) -> None:
        """Submit groups while there is room, or one suspect on its own."""
        if self._suspects:
            if not self._under_way:
                self._start(self._suspects[0][:1])
            return
        threads = self._cluster.threads
        most = max(_TASKS * threads, _FEWEST_TASKS)
        while self._waiting and len(self._under_way) < most:
            if not self._window.has(self._waiting[0].start, threads):
                return
            self._start(self._waiting.popleft())

    def _start(self, numbers: range) -> None:
        jobs = [self._jobs[number] for number in numbers]
        task = pickle.dumps((self._work, jobs, self._setting))
        self._under_way[self._cluster.submit(task)] = numbers

    def _taken(self, future: Future) -> Arrivals[R]:
        """Yield the results of a task, or find out why it has none."""
        numbers = self._under_way.pop(future)
        answer = self._cluster.answer(future)
        future.release()
        is_suspect = bool(self._suspects) and numbers == self._suspects[0][:1]
        if answer is not None:
            if is_suspect:
                self._cut_suspects(self._suspects)
            yield from zip(numbers, pickle.loads(answer), strict=True)
        elif is_suspect:
            self._cut_suspects(self._waiting)
            self._waiting = deque(sorted(self._waiting, key=lambda group: group.start))
            yield numbers.start, None
        else:
            # Its workers have died again and again. Dask counts that for all tasks that
            # a worker had, so only a job that ran on its own is to blame.
            self._suspects.append(numbers)

    def _cut_suspects(self, groups: deque[range]) -> None:
        """Remove the first suspect, and add the rest of its group to some groups."""
        rest = self._suspects.popleft()[1:]
        if rest:
            groups.appendleft(rest)


def _groups(sizes: Sequence[int], threads: int) -> Iterator[range]:
    """Yield groups of jobs: enough for all threads, and none too large."""
    shares = _SHARES * threads
    largest = min(-(-sum(sizes) // shares), LARGEST) or LARGEST
    return ranges_of(sizes, largest, min(-(-len(sizes) // shares), MOST))


@contextlib.contextmanager
def marked(folder: str) -> Iterator[str]:
    """Keep a file in a folder for the block, by which workers recognise the folder.

    Without it, a folder of a worker's own with the same path would get the outputs.
    """
    mark = os.path.join(folder, f".runconv-{os.urandom(8).hex()}")
    try:
        os.makedirs(folder, exist_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        raise OutputError(
            f"cannot write {shown_path(folder)}: {system_reason(error)}; choose another"
            " with -o"
        ) from error
    try:
        yield mark
    finally:
        with contextlib.suppress(OSError):
            os.unlink(mark)


_EXTRA = "--engine dask needs Dask: pip install 'runconv[dask]'"
# How long a scheduler has to answer, and a cluster to get its first worker, in seconds.
_PATIENCE = 10
_LONGEST_WITHOUT_WORKERS = 300
# How often the progress is updated, and the workers are counted, in seconds.
_LOOK = 0.1
_LOOK_AT_WORKERS = 2.0
# Our own messages report what goes wrong.
_LOGGING = dict.fromkeys(
    ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio"),
    "critical",
)
# The settings that differ on a cluster of this machine.
_CONFIG = {
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING": repr(_LOGGING),
    # A log may kill its worker twice, and is given up after the third time.
    "distributed.scheduler.allowed-failures": 2,
    # It would sample all threads a hundred times a second.
    "distributed.worker.profile.enabled": False,
}
# Names of our functions, which a worker looks up. A worker without our modules could
# not read a task that holds the functions, and would leave without a reason.
_VERSION = "convert:__version__"
_DO = "convert.scale.engines.task:do"


class Cluster:
    """A cluster that does tasks, seen from the command.

    Raises EngineError once its scheduler is gone, or all workers for too long.
    """

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name
        self._key = f"runconv-{os.urandom(8).hex()}"
        self._submitted = 0
        self._looked = self._had_workers = time.monotonic()
        with self._found():
            self.threads = _threads(client)

    def check(self) -> None:
        """Refuse workers of another version; wait for a worker if there is none yet."""
        with self._found():
            if not self.threads:
                say("notice: the cluster has no workers yet; waiting for one", None)
                try:
                    self._client.wait_for_workers(1, timeout=_LONGEST_WITHOUT_WORKERS)
                except TimeoutError as error:
                    raise _without_workers() from error
                self.threads = _threads(self._client)
            found = self._client.run(resolve_name, _VERSION, on_error="return")
        for address, version in sorted(found.items()):
            if version != __version__:
                raise _other_version(address, version)

    def submit(self, task: bytes) -> Future:
        """Let a worker do a task that `task.do` reads."""
        from toolz import compose

        self._submitted += 1
        key = (self._key, self._submitted)
        do = compose(methodcaller("__call__", __version__, task), resolve_name)
        with self._found():
            return self._client.submit(do, _DO, key=key, pure=False)

    def done(self, futures: Iterable[Future]) -> Iterable[Future]:
        """Wait for the first finished tasks, or until the next check is due."""
        from distributed import wait

        self._look()
        with self._found(), contextlib.suppress(TimeoutError):
            done: set[Future] = wait([*futures], _LOOK, "FIRST_COMPLETED").done
            return done
        return ()

    def answer(self, future: Future) -> bytes | None:
        """Return the answer of a task; None if its workers have died too often."""
        from distributed.scheduler import KilledWorker

        try:
            with self._found():
                answer: bytes | Refused = future.result()
        except KilledWorker:
            return None
        except ModuleNotFoundError as error:
            raise _other_version("", error) from error
        if isinstance(answer, bytes):
            return answer
        if answer.why == "version":
            raise _other_version(answer.worker, answer.about)
        raise UsageError(
            f"the worker {shown_address(answer.worker)} has no folder"
            f" {shown_path(answer.about)}, or a different one; share the folder with"
            " all workers, or name logs and outputs by URLs"
        )

    def _look(self) -> None:
        """Count the threads of all workers now and then, since workers come and go."""
        now = time.monotonic()
        if now - self._looked < _LOOK_AT_WORKERS:
            return
        self._looked = now
        with self._found():
            threads = _threads(self._client)
        if threads:
            self.threads, self._had_workers = threads, now
        elif now - self._had_workers > _LONGEST_WITHOUT_WORKERS:
            raise _without_workers()

    @contextlib.contextmanager
    def _found(self) -> Iterator[None]:
        """Raise EngineError in a block if the scheduler cannot be reached in it."""
        try:
            yield
        except TimeoutError:
            raise
        except (CancelledError, OSError) as error:
            raise EngineError(
                f"the scheduler {self._name} is gone; finished work is kept, so start"
                " it again and repeat the command"
            ) from error


def _threads(client: Client) -> int:
    return sum(client.nthreads().values())


@contextlib.contextmanager
def connected(scheduler: str | None) -> Iterator[Cluster]:
    """Yield a cluster, the one at an address or one on this machine, checked."""
    try:
        import dask

        dask.config.set(logging=_LOGGING)
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(_EXTRA) from error
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = _client(scheduler)
    try:
        if any("Mismatched versions" in str(each.message) for each in caught):
            say(
                "notice: the cluster has other versions of Python or of libraries than"
                " this machine; if work fails, install the same ones",
                None,
            )
        name = shown_address(scheduler) if scheduler else "of this machine"
        cluster = Cluster(client, name)
        cluster.check()
        yield cluster
    finally:
        _leave(client)


def _client(scheduler: str | None) -> Client:
    """Return a client; raises UsageError if no scheduler answers."""
    import asyncio

    from distributed import Client

    if scheduler is None:
        return Client(_cluster())
    try:
        asyncio.run(asyncio.wait_for(_answer(scheduler), _PATIENCE))
        return Client(scheduler, timeout=_PATIENCE)
    except OSError as error:
        raise UsageError(
            f"no scheduler answers at {shown_address(scheduler)} within"
            f" {_PATIENCE} s; check --scheduler, or leave it out for a cluster on this"
            " machine"
        ) from error
    except (ValueError, TypeError, ImportError) as error:
        raise UsageError(
            f"cannot use the scheduler {shown_address(scheduler)}:"
            f" {shown_address(str(error))}; check --scheduler"
        ) from error


async def _answer(scheduler: str) -> None:
    """Wait for an answer of a scheduler; a client would wait for ever."""
    from distributed.comm import connect
    from distributed.security import Security

    secrets = Security().get_connection_args("client")
    comm = await connect(scheduler, timeout=_PATIENCE, **secrets)
    await comm.close()


def _cluster() -> Any:
    """Start a cluster on this machine: a process for each processor."""
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    dask.config.set(_CONFIG)
    return LocalCluster(
        n_workers=processors(),
        threads_per_worker=1,
        # Memory is not limited, as without a cluster.
        memory_limit=0,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        # Others on this machine must not be able to give it work.
        security=Security.temporary(),
    )


def _leave(client: Client) -> None:
    """Close a client, and the cluster that it started; ignore errors."""
    cluster = client.cluster
    with contextlib.suppress(Exception):
        client.close(timeout=_PATIENCE)
    if cluster is not None:
        with contextlib.suppress(Exception):
            cluster.close(timeout=_PATIENCE)


def shown_address(text: str) -> str:
    """Return a text with addresses, without parts that may be secret."""
    return shown_path(re.sub(r"[^\s/'\"]*@|\?\S*", "", text))


def _without_workers() -> EngineError:
    """Return the error about a cluster that has no workers."""
    return EngineError(
        f"the cluster has had no workers for {_LONGEST_WITHOUT_WORKERS} s; start some,"
        " and run the command again"
    )


def _other_version(address: str, version: object) -> UsageError:
    """Return the error about a worker with another version, or without any."""
    worker = f"the worker {shown_address(address)}" if address else "a worker"
    if isinstance(version, str):
        return UsageError(
            f"{worker} has runconv {version}, and this command is {__version__};"
            " install the same version on all"
        )
    if isinstance(version, ModuleNotFoundError):
        return UsageError(f"{worker} has no runconv; install {__version__} there")
    return UsageError(f"{worker} reports no version of runconv: {version}")
