"""The behaviour of the runs of a case, and its changes.

traits              the traits of a run; varying_values: marks for values of a day
actions             the calls of traits
changes             the changes between versions, tested by permutations
change_sentences    a change in words
"""
