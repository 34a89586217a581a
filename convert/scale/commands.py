"""The commands of this wing, `stats` and `table`: their options and their help."""

from typing import Literal

from convert.cli.commands import (
    ANY_LOGS,
    FORMAT,
    HELP,
    INPUT,
    OUTPUT,
    READING,
    REPORT,
    Command,
    ManyLogs,
    Page,
    color,
    config_of_reading,
    engine,
    report_format,
    resume,
    scheduler,
    schema,
    width,
)
from convert.options.option_set import option, report_name


class StatsOptions(ManyLogs):
    """The options of `stats` itself."""

    config: str | None = config_of_reading()
    by: (
        Literal["folder", "model", "day", "prompt", "agent", "reason", "reason_kind"]
        | None
    ) = option(
        default=None,
        help="group the runs: {choices}; by default, by folder and by model where that"
        " makes 2 to 12",
        section=REPORT,
        metavar="WHAT",
    )
    format: Literal["table", "json", "csv", "markdown", "html"] | None = report_format()
    output: str | None = option(
        default=None,
        help="file to write, whole or not at all; a PATH that is a folder or ends in /"
        " gets index.html and the page of each log",
        section=REPORT,
        flags="-o, --output",
        metavar="PATH",
    )
    full: bool = option(default=False, help="show every row of a table", section=REPORT)
    width: int | None = width()
    color: Literal["auto", "always", "never"] = color()
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    schema: bool = schema()


class TableOptions(ManyLogs):
    """The options of `table` itself."""

    config: str | None = option(
        default=None,
        help="TOML file with settings of how logs are read, and for findings with those"
        " of diff; by default, the table [tool.runconv] of the nearest pyproject.toml"
        " with settings of runconv",
        section=INPUT,
        metavar="FILE",
        is_rare=True,
    )
    format: Literal["ndjson", "csv", "parquet"] | None = option(
        default=None,
        help="format to write: {choices}; by default, the one for the suffix of PATH,"
        " parquet into a folder, else ndjson; parquet needs runconv[parquet]",
        section=OUTPUT,
        flags=FORMAT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    output: str | None = option(
        default=None,
        help="file to write, whole or not at all; a PATH that is a folder or ends in /"
        " gets files in a folder for each day",
        section=OUTPUT,
        flags="-o, --output",
        metavar="PATH",
    )
    partition: str | None = option(
        default=None,
        help="a folder in PATH for each value of this column; by default date, the day"
        " on which a run began",
        section=OUTPUT,
        metavar="COLUMN",
        is_rare=True,
    )
    arguments: bool = option(
        default=False,
        help="add the arguments of calls, as JSON text",
        section=OUTPUT,
    )
    outputs: bool = option(
        default=False,
        help="add the output of calls, as JSON text",
        section=OUTPUT,
    )
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    resume: bool = resume()
    schema: bool = option(
        default=False,
        help="print the columns, their types, units and meanings",
        section=HELP,
    )


TABLES = ("runs", "calls", "files", "findings")
STATS = Command(
    "convert.scale.stats.command.main",
    "count many runs",
    ("[LOG]...",),
    options=("convert.scale.commands.StatsOptions", READING),
    page="convert.scale.commands.STATS_PAGE",
    schema="scale/stats/stats.schema.json",
)
TABLE = Command(
    "convert.scale.tables.command.main",
    "write the rows of a table, for DuckDB, pandas and the like",
    ("[LOG]...",),
    (TABLES,),
    options=("convert.scale.commands.TableOptions", READING),
    page="convert.scale.commands.TABLE_PAGE",
)
STATS_PAGE = Page(
    """\
usage: runconv stats LOG... [--by WHAT] [--format FORMAT] [-o PATH] [OPTION]...

Count the runs of many logs: how they ended, how many calls of each kind they
made and how many of those failed, how long they took, and which to look at.

  runconv stats logs/*.ndjson         print a table, the worst runs at its end
  runconv stats logs --by model       compare models, in the logs of a folder
  runconv stats logs -o stats.html    write a page with a picture of each run
  runconv stats logs -o pages/        write it, with the page of each log
  runconv stats logs -o runs.csv      write one row a run, for a spreadsheet
""",
    ANY_LOGS,
    """\
exit status:
  0    counted, however the runs ended
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       other logs are counted
  130  interrupted
  141  the output pipe was closed early
""",
)
TABLE_PAGE = Page(
    """\
usage: runconv table runs|calls|files LOG... [-o PATH] [OPTION]...
       runconv table findings A B [-o PATH] [OPTION]...
       runconv table [TABLE] --schema

Write the rows of a table: one per run, per tool call, per file that a run read
or changed, or per difference that diff finds between two folders or two logs.
Parquet, CSV and NDJSON are read by DuckDB, pandas, polars, Spark and the like.

  runconv table runs logs/              print an object per run
  runconv table calls logs/ -o calls.parquet
                                        write a row per call
  duckdb -c "select tool, avg(duration_ms) from 'calls.parquet' group by all"
                                        query it
  runconv table calls logs/ -o calls/   write files into a folder for each day
  runconv table findings old/ new/ -o findings.csv
                                        write a row per difference
  runconv table calls --schema          print the columns
""",
    ANY_LOGS,
    """\
exit status:
  0    written, however the runs ended, and whatever differs
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       rows of the other logs are written
  130  interrupted
  141  the output pipe was closed early
""",
)
