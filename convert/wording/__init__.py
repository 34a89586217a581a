"""Text handling that knows nothing of logs.

escapes      text that is harmless on one line, in a terminal or in the log of a runner
markdown     text that is harmless in Markdown
styles       lines of styled text, and the colours of a terminal
columns      texts measured, cut and laid out in the columns of a terminal
numbers      numbers, sizes and durations for people
paths        paths as people read them
alignment    the longest common subsequence of two sequences
diffs        the lines in which two texts differ, and patches as git writes them
suggestions  the name that a mistyped one may have meant
digests      `blake2b`, without the library of cryptography

`compiled` is here: patterns that are compiled on first use.
"""

from __future__ import annotations

import functools
import re


@functools.cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern of a module; one of a user would stay forever."""
    return re.compile(pattern, flags)
