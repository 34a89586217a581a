"""The figures of many runs.

events -> summaries of runs -> statistics -> lines

summary     one run in figures, folded from its events
metrics     the figures that are counted over runs
quantiles   how figures spread, and how sure a rate is
statistics  runs in total, by group, by tool and by file
reports     what is printed

Counting prints nothing, and printing counts nothing.
"""
