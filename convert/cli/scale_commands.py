"""The commands `stats` and `table`: their rows and their help."""

from convert.cli.commands import ANY_LOGS, READING, Command, Page

TABLES = ("runs", "calls", "files", "findings")
STATS = Command(
    "convert.cli.stats.main",
    "count many runs",
    ("[LOG]...",),
    options=("convert.cli.report_options.StatsOptions", READING),
    page="convert.cli.scale_commands.STATS_PAGE",
)
TABLE = Command(
    "convert.cli.table.main",
    "write the rows of a table, for DuckDB, pandas and the like",
    ("[LOG]...",),
    (TABLES,),
    options=("convert.cli.report_options.TableOptions", READING),
    page="convert.cli.scale_commands.TABLE_PAGE",
)

_STATS = """\
usage: runconv stats LOG... [--by WHAT] [--format FORMAT] [-o PATH] [OPTION]...

Count the runs of many logs: how they ended, how many calls of which kind they
made and how many of those failed, how long they took, which runs to look at.

  runconv stats logs/*.ndjson         print a table, the worst runs at its end
  runconv stats logs --by model       compare models, in the logs of a folder
  runconv stats logs -o stats.html    write a page with a picture of each run
  runconv stats logs -o pages/        write it, and the page of each log beside
  runconv stats logs -o runs.csv      write one row a run, for a spreadsheet
"""
_STATS_STATUS = """\
exit status:
  0    counted, however the runs ended
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       other logs are counted
  130  interrupted
  141  the output pipe was closed early
"""
STATS_PAGE = Page(_STATS, ANY_LOGS, _STATS_STATUS)

_TABLE = """\
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
"""
_TABLE_STATUS = """\
exit status:
  0    written, however the runs ended, and whatever differs
  2    bad usage, a log that cannot be read, or a warning (--strict); the
       rows of the other logs are written
  130  interrupted
  141  the output pipe was closed early
"""
TABLE_PAGE = Page(_TABLE, ANY_LOGS, _TABLE_STATUS)
