"""The meaning of a tool call: its kind, its phrases and its command."""
