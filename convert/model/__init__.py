"""The events of a log and the runs they make.

events           what happened, in the order of the log
needs            the parts of a log that a writer asks for
cost             the cost of a run: sums, differences, words
approved         a run that somebody approved, to compare later runs with
run              a run as a fold over its events; a writer that does not need whole
                 runs does not fold
halved_segments  the text of a run where the log seems to repeat it
unrecorded_text  the text of a run where its result lacks it, from a second reading
"""
