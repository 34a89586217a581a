"""A task on a worker of a cluster: a group of jobs, done as the command would.

A worker may join long after the work began, so each task checks that the worker has
the version of the command and sees its folders.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from convert.cli.logs import watched_reading
from convert.cli.messages import use_colours
from convert.scale.engines.jobs import in_batches
from convert.source.places import forget
from convert.version import __version__


class Setting(Struct, frozen=True):
    """The place where a command runs; a worker must have the same."""

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
    """No command waits for the task any more."""


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
    # Messages and the folder belong to the process. More threads gain nothing.
    with _ALONE, _as_command(setting) as lacking:
        if lacking:
            return Refused("folder", lacking, worker.address)
        try:
            with watched_reading(_stop_if_unwanted(worker)):
                return pickle.dumps([*itertools.chain(*in_batches(work, jobs))])
        except Stopped:
            # A worker that leaves hands on its tasks; an unwanted task is dropped.
            raise Reschedule from None


_ALONE = threading.Lock()


@contextlib.contextmanager
def _as_command(setting: Setting) -> Iterator[str]:
    """Work in the folder of the command, as it does; yield a folder that is missing."""
    before, threshold = os.getcwd(), gc.get_threshold()
    lacking = ""
    try:
        os.chdir(setting.folder)
    except OSError:
        lacking = setting.folder if setting.is_needed else ""
    if setting.mark and not lacking and not os.path.exists(setting.mark):
        lacking = os.path.dirname(setting.mark)
    # The same as in the command: few objects refer to each other in circles.
    gc.set_threshold(50_000, 20)
    use_colours(setting.colours)
    try:
        yield lacking
    finally:
        gc.set_threshold(*threshold)
        os.chdir(before)


def _stop_if_unwanted(worker: Any) -> Callable[[int], None]:
    """Return a function that raises Stopped once nobody waits for the task any more.

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
