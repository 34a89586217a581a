"""The facts of a run, each a fold over its events or its calls.

Transcripts and comparisons use them. A fold takes one event at a time and keeps no
output of a call, so that it follows a live log in little memory.
"""
