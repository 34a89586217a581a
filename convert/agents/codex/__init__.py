"""The formats of Codex: `codex exec --json`, and its session files.

apply_patch         patches in Codex's own form, as calls
outputs             the output of a tool as the model got it: text, exit code, time
tokens              sums of tokens that a log records again and again

exec_items          codex-exec: a line as a struct, and the calls of its item
exec_reader         the runs of such a log, with their turns

rollout_lines       codex-rollout: a line as a struct; repeated and empty lines
rollout_calls       the calls of an item, and how they ended
rollout_open_calls  calls that have begun, until their output or an event ends them
rollout_reader      the run of a session file
"""
