"""The agent whose formats these are."""

AGENT = "Cursor"
"""Its name, for titles."""
# The subtype of the line that ends a run of which nothing tells how it ended, where a
# stream is written: without it, the run would read as cut off.
END_NOT_RECORDED = "end_not_recorded"
