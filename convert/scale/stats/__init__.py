"""The figures of many runs; `convert.stats` is their way from Python.

events -> summaries of runs -> statistics -> lines

summary         one run in figures, folded from its events
metrics         the figures that are counted over runs, and the facts that group runs
statistics      runs in total, by group, by tool and by file
reports         the table of reports, and the sentences and tables that they show
table           for the terminal
markdown        for a comment or the summary of a job
json_and_csv    for scripts, as `stats.schema.json` in this folder describes, and for
                spreadsheets
page            for a browser; distributions: its pictures
command         the command `stats`; counting: one log of it
"""
