"""The runs of agents that record other events than Cursor's, in the words of the model.

A reader of such logs decodes its lines and calls a method for each thing that happened.

agent_run   a run that is put together: what a reader says of it, as events
lines       from blocks of lines to events, with damage and redaction as for any log
line_reader  the events of the lines of a log, as a reader of single lines finds them
claude      what the formats of Claude Code share
codex       what those of Codex share
tools       the tools of all agents: kinds and arguments
arguments   how the arguments of each kind are named
commands    the command inside of `bash -lc '…'`
outputs     what a tool returned as text, as members of its kind
diffs       diffs with the headers that Cursor writes
numbered_lines  the content of a file without the numbers before its lines
found_lines  what a search printed, by file
seen_lines  the lines that a log has had; timestamps: the times of lines
raw_values  values that a line keeps as bytes until they are needed
remembered  the ids that came lately, for what comes again

Writers take these:

output_texts  what a tool returned, as the text that the model read;
            passed_arguments: what the model passed to it
call_ids    ids of calls as the interface of a model takes them; turns: which texts
            and calls are one message
"""
