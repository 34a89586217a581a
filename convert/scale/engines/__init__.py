"""The one way to do a job on many logs, for every command that has many.

A command brings three things:
- jobs that name their logs: one log, the runs of a case, or hundreds of logs
- work, which does one job and returns the result; it may print messages, and it may
  yield a file that is complete, which then gets its name together with others
- a sink, which takes the results in the order of the jobs

  with opened(command, folder) as engine:
      results = results_of(engine, work, jobs, died, progress, note)

Everything else is in `run_jobs`, once. `results_of` makes each engine look like work on
one log after the other:
- Order: a result waits for those before it. No engine goes so far ahead of a slow log
  that waiting results fill the memory.
- Messages about a job are kept where it is done, and printed before its result.
- Progress counts logs and bytes as the results come.
- A job that kills its worker gets the result of `died`, and harms no other.
- A plan of `--resume` notes each result as soon as it is there.
- `stats` and `table` read each log with one `LogReading`, and print the messages about
  several logs as sums.

An engine does jobs in any order, yields those that are done, and knows nothing of this:

run_jobs  the results of jobs in their order: the loop that this page describes
jobs      jobs, their sizes and groups, the interface of an engine, and jobs in turn,
          with small files synced and renamed together
local     the work in this process, or in one for each processor
dask      a group of jobs is a task of a cluster; task: such a task on a worker

`run_jobs` is both calls in one, for a command that has jobs once. The functions of
Python do the same work log by log, and print nothing.
"""

from __future__ import annotations

from convert.registry import exports

# Names that tests import from the package; each loads its module.
__getattr__ = exports(
    __name__, {"local": "Local", "run_jobs": "LogReading opened results_of"}
)
