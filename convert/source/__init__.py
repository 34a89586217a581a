"""From the bytes of a log to its lines, and whose log it is."""
