"""Engines, which work on many logs: the processes of this machine, or a cluster.

jobs      jobs and their groups, work and its steps, the interface of an engine
local     the processes of this machine
batches   jobs in turn, whose files are synced together
dask      a cluster of Dask; cluster: found, checked and left, and a task on a worker
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from convert.scale.engines.jobs import Engine, refuse_memory

"""The message about a log whose worker died."""


@contextlib.contextmanager
def opened(name: str, scheduler: str | None, output: str = "") -> Iterator[Engine]:
    """Yield the engine of a name, with what it needs opened for the block.

    `output` is the folder that the work writes to; "" if it writes no files.
    """
    if name == "dask":
        refuse_memory([output])
        from convert.scale.engines.dask import on_dask

        with on_dask(scheduler, output) as engine:
            yield engine
    else:
        from convert.scale.engines.local import Local

        yield Local(output)
