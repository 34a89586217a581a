"""Very many logs: on all processors or a cluster, at URLs, counted, as tables.

commands     the commands `stats` and `table`: their options and their help
conversion   the conversion of many logs into a folder, one file for each
resume       the manifest of a folder, by which `--resume` knows finished work
engines/     what works on many logs: the processes of this machine, or a cluster
storage/     objects at URLs, through fsspec
stats/       the figures of many runs, and their reports
tables/      the rows of many runs, for DuckDB, pandas, Spark and the like

logs -> jobs -> work on an engine -> results in order -> output, totals, exit status

This wing imports the core and no other wing.
"""
