"""The wing that starts an agent, and makes sure that its run ends: `runconv run`.

command -> process -> streams -> log -> pipeline -> view -> exit status

commands  the options and the help of `run`
request   the request that a command line makes, and the output that it asks for
command   the command: its tries, and the last line
process   a process and its streams, with their deadlines
signals   the signals that reach this process, and waits that end when one does
groups    process groups: how one starts, and the processes outside that belong to it
log       the log: lines of the agent, and marks for its standard error
views     the output while a run goes on
endings   how a run ended: in words, as an exit status, in the step of a workflow

The reader gets the bytes of the log as they are written, marks included. So the output
while the agent works is that of the log afterwards.
"""
