"""The rows of the table of tools, by theme; `transcript.kinds` has the same themes."""
