"""The runs of agents that record other events than Cursor's, in the words of the model.

A reader of such logs decodes its lines and calls a method for each thing that happened.

agent_run   a run that is put together: what a reader says of it, as events
lines       from blocks of lines to events, with damage and redaction as for any log
tools       the tools of all agents: kinds and arguments
arguments   how the arguments of each kind are named
commands    the command inside of `bash -lc '…'`
outputs     what a tool returned as text, as members of its kind
"""
