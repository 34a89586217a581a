"""Pairing the calls of two runs.

matching       exact alignment, by one key after the other
batches        the alignment of calls that were made at once
aligned_run    the keys for the alignment, and the choice among equal calls
rows           two calls, rows of calls, and where they diverge
"""
