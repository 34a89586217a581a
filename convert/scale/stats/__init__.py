"""The figures of many runs; `convert.stats` is their way from Python.

events -> summaries of runs -> statistics -> lines

summary         one run in figures, folded from its events
metrics         the figures that are counted over runs, their axes, and the facts that
                group runs
statistics      runs in total, by group, by tool and by file
reports         the table of reports, and the sentences and tables that they show
terminal_and_markdown  the reports for people, but for the page
json_and_csv    the reports for programs; `stats.schema.json` in this folder describes
                the first
page            the report for a browser, with pictures
command         the command `stats`, and the counting of one log
"""
