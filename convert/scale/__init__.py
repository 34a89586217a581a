"""Very many logs: converted on all processors or a cluster, counted, and as tables.

commands     the commands `stats` and `table`: their options and their help
conversion   the conversion of many logs into a folder, one file for each
resume       the manifest of a folder, in which `--resume` finds finished work
engines      work on many logs, on the processes of this machine, or a cluster
storage      objects at URLs, through fsspec
stats        the figures of many runs, and their reports
tables       the rows of many runs, for DuckDB, pandas, Spark and the like

logs -> jobs -> work on an engine -> results in order -> output, totals, exit status

This wing imports the core and no other wing.
"""

from __future__ import annotations

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "commands": "StatsOptions TableOptions",
        "engines.run_jobs": "DIED results_of",
        "engines.dask": "shown_address",
        "engines.jobs": "MOST_FILES in_batches Steps Window ranges_of",
        "engines.local": "processors",
        "resume": "NAME content_of",
        "stats.json_and_csv": "COLUMNS",
        "stats.metrics": "METRIC METRICS distribution dots heights",
        "stats.reports": "Look REPORTS fate_words headline kinds_of report",
        "stats.statistics": "Broken Group Statistics grouped statistics_of",
        "stats.summary": "FATES Fate NEEDS RunSummary ToolCalls of_log strip_of "
        "summaries",
        "stats.terminal_and_markdown": "shares",
        "storage.objects": "Upload forget paths_below",
        "storage.stores": "in_words",
        "tables.parts": "groups_of",
        "tables.rows": "OF_LOGS Wanted fitting moment text",
        "tables.files": "csv_pieces ndjson_pieces partition_folder schema_of tables_of",
        "tables.log_rows": "KeptRows",
        "tables.schema": "Column ROWS RunRow SCHEMA columns every_column",
    },
)
