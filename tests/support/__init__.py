"""Helpers that the tests and the scripts share."""
