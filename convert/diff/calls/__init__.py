"""The tool calls of a run, as recorded and as one comparison sees them.

recorded_call   calls as their log records them, inside each other, and made at once
arguments       the arguments of calls, and the effects of edits
outputs         the outputs of calls
aligned_call    a call in one comparison: its keys and marks
trajectory      a run, and a run in one comparison
forms           the forms by which the calls of two runs are compared
directories     directories that logs do not record, lent by a run or inferred
two_agents      runs of two agents, and logs that lack something
"""
