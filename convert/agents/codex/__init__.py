"""The formats of Codex: `codex exec --json`, and its session files.

apply_patch     patches in Codex's own form, as calls
outputs         the output of a tool as the model got it, and counts of tokens

exec_reader     codex-exec: lines and the calls of their items; runs with their turns

rollout_lines   codex-rollout: a line as a struct; repeated and empty lines
rollout_calls   the calls of an item, from their begin to an output or an event
rollout_reader  the run of a session file
"""
