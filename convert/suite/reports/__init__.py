"""Reports of a suite: a module each, with a function from a suite to lines of text."""

from __future__ import annotations
