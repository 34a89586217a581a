"""Parts shared by the formats of Claude Code, which Amp and Qwen Code write as well.

wire        the structs of messages; messages: what they add to a run
tokens      those of runs, and of responses as their lines come
results     the end of a call: how it ended and what it returned
outcomes    how a call ended, by its text
content     the text of a result, whose parts may be pictures
outputs     the object of each tool, as members of its kind
edits       the objects of tools that change files
names       tools and arguments by the names of Claude Code, for the writer
objects     the objects that its tools record, for the writer
"""
