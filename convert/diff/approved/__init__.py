"""Approved runs.

goldens    the files that hold them, and the settings they were made with
reading    an approved run as it is compared
writing    a run as it is approved, and the bytes of its document
"""
