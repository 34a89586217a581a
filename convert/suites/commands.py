"""The commands of this wing, `matrix` and `approve`: their options and their help."""

from typing import Literal

from convert.cli.commands import (
    INPUT,
    OUTPUT,
    READING,
    REPORT,
    Command,
    Common,
    ManyLogs,
    Page,
    color,
    config,
    engine,
    globs,
    quiet,
    report_file,
    report_format,
    scheduler,
    schema,
    width,
)
from convert.options.option_set import option


class ApproveOptions(ManyLogs):
    """The options of `approve` itself."""

    config: str | None = config("[tool.runconv.diff]")
    output: str | None = option(
        default=None,
        help="folder of the goldens, or the golden of a single run, a file with the"
        " suffix .json",
        section=OUTPUT,
        flags="-o, --output",
        metavar="PATH",
    )
    partial: bool = option(
        default=False,
        help="approve a run that failed or breaks off, too",
        section=OUTPUT,
    )
    yes: bool = option(
        default=False,
        help="approve all runs without a question, for scripts",
        section=OUTPUT,
    )
    color: Literal["auto", "always", "never"] = color(OUTPUT)


class MatrixOptions(Common):
    """The options of `matrix` itself."""

    globs: tuple[str, ...] = globs()
    config: str | None = config("[tool.runconv.diff]")
    repeat: bool | None = option(
        default=None,
        help="treat the logs of a folder that have one prompt as runs of one case,"
        " whatever their names, or each log as a case of its own",
        section=INPUT,
        is_negatable=True,
    )
    format: Literal["table", "json", "csv", "markdown", "html"] | None = report_format()
    output: str | None = report_file()
    full: bool = option(default=False, help="show every row of a table", section=REPORT)
    width: int | None = width()
    color: Literal["auto", "always", "never"] = color()
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    quiet: bool = quiet()
    schema: bool = schema()


MATRIX = Command(
    "convert.suites.diff_and_matrix.matrix",
    "compare versions case by case",
    ("FOLDER...",),
    options=("convert.suites.commands.MatrixOptions", READING),
    page="convert.suites.commands.MATRIX_PAGE",
    schema="suites/suite.schema.json",
)
APPROVE = Command(
    "convert.suites.approve.main",
    "write the goldens of runs",
    ("RUN...",),
    options=("convert.suites.commands.ApproveOptions", READING),
    page="convert.suites.commands.APPROVE_PAGE",
)

MATRIX_PAGE = Page(
    """\
usage: runconv matrix FOLDER... [--format FORMAT] [-o PATH] [OPTION]...

Compare several versions, a folder of runs each: one sentence says if the last
is worse than the first, and since which version; below it, how many runs of
each case succeeded in which version, with the medians of calls and times.

  runconv matrix v1/ v2/ v3/              print a table, cases by versions
  runconv matrix v1/ v2/ v3/ -o runs.html  make a page
  runconv matrix v1/ v2/ v3/ -o runs.csv  write a row for each case and version
""",
    (
        "FOLDER...",
        "the folders of the versions, in their order",
    ),
    """\
exit status:
  0    compared, whatever the verdict is
  2    bad usage, nothing that can be compared, or a warning (--strict)
  130  interrupted
  141  the output pipe was closed early
""",
)

APPROVE_PAGE = Page(
    """\
usage: runconv approve RUN... -o FOLDER/ [--yes] [OPTION]...

Approve runs: show how each differs from its golden, ask, and write it. A golden
is a trajectory, a small file to be reviewed like code, that later runs are
compared with: runconv diff FOLDER/ RUNS/.

  runconv approve runs/ -o golden/             ask for each run of a folder
  runconv approve fix.ndjson -o golden/fix.json  ask for one run
  runconv approve runs/ -o golden/ --yes       approve all of them
""",
    (
        "RUN...",
        "logs of agents, or folders of them; a golden has the path of its run in the"
        " folder, and the suffix .json",
    ),
    """\
exit status:
  0    each run is approved, or as it was approved before
  1    a run was not approved: the answer was no, or it failed or breaks off
       (--partial)
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       other runs are approved
  130  interrupted
""",
)
