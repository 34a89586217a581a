"""Jobs as every engine knows them: their sizes, and what is said of one that died."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from convert.cli.display import shown_path
from convert.cli.engines import DIED, Job
from convert.cli.logs import name_of
from convert.cli.messages import kept_messages, say
from convert.storage import size_of as size_of_log

# How far the work goes ahead of a slow log, so that results that wait take no more
# memory: in bytes of logs for each worker, to which each job adds some.
_AHEAD = 256_000_000
_EACH = 50_000


class Window:
    """The jobs, by their numbers, that are near enough to the one that is `wanted`.

    The results of others would have to wait in memory.
    """

    def __init__(self, sizes: Sequence[int], workers: int) -> None:
        self.wanted = 0
        self._ends = [*itertools.accumulate(size + _EACH for size in sizes)]
        self._most = _AHEAD * workers

    def has(self, number: int) -> bool:
        """Tell if a job is so near that its result may wait."""
        return self._ends[number] - self._ends[self.wanted] <= self._most


def death_of(job: Job) -> list[bytes]:
    """Return the message about a job whose worker died."""
    names = ", ".join(shown_path(name_of(log)) for log in job.paths)
    with kept_messages() as lines:
        say(f"{names}: {DIED}")
    return lines


def size_of(job: Job) -> int:
    """Return the total size of the logs of a job; an unreadable log counts 0."""
    return sum(map(size_of_log, job.paths))
