"""The version of runconv."""

__version__ = "0.1.0"
