"""The formats of Claude Code, in which Amp and Qwen Code write as well.

Read by both formats:

blocks           messages as structs: blocks, texts, pictures, tokens
messages         messages added to a run, block by block
results          how a call ended, by the text and the object of its result
outputs          the object that a tool records, as members of its kind

claude-stream, the events that `claude -p --output-format stream-json` prints:

stream_lines     a line as a struct, and the facts of a `result`
stream_reader    the run that a line belongs to, and the events that it adds
stream_writer    a run of any agent as such a stream
written_calls    its calls as blocks of messages, and the objects of their results
written_tools    tools and arguments by the names of Claude Code

claude-session, the files in `~/.claude/projects/`:

session_files    a line as a struct, and the files of subagents next to the session
session_reader   the events that each line adds to the run
"""
