"""The parts of a call for each kind of tool: a function a kind, a module a theme.

The table of tools names the function of a kind. It receives the arguments and the
output of a call and adds title, notes and parts to the builder. The annotations of a
common kind are structs with the members that are shown, those of others are `Fields`.

files     contents, changes with their diffs, and findings as lists
shell     commands and their output
plans     to-do lists, plans, questions, modes and subagents
services  the web, MCP servers, pull requests, messages and images
"""
