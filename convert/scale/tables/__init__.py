"""The rows of many runs; `convert.tables` is their way from Python.

events -> rows -> ndjson, csv, parquet, Arrow

schema       the struct of each table, with the words and units of its columns
rows         the rows of one log, and texts, numbers and times that every format holds
files        ndjson, csv and parquet, the table of formats, the folders of a partitioned
             table, and rows as tables of Arrow
command      the command `table`, and where its rows go; log_rows: those of one log,
             parts: the files of a folder, and those that stay as they are

The rows of `findings` are made in `convert/findings_table.py`. Making rows prints
nothing, and writing rows counts nothing.
"""
