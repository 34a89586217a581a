"""The agent whose formats these are."""

AGENT = "Cursor"
"""Its name, for titles."""
