"""The rows of the table of tools, by theme; `transcript.kinds` has the same themes.

files      reading, changing and listing files
search     searching them
shell      commands, and the machine they run on
web        pages and addresses
servers    MCP servers
subagents  subagents
plans      plans, to-do lists, questions and modes
cloud      agents in the cloud, branches, pull requests
messages   messages, images and reports for people
"""
