"""The commands `matrix` and `approve`: their rows and their help."""

from convert.cli.commands import READING, Command, Page

MATRIX = Command(
    "convert.cli.matrix.main",
    "compare versions case by case",
    ("FOLDER...",),
    options=("convert.cli.report_options.MatrixOptions", READING),
    page="convert.cli.suite_commands.MATRIX_PAGE",
)
APPROVE = Command(
    "convert.cli.approve.main",
    "write the goldens of runs",
    ("RUN...",),
    options=("convert.cli.report_options.ApproveOptions", READING),
    page="convert.cli.suite_commands.APPROVE_PAGE",
)

_MATRIX = """\
usage: runconv matrix FOLDER... [--format FORMAT] [-o PATH] [OPTION]...

Compare several versions, a folder of runs each: one sentence says if the last
is worse than the first, and since which version; below it, how many runs of
each case succeeded in which version, with the medians of calls and times.

  runconv matrix v1/ v2/ v3/              print a table, cases by versions
  runconv matrix v1/ v2/ v3/ -o runs.html  make a page
  runconv matrix v1/ v2/ v3/ -o runs.csv  write a row for each case and version
"""
_FOLDERS = (
    "FOLDER...",
    "the folders of the versions, in their order",
)
_MATRIX_STATUS = """\
exit status:
  0    compared, whatever the verdict is
  2    bad usage, nothing that can be compared, or a warning (--strict)
  130  interrupted
  141  the output pipe was closed early
"""
MATRIX_PAGE = Page(_MATRIX, _FOLDERS, _MATRIX_STATUS)

_APPROVE = """\
usage: runconv approve RUN... -o FOLDER/ [--yes] [OPTION]...

Approve runs: show how each differs from its golden, ask, and write it. A golden
is a trajectory, a small file to be reviewed like code, that later runs are
compared with: runconv diff FOLDER/ RUNS/.

  runconv approve runs/ -o golden/             ask for each run of a folder
  runconv approve fix.ndjson -o golden/fix.json  ask for one run
  runconv approve runs/ -o golden/ --yes       approve all of them
"""
_RUNS = (
    "RUN...",
    "logs of agents, or folders of them; a golden has the path of its run in the"
    " folder, and the suffix .json",
)
_APPROVE_STATUS = """\
exit status:
  0    each run is approved, or as it was approved before
  1    a run was not approved: the answer was no, or it failed or breaks off
       (--partial)
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       other runs are approved
  130  interrupted
"""
APPROVE_PAGE = Page(_APPROVE, _RUNS, _APPROVE_STATUS)
