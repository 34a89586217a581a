"""The formats of Claude Code, in which Amp and Qwen Code write as well.

Shared by both formats:

messages         messages as structs, added to a run block by block
results          how a call ended, by the text and the object of its result
outputs          the object that a tool records, as members of its kind
usage            tokens of responses, and costs of single runs

claude-stream, the events that `claude -p --output-format stream-json` prints:

stream_reader    a line as a struct, the run that it belongs to, and its events
stream_writer    a run of any agent as such a stream
written_calls    its calls by the names of Claude Code, and the objects of results

claude-session, the files in `~/.claude/projects/`:

session_files    a line as a struct, and the files of subagents next to the session
session_reader   the events that each line adds to the run
"""
