"""A cluster of Dask: found or started, checked, left; and a task on its workers.

A worker may have come long after the work began, so that each task looks whether it
has the version of the command and sees its folders.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import logging
import os
import pickle
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.cli.logs import watched_reading
from convert.cli.messages import say, use_colours
from convert.cli.terminal import shown_path
from convert.errors import EngineError, OutputError, UsageError
from convert.scale.engines.batches import in_batches
from convert.scale.engines.local import processors
from convert.source.places import forget
from convert.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future


class Setting(Struct, frozen=True):
    """Where a command runs, which must be so on a worker as well."""

    folder: str
    """The folder that paths are relative to."""

    is_needed: bool
    """Some path is relative."""

    mark: str
    """The path of a file that is there while the command runs; "" for none."""

    colours: str
    """When messages are coloured: `always` or `never`."""


class Refused(Struct, frozen=True):
    """The reason why a worker does not do a task."""

    why: str
    """`version` or `folder`."""

    about: str
    """The version of the worker, or the folder that it lacks."""

    worker: str
    """The address of the worker."""


class Stopped(BaseException):
    """The command that asked for a task has ended or wants it no more."""


def do(version: str, task: bytes) -> bytes | Refused:
    """Do a group of jobs; return the results and messages of each, pickled.

    A task is pickled by us: Dask would look for its own futures in each job, and a
    worker of another version could not read it before it is refused.
    """
    from distributed import Reschedule, get_worker

    worker = get_worker()
    if version != __version__:
        return Refused("version", __version__, worker.address)
    work, jobs, setting = pickle.loads(task)
    forget()
    # Messages and the folder are those of the process. More threads gain nothing.
    with _ALONE, _as_command(setting) as lacking:
        if lacking:
            return Refused("folder", lacking, worker.address)
        try:
            with watched_reading(_stop_if_unwanted(worker)):
                batches = in_batches(work, jobs)
                return pickle.dumps([*itertools.chain.from_iterable(batches)])
        except Stopped:
            # A worker that leaves hands on its tasks; one that is unwanted is dropped.
            raise Reschedule from None


_ALONE = threading.Lock()


@contextlib.contextmanager
def _as_command(setting: Setting) -> Iterator[str]:
    """Work where the command does and as it does; yield the folder that is lacking."""
    before, threshold = os.getcwd(), gc.get_threshold()
    lacking = ""
    try:
        os.chdir(setting.folder)
    except OSError:
        lacking = setting.folder if setting.is_needed else ""
    if setting.mark and not lacking and not os.path.exists(setting.mark):
        lacking = os.path.dirname(setting.mark)
    # As the command itself: few objects refer to each other in circles.
    gc.set_threshold(50_000, 20)
    use_colours(setting.colours)
    try:
        yield lacking
    finally:
        gc.set_threshold(*threshold)
        os.chdir(before)


def _stop_if_unwanted(worker: Any) -> Callable[[int], None]:
    """Return what raises Stopped while a log is read that nobody waits for any more.

    A thread cannot be ended from outside. The file that is being written is removed.
    """
    from distributed import Status

    key = worker.get_current_task()

    def stop(_: int) -> None:
        state = worker.state.tasks.get(key)
        is_wanted = state is not None and state.state != "cancelled"
        if not is_wanted or worker.status == Status.closing:
            raise Stopped

    return stop


_EXTRA = "--engine dask needs Dask: pip install 'runconv[dask]'"
# How long a scheduler has to answer, and a cluster to get its first worker, in seconds.
_PATIENCE = 10
_LONGEST_WITHOUT_WORKERS = 300
# How often the progress is looked at, and the workers.
_LOOK = 0.1
_LOOK_AT_WORKERS = 2.0
# Messages of ours say what goes wrong.
_LOGGING = dict.fromkeys(
    ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio"),
    "critical",
)
# The settings that differ on a cluster of this machine.
_CONFIG = {
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING": repr(_LOGGING),
    # A log may kill its worker twice, and is given up after the third time.
    "distributed.scheduler.allowed-failures": 2,
    # It would sample what threads do a hundred times a second.
    "distributed.worker.profile.enabled": False,
}
# Asked in these words, since a worker need not have any module of ours. One that could
# not read its task would leave the cluster without a reason.
_VERSION = "__import__('convert').__version__"
_DO = "__import__('convert.scale.engines.cluster', fromlist=['do']).do(version, task)"


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
        """Refuse workers with another version; wait for one if there is none yet."""
        with self._found():
            if not self.threads:
                say("notice: the cluster has no workers yet; waiting for one", None)
                try:
                    self._client.wait_for_workers(1, timeout=_LONGEST_WITHOUT_WORKERS)
                except TimeoutError as error:
                    raise _without_workers() from error
                self.threads = _threads(self._client)
            found = self._client.run(eval, _VERSION, on_error="return")
        for address, version in sorted(found.items()):
            if version != __version__:
                raise _other_version(address, version)

    def submit(self, task: bytes) -> Future:
        """Let a worker do a task that `task.do` reads."""
        self._submitted += 1
        key = (self._key, self._submitted)
        given = {"version": __version__, "task": task}
        with self._found():
            return self._client.submit(eval, _DO, given, key=key, pure=False)

    def done(self, futures: Iterable[Future]) -> Iterable[Future]:
        """Wait for the first tasks that are done, or until it is time to look."""
        from distributed import wait

        self._look()
        with self._found(), contextlib.suppress(TimeoutError):
            done: set[Future] = wait([*futures], _LOOK, "FIRST_COMPLETED").done
            return done
        return ()

    def answer(self, future: Future) -> bytes | None:
        """Return what a task returned; None if its workers have died too often."""
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
            f" {shown_path(answer.about)} or another one; share the folder with all"
            " workers, or name logs and outputs by URLs"
        )

    def _look(self) -> None:
        """Count the threads of all workers now and then, which come and go."""
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
                f"the scheduler {self._name} is gone; what is done stays done, so start"
                " it anew and run the command again"
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
            say(_OTHER_VERSIONS, None)
        name = shown_address(scheduler) if scheduler else "of this machine"
        cluster = Cluster(client, name)
        cluster.check()
        yield cluster
    finally:
        _leave(client)


_OTHER_VERSIONS = (
    "notice: the cluster has other versions of Python or of libraries than this"
    " machine; if work fails, install the same ones"
)


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
        why = shown_address(str(error))
        what = f"cannot use the scheduler {shown_address(scheduler)}: {why}"
        raise UsageError(f"{what}; check --scheduler") from error


async def _answer(scheduler: str) -> None:
    """Wait for an answer of a scheduler; a client would wait for it without end."""
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
        # A log needs the memory that it needs, as without a cluster.
        memory_limit=0,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        # Others on this machine must not be able to give it work.
        security=Security.temporary(),
    )


def _leave(client: Client) -> None:
    """Close a client, and the cluster that it started; its errors matter no more."""
    cluster = client.cluster
    with contextlib.suppress(Exception):
        client.close(timeout=_PATIENCE)
    if cluster is not None:
        with contextlib.suppress(Exception):
            cluster.close(timeout=_PATIENCE)


def shown_address(text: str) -> str:
    """Return an address, or a text with some, without anything that may be secret."""
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
        has = f"runconv {version}, and this command is {__version__}"
        return UsageError(f"{worker} has {has}; install the same version on all")
    if isinstance(version, ModuleNotFoundError):
        return UsageError(f"{worker} has no runconv; install {__version__} there")
    return UsageError(f"{worker} cannot tell its version of runconv: {version}")


@contextlib.contextmanager
def marked(folder: str) -> Iterator[str]:
    """Keep a file in a folder for the block, by which workers know the folder again.

    Without it, a folder of a worker's own with the same path would get the outputs.
    """
    mark = os.path.join(folder, f".runconv-{os.urandom(8).hex()}")
    try:
        os.makedirs(folder, exist_ok=True)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        what = f"cannot write {shown_path(folder)}: {why}; choose another with -o"
        raise OutputError(what) from error
    try:
        yield mark
    finally:
        with contextlib.suppress(OSError):
            os.unlink(mark)
