"""A run to look at: what a page and a view in the terminal show, without any notation.

run_picture    a run, folded from its events
run_words      what is said of a run with its numbers
rows           a call as a row: its kind, its subject, how it ended
touched_files  the files that a run read and edited
timeline       the bars, dots and numbers of the picture
columns        the same for many calls, as columns of their share of time
wrapped        every call of many, in rows of one length
bands          two runs above one another, and the bands between equal calls
strip          a run a line high
distribution   how a figure spreads over many runs: a dot is a run
axis           times or places of calls as per cent of the width

The geometry takes numbers and returns numbers, so that its tests need no browser.
"""
