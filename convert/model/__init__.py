"""The events of a log and the runs that they make.

events      what happened, in the order of the log
needs       the parts of a log that a writer asks for
run         a run as a fold over its events, and the text that its result records
cost        the cost of a run: sums, differences, words
approved    an approved run, which later runs are compared with
json_lines  what writers of JSON lines share: values of any kind, the order of
            events, and the facts that a format has no place for

A writer that does not need whole runs does not fold.
"""
