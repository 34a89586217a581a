"""The meaning of a tool call: one row for each kind of tool.

table         all kinds of tools, and the row of a kind that has none; row: its cells
kinds         the rows, by theme
subjects      the words and paths that a call is about, for `diff` and for people
names         of tools, in full and short, and of arguments and outputs
outcomes      how a call ended, and why it failed, in the words of a language
action_lines  phrase, subject and outcome: the line of a call in `text`, read back too
shell         whether a shell command changes anything, what it runs, and where

A new kind is one row. A test walks the table and names each cell that is missing.
"""
