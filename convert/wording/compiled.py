"""Patterns that are compiled on first use, since many runs of the program need few."""

from __future__ import annotations

import functools
import re


@functools.cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern of a module; one of a user would stay forever."""
    return re.compile(pattern, flags)
